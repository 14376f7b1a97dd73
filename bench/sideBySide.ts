import { setTimeout as after } from 'node:timers/promises';
import { type Figure, median, timed } from './measure.ts';

/** One of several ways to do the same, and how often it does so in a round. */
export interface Side {
  readonly name: string;
  readonly times: number;
  readonly work: () => Promise<void>;
  /** Done before each round; does not count. */
  readonly prepare?: () => Promise<unknown>;
}

/** What a side costs each time, and how many times as much as the first one in the same round. Medians over the rounds. */
export interface Cost {
  readonly name: string;
  readonly cpuMicros: number;
  readonly cpuRatio: number;
  readonly wallMicros: number;
  readonly wallRatio: number;
}

export interface Rounds {
  readonly rounds: number;
  readonly warmUps: number;
  /** What a side leaves to be done later is to count for it. Unit: ms. */
  readonly settleMs?: number;
}

/**
 * Lets the sides have turns, so that what else goes on on the machine befalls all of them, and counts the CPU time of this process
 * beside what the clock shows.
 */
export async function sideBySide(sides: readonly Side[], { rounds, warmUps, settleMs = 0 }: Rounds): Promise<Cost[]> {
  const cpu = sides.map((): number[] => []);
  const wall = sides.map((): number[] => []);
  for (let round = 0; round < rounds + warmUps; round++)
    for (let i = 0; i < sides.length; i++) {
      const at = (round + i) % sides.length;
      const { times, work, prepare } = sides[at]!;
      await prepare?.();
      const before = process.cpuUsage();
      const seconds = await timed(work);
      if (settleMs > 0) await after(settleMs);
      const { user, system } = process.cpuUsage(before);
      if (round < warmUps) continue;
      cpu[at]!.push((user + system) / times);
      wall[at]!.push((seconds * 1e6) / times);
    }
  const ratio = (values: readonly number[][], at: number) =>
    median(values[at]!.map((each, round) => each / values[0]![round]!));
  return sides.map(({ name }, at) => ({
    name,
    cpuMicros: median(cpu[at]!),
    cpuRatio: ratio(cpu, at),
    wallMicros: median(wall[at]!),
    wallRatio: ratio(wall, at),
  }));
}

/** The last side against the first. With one side alone there is no floor. */
export function costFigure(name: string, costs: readonly Cost[], aimRatio?: number): Figure {
  const [base, last] = [costs[0]!, costs.at(-1)!];
  const also = [`by the clock ${last.wallMicros.toFixed(1)}, ratio ${last.wallRatio.toFixed(2)}`];
  return {
    name,
    value: last.cpuMicros,
    unit: 'µs of CPU',
    better: 'less',
    ...(base !== last && { floor: { name: base.name, value: base.cpuMicros }, ratio: last.cpuRatio }),
    ...(aimRatio !== undefined && { aimRatio }),
    also,
  };
}
