import { readFileSync } from 'node:fs';
import { tryOut } from '@replsim/explore';
import { BIN, node, atOnce as runAtOnce, scenario } from './childProcess.ts';
import { cpuSeconds, type Figure, heapBytes, median } from './measure.ts';

const FILE = scenario('election/failover-on-kill.yaml');
const WARM_UPS = 500;
const ROUNDS = 5;
const RUNS = 500;
const AIM_PER_SECOND = 120;
const AIM_JOBS = 1.1;
const JOB_RUNS = 1500;

/** Many runs of one scenario: what a run costs, what is left of it in memory, and what a second process gives. */
export async function explored(): Promise<readonly Figure[]> {
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
  const floor = { name: 'plain loops of 10,000,000 rounds', value: 1 / median(loops) };
  const megabytes = heaps.map((bytes) => bytes / 1e6);
  return [
    {
      name: 'explore: failover-on-kill, one process',
      value: median(rates),
      unit: 'runs/CPU s',
      better: 'more',
      aim: AIM_PER_SECOND,
      floor,
    },
    {
      name: `heap after each ${RUNS} of them`,
      value: megabytes.at(-1)! - megabytes[0]!,
      unit: 'MB more at the end',
      better: 'less',
      aim: 0,
      also: [megabytes.map((each) => each.toFixed(1)).join(', ')],
    },
  ];
}

/**
 * Beside two explorations at once of one process each: what this machine has for a second process that works on memory. Two plain loops get a whole
 * core each, and say nothing of that.
 */
export async function exploredAtOnce(): Promise<readonly Figure[]> {
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
  const floor = { name: 'two of one process each, half the runs', value: one / beside };
  return [
    { name: 'explore --jobs 2', value: one / two, unit: 'times --jobs 1', better: 'more', floor, aimRatio: AIM_JOBS },
  ];
}

/** Work for one core that allocates nothing. */
function loop(): void {
  let x = 1;
  for (let i = 0; i < 10_000_000; i++) x = (x * 1103515245 + 12345) & 0x7fffffff;
  if (x === 0) throw new Error('a loop that is left out measures nothing');
}
