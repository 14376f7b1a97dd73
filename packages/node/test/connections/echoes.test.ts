import { encodeDocument } from '@replsim/protocol';
import { BSON } from 'bson';
import { describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';

// What one client sent is shown to others: they must be able to read it, whatever it was.

const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0));

/** `{ find: 'c', $db: 'app', comment: 'odd', odd: '' }` with these bytes in the place of each `odd`, which have its length. */
function withBytes(odd: readonly number[]): Uint8Array {
  const bytes = encodeDocument({ find: 'c', $db: 'app', comment: 'odd', odd: '' });
  const mark = ascii('odd');
  for (let at = 0; at < bytes.length; at++) if (mark.every((byte, i) => bytes[at + i] === byte)) bytes.set(odd, at);
  return bytes;
}

const NOT_UTF8 = withBytes([0xc3, 0x28, 0xff]);

/** What the commands asked here have in their replies. */
interface Shown {
  readonly inprog: readonly Doc[];
  readonly cursor: { readonly firstBatch: readonly Doc[] };
  readonly log: readonly string[];
}

/** As a driver reads it, which refuses what is no UTF-8. */
function read(member: LoneMember, command: Doc, db = 'admin'): Shown {
  const now = { monotonicMicros: member.nowMicros, wallMs: 0 };
  return BSON.deserialize(member.mongod.ask(encodeDocument({ ...command, $db: db }), now)) as Shown;
}

const shownTo = {
  currentOp: (member: LoneMember) => read(member, { currentOp: 1, $all: true }).inprog,
  $currentOp: (member: LoneMember) =>
    read(member, { aggregate: 1, pipeline: [{ $currentOp: { idleConnections: true, idleCursors: true } }], cursor: {} })
      .cursor.firstBatch,
} as const;

describe.for(Object.entries(shownTo))('%s', ([, shown]) => {
  test.for([
    ['a size that is too large', (bytes: Uint8Array) => bytes.fill(0x7f, 0, 3)],
    ['a type that does not exist', (bytes: Uint8Array) => bytes.fill(0x33, 4, 5)],
    ['a string that claims too much', (bytes: Uint8Array) => bytes.fill(0x7f, 10, 11)],
    ['bytes that are no document at all', (bytes: Uint8Array) => bytes.fill(0xff)],
  ] as const)('says nothing of a command with %s', ([, spoil]) => {
    const member = LoneMember.primary(0);
    const request = member.sendBytes(member.open(), spoil(encodeDocument({ find: 'c', $db: 'app' })));
    const [operation, ...more] = shown(member).filter((each: Doc) => each.active && each.desc === 'conn1');
    expect(more).toEqual([]);
    expect(operation).toMatchObject({ op: 'none', ns: '', command: {} });
    expect(member.reply(request)).toMatchObject({ ok: 0, code: 22 });
  });

  test('shows text that is no UTF-8 so that it can be read', () => {
    const member = LoneMember.primary(0);
    member.run({ insert: 'c', documents: [{}] }, 'app');
    member.sendBytes(member.open(), NOT_UTF8);
    const operation = shown(member).find((each: Doc) => each.active && each.desc === 'conn1');
    expect(operation).toHaveProperty('command', {
      find: 'c',
      $db: 'app',
      comment: '\ufffd(\ufffd',
      '\ufffd(\ufffd': '',
    });
  });
});

test('$currentOp shows the command of an idle cursor so', () => {
  const member = LoneMember.primary(0);
  member.run({ insert: 'c', documents: [{}, {}] }, 'app');
  const find = { find: 'c', batchSize: 1, comment: 'odd', $db: 'app' };
  const bytes = encodeDocument(find);
  const mark = ascii('odd');
  for (let at = 0; at < bytes.length; at++) if (mark.every((byte, i) => bytes[at + i] === byte)) bytes[at] = 0xff;
  member.reply(member.sendBytes(member.open(), bytes));
  const cursor = shownTo.$currentOp(member).find(({ type }: Doc) => type === 'idleCursor');
  expect(cursor).toHaveProperty('cursor.originatingCommand', { ...find, comment: '\ufffddd' });
});

test('the profile and the log, too', () => {
  const member = LoneMember.primary(0);
  member.run({ profile: 2, slowms: -1 }, 'app');
  const odd = member.reply(member.sendBytes(member.open(), NOT_UTF8));
  expect(odd).toMatchObject({ ok: 0, code: 40415 });
  member.reply(member.sendBytes(member.open(), encodeDocument({ find: 'c' }).fill(0x33, 4, 5)));
  const kept = read(member, { find: 'system.profile', filter: { 'command.find': 'c' } }, 'app').cursor.firstBatch;
  expect(kept).toMatchObject([{ command: { find: 'c', comment: '\ufffd(\ufffd' }, errCode: 40415 }]);
  expect(read(member, { getLog: 'global' }).log.join('')).toContain('Slow query');
});

test('what a client says of itself', () => {
  const member = LoneMember.primary(0);
  const client = { application: { name: 'odd' }, driver: { name: 'd', version: '1' }, os: { type: 'Linux' } };
  const hello = encodeDocument({ hello: 1, client, $db: 'admin' });
  const at = hello.findIndex((_, i) => ascii('odd').every((byte, j) => hello[i + j] === byte));
  hello[at] = 0xff;
  expect(member.reply(member.sendBytes(member.open(), hello))).toMatchObject({ ok: 1 });
  const [idle] = shownTo.currentOp(member).filter((each: Doc) => each.active === false);
  expect(idle).toMatchObject({ appName: '\ufffddd', clientMetadata: { application: { name: '\ufffddd' } } });
});

test('old binary data whose inner length is wrong, which no driver can read, is refused', () => {
  const member = LoneMember.primary(0);
  member.run({ setParameter: 1, logComponentVerbosity: { command: { verbosity: 1 } } });
  const bytes = encodeDocument({ ping: 1, comment: new BSON.Binary(new Uint8Array([1]), 2), $db: 'admin' });
  const at = bytes.findIndex((byte, i) => byte === 2 && bytes[i + 1] === 1 && bytes[i - 1] === 0);
  bytes[at + 1] = 9;
  expect(member.reply(member.sendBytes(member.open(), bytes))).toMatchObject({ ok: 0, code: 22 });
});
