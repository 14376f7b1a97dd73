import type { Binary } from 'bson';
import { expect, test } from 'vitest';
import { holding, LoneMember } from '../loneMember.ts';

/** A primary that builds an index and has said that it is ready, of which nobody else knows: the others stay where they were. */
function ready() {
  const member = LoneMember.primary(2);
  member.run({ insert: 'c', documents: [{ _id: 1, a: 1 }], writeConcern: { w: 1 } }, 'app');
  const before = member.repl.oplog.last;
  for (const peer of member.peers.values()) peer.heartbeat = holding(before);
  member.send({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] }, 'app');
  member.advance(3000);
  const { cursor } = member.run({ listIndexes: 'c', includeBuildUUIDs: true }, 'app') as {
    cursor: { firstBatch: { buildUUID?: Binary }[] };
  };
  const uuid = cursor.firstBatch.find(({ buildUUID }) => buildUUID)!.buildUUID!.buffer;
  return { member, before, uuid };
}

const votesTo = (member: LoneMember, host: string) => member.asked('voteCommitIndexBuild', host).length;

test('a vote that no majority has is sent to the next primary, too', () => {
  const { member, before } = ready();
  expect(member.repl.oplog.last).not.toEqual(before);
  const term = member.repl.topology.term + 1;
  member.peers.get('b:1')!.heartbeat = { state: 'PRIMARY', term, electionTime: { t: 1, i: 1 }, ...holding(before) };
  member.heartbeat('b:1', { term, primaryId: 1 });
  expect(votesTo(member, 'b:1')).toBe(0);
  member.advance(5000);
  expect(votesTo(member, 'b:1')).toBeGreaterThan(0);
});

test('a vote that comes twice is answered once a majority has it', () => {
  const { member, uuid } = ready();
  const command = { voteCommitIndexBuild: uuid, hostAndPort: 'b:1' };
  for (let told = 0; told < 2; told++) {
    member.ask('b:1', 'admin', command);
    const answered = member.responses.size;
    member.advance(5000);
    expect(member.responses.size).toBe(answered);
  }
  const answered = member.responses.size;
  for (const peer of member.peers.values()) peer.heartbeat = {};
  member.advance(5000);
  expect([...member.responses.values()].slice(answered)).toMatchObject([{ ok: 1 }, { ok: 1 }]);
});

test('a build that is over cannot be aborted, and the answer says so', () => {
  const { member } = ready();
  const command = { voteAbortIndexBuild: new Uint8Array(16), hostAndPort: 'b:1', reason: 'duplicate' };
  member.ask('b:1', 'admin', command);
  const before = member.responses.size;
  member.advance(100);
  expect([...member.responses.values()].slice(before)).toMatchObject([{ ok: 0, code: 7329202 }]);
});
