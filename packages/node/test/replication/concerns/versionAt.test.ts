import { noopOperation, Oplog } from '@replsim/oplog';
import { encodeDocument, OplogEntry, type OplogOperation } from '@replsim/protocol';
import { StorageEngine } from '@replsim/storage';
import { expect, test } from 'vitest';
import { versionAt } from '../../../src/replication/concerns/readConcerns.ts';

const insert: OplogOperation = { op: 'i', ns: 'app.c', o: encodeDocument({ _id: 1 }) };
const noop = noopOperation('periodic noop');
const seconds = (t: number) => ({ t, i: 1 });

/** An oplog with an entry at each second from 10 on, and data kept after the entries of these numbers. */
function held(operations: readonly OplogOperation[], marks: readonly number[]): [Oplog, StorageEngine] {
  const oplog = new Oplog();
  const engine = new StorageEngine();
  for (const [i, operation] of operations.entries()) {
    oplog.append(new OplogEntry(operation, { ts: seconds(10 + i), t: 1 }, 0));
    if (marks.includes(i)) engine.markVersion(i);
  }
  return [oplog, engine];
}

// Entries 0, 1, 2 and 3; a batch ended with 0 and with 2.
test.for([
  { at: 9, gives: 239, why: 'before the first entry' },
  { at: 10, gives: 'version 0', why: 'the end of a batch' },
  { at: 11, gives: 246, why: 'within a batch' },
  { at: 12, gives: 'version 2', why: 'the end of a batch' },
  { at: 13, gives: 'version 2', why: 'a no-op changes nothing' },
  { at: 99, gives: 'version 2', why: 'after all of them' },
])('at $at: $gives, $why', ({ at, gives }) => {
  const [oplog, engine] = held([insert, insert, insert, noop], [0, 2]);
  const read = () => versionAt(oplog, engine, seconds(at));
  if (typeof gives === 'number') expect(read).toThrow(expect.objectContaining({ code: gives }));
  else expect(`version ${read()}`).toBe(gives);
});

test('what was let go of is too old', () => {
  const [oplog, engine] = held([insert, insert, insert], [0, 1, 2]);
  engine.forgetBefore(2);
  expect(() => versionAt(oplog, engine, seconds(11))).toThrow(expect.objectContaining({ code: 239 }));
  expect(versionAt(oplog, engine, seconds(12))).toBe(2);
});
