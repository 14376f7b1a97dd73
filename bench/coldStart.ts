import { BIN, node, scenario } from './childProcess.ts';
import { type Figure, median } from './measure.ts';

const ROUNDS = 15;

/** A small scenario from the shell, beside Node that does nothing; in turns, so that both see the same machine. */
export async function coldStart(): Promise<readonly Figure[]> {
  const path = scenario('election/first-election.yaml');
  const times: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    floors.push(await node('-e', '0'));
    times.push(await node(BIN, 'run', path));
  }
  return [
    {
      name: 'replsim run on a small scenario, from the shell',
      value: 1000 * median(times),
      unit: 'ms',
      better: 'less',
      floor: { name: 'Node alone', value: 1000 * median(floors) },
      aimRatio: 2.5,
    },
  ];
}
