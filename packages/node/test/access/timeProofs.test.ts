import { Binary, Long, Timestamp } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';

// Who may move a member's clock ahead, where there is access control.

interface Gossip {
  readonly clusterTime: Timestamp;
  readonly signature: { readonly hash: Binary; readonly keyId: Long };
}

let member: LoneMember;
const users = new Map<string, number>();

/** As a client of the set has it from any reply. */
const gossip = (connection: number) => member.runOn(connection, { ping: 1 }).$clusterTime as Gossip;
const later = ({ clusterTime, signature }: Gossip, secs: number): Gossip => ({
  clusterTime: new Timestamp({ t: clusterTime.high + secs, i: 1 }),
  signature,
});

beforeEach(() => {
  member = LoneMember.primary(0, {}, { options: { authorization: true } });
  for (const [user, role] of [
    ['reader', 'read'],
    ['member', '__system'],
  ] as const) {
    member.run({ createUser: user, pwd: 'p', roles: [{ role, db: 'admin' }] }, 'admin');
    const id = member.open('10.0.0.1:50001');
    member.mongod.connections.find(id)!.user = { user, db: 'admin' };
    users.set(user, id);
  }
});

test('times are signed with a key that is in the data', () => {
  const { signature } = gossip(users.get('reader')!);
  const { cursor } = member.run({ find: 'system.keys' }, 'admin') as { cursor: { firstBatch: Doc[] } };
  expect(cursor.firstBatch.map(({ _id }) => String(_id))).toContain(String(signature.keyId));
  expect(signature.hash.buffer.some((byte) => byte !== 0)).toBe(true);
});

test('who has not logged in is not listened to', () => {
  const stranger = member.open('10.0.0.1:50002');
  const before = gossip(stranger);
  expect(member.runOn(stranger, { ping: 1, $clusterTime: later(before, 1000) })).toMatchObject({ ok: 1 });
  expect(gossip(stranger).clusterTime).toEqual(before.clusterTime);
});

describe('a user', () => {
  const reader = () => users.get('reader')!;

  test.for([
    ['a time without a signature', 211, (ahead: Gossip) => ({ clusterTime: ahead.clusterTime })],
    [
      'a time that nobody has signed',
      211,
      ({ clusterTime }: Gossip) => ({
        clusterTime,
        signature: { hash: new Binary(new Uint8Array(20)), keyId: Long.ZERO },
      }),
    ],
    ['the signature of another time', 204, (ahead: Gossip) => ahead],
    [
      'half a signature',
      204,
      ({ clusterTime, signature }: Gossip) => ({
        clusterTime,
        signature: { ...signature, hash: new Binary(signature.hash.buffer.slice(0, 10)) },
      }),
    ],
  ] as const)('%s is refused', ([, code, changed]) => {
    const before = gossip(reader());
    const $clusterTime = changed(later(before, 1000));
    expect(member.runOn(reader(), { ping: 1, $clusterTime })).toMatchObject({ ok: 0, code });
    expect(gossip(reader()).clusterTime).toEqual(before.clusterTime);
  });

  test('a time that is over needs none', () => {
    const { clusterTime } = later(gossip(reader()), -1);
    expect(member.runOn(reader(), { ping: 1, $clusterTime: { clusterTime } })).toMatchObject({ ok: 1 });
  });

  test('passes on what a member has signed', () => {
    // Another member is ahead: one of the same keys, that has heard of a later time.
    const system = users.get('member')!;
    const ahead = later(gossip(system), 1000);
    const { signature } = member.mongod.clients.services.replyMetadata().$clusterTime as Gossip;
    member.runOn(system, { ping: 1, $clusterTime: ahead });
    const signed = gossip(reader());
    expect(signed.clusterTime).toEqual(ahead.clusterTime);
    expect(signed.signature.hash).not.toEqual(signature.hash);
    const other = LoneMember.primary(0, {}, { options: { authorization: true } });
    other.run({ createUser: 'reader', pwd: 'p', roles: [] }, 'admin');
    const id = other.open('10.0.0.1:50001');
    other.mongod.connections.find(id)!.user = { user: 'reader', db: 'admin' };
    expect(other.runOn(id, { ping: 1, $clusterTime: signed })).toMatchObject({ ok: 1 });
    expect((other.runOn(id, { ping: 1 }).$clusterTime as Gossip).clusterTime).toEqual(ahead.clusterTime);
  });
});

test('members may send any time', () => {
  const system = users.get('member')!;
  const ahead = later(gossip(system), 1000);
  expect(member.runOn(system, { ping: 1, $clusterTime: ahead })).toMatchObject({ ok: 1 });
  expect(gossip(system).clusterTime).toEqual(ahead.clusterTime);
});

test('without access control nothing is signed, and every time is believed', () => {
  const open = LoneMember.primary(0);
  const before = open.run({ ping: 1 }).$clusterTime as Gossip;
  expect(String(before.signature.keyId)).toBe('0');
  const { clusterTime } = later(before, 1000);
  expect(open.run({ ping: 1, $clusterTime: { clusterTime } })).toMatchObject({ ok: 1, $clusterTime: { clusterTime } });
});
