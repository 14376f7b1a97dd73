import { readFileSync } from 'node:fs';
import { tryOut } from '@replsim/explore';
import { BIN, node, atOnce as runAtOnce, scenario } from './childProcess.ts';
import { heapBytes, median } from './measure.ts';

const FILE = scenario('election/failover-on-kill.yaml');
const WARM_UPS = 500;
const ROUNDS = 5;
const RUNS = 500;
const AIM_PER_SECOND = 120;
const AIM_JOBS = 0.9;
const JOB_RUNS = 1500;

/** Many runs of one scenario: what a run costs, what is left of it in memory, and what a second process gives. */
export async function explored(): Promise<readonly string[]> {
  const text = readFileSync(FILE, 'utf8');
  const play = async (from: number, runs: number) => {
    for (let seed = from; seed < from + runs; seed++) await tryOut({ text, seed });
  };
  await play(1, WARM_UPS);
  const rates: number[] = [];
  const loops: number[] = [];
  const heaps: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    loops.push(await cpuSeconds(() => loop()));
    rates.push(RUNS / (await cpuSeconds(() => play(1 + WARM_UPS + round * RUNS, RUNS))));
    heaps.push(heapBytes());
  }
  const perSecond = median(rates);
  const megabytes = heaps.map((bytes) => (bytes / 1e6).toFixed(1));
  return [
    `${'explore: failover-on-kill, one process'.padEnd(52)} ${perSecond.toFixed(1).padStart(12)} runs/CPU s; aim: ${AIM_PER_SECOND}; floor: a run costs as much as ${(1 / perSecond / median(loops)).toFixed(2)} plain loops of 10,000,000 rounds`,
    `${`heap after each ${RUNS} of them`.padEnd(52)} ${megabytes.join(', ')} MB; aim: no growth`,
    await jobs(),
  ];
}

/**
 * Beside two explorations at once of one process each: what this machine has for a second process that works on memory. Two plain loops get a whole
 * core each, and say nothing of that.
 */
async function jobs(): Promise<string> {
  const args = (runs: number, count: string) => [
    BIN,
    'explore',
    FILE,
    '--mode',
    'seeds',
    '--runs',
    `${runs}`,
    '--jobs',
    count,
  ];
  const one = await node(...args(JOB_RUNS, '1'));
  const two = await node(...args(JOB_RUNS, '2'));
  const beside = await runAtOnce(2, ...args(JOB_RUNS / 2, '1'));
  const [factor, floor] = [one / two, one / beside];
  return `${'explore --jobs 2'.padEnd(52)} ${factor.toFixed(2).padStart(12)} times --jobs 1; floor ${floor.toFixed(2)} (two of one process each, half the runs), ratio ${(factor / floor).toFixed(2)}; aim: ${AIM_JOBS}`;
}

/** Work for one core that allocates nothing. */
function loop(): void {
  let x = 1;
  for (let i = 0; i < 10_000_000; i++) x = (x * 1103515245 + 12345) & 0x7fffffff;
  if (x === 0) throw new Error('a loop that is left out measures nothing');
}

/** What the process took of the cores, in all its threads. */
async function cpuSeconds(work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
