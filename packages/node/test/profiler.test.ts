import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from './loneMember.ts';

let member: LoneMember;
beforeEach(() => {
  member = LoneMember.primary(0);
  run({ insert: 'c', documents: Array.from({ length: 500 }, (_, _id) => ({ _id, n: _id % 10 })) });
});

function run(command: Doc, db = 'app'): Doc {
  const reply = member.run(command, db);
  if (reply.ok !== 1) throw new Error(JSON.stringify(reply));
  return reply;
}

const documents = (filter: Doc = {}): Doc[] =>
  ((run({ find: 'system.profile', filter }).cursor as Doc).firstBatch as Doc[]).filter(
    ({ ns }) => ns !== 'app.system.profile',
  );
const slow = () => member.logged(51803).map(({ attr }) => attr as Doc);

describe('profile', () => {
  test('answers with what was, and the level is the database’s, the rest the process’s', () => {
    expect(run({ profile: -1 })).toMatchObject({ was: 0, slowms: 100, sampleRate: 1 });
    expect(run({ profile: 2, slowms: 7, sampleRate: 0.5 })).toMatchObject({ was: 0, slowms: 100, sampleRate: 1 });
    expect(run({ profile: -1 })).toMatchObject({ was: 2, slowms: 7, sampleRate: 0.5 });
    expect(run({ profile: -1 }, 'other')).toMatchObject({ was: 0, slowms: 7, sampleRate: 0.5 });
    expect(member.logged(48742)).toHaveLength(1);
  });

  test.for([
    [{ profile: 3 }, 2],
    [{ profile: -2 }, 2],
    [{ profile: 1, sampleRate: 2 }, 2],
    [{ profile: 1, filter: 5 }, 9],
    [{ profile: 1, filter: { $nope: 1 } }, 2],
    [{ profile: 1, nope: 1 }, 40415],
  ] as const)('%o is refused with %i, and changes nothing', ([command, code]) => {
    expect(member.run(command, 'app').code).toBe(code);
    expect(run({ profile: -1 })).toMatchObject({ was: 0, slowms: 100, sampleRate: 1 });
  });

  test('a write is shown without what it writes, in the log as in the profile, but for a single statement', () => {
    run({ profile: 2, slowms: -1 });
    const [first, second] = [1, 2].map((n) => ({ q: { _id: 'long' }, u: { $set: { n } } }));
    run({ insert: 'c', documents: [{ _id: 'long' }], ordered: false });
    run({ update: 'c', updates: [first, second] });
    run({ update: 'c', updates: [{ upsert: true, hint: '_id_', ...first }], comment: 'one' });
    run({ delete: 'c', deletes: [{ limit: 1, q: { _id: 'long' } }] });
    expect(member.run({ delete: 'c', deletes: [{ q: { $nope: 1 }, limit: 1, hint: 1 }] }, 'app').ok).toBe(0);
    const shown = [
      { insert: 'c', ordered: false, $db: 'app' },
      { update: 'c', $db: 'app' },
      { ...first, hint: '_id_', multi: false, upsert: true, comment: 'one' },
      { q: { _id: 'long' }, limit: 1 },
      { delete: 'c', $db: 'app' },
    ];
    const writes = (command: Doc) => ['insert', 'update', 'delete', 'q'].some((name) => name in command);
    const logged = slow().map(({ command }) => command as Doc);
    expect(logged.filter(writes)).toEqual(shown);
    const kept = documents().map(({ command }) => command as Doc);
    expect(kept.filter(writes)).toEqual(shown);
    expect(Object.keys(kept.filter(writes)[2]!)).toEqual(['q', 'u', 'hint', 'multi', 'upsert', 'comment']);
  });

  test('a statement is an operation of its own: it has no reply, and does not wait for a write concern', () => {
    run({ profile: 2, slowms: -1 });
    run({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { n: 11 } } }] });
    const update = { type: 'update', command: { q: { _id: 1 } }, nMatched: 1, nModified: 1, nUpserted: 0 };
    const logged = member.logged(51803).find(({ attr }) => attr.type === 'update');
    expect(logged).toMatchObject({ component: 'WRITE', attr: update });
    for (const each of [logged!.attr, documents({ op: 'update' })[0]]) {
      expect(each).toHaveProperty('readConcern');
      for (const name of ['writeConcern', 'protocol', 'reslen', 'responseLength'])
        expect(each).not.toHaveProperty(name);
    }
  });

  const LOCAL = { level: 'local', provenance: 'implicitDefault' };
  const MAJORITY = { w: 'majority', wtimeout: 0, provenance: 'implicitDefault' };
  test.for<[command: Doc, concerns: Doc]>([
    [{ find: 'c' }, { readConcern: LOCAL }],
    [
      { find: 'c', readConcern: { level: 'majority' } },
      { readConcern: { level: 'majority', provenance: 'clientSupplied' } },
    ],
    [{ ping: 1 }, { readConcern: LOCAL }],
    [
      { aggregate: 'c', pipeline: [], cursor: {} },
      { readConcern: LOCAL, writeConcern: MAJORITY },
    ],
    [
      { insert: 'c', documents: [{}] },
      { readConcern: LOCAL, writeConcern: MAJORITY },
    ],
    [
      { findAndModify: 'c', remove: true, writeConcern: { w: 1, j: true, wtimeout: 9 } },
      { readConcern: LOCAL, writeConcern: { w: 1, j: true, wtimeout: 9, provenance: 'clientSupplied' } },
    ],
  ])('%j: the concerns, and whose they are', ([command, concerns]) => {
    run({ profile: 2, slowms: -1 });
    run(command);
    const shown = ({ readConcern, writeConcern }: Doc) =>
      writeConcern ? { readConcern, writeConcern } : { readConcern };
    expect(shown(documents().at(-1)!)).toEqual(concerns);
    const name = Object.keys(command)[0]!;
    expect(shown(slow().find(({ command: logged }) => name in (logged as Doc))!)).toEqual(concerns);
  });

  test('a getMore tells what opened its cursor, and how that reads', () => {
    run({ profile: 2, slowms: -1 });
    const find = { find: 'c', filter: { n: 3 }, batchSize: 2, readConcern: { level: 'majority' } };
    const { id } = run(find).cursor as Doc;
    run({ getMore: id, collection: 'c', batchSize: 2 });
    const shown = {
      originatingCommand: find,
      planSummary: 'COLLSCAN',
      readConcern: { level: 'majority', provenance: 'clientSupplied' },
    };
    expect(documents({ op: 'getmore' })[0]).toMatchObject(shown);
    expect(slow().find(({ command }) => 'getMore' in (command as Doc))).toMatchObject(shown);
  });

  test('a command of more than 50 KB is cut off, and keeps its comment', () => {
    run({ profile: 2 });
    const most = 50 * 1024;
    run({ find: 'c', filter: { a: { $in: Array.from({ length: 20_000 }, () => 7) } }, comment: { mine: 1 } });
    const [long] = documents({ 'command.comment.mine': 1 });
    const { $truncated: text, ...others } = long!.command as Doc & { $truncated: string };
    expect(others).toEqual({ comment: { mine: 1 } });
    expect([text.length, text.slice(0, 13), text.slice(-3)]).toEqual([most, '{ find: "c", ', '...']);
  });

  test('who is logged in', () => {
    const client = member.open();
    run({ profile: 2 });
    member.runOn(client, { ping: 1, comment: 'nobody' }, 'app');
    member.mongod.connections.find(client)!.user = { user: 'alice', db: 'admin' };
    member.runOn(client, { ping: 1, comment: 'alice' }, 'app');
    expect(documents({ 'command.comment': 'nobody' })).toMatchObject([{ allUsers: [], user: '' }]);
    expect(documents({ 'command.comment': 'alice' })).toMatchObject([
      { allUsers: [{ user: 'alice', db: 'admin' }], user: 'alice@admin' },
    ]);
  });

  test('a getMore has the comment of who opened its cursor, an explain that of what is explained, unless they have their own', () => {
    run({ profile: 2, slowms: -1 });
    const { id } = run({ find: 'c', batchSize: 1, comment: ['of find'] }).cursor as Doc;
    run({ getMore: id, collection: 'c', batchSize: 1 });
    run({ getMore: id, collection: 'c', batchSize: 1, comment: 'own' });
    run({ explain: { find: 'c', comment: 'within' } });
    run({ explain: { find: 'c', comment: 'within' }, comment: 'outside' });
    const comments = [['of find'], ['of find'], 'own', 'within', 'outside'];
    const commentsOf = (all: Doc[]) =>
      all.map(({ command }) => (command as Doc).comment).filter((each) => each !== undefined);
    expect(commentsOf(documents())).toEqual(comments);
    expect(commentsOf(slow())).toEqual(comments);
  });

  test('level 2 keeps every operation, with what it did', () => {
    run({ profile: 2 });
    run({ find: 'c', filter: { n: 3 }, sort: { _id: -1 }, batchSize: 5 });
    run({ find: 'c', filter: { n: 3 }, sort: { n: 1 } });
    run({ update: 'c', updates: [{ q: { n: 4 }, u: { $set: { n: 5 } }, multi: true }] });
    run({ delete: 'c', deletes: [{ q: { _id: 7 }, limit: 1 }] });
    expect(member.run({ find: 'c', filter: { $nope: 1 } }, 'app').ok).toBe(0);
    const [sorted, inMemory, update, remove, failed] = documents({ op: { $ne: 'command' } });
    expect(sorted).toMatchObject({
      op: 'query',
      ns: 'app.c',
      command: { find: 'c', filter: { n: 3 }, $db: 'app' },
      keysExamined: 47,
      docsExamined: 47,
      nreturned: 5,
      planSummary: 'IXSCAN { _id: 1 }',
      millis: 0,
      protocol: 'op_msg',
      ts: expect.any(Date),
      client: expect.any(String),
    });
    expect(sorted!.cursorid).toBeDefined();
    expect(inMemory).toMatchObject({
      planSummary: 'COLLSCAN',
      hasSortStage: true,
      cursorExhausted: true,
      nreturned: 50,
    });
    expect(update).toMatchObject({
      op: 'update',
      nMatched: 50,
      nModified: 50,
      docsExamined: 500,
      planSummary: 'COLLSCAN',
    });
    expect(remove).toMatchObject({ op: 'remove', ndeleted: 1, planSummary: 'EXPRESS_IXSCAN { _id: 1 }' });
    expect(failed).toMatchObject({ errCode: 2, errName: 'BadValue' });
  });

  test('where there is no collection the plan is EOF, but for an upsert', () => {
    run({ profile: 2, slowms: 0 });
    const q = { n: 1 };
    run({ find: 'none', filter: q });
    run({ aggregate: 'none', pipeline: [{ $match: q }], cursor: {} });
    run({ count: 'none' });
    run({ count: 'none', query: q });
    run({ distinct: 'none', key: 'n' });
    run({ update: 'none', updates: [{ q, u: { $set: { n: 2 } } }] });
    run({ update: 'none', updates: [{ q, u: { $set: { n: 2 } }, multi: true }] });
    run({ delete: 'none', deletes: [{ q, limit: 1 }] });
    run({ delete: 'none', deletes: [{ q, limit: 0 }] });
    run({ findAndModify: 'none', query: q, remove: true });
    run({ findAndModify: 'none', query: q, update: { $set: { n: 2 } } });
    const missed = { planSummary: 'EOF', keysExamined: 0, docsExamined: 0 };
    const kept = documents({ ns: 'app.none' });
    expect(kept).toEqual(Array.from({ length: 11 }, () => expect.objectContaining(missed)));
    expect(slow().filter(({ ns }) => ns === 'app.none')).toEqual(kept.map(() => expect.objectContaining(missed)));
    run({ update: 'none', updates: [{ q, u: { $set: { n: 2 } }, upsert: true }] });
    expect(documents({ ns: 'app.none' }).at(-1)!.planSummary).toBeUndefined();
  });

  test('level 1 keeps what takes slowms or longer; a filter decides in its place', () => {
    run({ profile: 1, slowms: 2 });
    run({ find: 'c', filter: { _id: 3 } });
    run({ update: 'c', updates: [{ q: {}, u: { $inc: { n: 1 } }, multi: true }] });
    expect(documents().map(({ op }) => op)).toEqual(['update']);
    run({ profile: 1, filter: { op: 'query', ns: 'app.c' } });
    run({ find: 'c', filter: { _id: 3 } });
    run({ update: 'c', updates: [{ q: {}, u: { $inc: { n: 1 } }, multi: true }] });
    expect(documents().map(({ op }) => op)).toEqual(['update', 'query']);
    expect(run({ profile: -1 }).filter).toEqual({ op: 'query', ns: 'app.c' });
    run({ profile: 1, filter: 'unset' });
    expect(run({ profile: -1 }).filter).toBeUndefined();
  });

  test('system.profile is capped, no other member hears of it, and it is dropped once nobody writes to it', () => {
    const entries = () => member.repl.positions.written.opTime.ts.i;
    run({ profile: 2 });
    const before = entries();
    run({ ping: 1 });
    expect(entries()).toBe(before);
    expect(run({ dbHash: 1 }).collections).not.toHaveProperty('system.profile');
    const [info] = ((run({ listCollections: 1, filter: { name: 'system.profile' } }).cursor as Doc)
      .firstBatch as Doc[])!;
    expect(info).toMatchObject({ options: { capped: true, size: 1_048_576 } });
    expect(member.run({ drop: 'system.profile' }, 'app').code).toBe(20);
    expect(member.run({ insert: 'system.profile', documents: [{}] }, 'app').code).toBe(73);
    run({ profile: 0 });
    const atDrop = entries();
    run({ drop: 'system.profile' });
    expect(entries()).toBe(atDrop);
    expect(member.mongod.core.engine.collection('app.system.profile')).toBeUndefined();
  });

  // Upstream: jstests/core/index/geo/geo_s2cursorlimitskip.js.
  test('a larger one can be made before anything is written to it, and no other member hears of it either', () => {
    const before = member.repl.positions.written.opTime.ts.i;
    run({ create: 'system.profile', capped: true, size: 4 * 1024 * 1024 });
    expect(member.repl.positions.written.opTime.ts.i).toBe(before);
    run({ profile: 2 });
    run({ ping: 1 });
    expect(documents().at(-1)).toMatchObject({ op: 'command', command: { ping: 1 } });
    const { cursor } = run({ listCollections: 1, filter: { name: 'system.profile' } });
    expect(cursor).toMatchObject({ firstBatch: [{ options: { capped: true, size: 4_194_304 } }] });
    expect(member.run({ create: 'system.profile', viewOn: 'c' }, 'app').code).toBe(73);
    expect(member.run({ create: 'system.other' }, 'app').code).toBe(73);
  });

  test('the oldest go when a megabyte is full', () => {
    run({ profile: 2 });
    const filler = 'x'.repeat(30_000);
    for (let i = 0; i < 40; i++) run({ ping: 1, comment: { i, filler } });
    const { count, dataSize } = member.mongod.core.engine.collection('app.system.profile')!;
    expect(dataSize).toBeLessThanOrEqual(1_048_576);
    expect(count).toBeGreaterThan(30);
    expect(documents({ 'command.comment.i': 0 })).toEqual([]);
  });
});

describe('the slow query log', () => {
  test('a slow command is logged with its plan and its time; a quick one is not', () => {
    run({ profile: 0, slowms: 2 });
    run({ find: 'c', filter: { _id: 3 } });
    run({ delete: 'c', deletes: [{ q: { n: 3 }, limit: 0 }] });
    expect(slow()).toHaveLength(1);
    expect(slow()[0]).toMatchObject({
      type: 'remove',
      ns: 'app.c',
      command: { q: { n: 3 }, limit: 0 },
      planSummary: 'COLLSCAN',
      keysExamined: 0,
      docsExamined: 500,
      ndeleted: 50,
    });
    expect(slow()[0]!.durationMillis).toBeGreaterThanOrEqual(2);
    expect(member.logged(51803)[0]).toMatchObject({ severity: 'I', component: 'WRITE', msg: 'Slow query' });
  });

  test('from 8.0 on, who waits for others is not slow; who waits for data is in no release', () => {
    member = LoneMember.primary(2);
    const writeConcern = { w: 2, wtimeout: 500 };
    expect(run({ insert: 'c', documents: [{ _id: 'w' }], writeConcern }).writeConcernError).toMatchObject({ code: 64 });
    expect(slow()).toEqual([]);
    run({ setParameter: 1, logComponentVerbosity: { command: 1 } }, 'admin');
    run({ insert: 'c', documents: [{ _id: 'x' }], writeConcern });
    expect(slow().at(-1)).toMatchObject({ workingMillis: 0, durationMillis: 500 });
    run({ setParameter: 1, logComponentVerbosity: { command: 0 } }, 'admin');
    const before = slow().length;
    run({ hello: 1, maxAwaitTimeMS: 800, topologyVersion: run({ hello: 1 }, 'admin').topologyVersion }, 'admin');
    expect(slow()).toHaveLength(before);
  });

  test('verbosity 1 of COMMAND logs every command, a sampleRate of 0 none', () => {
    run({ setParameter: 1, logComponentVerbosity: { command: { verbosity: 1 } } }, 'admin');
    run({ ping: 1 });
    expect(slow().some(({ command }) => (command as Doc).ping === 1)).toBe(true);
    run({ setParameter: 1, logComponentVerbosity: { command: { verbosity: -1 } } }, 'admin');
    const before = slow().length;
    run({ profile: 1, slowms: 0, sampleRate: 0 });
    run({ ping: 1 });
    expect(slow()).toHaveLength(before);
    expect(documents()).toEqual([]);
  });

  test('a filter picks what is logged at level 0, too, where nothing is kept', () => {
    run({ profile: 0, slowms: 0, filter: { op: 'query', ns: 'app.c' } });
    run({ find: 'c', filter: { _id: 3 } });
    run({ count: 'c' });
    expect(slow().map(({ command }) => Object.keys(command as Doc)[0])).toEqual(['find']);
    expect(documents()).toEqual([]);
  });

  test('a sampleRate between keeps a part, the same one each time', () => {
    run({ profile: 1, slowms: 0, sampleRate: 0.5 });
    for (let i = 0; i < 100; i++) run({ ping: 1 });
    run({ profile: 0 });
    const kept = documents({ 'command.ping': 1 }).length;
    expect(kept).toBeGreaterThan(30);
    expect(kept).toBeLessThan(70);
  });
});

test('currentOp shows what a client sent, how it is being done, and cuts long commands off', () => {
  const long = 'y'.repeat(2000);
  const requestId = member.send({ getMore: openTail(), collection: 'capped', maxTimeMS: 5000, comment: long }, 'app');
  const inprog = (command: Doc) => run(command, 'admin').inprog as Doc[];
  const [shown] = inprog({ currentOp: 1, op: 'getmore' });
  expect(shown).toMatchObject({ op: 'getmore', ns: 'app.capped', type: 'op', numYields: 0, waitingForLock: false });
  expect(shown!.command).toEqual({ $truncated: expect.stringMatching(/^\{ getMore: /), comment: long });
  expect(inprog({ currentOp: 1, 'command.comment': long })).toHaveLength(1);
  expect(shown).toMatchObject({
    planSummary: 'COLLSCAN',
    cursor: { tailable: true, awaitData: true, nBatchesReturned: 1, originatingCommand: { find: 'capped' } },
  });
  const [whole] = inprog({ currentOp: 1, $truncateOps: false, op: 'getmore' });
  expect((whole!.command as Doc).comment).toBe(long);
  member.reply(requestId);

  function openTail(): unknown {
    run({ create: 'capped', capped: true, size: 4096 });
    run({ insert: 'capped', documents: [{ _id: 1 }] });
    return (run({ find: 'capped', tailable: true, awaitData: true }).cursor as Doc).id;
  }
});

test('currentOp shows the comment of who opened a cursor', () => {
  run({ create: 'capped', capped: true, size: 4096 });
  run({ insert: 'capped', documents: [{ _id: 1 }] });
  const { id } = run({ find: 'capped', tailable: true, awaitData: true, comment: 'tail' }).cursor as Doc;
  const requestId = member.send({ getMore: id, collection: 'capped', maxTimeMS: 5000 }, 'app');
  const [shown] = run({ currentOp: 1, op: 'getmore' }, 'admin').inprog as Doc[];
  expect(shown).toMatchObject({ command: { getMore: id, comment: 'tail' } });
  member.reply(requestId);
});
