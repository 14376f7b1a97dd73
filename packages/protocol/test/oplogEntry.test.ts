import { BSON, EJSON } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeDocument, OplogEntry, type OplogOperation, type OpTime } from '../src/index.ts';

const uuid = Uint8Array.from({ length: 16 }, (_, i) => i);
const opTime: OpTime = { ts: { t: 1_735_689_600, i: 2 }, t: 1 };
const wallMs = 1_735_689_600_123;

/** The entry in extended JSON, which shows every type, as `mongoexport` would print it. */
const shown = (entry: OplogEntry) =>
  EJSON.stringify(BSON.deserialize(entry.bytes, { promoteValues: false }), { relaxed: false });

const UI = '"ui":{"$binary":{"base64":"AAECAwQFBgcICQoLDA0ODw==","subType":"04"}}';
const TAIL =
  '"ts":{"$timestamp":{"t":1735689600,"i":2}},"t":{"$numberLong":"1"},"v":{"$numberLong":"2"},' +
  '"wall":{"$date":{"$numberLong":"1735689600123"}}';

test.for<[what: string, operation: OplogOperation, json: string]>([
  [
    'an insert',
    { op: 'i', ns: 'app.t', ui: uuid, o: encodeDocument({ _id: 1, n: 2.5 }), o2: encodeDocument({ _id: 1 }) },
    `{"op":"i","ns":"app.t",${UI},"o":{"_id":{"$numberInt":"1"},"n":{"$numberDouble":"2.5"}},"o2":{"_id":{"$numberInt":"1"}},${TAIL}}`,
  ],
  [
    'a delete',
    { op: 'd', ns: 'app.t', ui: uuid, o: encodeDocument({ _id: 1 }) },
    `{"op":"d","ns":"app.t",${UI},"o":{"_id":{"$numberInt":"1"}},${TAIL}}`,
  ],
  [
    'a no-op',
    { op: 'n', ns: '', o: encodeDocument({ msg: 'new primary' }) },
    `{"op":"n","ns":"","o":{"msg":"new primary"},${TAIL}}`,
  ],
])('%s, as mongod shows it', ([, operation, json]) => {
  expect(shown(new OplogEntry(operation, opTime, wallMs))).toBe(json);
});

test('the first entry of a set has no t; one of term 0 has', () => {
  const operation: OplogOperation = { op: 'n', ns: '', o: encodeDocument({ msg: 'initiating set' }) };
  const keys = (t: number) => Object.keys(BSON.deserialize(new OplogEntry(operation, { ...opTime, t }, wallMs).bytes));
  expect(keys(-1)).toEqual(['op', 'ns', 'o', 'ts', 'v', 'wall']);
  expect(keys(0)).toEqual(['op', 'ns', 'o', 'ts', 't', 'v', 'wall']);
});

test.for([
  [
    'the first statement of a retryable write',
    undefined,
    undefined,
    '{"$timestamp":{"t":0,"i":0}},"t":{"$numberLong":"-1"}',
    '',
  ],
  [
    'a later one that keeps an image',
    opTime,
    'preImage',
    '{"$timestamp":{"t":1735689600,"i":2}},"t":{"$numberLong":"1"}',
    ',"needsRetryImage":"preImage"',
  ],
] as const)('%s: lsid and txnNumber come first, the rest last', ([, prevOpTime, needsRetryImage, prev, image]) => {
  const lsid = encodeDocument({ id: 'x' });
  const link = { lsid, txnNumber: 7n, stmtId: 3, ...(needsRetryImage && { needsRetryImage }) };
  const operation: OplogOperation = { op: 'd', ns: 'app.t', o: encodeDocument({ _id: 1 }), statement: link };
  expect(shown(new OplogEntry(operation, opTime, wallMs, undefined, prevOpTime))).toBe(
    `{"lsid":{"id":"x"},"txnNumber":{"$numberLong":"7"},"op":"d","ns":"app.t","o":{"_id":{"$numberInt":"1"}},${TAIL},` +
      `"stmtId":{"$numberInt":"3"},"prevOpTime":{"ts":${prev}}${image}}`,
  );
});

test('several operations as one applyOps', () => {
  const inner = [1, 2].map((_id): OplogOperation => ({ op: 'd', ns: 'app.t', ui: uuid, o: encodeDocument({ _id }) }));
  const group = new OplogEntry({ op: 'c', ns: 'admin.$cmd', o: encodeDocument({}) }, opTime, wallMs, inner);
  const one = (id: number) => `{"op":"d","ns":"app.t",${UI},"o":{"_id":{"$numberInt":"${id}"}}}`;
  expect(shown(group)).toBe(`{"op":"c","ns":"admin.$cmd","o":{"applyOps":[${one(1)},${one(2)}]},${TAIL}}`);
  expect(group.operations).toBe(inner);
});

test('what only the simulation shares is not in the bytes', () => {
  const bytes = encodeDocument({ _id: 1 });
  const plain: OplogOperation = { op: 'u', ns: 'app.t', ui: uuid, o: bytes, o2: bytes };
  const shared = { ...plain, document: { bytes }, before: { bytes } };
  expect(new OplogEntry(shared, opTime, wallMs).bytes).toEqual(new OplogEntry(plain, opTime, wallMs).bytes);
});

test('bytes are made once, or kept where they came first', () => {
  const operation: OplogOperation = { op: 'n', ns: '', o: encodeDocument({ msg: 'x' }) };
  const entry = new OplogEntry(operation, opTime, wallMs);
  expect(entry.bytes).toBe(entry.bytes);
  const bytes = encodeDocument({ any: 'bytes' });
  expect(OplogEntry.withBytes(bytes, operation, opTime, wallMs).bytes).toBe(bytes);
});

test('bytes stay as they are while other entries are encoded', () => {
  const entries = ['a', 'a longer one', 'b'].map(
    (msg) => new OplogEntry({ op: 'n', ns: '', o: encodeDocument({ msg }) }, opTime, wallMs),
  );
  const early = entries.map(({ bytes }) => bytes);
  expect(early.map((bytes) => BSON.deserialize(bytes).o.msg)).toEqual(['a', 'a longer one', 'b']);
});

test('largest values', () => {
  const far: OpTime = { ts: { t: 0xffffffff, i: 0xffffffff }, t: 2 ** 40 };
  const entry = new OplogEntry({ op: 'n', ns: '', o: encodeDocument({}) }, far, -1);
  const { ts, t, wall } = BSON.deserialize(entry.bytes, { promoteValues: false });
  expect([ts.t, ts.i, t.toBigInt(), wall.getTime()]).toEqual([0xffffffff, 0xffffffff, 2n ** 40n, -1]);
});

test('the length is known before the bytes are made', () => {
  const document = fc
    .dictionary(fc.string({ minLength: 1, maxLength: 4 }).filter(isName), fc.integer())
    .map((fields) => ({
      bytes: encodeDocument({ _id: 'id', ...fields }),
    }));
  const statement = fc.record(
    {
      lsid: fc.constant(encodeDocument({ id: 'x' })),
      txnNumber: fc.constant(7n),
      stmtId: fc.nat(),
      needsRetryImage: fc.constantFrom('preImage' as const, 'postImage' as const),
    },
    { requiredKeys: ['lsid', 'txnNumber', 'stmtId'] },
  );
  const operation: fc.Arbitrary<OplogOperation> = fc.record(
    {
      op: fc.constantFrom('i', 'u', 'd', 'c', 'n'),
      ns: fc.string({ unit: fc.constantFrom('a', '.', 'é', '€', '😀'), maxLength: 9 }),
      ui: fc.constant(uuid),
      o: document.map(({ bytes }) => bytes),
      o2: document.map(({ bytes }) => bytes),
      document,
      statement,
    },
    { requiredKeys: ['op', 'ns', 'o'] },
  );
  fc.assert(
    fc.property(
      operation,
      fc.option(fc.array(operation, { maxLength: 12 }), { nil: undefined }),
      fc.constantFrom(opTime, { ...opTime, t: -1 }),
      fc.constantFrom(opTime, undefined),
      (one, applyOps, at, prevOpTime) => {
        const entry = new OplogEntry(one, at, wallMs, applyOps, prevOpTime);
        expect(entry.byteLength).toBe(entry.bytes.length);
      },
    ),
    { seed: 11, numRuns: 500 },
  );
});

function isName(name: string): boolean {
  return !name.includes('\0') && name !== '_id';
}
