import { InvariantError, type OpTime } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { type OpTimeAndWall, Positions } from '../../oplog/src/positions.ts';
import { StepGuard } from '../src/stepGuard.ts';
import { LoneMember } from './loneMember.ts';

const at = (i: number): OpTimeAndWall => ({ opTime: { ts: { t: 10, i }, t: 1 } satisfies OpTime, wallMs: 0 });

interface Case {
  readonly name: string;
  readonly durableIsApplied?: boolean;
  readonly written: number;
  readonly applied: number;
  readonly durable: number;
  readonly says?: RegExp;
}

const cases: readonly Case[] = [
  { name: 'all at one place', written: 2, applied: 2, durable: 2 },
  { name: 'written first', written: 3, applied: 1, durable: 2 },
  { name: 'applied, not written', written: 1, applied: 2, durable: 1, says: /applied .* is ahead of written/ },
  { name: 'durable, not written', written: 1, applied: 1, durable: 2, says: /durable .* is ahead of written/ },
  {
    name: 'durable, not applied, before 8.0',
    durableIsApplied: true,
    written: 3,
    applied: 1,
    durable: 2,
    says: /durable .* is ahead of applied/,
  },
];

test.for(cases)('positions: $name', ({ durableIsApplied = false, says, ...where }) => {
  const positions = new Positions();
  const guard = new StepGuard(positions, { term: 1 }, durableIsApplied);
  positions.written = at(where.written);
  positions.applied = at(where.applied);
  positions.durable = at(where.durable);
  if (says) expect(() => guard.check()).toThrow(says);
  else expect(() => guard.check()).not.toThrow();
});

test('a step after which the term has gone back stops the run', () => {
  const { mongod } = new LoneMember();
  const step = () => mongod.step({ type: 'awaitEnded', requestId: 0 }, { monotonicMicros: 60_000_000, wallMs: 0 });
  mongod.step({ type: 'started' }, { monotonicMicros: 0, wallMs: 0 });
  mongod.repl!.topology.term = 3;
  step();
  mongod.repl!.topology.term = 2;
  expect(step).toThrow(InvariantError);
  expect(step).toThrow('the term went back from 3 to 2');
});
