import { expect, test } from 'vitest';
import {
  type Arm,
  comparisonsOf,
  FIGURES,
  type Figures,
  keyedOf,
  type Measured,
  type MeasureInput,
  measure,
  measureRun,
  summaryOf,
} from '../../src/index.ts';

const FAILOVER = `name: After its primary is cut off the set elects a new one
replicaSet: { members: 3 }
begin: with a primary
steps:
  - workload: { name: w, every: 500ms, insert: { into: app.c, document: { _id: $i } }, writeConcern: { w: 1 }, near: primary }
  - workload: { name: r, every: 1s, find: { in: app.c } }
  - advance: 3s
  - expect: { primary: none }
  - partition: [[primary], [secondaries]]
  - advance: 20s
  - heal: all
  - advance: 10s
variants:
  2 s timeout: { replicaSet: { settings: { electionTimeoutMillis: 2000 } } }
  nothing lost: { workloads: { w: { writeConcern: { w: majority } } } }
  killed twice: { steps: [{ kill: primary }, { kill: primary }] }
`.replace('near: primary }', 'near: n1 }');
const file = 'failover.yaml';
const play = (variant?: string) =>
  measureRun({ text: FAILOVER, file, seed: 1, ...(variant !== undefined && { variant }) });

test('a run has its figures, behind a check that failed', async () => {
  const { figures, failed, obstacle } = await play();
  expect(failed).toMatch(/^step 4, line 8: expect: \{primary: none\}/);
  expect(obstacle).toBeUndefined();
  expect(figures).toMatchObject({ elections: 1, needlessElections: 0, neverReplaced: 0, rollbacks: 1, 'w.unknown': 0 });
  expect(figures.faultToPrimaryMs).toBeGreaterThan(9500);
  expect(figures.faultToPrimaryMs).toBeLessThan(12_000);
  // The old primary, which is cut off, accepts writes until it steps down.
  expect(figures.withoutPrimaryMs).toBeLessThan(3000);
  expect(figures['w.lost']).toBeGreaterThan(10);
  expect(figures.rolledBackDocuments).toBeGreaterThanOrEqual(figures['w.lost']!);
  expect(figures.worstLagMs).toBeGreaterThan(figures.lagMs!);
  expect(figures['r.reads']).toBeGreaterThan(20);
  // What a run does not have is no 0.
  expect(figures).not.toHaveProperty('worstTtlLatenessMs');
  expect(figures).not.toHaveProperty('r.acknowledged');
  expect(figures).not.toHaveProperty('w.staleReads');
});

test('a variant is played under the same seed; one that cannot be played to its end has no figures', async () => {
  const quick = await play('2 s timeout');
  expect(quick.figures.faultToPrimaryMs).toBeLessThan(9000);
  expect((await play('nothing lost')).figures['w.lost']).toBe(0);
  const killed = await play('killed twice');
  expect(killed).toMatchObject({ figures: {}, obstacle: expect.stringContaining('kill: primary') });
  expect(killed.failed).toBeUndefined();
  await expect(play('another')).rejects.toThrow('this scenario has no variant "another"');
});

const arms: Arm[] = ['a', 'b'].map((name) => ({ name, variant: name, text: '', file }));

/** b takes twice as long as a; c has only every fourth run. */
async function pretended({ seed, variant }: MeasureInput): Promise<Measured> {
  for (let i = 0; i < (seed * 7) % 5; i++) await Promise.resolve();
  const figures: Figures = {
    faultToPrimaryMs: seed * (variant === 'a' ? 1 : 2),
    lagMs: (seed * 31) % 7,
    worstLagMs: ((seed * (variant === 'a' ? 31 : 16)) % 7) + 1,
    ...(seed % 4 === 0 && { 'w.lost': 1 }),
  };
  return seed === 3
    ? { seed, figures: {}, obstacle: 'step 1' }
    : { seed, figures, ...(seed === 5 && { failed: 'step 2' }) };
}

test('the figures are the same, however many run at once', async () => {
  const seeds = { from: 1, to: 40 };
  const one = await measure(arms, { seeds, play: pretended });
  expect(await measure(arms, { seeds, play: pretended, atOnce: 7 })).toEqual(one);
  const summary = summaryOf(one[0]!);
  expect(summary).toMatchObject({ runs: 40, whole: 39, failed: 1, obstacle: { seed: 3 }, failure: { seed: 5 } });
  const rows = new Map(summary.rows.map(({ figure, distribution }) => [figure.key, distribution]));
  expect(rows.get('faultToPrimaryMs')).toMatchObject({
    runs: 39,
    min: { seed: 1, value: 1 },
    max: { seed: 40, value: 40 },
  });
  expect(rows.get('w.lost')).toMatchObject({ runs: 10, total: 10 });
  const [comparison] = comparisonsOf(one);
  const verdicts = comparison!.differences.map(({ figure, verdict }) => [figure.key, verdict]);
  expect(verdicts).toEqual([
    ['faultToPrimaryMs', 'more'],
    ['lagMs', 'equal'],
    ['worstLagMs', 'noise'],
    ['w.lost', 'equal'],
  ]);
});

test('who breaks off has as many runs of each', async () => {
  let played = 0;
  const measured = await measure(arms, {
    seeds: { from: 1, to: 40 },
    play: (input) => {
      played++;
      return pretended(input);
    },
    isOver: () => played >= 5,
  });
  expect(measured.map(({ runs }) => runs.map(({ seed }) => seed))).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

test('each figure has its place, its name and a sentence that says how it is taken', () => {
  const names = FIGURES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, unit } of FIGURES) expect(name.endsWith('Ms')).toBe(unit === 'ms');
  const keys = keyedOf([
    { 'w.lost': 1, elections: 1 },
    { 'v.lost': 1, faultToPrimaryMs: 1 },
  ]).map(({ key }) => key);
  expect(keys).toEqual(['faultToPrimaryMs', 'elections', 'w.lost', 'v.lost']);
});
