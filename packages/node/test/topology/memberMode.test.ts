import { NULL_OP_TIME } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { LoneMember } from '../loneMember.ts';

// RECOVERING ends when everything up to minValid is applied, and never in maintenance.

const SLOW = { settings: { electionTimeoutMillis: 100_000 } };
const LATER = { ts: { t: 4_000_000_000, i: 1 }, t: 0 };

function recovering(): LoneMember {
  const member = LoneMember.initiated(2, SLOW);
  member.repl.follow('STARTUP2');
  member.repl.follow('RECOVERING');
  member.repl.positions.minValid = LATER;
  return member;
}

test('what is applied must reach minValid', () => {
  const member = recovering();
  member.repl.tryBecomeSecondary();
  expect(member.mongod.memberState()).toBe('RECOVERING');
  member.repl.positions.applied = { opTime: LATER, wallMs: 0 };
  member.repl.tryBecomeSecondary();
  expect(member.mongod.memberState()).toBe('SECONDARY');
});

test('maintenance mode holds it back, and its end lets it go on', () => {
  const member = recovering();
  member.repl.positions.written = { opTime: LATER, wallMs: 0 };
  member.repl.positions.applied = member.repl.positions.written;
  member.run({ replSetMaintenance: true });
  member.repl.tryBecomeSecondary();
  expect(member.mongod.memberState()).toBe('RECOVERING');
  member.run({ replSetMaintenance: false });
  expect(member.mongod.memberState()).toBe('SECONDARY');
});

test('too stale is maintenance too, and counts beside the command', () => {
  const member = LoneMember.initiated(2, SLOW);
  member.run({ replSetMaintenance: true });
  member.repl.staleness.becameTooStale(NULL_OP_TIME, undefined);
  expect(member.repl.topology.maintenanceCount).toBe(2);
  member.repl.staleness.foundUsableSource('b:1');
  expect(member.mongod.memberState()).toBe('RECOVERING');
  member.run({ replSetMaintenance: false });
  expect(member.mongod.memberState()).toBe('SECONDARY');
});
