import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

// What was answered by an empty list, or by nothing at all.

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1, a: 1 }, { _id: 2, a: 2 });
});

describe('notablescan', () => {
  beforeEach(() => {
    member.ok({ createIndexes: 'c', indexes: [{ key: { b: 1 }, name: 'b' }] });
    member.ok({ setParameter: 1, notablescan: true }, 'admin');
  });

  test.for<[command: Doc]>([
    [{ find: 'c', filter: { a: 1 } }],
    [{ count: 'c', query: { a: 1 } }],
    [{ distinct: 'c', key: 'a', query: { a: 1 } }],
    [{ aggregate: 'c', pipeline: [{ $match: { a: 1 } }], cursor: {} }],
    [{ findAndModify: 'c', query: { a: 1 }, remove: true }],
    [{ findAndModify: 'c', query: { a: 1 }, update: { $set: { x: 1 } } }],
  ])('%j fails, and changes nothing', ([command]) => {
    expect(member.run(command)).toMatchObject({
      ok: 0,
      code: 291,
      errmsg: expect.stringContaining("running with 'notablescan'"),
    });
    member.ok({ setParameter: 1, notablescan: false }, 'admin');
    expect(member.ok({ find: 'c' }).cursor.firstBatch).toEqual([
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ]);
  });

  test.for<[command: Doc]>([
    [{ update: 'c', updates: [{ q: { a: 1 }, u: { $set: { x: 1 } } }] }],
    [{ update: 'c', updates: [{ q: { a: 1 }, u: { $set: { x: 1 } }, multi: true }] }],
    [{ delete: 'c', deletes: [{ q: { a: 1 }, limit: 0 }] }],
    [{ delete: 'c', deletes: [{ q: { a: 1 }, limit: 1 }] }],
  ])('%j fails as a statement', ([command]) => {
    expect(member.run(command).writeErrors).toMatchObject([{ code: 291 }]);
    member.ok({ setParameter: 1, notablescan: false }, 'admin');
    expect(member.ok({ find: 'c' }).cursor.firstBatch).toEqual([
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ]);
  });

  test.for<[command: Doc]>([
    [{ find: 'c' }],
    [{ find: 'c', filter: { _id: 1 } }],
    [{ find: 'c', filter: { b: 1 } }],
    [{ find: 'c', sort: { a: 1 } }],
    [{ delete: 'c', deletes: [{ q: {}, limit: 0 }] }],
  ])('%j works: an index serves it, or all is asked for', ([command]) => {
    expect(member.ok(command).writeErrors).toBeUndefined();
  });

  test("the server's own collections may be read through", () => {
    member.insert('settings', { _id: 1 });
    expect(member.run({ find: 'settings', filter: { a: 1 } }, 'config').ok).toBe(1);
  });
});

test('diagnosticDataCollectionEnabled is false, and stays so', () => {
  const get = () => member.ok({ getParameter: 1, diagnosticDataCollectionEnabled: 1 }, 'admin');
  expect(get().diagnosticDataCollectionEnabled).toBe(false);
  member.ok({ setParameter: 1, diagnosticDataCollectionEnabled: false }, 'admin');
  const refused = member.run({ setParameter: 1, diagnosticDataCollectionEnabled: true }, 'admin');
  expect(refused).toMatchObject({ ok: 0, code: 115 });
});

test('currentOp with $all shows threads that have nothing to do', () => {
  const shown = (command: Doc) => member.ok({ currentOp: 1, ...command }, 'admin').inprog.map(({ desc }: Doc) => desc);
  expect(shown({})).not.toContain('TTLMonitor');
  expect(shown({ $all: true })).toContain('TTLMonitor');
});
