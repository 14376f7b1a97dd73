import { BIN, node, scenario } from './childProcess.ts';
import { median } from './measure.ts';

const ROUNDS = 15;

/** A small scenario from the shell, beside Node that does nothing; in turns, so that both see the same machine. */
export async function coldStart(): Promise<string> {
  const path = scenario('election/first-election.yaml');
  const times: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    floors.push(await node('-e', '0'));
    times.push(await node(BIN, 'run', path));
  }
  const took = median(times);
  const floor = median(floors);
  const millis = (seconds: number) => Math.round(seconds * 1000);
  return `${'replsim run on a small scenario, from the shell'.padEnd(52)} ${millis(took)} ms; floor ${millis(floor)} (Node alone), ratio ${(took / floor).toFixed(1)}; aim: 3.5`;
}
