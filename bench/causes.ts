import { ReplSet } from '@replsim/replset';
import { type Figure, median } from './measure.ts';
import { datedDocuments, isPrimary, runAll } from './set.ts';

const ROUNDS = 40;
const WARM_UPS = 6;

/** What is asked of a run: nothing, its trace, or its trace with causes. */
const SIDES = ['no trace', 'trace', 'causes'] as const;

/**
 * What a trace costs, and what causes add to it, in CPU time: three runs of the same script side by side, in turns. Without causes
 * nothing but a number is kept with each event; what that costs shows against a build that does not, not here.
 */
export async function causes(): Promise<readonly Figure[]> {
  return [await compare('inserts at w: majority', inserts), await compare('failovers', failovers)];
}

type Script = (set: ReplSet, round: number) => Promise<void>;

async function compare(name: string, script: Script): Promise<Figure> {
  const sets = await Promise.all(SIDES.map(setOf));
  const micros = SIDES.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (let i = 0; i < SIDES.length; i++) {
      const side = (round + i) % SIDES.length;
      const before = process.cpuUsage();
      await script(sets[side]!, round);
      const { user, system } = process.cpuUsage(before);
      if (round >= WARM_UPS) micros[side]!.push(user + system);
    }
  for (const set of sets) await set.close();
  const [none = 0, trace = 0, causal = 0] = micros.map(median);
  const over = (side: number, base: number) => median(micros[side]!.map((each, i) => each / micros[base]![i]!));
  return {
    name: `causes, ${name}`,
    value: causal / 1000,
    unit: 'ms of CPU',
    better: 'less',
    floor: { name: 'trace without causes', value: trace / 1000 },
    ratio: over(2, 1),
    aimRatio: 1.5,
    also: [`no trace ${(none / 1000).toFixed(1)}, ratio ${over(2, 0).toFixed(2)}`],
  };
}

async function setOf(side: (typeof SIDES)[number]): Promise<ReplSet> {
  const members = ['n1', 'n2', 'n3'].map((name) => ({ name }));
  const set = await ReplSet.create({ members, causes: side === 'causes' });
  if (side !== 'no trace') set.onTrace(() => {});
  await elected(set);
  return set;
}

async function elected(set: ReplSet): Promise<void> {
  await set.runUntil(() => set.memberNames.some((name) => isPrimary(set, name)), set.nowMicros + 120e6);
}

async function inserts(set: ReplSet, round: number): Promise<void> {
  const primary = set.memberNames.find((name) => isPrimary(set, name))!;
  const commands = datedDocuments(round * 200, 200, 0).map((document) => ({
    insert: 'c',
    documents: [document],
    writeConcern: { w: 'majority' },
    $db: 'app',
  }));
  await runAll(set, primary, commands);
}

async function failovers(set: ReplSet): Promise<void> {
  for (let i = 0; i < 5; i++) {
    const primary = set.memberNames.find((name) => isPrimary(set, name))!;
    set.kill(primary);
    await set.start(primary);
    await elected(set);
  }
}
