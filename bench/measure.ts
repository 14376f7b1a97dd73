/** One figure of a benchmark, and what the machine could do at best in the same run. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly better: 'more' | 'less';
  /** The same work with nothing around it, or without what is measured. In the same unit. */
  readonly floor?: { readonly name: string; readonly value: number };
  /** How many times the floor, where the median of ratios taken in turns says more than the ratio of two medians. */
  readonly ratio?: number;
  /** What the issue or the design asks for, of the value or of the ratio. */
  readonly aim?: number;
  readonly aimRatio?: number;
  /** What else was seen. */
  readonly also?: readonly string[];
}

/** How much the floor does beside it: above 1, and the less the better. */
export function ratioOf({ value, better, floor, ratio }: Figure): number | undefined {
  if (ratio !== undefined || !floor) return ratio;
  return better === 'more' ? floor.value / value : value / floor.value;
}

/** A figure as one line of text. */
export function line(figure: Figure): string {
  const { name, value, unit, floor, aim, aimRatio, also = [] } = figure;
  const ratio = ratioOf(figure);
  const parts = [`${name.padEnd(52)} ${shown(value).padStart(12)} ${unit}`];
  if (aim !== undefined) parts.push(`aim: ${shown(aim)}`);
  if (floor) parts.push(`floor ${shown(floor.value)} (${floor.name})`);
  if (ratio !== undefined) parts.push(`ratio ${shownRatio(ratio)}`);
  if (aimRatio !== undefined) parts.push(`aim: ratio ${aimRatio}`);
  return [...parts, ...also].join('; ');
}

/** Three digits at least, where there are any. */
export function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Closer to 1 it takes more digits to tell two apart. */
export function shownRatio(ratio: number): string {
  return ratio < 1.1 ? ratio.toFixed(3) : ratio.toFixed(2);
}

/** The median of several runs, each of which says how much it did in a second of CPU time. */
export async function rate(runs: number, work: () => Promise<number> | number): Promise<number> {
  const rates: number[] = [];
  for (let run = 0; run < runs; run++) {
    let done = 0;
    const seconds = await cpuSeconds(async () => {
      done = await work();
    });
    rates.push(done / seconds);
  }
  return median(rates);
}

/** How long `work` takes by the clock, so that setting up does not count. */
export async function timed(work: () => Promise<void> | void): Promise<number> {
  const before = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - before) / 1e9;
}

/** What the process took of the cores meanwhile, in all its threads: other programs do not lengthen it. */
export async function cpuSeconds(work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** What is held in memory after a collection, in bytes: needs `--expose-gc`. */
export function heapBytes(): number {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external } = process.memoryUsage();
  // What is outside the heap holds the array buffers too.
  return heapUsed + external;
}

/** The middle one. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
