import { BIN, node, nodeOnOneCore, atOnce as runAtOnce, scenario } from './childProcess.ts';
import type { Figure } from './measure.ts';

/** Work for one core that allocates nothing: what two cores of this machine are good for at best. */
const LOOP = 'let x = 1; for (let i = 0; i < 3e8; i++) x = (x * 1103515245 + 12345) & 0x7fffffff;';

/** Every scenario of the repository, on two cores as on one. A single round: it is long enough to even out what else goes on. */
export async function atOnce(): Promise<readonly Figure[]> {
  const args = (jobs: string) => [BIN, 'run', scenario(), '--reporter', 'tap', '--jobs', jobs];
  const alone = await node('-e', LOOP);
  const beside = await runAtOnce(2, '-e', LOOP);
  const one = await node(...args('1'));
  const two = await node(...args('2'));
  const oneCore = await nodeOnOneCore(...args('1'));
  const also = [`one after the other ${one.toFixed(1)} s, two at once ${two.toFixed(1)} s`];
  if (oneCore !== undefined) also.push(`on one core ${oneCore.toFixed(1)} s, ${(oneCore / two).toFixed(2)} times`);
  const floor = { name: 'two plain loops', value: (2 * alone) / beside };
  return [
    { name: 'all scenarios, two at once', value: one / two, unit: 'times', better: 'more', floor, aimRatio: 1.1, also },
  ];
}
