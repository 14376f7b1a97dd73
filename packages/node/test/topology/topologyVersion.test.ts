import { expect, test } from 'vitest';
import { holding, LoneMember } from '../loneMember.ts';

// At which steps of a member's life the counter rises.

/** How far topologyVersion moved while something happened. */
function moved(member: LoneMember, happens: () => void): number {
  const before = member.counter;
  happens();
  return member.counter - before;
}

function shown(member: LoneMember): unknown[] {
  const { isWritablePrimary, secondary, primary, electionId } = member.hello();
  return [isWritablePrimary, secondary, primary, electionId !== undefined];
}

test('a step-up: one on winning, one for the term of the config, one at the end of drain', () => {
  const member = LoneMember.primary(2);
  const told = ['electionWon', 'topologyVersionRaised', 'stateChanged', 'configInstalled', 'acceptsWrites'];
  const types = member.traces.map(({ type }) => type).filter((type) => told.includes(type));
  expect(types.slice(types.indexOf('electionWon'))).toEqual([
    ...['electionWon', 'topologyVersionRaised', 'stateChanged'],
    ...['topologyVersionRaised', 'configInstalled'],
    ...['topologyVersionRaised', 'acceptsWrites'],
  ]);
  expect(shown(member)).toEqual([true, false, 'a:1', true]);
});

test('between winning and the end of drain it is a secondary to whoever asks', () => {
  const member = LoneMember.initiated(2);
  // Somebody holds more, and nobody can be fetched from: catch-up does not end.
  for (const peer of member.peers.values()) peer.heartbeat = holding({ ts: { t: 4_000_000_000, i: 1 }, t: 0 });
  member.advance(12_000);
  expect([member.repl.elections.mode, member.mongod.memberState()]).toEqual(['LeaderElect', 'PRIMARY']);
  expect(shown(member)).toEqual([false, true, 'a:1', true]);
});

test('a step-down that is asked for: one when writes are disabled, one when it is complete', () => {
  const member = LoneMember.primary(2);
  for (const peer of member.peers.values()) peer.heartbeat = { electable: false };
  member.advance(2500);
  const command = member.send({ replSetStepDown: 60 });
  expect(moved(member, () => member.advance(1))).toBe(1);
  expect([member.repl.elections.mode, ...shown(member)]).toEqual(['AttemptingStepDown', false, false, 'a:1', true]);
  for (const peer of member.peers.values()) peer.heartbeat = {};
  expect(moved(member, () => member.reply(command))).toBe(1);
  expect(shown(member)).toEqual([false, true, undefined, false]);
});

test('one that fails: one when writes are disabled, one when they are allowed again', () => {
  const member = LoneMember.primary(2);
  for (const peer of member.peers.values()) peer.heartbeat = { electable: false };
  member.advance(2500);
  const command = member.send({ replSetStepDown: 60, secondaryCatchUpPeriodSecs: 1 });
  expect(moved(member, () => member.advance(1))).toBe(1);
  expect(moved(member, () => expect(member.reply(command)).toMatchObject({ code: 262 }))).toBe(1);
  expect(shown(member)).toEqual([true, false, 'a:1', true]);
});

test('a later term: one', () => {
  const member = LoneMember.primary(2);
  expect(moved(member, () => member.vote(1, { term: 9, dryRun: true }))).toBe(1);
  expect(shown(member)).toEqual([false, true, undefined, false]);
});

test('maintenance mode: one when it begins, one when it ends, none in between', () => {
  const member = LoneMember.initiated(2);
  const maintain = (on: boolean) => moved(member, () => member.run({ replSetMaintenance: on }));
  expect([maintain(true), maintain(true), maintain(false), maintain(false)]).toEqual([1, 0, 0, 1]);
});

test('quiesce mode: one', () => {
  const member = LoneMember.initiated(2);
  expect(moved(member, () => member.signal())).toBe(1);
});

test('who else is primary, opTimes and terms raise nothing', () => {
  const member = LoneMember.initiated(2, { settings: { electionTimeoutMillis: 60_000 } });
  member.advance(3000);
  member.peers.get('b:1')!.heartbeat = { state: 'PRIMARY', term: 3 };
  expect(moved(member, () => member.advance(3000))).toBe(0);
  expect([member.repl.topology.term, member.hello().primary]).toEqual([3, 'b:1']);
});
