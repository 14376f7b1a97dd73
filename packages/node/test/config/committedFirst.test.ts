import { type HeartbeatReply, NULL_OP_TIME } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';

// A reconfig without force: the config before it has to be on a majority, and what was committed under the one before that.

function reconfig(member: LoneMember): Doc {
  const { config } = member.run({ replSetGetConfig: 1 }) as { config: { version: number } };
  return member.run({ replSetReconfig: { ...config, version: config.version + 1 }, maxTimeMS: 2000 });
}

const all = (member: LoneMember, heartbeat: Partial<HeartbeatReply>): void => {
  for (const peer of member.peers.values()) peer.heartbeat = heartbeat;
  member.advance(5000);
};

test('the config before has to be on a majority', () => {
  const member = LoneMember.primary(2);
  all(member, { v: 1 });
  reconfig(member);
  expect(member.repl.topology.config!.version).toBe(2);
  expect(reconfig(member)).toMatchObject({
    code: 308,
    errmsg: expect.stringMatching(/current config: .* is not majority committed/),
  });
  all(member, { v: 2 });
  reconfig(member);
  expect(member.repl.topology.config!.version).toBe(3);
});

test('what was committed before has to be on a majority of the present config', () => {
  const member = LoneMember.primary(2);
  all(member, { v: 1 });
  reconfig(member);
  // Members that have the config, and nothing of the data: they have been wiped.
  for (const view of member.repl.topology.others) Object.assign(view, { durable: { opTime: NULL_OP_TIME, wallMs: 0 } });
  all(member, { v: 2, durableOpTime: NULL_OP_TIME, durableWallTimeMs: 0 });
  expect(reconfig(member)).toMatchObject({
    code: 308,
    errmsg: expect.stringMatching(/last committed optime from the previous config/),
  });
});
