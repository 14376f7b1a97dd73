import { Binary, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';
import { logIn } from './scramLogin.ts';

const PARAMETERS = { maxCursorsPerUser: 3, maxSessionsPerUser: 4, maxSessions: 9 };

let member: LoneMember;
let greedy: number;
let modest: number;

/** A connection on which the user has logged in. */
function connect(user: string): number {
  const connection = member.open();
  expect(logIn(member, connection, { user, pwd: 'secret' })).toMatchObject({ ok: 1, done: true });
  return connection;
}

function begin(authorization: boolean): void {
  member = LoneMember.primary(0, {}, { parameters: PARAMETERS, options: { authorization } });
  member.run({ insert: 'c', documents: [1, 2, 3, 4, 5].map((_id) => ({ _id })) }, 'app');
  for (const user of ['greedy', 'modest']) {
    member.run({ createUser: user, pwd: 'secret', roles: ['readAnyDatabase'] });
  }
  greedy = connect('greedy');
  modest = connect('modest');
}

beforeEach(() => begin(true));

const find = (connection: number, more: Doc = {}): Doc =>
  member.runOn(connection, { find: 'c', batchSize: 2, ...more }, 'app');
const idOf = (reply: Doc): Long => Long.fromBigInt(BigInt((reply.cursor as { id: bigint }).id));
const session = (i: number): Doc => ({ id: new Binary(new Uint8Array(16).fill(i), 4) });

describe('cursors', () => {
  test('who has as many as a user may gets no more, on whatever connection, and nobody else is disturbed', () => {
    const again = connect('greedy');
    for (const connection of [greedy, again, greedy]) expect(find(connection)).toMatchObject({ ok: 1 });
    for (const connection of [greedy, again]) {
      expect(find(connection)).toMatchObject({
        code: 96,
        errmsg: expect.stringContaining('greedy@admin has 3 open cursors, as many as maxCursorsPerUser allows'),
      });
    }
    expect(find(modest)).toMatchObject({ ok: 1 });
    expect(member.run({ find: 'c', batchSize: 2 }, 'app')).toMatchObject({ ok: 1 });
  });

  test('one that is exhausted or killed makes room', () => {
    const [first, second] = [find(greedy), find(greedy), find(greedy)];
    member.runOn(greedy, { getMore: idOf(first!), collection: 'c' }, 'app');
    expect(find(greedy)).toMatchObject({ ok: 1 });
    expect(find(greedy)).toMatchObject({ code: 96 });
    member.runOn(greedy, { killCursors: 'c', cursors: [idOf(second!)] }, 'app');
    expect(find(greedy)).toMatchObject({ ok: 1 });
  });

  test('a reply that is whole in one batch needs room for a moment only', () => {
    for (let i = 0; i < 10; i++) expect(find(modest, { batchSize: 100 })).toMatchObject({ ok: 1 });
  });

  test('0 is no limit, and where nobody logs in there is none', () => {
    member.run({ setParameter: 1, maxCursorsPerUser: 0 });
    for (let i = 0; i < 10; i++) expect(find(greedy)).toMatchObject({ ok: 1 });
    begin(false);
    const nobody = member.open();
    for (let i = 0; i < 10; i++) expect(find(nobody)).toMatchObject({ ok: 1 });
  });
});

describe('sessions', () => {
  const use = (connection: number, i: number): Doc => member.runOn(connection, { ping: 1, lsid: session(i) });

  test('who has as many as a user may gets no more, and nobody else is disturbed', () => {
    for (let i = 1; i <= 4; i++) expect(use(greedy, i)).toMatchObject({ ok: 1 });
    expect(use(greedy, 5)).toMatchObject({
      code: 261,
      codeName: 'TooManyLogicalSessions',
      errmsg: expect.stringContaining('the user has 4, as many as maxSessionsPerUser allows'),
    });
    // Those that there are go on, and one that has ended makes room.
    expect(use(greedy, 4)).toMatchObject({ ok: 1 });
    expect(use(modest, 5)).toMatchObject({ ok: 1 });
    member.runOn(greedy, { endSessions: [session(1)] });
    expect(use(greedy, 5)).toMatchObject({ ok: 1 });
    expect(use(greedy, 6)).toMatchObject({ code: 261 });
  });

  test('who has not logged in has none, and uses up those of nobody', () => {
    const strangers = [member.open(), member.open()];
    const hello = (i: number): Doc => member.runOn(strangers[i % 2]!, { hello: 1, lsid: session(i) });
    for (let i = 1; i <= 20; i++) expect(hello(i)).toMatchObject({ ok: 1 });
    expect(member.run({ serverStatus: 1 }).logicalSessionRecordCache).toMatchObject({ activeSessionsCount: 0 });
    expect(use(modest, 5)).toMatchObject({ ok: 1 });
  });

  test('maxSessions holds for all together, as with a mongod', () => {
    begin(false);
    const nobody = member.open();
    for (let i = 1; i <= 9; i++) expect(use(nobody, i)).toMatchObject({ ok: 1 });
    expect(use(nobody, 10)).toMatchObject({
      code: 261,
      errmsg: 'Unable to add session into the cache because the number of active sessions is too high',
    });
    // Without being used they end, and leave room.
    member.advance(40 * 60_000);
    expect(use(nobody, 10)).toMatchObject({ ok: 1 });
  });
});
