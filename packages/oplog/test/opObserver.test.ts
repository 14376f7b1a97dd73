import { decodeDocument, encodeDocument, OplogEntry, type OplogOperation, type OpTime } from '@replsim/protocol';
import { Binary, BSON, Long, ObjectId, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import {
  applyOpsOperation,
  commandOperation,
  deleteOperation,
  insertOperation,
  noopOperation,
  updateOperation,
} from '../src/index.ts';
import { at } from './entries.ts';

const uuid = new Uint8Array(16).map((_, i) => i);
const sessions = { ns: 'app.sessions', uuid };
const document = (value: object) => ({ bytes: encodeDocument(value) });
const _id = new ObjectId('0123456789abcdef01234567');
const before = document({ _id, n: 1 });
const after = document({ _id, n: 2 });

/** The entry as a reader of `local.oplog.rs` gets it, exact types and all, with its fields in order. */
function shown(operation: OplogOperation, opTime: OpTime = at(20, 3), applyOps?: readonly OplogOperation[]) {
  const wallMs = Date.UTC(2025, 0, 1);
  const decoded = decodeDocument(new OplogEntry(operation, opTime, wallMs, applyOps).bytes);
  return { decoded, fields: Object.keys(decoded) };
}

const ui = new Binary(uuid, 4);
const tail = {
  ts: new Timestamp({ t: 20, i: 1 }),
  t: Long.fromNumber(3),
  v: Long.fromNumber(2),
  wall: new Date(Date.UTC(2025, 0, 1)),
};

test.for<[what: string, operation: OplogOperation, head: object]>([
  [
    'an insert: the whole document, and its _id beside it',
    insertOperation(sessions, after),
    { op: 'i', ns: 'app.sessions', ui, o: { _id, n: 2 }, o2: { _id } },
  ],
  [
    'an update as a diff',
    updateOperation(sessions, before, after, encodeDocument({ $v: 2, diff: { u: { n: 2 } } })),
    { op: 'u', ns: 'app.sessions', ui, o: { $v: 2, diff: { u: { n: 2 } } }, o2: { _id } },
  ],
  [
    'an update as the document that replaces',
    updateOperation(sessions, before, after, undefined),
    { op: 'u', ns: 'app.sessions', ui, o: { _id, n: 2 }, o2: { _id } },
  ],
  [
    'a delete: the _id alone, nothing beside it',
    deleteOperation(sessions, before),
    { op: 'd', ns: 'app.sessions', ui, o: { _id } },
  ],
  [
    'a command with a collection',
    commandOperation('app', encodeDocument({ drop: 'sessions' }), { ui: uuid, o2: encodeDocument({ numRecords: 4 }) }),
    { op: 'c', ns: 'app.$cmd', ui, o: { drop: 'sessions' }, o2: { numRecords: 4 } },
  ],
  [
    'a command on a database',
    commandOperation('app', encodeDocument({ dropDatabase: 1 })),
    { op: 'c', ns: 'app.$cmd', o: { dropDatabase: 1 } },
  ],
  ['a no-op', noopOperation('new primary'), { op: 'n', ns: '', o: { msg: 'new primary' } }],
  [
    'a no-op with more',
    noopOperation('Reconfig set', { version: 3 }),
    { op: 'n', ns: '', o: { msg: 'Reconfig set', version: 3 } },
  ],
])('%s', ([, operation, head]) => {
  const { decoded, fields } = shown(operation);
  expect(fields).toEqual([...Object.keys(head), 'ts', 't', 'v', 'wall']);
  const expected = BSON.deserialize(BSON.serialize({ ...head, ...tail }), { promoteValues: false });
  expect(decoded).toEqual(expected);
});

describe('types', () => {
  const { decoded } = shown(insertOperation(sessions, after));

  test('t and v are int64, ts a timestamp, wall a date, ui a UUID', () => {
    const { ts, t, v, wall, ui: uuidField } = decoded;
    expect([ts, t, v, uuidField].map((value) => value._bsontype)).toEqual(['Timestamp', 'Long', 'Long', 'Binary']);
    expect(wall).toBeInstanceOf(Date);
    expect(uuidField.sub_type).toBe(4);
  });

  test('only an entry from before any election has no t', () => {
    const { decoded: first, fields } = shown(noopOperation('initiating set'), at(1, -1));
    expect(fields).toEqual(['op', 'ns', 'o', 'ts', 'v', 'wall']);
    expect(first.o).toEqual({ msg: 'initiating set' });
    expect(shown(noopOperation('new primary'), at(1, 0)).fields).toContain('t');
  });
});

describe('several deletes as one applyOps, as the TTL monitor makes them', () => {
  const other = new ObjectId('ffffffffffffffffffffffff');
  const deletes = [deleteOperation(sessions, before), deleteOperation(sessions, document({ _id: other }))];
  const { decoded, fields } = shown(applyOpsOperation(), at(20, 3), deletes);

  test('a command on admin, without ui, o2 or anything of a session', () => {
    expect(fields).toEqual(['op', 'ns', 'o', 'ts', 't', 'v', 'wall']);
    expect([decoded.op, decoded.ns]).toEqual(['c', 'admin.$cmd']);
    expect(Object.keys(decoded.o)).toEqual(['applyOps']);
  });

  test('each inner operation has op, ns, ui and o, and none of what the entry has', () => {
    expect(decoded.o.applyOps).toEqual([
      { op: 'd', ns: 'app.sessions', ui, o: { _id } },
      { op: 'd', ns: 'app.sessions', ui, o: { _id: other } },
    ]);
    for (const inner of decoded.o.applyOps) expect(Object.keys(inner)).toEqual(['op', 'ns', 'ui', 'o']);
  });

  test('readers go through the inner operations, or the one of a plain entry', () => {
    expect(new OplogEntry(applyOpsOperation(), at(1, 1), 0, deletes).operations).toBe(deletes);
    const [plain] = deletes;
    expect(new OplogEntry(plain!, at(1, 1), 0).operations).toEqual([plain]);
  });
});

test('documents are shared, not copied: what an update changed and what it left', () => {
  const update = updateOperation(sessions, before, after, undefined);
  expect(update.before).toBe(before);
  expect(update.document).toBe(after);
  expect(update.o).toBe(after.bytes);
  expect(insertOperation(sessions, after).document).toBe(after);
  expect(deleteOperation(sessions, before).document).toBe(before);
});
