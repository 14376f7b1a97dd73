import { Binary, BSON, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { type Doc, holding, LoneMember } from '../loneMember.ts';

const lsid = (n: number) => ({ lsid: { id: new Binary(new Uint8Array(16).fill(n), Binary.SUBTYPE_UUID) } });
const idOf = (n: number) => lsid(n).lsid;
const MINUTE_MS = 60_000;

/** A member with a collection of three documents. */
function withDocuments(): LoneMember {
  const member = LoneMember.primary(0);
  member.run({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] }, 'app');
  return member;
}

/** Opens a cursor in a session; the command that goes on with it is sent in another, or in none. */
function openCursor(member: LoneMember, session: Doc): (session: Doc) => Doc {
  const { id } = member.run({ find: 'c', batchSize: 1, ...session }, 'app').cursor as { id: bigint };
  return (other) => ({ getMore: BSON.Long.fromBigInt(BigInt(id)), collection: 'c', batchSize: 1, ...other });
}

/** A write that waits for members that do not have it. */
function waiting(member: LoneMember, session: Doc): number {
  return member.send({ insert: 'c', documents: [{}], writeConcern: { w: 3 }, ...session }, 'app');
}

function lagging(): LoneMember {
  const member = LoneMember.primary(2);
  for (const peer of member.peers.values()) peer.heartbeat = holding({ ...member.repl.positions.applied.opTime });
  return member;
}

function known(member: LoneMember): string[] {
  return member.mongod.sessions.cache.list().map(({ lsid: { key } }) => key.slice(0, 2));
}

describe('a session lasts for half an hour after the refresh that follows its last use', () => {
  test('then it is unknown, and its cursors are gone', () => {
    const member = withDocuments();
    const [getMore, other] = [openCursor(member, lsid(1)), openCursor(member, { noCursorTimeout: true })];
    member.advance(29 * MINUTE_MS);
    expect(member.run(getMore(lsid(1)), 'app')).toMatchObject({ ok: 1 });
    member.advance(29 * MINUTE_MS);
    expect(known(member)).toEqual(['01']);
    member.advance(2 * MINUTE_MS);
    expect(known(member)).toEqual([]);
    expect(member.run(getMore(lsid(1)), 'app')).toMatchObject({ code: 43 });
    expect(member.run(other({}), 'app')).toMatchObject({ ok: 1 });
  });

  test('asking for it once more does not bring its cursors back', () => {
    const member = withDocuments();
    const getMore = openCursor(member, lsid(1));
    member.advance(36 * MINUTE_MS);
    expect(member.run(getMore(lsid(1)), 'app')).toMatchObject({ code: 43 });
  });

  test('nor does it where the time is shorter than that between two looks', () => {
    const member = LoneMember.primary(0, {}, { parameters: { localLogicalSessionTimeoutMinutes: 1 } });
    member.run({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] }, 'app');
    const getMore = openCursor(member, lsid(1));
    member.advance(2 * MINUTE_MS);
    expect(member.run(getMore(lsid(1)), 'app')).toMatchObject({ code: 43 });
  });

  test('a command that is under way keeps it', () => {
    const member = lagging();
    waiting(member, lsid(1));
    member.run({ ping: 1, ...lsid(2) });
    member.advance(45 * MINUTE_MS);
    expect(known(member)).toEqual(['01']);
    member.advance(29 * MINUTE_MS);
    expect(known(member)).toEqual(['01']);
  });

  test('refreshSessions is a use', () => {
    const member = withDocuments();
    const getMore = openCursor(member, lsid(1));
    member.advance(29 * MINUTE_MS);
    expect(member.run({ refreshSessions: [idOf(1)] })).toMatchObject({ ok: 1 });
    member.advance(29 * MINUTE_MS);
    expect(member.run(getMore(lsid(1)), 'app')).toMatchObject({ ok: 1 });
  });

  test('the time is a parameter, which hello and startSession tell', () => {
    const parameters = { localLogicalSessionTimeoutMinutes: 5 };
    const member = LoneMember.initiated(0, {}, { parameters });
    expect(member.hello()).toMatchObject({ logicalSessionTimeoutMinutes: 5 });
    expect(member.run({ startSession: 1 })).toMatchObject({ timeoutMinutes: 5, ok: 1 });
    expect(member.mongod.sessions.cache.list()).toHaveLength(1);
    // Written down after five minutes, as long ago as it may be.
    member.advance(9 * MINUTE_MS);
    expect(member.mongod.sessions.cache.list()).toHaveLength(1);
    member.advance(2 * MINUTE_MS);
    expect(member.mongod.sessions.cache.list()).toEqual([]);
  });

  test('what it wrote stays known as long, and a little longer', () => {
    const member = withDocuments();
    const insert = { insert: 'c', documents: [{ _id: 9 }], ...lsid(1), txnNumber: 1n };
    member.run(insert, 'app');
    member.advance(36 * MINUTE_MS);
    expect(known(member)).toEqual([]);
    expect(member.run(insert, 'app')).toMatchObject({ n: 1, retriedStmtIds: [0] });
  });
});

describe('ending and killing', () => {
  // Drivers send the write concern with it when they close.
  test.for([{}, { writeConcern: { w: 0 } }])(
    'endSessions with %j ends the cursors of the sessions it names',
    (beside) => {
      const member = withDocuments();
      const [one, two] = [openCursor(member, lsid(1)), openCursor(member, lsid(2))];
      expect(member.run({ endSessions: [idOf(1)], ...beside })).toMatchObject({ ok: 1 });
      expect(known(member)).toEqual(['02']);
      expect(member.run(one(lsid(1)), 'app')).toMatchObject({ code: 43 });
      expect(member.run(two(lsid(2)), 'app')).toMatchObject({ ok: 1 });
    },
  );

  const uid = new Binary(new Uint8Array(32));
  test.for<{ command: Doc; ends: readonly number[] }>([
    { command: { killSessions: [idOf(1)] }, ends: [1] },
    { command: { killSessions: [] }, ends: [1, 2] },
    { command: { killAllSessions: [] }, ends: [1, 2] },
    { command: { killAllSessions: [{ user: 'x', db: 'y' }] }, ends: [] },
    { command: { killAllSessionsByPattern: [] }, ends: [1, 2] },
    { command: { killAllSessionsByPattern: [lsid(2)] }, ends: [2] },
    { command: { killAllSessionsByPattern: [{ uid }] }, ends: [] },
    { command: { killAllSessionsByPattern: [{}] }, ends: [1, 2] },
    { command: { endSessions: [idOf(1), idOf(2)] }, ends: [] },
  ])('$command ends what sessions $ends have under way', ({ command, ends }) => {
    const member = lagging();
    const requests = new Map([1, 2].map((n) => [n, waiting(member, lsid(n))]));
    const sessionless = waiting(member, {});
    member.advance(5);
    expect(member.run(command)).toMatchObject({ ok: 1 });
    const ended = [...requests].filter(([, request]) => member.replies.has(request)).map(([n]) => n);
    expect(ended).toEqual(ends);
    for (const n of ends) {
      expect(member.replies.get(requests.get(n)!)).toMatchObject({ ok: 1, writeConcernError: { code: 11601 } });
    }
    expect(member.replies.has(sessionless)).toBe(false);
  });

  test('killSessions ends cursors too', () => {
    const member = withDocuments();
    const [one, two, none] = [lsid(1), lsid(2), {}].map((session) => openCursor(member, session));
    member.run({ killSessions: [idOf(1)] });
    expect(member.run(one!(lsid(1)), 'app')).toMatchObject({ code: 43 });
    member.run({ killAllSessions: [] });
    expect(member.run(two!(lsid(2)), 'app')).toMatchObject({ code: 43 });
    expect(member.run(none!({}), 'app')).toMatchObject({ ok: 1 });
  });

  test('whoever asks in a session does not end himself', () => {
    expect(LoneMember.primary(0).run({ killAllSessions: [], ...lsid(1) })).toMatchObject({ ok: 1 });
  });
});

describe('a cursor is for its session alone', () => {
  test.for([
    { opened: lsid(1), used: lsid(1), code: undefined },
    { opened: {}, used: {}, code: undefined },
    { opened: {}, used: lsid(1), code: 50736 },
    { opened: lsid(1), used: {}, code: 50737 },
    { opened: lsid(1), used: lsid(2), code: 50738 },
  ])('$code', ({ opened, used, code }) => {
    const member = withDocuments();
    const getMore = openCursor(member, opened);
    expect(member.run(getMore(used), 'app')).toMatchObject(code ? { ok: 0, code } : { ok: 1 });
    expect(member.run(getMore(opened), 'app')).toMatchObject({ ok: 1 });
  });
});

describe('transaction numbers', () => {
  const insert = { insert: 'c', documents: [{ _id: 9 }] };
  test.for([
    { what: 'without a session', command: { ...insert, txnNumber: 1n }, code: 72 },
    { what: 'below zero', command: { ...insert, ...lsid(1), txnNumber: -1n }, code: 72 },
    { what: 'of a read', command: { find: 'c', ...lsid(1), txnNumber: 1n }, code: 50768 },
    { what: 'of no number', command: { ...insert, ...lsid(1), txnNumber: 'x' }, code: 14 },
    { what: 'of a session that is none', command: { ...insert, lsid: { id: 1 }, txnNumber: 1n }, code: 14 },
    { what: 'as it should be', command: { ...insert, ...lsid(1), txnNumber: 1n }, code: undefined },
    { what: 'a session, unacknowledged', command: { ...insert, ...lsid(1), writeConcern: { w: 0 } }, code: undefined },
  ])('$what: $code', ({ command, code }) => {
    expect(withDocuments().run(command, 'app')).toMatchObject(code ? { ok: 0, code } : { ok: 1 });
  });

  test('an older one is refused, the newest is answered from what was done', () => {
    const member = withDocuments();
    const write = (txnNumber: bigint, _id: number) =>
      member.run({ insert: 'c', documents: [{ _id }], ...lsid(1), txnNumber }, 'app');
    expect(write(5n, 10)).not.toHaveProperty('retriedStmtIds');
    expect(write(5n, 10)).toMatchObject({ n: 1, retriedStmtIds: [0] });
    expect(write(4n, 11)).toMatchObject({ code: 225, codeName: 'TransactionTooOld' });
    expect(write(6n, 12)).toMatchObject({ n: 1 });
    expect(member.run({ count: 'c' }, 'app')).toMatchObject({ n: 5 });
  });

  test('what wrote nothing is forgotten with its session, even if that ends meanwhile', () => {
    const member = withDocuments();
    // All are there already; enough of them for the command to be under way when the session ends.
    const documents = Array.from({ length: 1000 }, () => ({ _id: 1 }));
    const write = (txnNumber: bigint) => ({ insert: 'c', documents, ordered: false, ...lsid(1), txnNumber });
    const underWay = member.send(write(5n), 'app');
    const ended = member.send({ endSessions: [idOf(1)] });
    member.advance(1);
    expect([member.replies.has(ended), member.replies.has(underWay)]).toEqual([true, false]);
    member.advance(1000);
    expect(member.replies.get(underWay)).toMatchObject({ ok: 1, n: 0 });
    expect(member.run(write(4n), 'app')).toMatchObject({ ok: 1, n: 0 });
  });
});

test('a session may bring its cluster time along', () => {
  const member = withDocuments();
  const clusterTime = new Timestamp({ t: 1_735_689_700, i: 1 });
  const reply = member.run({ find: 'c', ...lsid(1), $clusterTime: { clusterTime, signature: { keyId: 0 } } }, 'app');
  expect(reply).toMatchObject({ ok: 1, $clusterTime: { clusterTime } });
});
