/** One figure of a benchmark, and what the machine could do at best in the same run. */
export interface Figure {
  readonly name: string;
  /** What was done a second. */
  readonly perSecond: number;
  readonly unit: string;
  /** The same work with nothing around it; the ratio says what the program adds. */
  readonly floor?: { readonly name: string; readonly perSecond: number };
  /** What the issue or the design asks for. */
  readonly aim?: number;
}

/** How long something takes, where a client waits for it. Unit: ms. */
export interface Span {
  readonly name: string;
  readonly millis: number;
  readonly floorMillis?: number;
  readonly aimMillis?: number;
  /** At most so many times the floor. */
  readonly aimTimes?: number;
}

/** A span as one line of text. */
export function spanLine({ name, millis, floorMillis, aimMillis, aimTimes }: Span): string {
  const parts = [`${name.padEnd(52)} ${format(millis).padStart(12)} ms`];
  if (aimMillis !== undefined) parts.push(`aim: ${format(aimMillis)} ms`);
  if (floorMillis !== undefined)
    parts.push(
      `floor ${format(floorMillis)} ms (the driver, answers ready), ratio ${(millis / floorMillis).toFixed(1)}`,
    );
  if (aimTimes !== undefined) parts.push(`aim: ${aimTimes}`);
  return parts.join('; ');
}

/** The median of several timed runs, each of which says how much it did. */
export async function rate(runs: number, work: () => Promise<number> | number): Promise<number> {
  const rates: number[] = [];
  for (let run = 0; run < runs; run++) {
    const before = process.hrtime.bigint();
    const done = await work();
    rates.push(done / (Number(process.hrtime.bigint() - before) / 1e9));
  }
  return rates.sort((a, b) => a - b)[Math.floor(runs / 2)]!;
}

/** A rate of a stretch that `work` times itself, so that setting up does not count. */
export async function timed(work: () => Promise<void> | void): Promise<number> {
  const before = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - before) / 1e9;
}

/** What is held in memory after a collection, in bytes: needs `--expose-gc`. */
export function heapBytes(): number {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external } = process.memoryUsage();
  // What is outside the heap holds the array buffers too.
  return heapUsed + external;
}

/** A figure as one line of text. */
export function line({ name, perSecond, unit, floor, aim }: Figure): string {
  const parts = [`${name.padEnd(52)} ${format(perSecond).padStart(12)} ${unit}`];
  if (aim !== undefined) parts.push(`${(perSecond / aim).toFixed(2)} × the aim of ${format(aim)}`);
  if (floor)
    parts.push(`floor ${format(floor.perSecond)} (${floor.name}), ratio ${(floor.perSecond / perSecond).toFixed(1)}`);
  return parts.join('; ');
}

function format(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** The middle one. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
