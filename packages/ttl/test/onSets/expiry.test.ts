import { BsonWriter, encodeName, findField, RawValue, type TraceEvent } from '@replsim/protocol';
import { Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { beforeAll, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';

/** What expires and when, kind of value by kind of value, against a running standalone of line B, where one instant holds for a whole pass. */

const EPOCH_MS = Date.UTC(2025, 0, 1);
/** When the first pass begins: a minute and a millisecond after the start. */
const PASS_MS = EPOCH_MS + 60_001;
const HOUR_MS = 3_600_000;
/** The latest date that expires an hour after itself. */
const LIMIT_MS = PASS_MS - HOUR_MS;

const due = new Date(LIMIT_MS);
const notYet = new Date(LIMIT_MS + 1);
const future = new Date(PASS_MS + HOUR_MS);

/** What the bson package cannot hold. */
function rawValue(write: (writer: BsonWriter) => void): RawValue {
  const writer = new BsonWriter();
  write(writer);
  return new RawValue(findField(writer.finish(), encodeName('v'))!);
}
const date = (ms: bigint) => rawValue((writer) => writer.date('v', ms));
const UNDEFINED = new RawValue({ type: 6, bytes: new Uint8Array(0), offset: 0, size: 0 });

interface Row {
  readonly what: string;
  readonly document: Doc;
  readonly expires: boolean;
  /** Default `{ at: 1 }`. */
  readonly key?: Doc;
  /** Beside `expireAfterSeconds`, an hour by default. */
  readonly options?: Doc;
}

const yes = (what: string, document: Doc, more: Partial<Row> = {}): Row => ({ what, document, expires: true, ...more });
const no = (what: string, document: Doc, more: Partial<Row> = {}): Row => ({ what, document, expires: false, ...more });
const dotted = { key: { 'a.b': 1 } };
const after = (expireAfterSeconds: unknown) => ({ options: { expireAfterSeconds } });

const ROWS: readonly Row[] = [
  yes('a date at the limit', { at: due }),
  no('a date a millisecond past the limit', { at: notYet }),
  yes('a date a millisecond before the limit', { at: new Date(LIMIT_MS - 1) }),
  yes('a date before 1970', { at: new Date(-1) }),
  yes('a date long before 1970', { at: new Date(-62_135_596_800_000) }),
  yes('the smallest date', { at: date(-(2n ** 63n)) }),
  no('the largest date', { at: date(2n ** 63n - 1n) }),
  no('a date of year 292,000,000', { at: date(2n ** 62n) }),
  yes('an array with one date that is due', { at: [future, due, future] }),
  yes('an array with dates that are due twice', { at: [due, new Date(0), due] }),
  yes('an array of all kinds with one date that is due', { at: ['x', null, 5, due, { a: 1 }] }),
  no('an array whose earliest date is not due', { at: [future, notYet] }),
  no('an array without dates', { at: ['2020-01-01', 0, null] }),
  no('an empty array', { at: [] }),
  no('an array in an array', { at: [[due]] }),
  yes('a date beside an array in an array', { at: [[future], due] }),
  no('no field', { other: due }),
  no('null', { at: null }),
  no('undefined', { at: UNDEFINED }),
  no('zero', { at: 0 }),
  no('milliseconds', { at: Long.fromNumber(LIMIT_MS - HOUR_MS) }),
  no('a decimal', { at: Decimal128.fromString('0') }),
  no('a string', { at: '1999-01-01T00:00:00Z' }),
  no('false', { at: false }),
  no('a regular expression', { at: /1999/ }),
  no('an ObjectId of 1970', { at: new ObjectId('000000000000000000000000') }),
  no('a BSON Timestamp of 1970', { at: new Timestamp({ t: 1, i: 1 }) }),
  no('MinKey', { at: new MinKey() }),
  no('MaxKey', { at: new MaxKey() }),
  no('a document that holds a date', { at: { date: due } }),
  yes('a dotted path', { a: { b: due } }, dotted),
  no('a dotted path to a later date', { a: { b: notYet } }, dotted),
  yes('a dotted path to an array', { a: { b: [future, due] } }, dotted),
  no('a dotted path to an array in an array', { a: { b: [[due]] } }, dotted),
  yes('a dotted path through an array of documents', { a: [{ b: future }, { b: due }] }, dotted),
  yes('a dotted path through an array to arrays', { a: [{ b: [future] }, { b: [due] }] }, dotted),
  yes('a dotted path through an array of all kinds', { a: [5, null, { c: 1 }, { b: due }] }, dotted),
  no('a dotted path through an array in an array', { a: [[{ b: due }]] }, dotted),
  no('a dotted path that ends early', { a: due }, dotted),
  no('a dotted path that goes on', { a: { b: { c: due } } }, dotted),
  yes('a number in the path, as an array index', { a: [future, due] }, { key: { 'a.1': 1 } }),
  no('a number in the path, the other element', { a: [due, future] }, { key: { 'a.1': 1 } }),
  yes('a number in the path, as a name', { a: { 1: due } }, { key: { 'a.1': 1 } }),
  yes('0 seconds, at the date itself', { at: new Date(PASS_MS) }, after(0)),
  no('0 seconds, a millisecond too early', { at: new Date(PASS_MS + 1) }, after(0)),
  yes('68 years ago, after 2147483647 seconds', { at: new Date(PASS_MS - 2_147_483_647_000) }, after(2147483647)),
  no('not quite 68 years ago', { at: new Date(PASS_MS - 2_147_483_646_999) }, after(2147483647)),
  yes('a fraction of a second is dropped', { at: new Date(PASS_MS - 4000) }, after(4.9)),
  yes('a negative fraction means 0', { at: new Date(PASS_MS) }, after(-0.5)),
  yes('descending', { at: due }, { key: { at: -1 } }),
  no('descending, a later date', { at: notYet }, { key: { at: -1 } }),
  yes('descending, an array', { at: [future, due] }, { key: { at: -1 } }),
  yes('another positive number', { at: due }, { key: { at: 2.5 } }),
  yes('another negative number', { at: due }, { key: { at: -7 } }),
  yes('unique', { at: due }, { options: { unique: true } }),
  yes('sparse', { at: due }, { options: { sparse: true } }),
  no('sparse, no field', { x: 1 }, { options: { sparse: true } }),
  yes('with a collation', { at: due }, { options: { collation: { locale: 'fr' } } }),
  yes('hidden at its creation', { at: due }, { options: { hidden: true } }),
  yes('partial, inside the filter', { at: due, n: 6 }, { options: { partialFilterExpression: { n: { $gt: 5 } } } }),
  no('partial, outside the filter', { at: due, n: 5 }, { options: { partialFilterExpression: { n: { $gt: 5 } } } }),
  no('hashed', { at: due }, { key: { at: 'hashed' } }),
  no('text', { at: due }, { key: { at: 'text' } }),
  no('2d', { at: due }, { key: { at: '2d' } }),
  // A date is no place, so that such an index holds none.
  no('2dsphere', { other: due }, { key: { at: '2dsphere' } }),
  yes('a key field called expireAfterSeconds', { expireAfterSeconds: due }, { key: { expireAfterSeconds: 1 } }),
];

/** A standalone with a collection for each row, after its first pass. */
async function runRows(): Promise<{ readonly asked: AskedSet; readonly passMs: number | undefined }> {
  const members = [{ name: 'n1', standalone: true }];
  const asked = await AskedSet.start(members, { version: '8.2', initiate: false });
  const traced: TraceEvent[] = [];
  asked.set.onTrace((event) => traced.push(event));
  for (const [i, { key = { at: 1 }, options = {}, document }] of ROWS.entries()) {
    const index = { key, name: 'ttl', expireAfterSeconds: HOUR_MS / 1000, ...options };
    await asked.ok('n1', { createIndexes: `c${i}`, indexes: [index] });
    await asked.ok('n1', { insert: `c${i}`, documents: [{ _id: 1, ...document }] });
  }
  await asked.set.advanceTo(65_000_000);
  const first = traced.find((event) => event.type === 'ttlDeleted');
  return { asked, passMs: first?.type === 'ttlDeleted' ? first.limitMs + HOUR_MS : undefined };
}

describe('which documents expire', () => {
  let run: Awaited<ReturnType<typeof runRows>>;
  beforeAll(async () => {
    run = await runRows();
  });

  test('the pass was when the rows say', () => expect(run.passMs).toBe(PASS_MS));

  test.for(ROWS.map((row, i) => ({ ...row, i })))('$what: $expires', async ({ i, expires }) => {
    expect(await run.asked.documents('n1', `c${i}`)).toHaveLength(expires ? 0 : 1);
  });

  test('each of the special kinds is passed over with a line of its own, and counted', () => {
    const { ttl } = run.asked.now('n1', { serverStatus: 1 }).metrics;
    expect(ttl).toMatchObject({ passes: 1, invalidTTLIndexSkips: 4 });
    const lines: string[] = run.asked.now('n1', { getLog: 'global' }).log;
    expect(lines.filter((line) => line.includes('"id":22541'))).toHaveLength(4);
  });

  test('a document that comes up for several keys is deleted, and counted, once', () => {
    const expired = ROWS.filter(({ expires }) => expires).length;
    expect(run.asked.now('n1', { serverStatus: 1 }).metrics.ttl.deletedDocuments).toBe(expired);
  });
});

describe('what changes while it waits', () => {
  const minuteAgo = new Date(EPOCH_MS - 60_000);

  /** A primary of line A with one index of these options, and documents that are due at its first pass. */
  async function start(options: Doc, ...documents: Doc[]): Promise<AskedSet> {
    const asked = await AskedSet.start(1);
    await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60, ...options }] }); // biome-ignore format: one line
    await asked.ok('n1', { insert: 'c', documents });
    return asked;
  }
  const ids = async (asked: AskedSet) => (await asked.documents('n1', 'c')).map(({ _id }) => _id);
  const update = (asked: AskedSet, q: Doc, $set: Doc) => asked.ok('n1', { update: 'c', updates: [{ q, u: { $set } }] });

  test('documents enter a partial filter and leave it', async () => {
    const asked = await start(
      { partialFilterExpression: { done: true } },
      { _id: 'enters', at: minuteAgo, done: false },
      { _id: 'leaves', at: minuteAgo, done: true },
    );
    await update(asked, { _id: 'enters' }, { done: true });
    await update(asked, { _id: 'leaves' }, { done: false });
    await asked.pass(62_000);
    expect(await ids(asked)).toEqual(['leaves']);
  });

  test('an index that collMod hides goes on expiring', async () => {
    const asked = await start({}, { _id: 1, at: minuteAgo });
    await asked.ok('n1', { collMod: 'c', index: { name: 'ttl', hidden: true } });
    await asked.pass(62_000);
    expect(await ids(asked)).toEqual([]);
  });

  test('several TTL indexes work side by side, and whichever is due takes the document', async () => {
    const asked = await start({}, { _id: 1, at: minuteAgo }, { _id: 2, by: minuteAgo }, { _id: 3, at: future });
    const indexes = [{ key: { by: 1 }, name: 'by', expireAfterSeconds: 30 }, { key: { at: 1 }, name: 'sparse', sparse: true, expireAfterSeconds: 1e9 }]; // biome-ignore format: one line
    await asked.ok('n1', { createIndexes: 'c', indexes });
    await asked.pass(62_000);
    expect(await ids(asked)).toEqual([3]);
  });

  test('new seconds hold from the next visit on', async () => {
    const asked = await start({ expireAfterSeconds: 86_400 }, { _id: 1, at: minuteAgo });
    await asked.pass(62_000);
    expect(await ids(asked)).toEqual([1]);
    const reply = await asked.ok('n1', { collMod: 'c', index: { keyPattern: { at: 1 }, expireAfterSeconds: 60 } });
    expect(reply).toMatchObject({ expireAfterSeconds_old: 86_400, expireAfterSeconds_new: 60 });
    expect(await ids(asked)).toEqual([1]);
    await asked.pass(60_100);
    expect(await ids(asked)).toEqual([]);
  });

  test('a plain index becomes a TTL index', async () => {
    const asked = await AskedSet.start(1);
    await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'at' }] });
    await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, at: minuteAgo }] });
    await asked.ok('n1', { collMod: 'c', index: { name: 'at', expireAfterSeconds: 0 } });
    await asked.pass(62_000);
    expect(await ids(asked)).toEqual([]);
  });
});
