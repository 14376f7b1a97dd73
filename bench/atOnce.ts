import { BIN, node, nodeOnOneCore, atOnce as runAtOnce, scenario } from './childProcess.ts';

/** Work for one core that allocates nothing: what two cores of this machine are good for at best. */
const LOOP = 'let x = 1; for (let i = 0; i < 3e8; i++) x = (x * 1103515245 + 12345) & 0x7fffffff;';

/** Every scenario of the repository, on two cores as on one. A single round: it is long enough to even out what else goes on. */
export async function atOnce(): Promise<string> {
  const args = (jobs: string) => [BIN, 'run', scenario(), '--reporter', 'tap', '--jobs', jobs];
  const alone = await node('-e', LOOP);
  const beside = await runAtOnce(2, '-e', LOOP);
  const one = await node(...args('1'));
  const two = await node(...args('2'));
  const oneCore = await nodeOnOneCore(...args('1'));
  const against =
    oneCore === undefined ? '' : `; on one core ${oneCore.toFixed(1)} s, ${(oneCore / two).toFixed(2)} times`;
  const name = 'all scenarios, two at once'.padEnd(52);
  return `${name} ${two.toFixed(1)} s; one after the other ${one.toFixed(1)} s, ${(one / two).toFixed(2)} times as fast${against} (two plain loops: ${((2 * alone) / beside).toFixed(2)}); aim: 1.7`;
}
