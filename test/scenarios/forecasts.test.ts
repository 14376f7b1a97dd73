import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Checkers } from '@replsim/checker';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { type ForecastResult, parseForecast, runForecast } from '@replsim/scenario';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../forecasts', import.meta.url));
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

/** @param budget how many documents to simulate at most */
async function forecast(text: string, budget: number, look?: (set: ReplSet) => void): Promise<ForecastResult> {
  const checkers = new Checkers();
  let created: ReplSet | undefined;
  const result = await runForecast(
    parseForecast(text, 'forecast.yaml'),
    async (options) => {
      created = await ReplSet.create(options);
      return created;
    },
    {
      budget,
      observers: [(event) => checkers.observe(event)],
      onProgress: (part) => {
        if (part === 1) look?.(created!);
      },
    },
  );
  expect(result.brokenInvariants).toEqual([]);
  return result;
}

test('there are forecasts', () => {
  expect(files.length).toBeGreaterThanOrEqual(3);
});

test.for(files)('%s', { timeout: 300_000 }, async (file) => {
  const { lateness, normal, outages, peak, rows, scale } = await forecast(
    readFileSync(join(folder, file), 'utf8'),
    3_000,
  );
  expect(lateness.count).toBeGreaterThan(500);
  expect(rows.length).toBeGreaterThanOrEqual(12);
  expect(rows.length).toBeLessThanOrEqual(24);
  expect(normal!.worstMs).toBeLessThan(60_001 + 4 * scale.batchMs);
  for (const { documents, expired } of rows) expect(documents).toBeGreaterThan(expired);
  // Each shows an outage that makes documents later than they otherwise are, at least on a member.
  expect(outages.some(({ normalMicros }) => normalMicros !== undefined)).toBe(true);
  expect(peak.expired.expired).toBeGreaterThan(normal!.peakExpired);
});

/** Deletes that cost a millisecond each, so that passes take their time. */
const SLOW = `
name: Slow deletes
duration: 20m
insert: 30
expireAfterSeconds: 120
costs: { deleteMicros: 1000 }
outages: [{ at: "00:10", for: 4m, what: monitor off }]
`;

test('few documents that stand for many tell the same as all of them', async () => {
  const all = await forecast(SLOW, 100_000);
  const few = await forecast(SLOW, 2000);
  expect(all.scale).toMatchObject({ documents: 39_600, factor: 1 });
  expect(few.scale).toMatchObject({ documents: 39_600, factor: 20 });
  // A batch of ten then stands for two hundred, so that the first of them waits for the last: a fifth of a second.
  for (const field of ['medianMs', 'p99Ms', 'worstMs'] as const)
    expect(Math.abs(few.lateness[field]! - all.lateness[field]!), field).toBeLessThan(1000);
  expect(Math.abs(few.lateness.worst!.backlogMs - all.lateness.worst!.backlogMs)).toBeLessThan(1000);
  const ratio = (of: (result: ForecastResult) => number) => of(few) / of(all);
  expect(Math.abs(ratio(({ lateness, scale }) => lateness.count * scale.factor) - 1)).toBeLessThan(0.02);
  for (const of of [
    ({ peak }: ForecastResult) => peak.expired.expired,
    ({ peak }: ForecastResult) => peak.documents.documents,
    ({ peak }: ForecastResult) => peak.documents.bytes,
    ({ samples }: ForecastResult) => samples.at(-1)!.oplogBytes,
    ({ outages }: ForecastResult) => outages[0]!.peakExpired,
  ])
    expect(Math.abs(ratio(of) - 1), String(of)).toBeLessThan(0.06);
});

test('what is counted is what is there', async () => {
  let there = { n: -1, expired: -1 };
  const { samples } = await forecast(
    'name: A\nduration: 10m\ninsert: 10\nexpireAfterSeconds: 60\nparameters: { ttlMonitorSleepSecs: 45 }\n',
    100_000,
    (set) => {
      const count = (query: object) =>
        decodePromoted(set.ask('n1', encodeDocument({ count: 'documents', query, $db: 'app' }))).n;
      const limit = new Date(set.epochMs + set.nowMicros / 1000 - 60_000);
      there = { n: count({}), expired: count({ at: { $lte: limit } }) };
    },
  );
  const last = samples.at(-1)!;
  // The most since the sample before: more than now only by what a pass has deleted in between.
  for (const [shown, now] of [
    [last.documents, there.n],
    [last.expired, there.expired],
  ] as const) {
    expect(shown).toBeGreaterThanOrEqual(now);
    expect(shown - now).toBeLessThanOrEqual(450);
  }
});

test('however looks and passes fall together, each line shows what had gathered', async () => {
  // Looked at every thirty seconds, and fifty minutes see each way in which looks and passes fall together. A pass takes 0.6 s, so that the next
  // comes after 60.6, and finds what came in them and in the minute that a document lives: 121, give or take what one insert brings, six.
  const { rows } = await forecast(
    'name: A\nduration: 80m\ninsert: 1\nexpireAfterSeconds: 60\ndocumentBytes: 200\ncosts: { deleteMicros: 10000 }\n',
    100_000,
  );
  expect(rows).toHaveLength(16);
  for (const { bytes, documents, expired } of rows) {
    expect(Math.abs(documents - 121)).toBeLessThanOrEqual(6);
    expect(Math.abs(expired - 61)).toBeLessThanOrEqual(6);
    expect(Math.abs(bytes / documents - 200)).toBeLessThan(2);
  }
});

test('a set that cannot delete what expires is behind by what it lacks', async () => {
  // Twenty a second expire, ten a second can go, from the first pass on, which comes within a minute of the start.
  const { capacity, samples } = await forecast(
    `name: A
duration: 10m
insert: 20
expireAfterSeconds: 60
costs: { deleteMicros: 100000, indexKeyMicros: 0, scanKeyMicros: 0, commitMicros: 0 }
`,
    100_000,
  );
  expect(capacity).toMatchObject({ perSecond: 10, meanLoadPerSecond: 20, verdict: 'never catches up' });
  const { expired } = samples.at(-1)!;
  expect(expired).toBeGreaterThan(600 * 10 - 100);
  expect(expired).toBeLessThan(600 * 10 + 60 * 10 + 100);
});

test('steady means as many as ever: the first hour is like the others', async () => {
  const { rows } = await forecast('name: A\nduration: 3h\ninsert: 10\nexpireAfterSeconds: 3600\n', 3000);
  const documents = rows.map((row) => row.documents);
  expect(Math.max(...documents) / Math.min(...documents)).toBeLessThan(1.02);
});

test('the same seed gives the same forecast', async () => {
  const text = 'name: A\nduration: 20m\ninsert: 10\nexpireAfterSeconds: 60\noutages: [{ at: 5m, for: 1m, what: kill primary }]\n'; // biome-ignore format: one line
  expect(await forecast(text, 1000)).toEqual(await forecast(text, 1000));
});

test('without a primary documents are tried for half a minute, then given up', async () => {
  const text = (what: string) =>
    `name: A\nduration: 10m\ninsert: 10\nexpireAfterSeconds: 60\noutages: [{ at: 5m, for: 2m, what: ${what} }]\n`;
  expect((await forecast(text('kill primary'), 20_000)).notInserted).toBe(0);
  const { notInserted } = await forecast(text('no majority'), 20_000);
  expect(notInserted).toBeGreaterThan(700);
  expect(notInserted).toBeLessThan(1000);
});
