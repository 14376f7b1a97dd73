import {
  encodeDocument,
  OplogEntry,
  type OplogOperation,
  type StatementLink,
  type TransactionLink,
} from '@replsim/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeEntry } from '../src/decodeEntry.ts';

const anyBytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const anyDocument = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.integer(), fc.string()))
  .map((each) => encodeDocument(each));
const anyLsid = fc.tuple(anyBytes(16), anyBytes(32)).map(([id, uid]) => encodeDocument({ id, uid }));
const anyPlace = {
  ts: fc.record({ t: fc.nat(4_294_967_295), i: fc.nat(4_294_967_295) }),
  t: fc.integer({ min: 0, max: 1000 }),
};

const anyOperation: fc.Arbitrary<OplogOperation> = fc.record(
  { op: fc.constantFrom('i', 'u', 'd', 'n'), ns: fc.string(), ui: anyBytes(16), o: anyDocument, o2: anyDocument },
  { requiredKeys: ['op', 'ns', 'o'] },
);

const anySession = { lsid: anyLsid, txnNumber: fc.bigInt({ min: 0n, max: 2n ** 62n }) };
const anyStatement: fc.Arbitrary<StatementLink> = fc.record(
  { ...anySession, stmtId: fc.nat(1000), needsRetryImage: fc.constantFrom('preImage', 'postImage') },
  { requiredKeys: ['lsid', 'txnNumber', 'stmtId'] },
);
const anyTransaction: fc.Arbitrary<TransactionLink> = fc.record(
  { ...anySession, partialTxn: fc.constant(true), count: fc.nat(100_000) },
  { requiredKeys: ['lsid', 'txnNumber'] },
);

interface Kind {
  readonly applyOps?: readonly OplogOperation[];
  readonly statement?: StatementLink;
  readonly transaction?: TransactionLink;
}

const anyEntry = fc
  .record({
    operation: anyOperation,
    opTime: fc.record(anyPlace),
    wallMs: fc.integer({ min: -(2 ** 50), max: 2 ** 50 }),
    prevOpTime: fc.record(anyPlace),
    kind: fc.oneof(
      fc.constant({}),
      fc.record({ statement: anyStatement }),
      fc.record({ applyOps: fc.array(anyOperation, { minLength: 1, maxLength: 4 }) }),
      fc.record({ applyOps: fc.array(anyOperation, { minLength: 1, maxLength: 4 }), transaction: anyTransaction }),
    ),
  })
  .map(({ operation, opTime, wallMs, prevOpTime, kind }) => {
    const { applyOps, ...link }: Kind = kind;
    const whole = applyOps
      ? { op: 'c' as const, ns: 'admin.$cmd', o: operation.o, ...link }
      : { ...operation, ...link };
    const isOfSession = link.statement !== undefined || link.transaction !== undefined;
    return new OplogEntry(whole, opTime, wallMs, applyOps, isOfSession ? prevOpTime : undefined);
  });

test('an entry that is read back says what the one said that was written, to the byte', () => {
  fc.assert(
    fc.property(anyEntry, (entry) => {
      const read = decodeEntry(entry.bytes);
      const { op, ns, ui, o2, statement, transaction } = entry.operation;
      expect(read.operation).toMatchObject({ op, ns, ...(ui && { ui }), ...(o2 && { o2 }) });
      expect(read.operation.statement).toEqual(statement);
      expect(read.operation.transaction).toEqual(transaction);
      expect(read.applyOps).toEqual(entry.applyOps);
      if (!entry.applyOps) expect(read.operation.o).toEqual(entry.operation.o);
      expect([read.opTime, read.wallMs, read.prevOpTime]).toEqual([entry.opTime, entry.wallMs, entry.prevOpTime]);
      const { operation, opTime, wallMs, applyOps, prevOpTime } = read;
      expect(new OplogEntry(operation, opTime, wallMs, applyOps, prevOpTime).bytes).toEqual(entry.bytes);
    }),
  );
});

test('what is read keeps nothing of what it was read from', () => {
  const written = new OplogEntry(
    { op: 'i', ns: 'app.c', o: encodeDocument({ _id: 1 }) },
    { ts: { t: 1, i: 1 }, t: 1 },
    0,
  ).bytes;
  const { o } = decodeEntry(written).operation;
  expect(o.buffer.byteLength).toBe(o.length);
});
