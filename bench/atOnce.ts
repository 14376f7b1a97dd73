import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { timed } from './measure.ts';

/** Every scenario of the repository, on two cores as on one. A single round: it is long enough to even out what else goes on. */
export async function atOnce(): Promise<string> {
  const bin = fileURLToPath(new URL('../../packages/replsim/dist/bundle/bin.js', import.meta.url));
  const scenarios = fileURLToPath(new URL('../../scenarios', import.meta.url));
  const run = (jobs: string) =>
    timed(() => void spawnSync(process.execPath, [bin, 'run', scenarios, '--reporter', 'tap', '--jobs', jobs]));
  const one = await run('1');
  const two = await run('2');
  const name = 'all scenarios, two at once'.padEnd(52);
  return `${name} ${two.toFixed(1)} s; one after the other ${one.toFixed(1)} s, ${(one / two).toFixed(2)} times as fast; aim: 1.7`;
}
