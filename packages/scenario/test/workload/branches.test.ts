import { Branches } from '@replsim/why';
import { beforeEach, expect, test } from 'vitest';
import { at, insertOf, noop, Tracing } from './tracing.ts';

let branches: Branches;
let trace: Tracing;
beforeEach(() => {
  branches = new Branches();
  trace = new Tracing((event) => branches.observe(event));
});

/** n1 writes 1 to 5 in term 1, of which n2 gets 1 to 3; n2 is elected in term 2 and writes 4 and 5. */
function part(): void {
  trace.writes('n1', ...[1, 2, 3, 4, 5].map((i) => insertOf(at(1, i), i)));
  trace.fetches('n2', ...[1, 2, 3].map((i) => insertOf(at(1, i), i)));
  trace.elects('n2', 2, ['n3'], 4);
  trace.writes('n2', insertOf(at(2, 5), 6));
}

test('a log is known by its end: what comes before is the line down to the root', () => {
  part();
  expect(branches.endOf('n1')).toEqual(at(1, 5));
  expect(branches.holds(at(2, 5), at(2, 4))).toBe(true);
  expect(branches.holds(at(2, 5), at(1, 3))).toBe(true);
  expect(branches.holds(at(2, 5), at(1, 4))).toBe(false);
  expect(branches.holds(at(1, 5), at(2, 4))).toBe(false);
  expect(branches.holds(at(1, 5), at(1, 5))).toBe(true);
});

test('what the newest primary does not hold is lost, by the first election that left it out', () => {
  part();
  expect([3, 4, 5].map((i) => branches.lostInTerm(at(1, i)))).toEqual([undefined, 2, 2]);
  trace.fetches('n3', ...[1, 2, 3].map((i) => insertOf(at(1, i), i)), noop(at(2, 4)));
  trace.elects('n3', 3, ['n1'], 6);
  expect(branches.lostInTerm(at(2, 4))).toBeUndefined();
  expect(branches.lostInTerm(at(2, 5))).toBe(3);
  // Two elections left it out, and the first of them is to blame.
  expect(branches.lostInTerm(at(1, 4))).toBe(2);
});

test('what one election left out survives, if the next primary is one that holds it', () => {
  part();
  trace.elects('n1', 3, ['n3'], 6);
  expect(branches.survives(at(1, 5))).toBe(true);
  expect(branches.lostInTerm(at(2, 4))).toBe(3);
});

test('an election whose winner has not written yet has lost nothing yet', () => {
  trace.writes('n1', insertOf(at(1, 1), 1), insertOf(at(1, 2), 2));
  trace.fetches('n2', insertOf(at(1, 1), 1));
  trace.member('n2', { type: 'electionWon', term: 2, votes: 2, lastApplied: at(1, 1) });
  expect(branches.survives(at(1, 2))).toBe(true);
  // It catches up first, and so keeps it.
  trace.fetches('n2', insertOf(at(1, 2), 2));
  trace.writes('n2', noop(at(2, 3)));
  expect(branches.survives(at(1, 2))).toBe(true);
});

test('who holds an entry, in the oplog and in the journal, follows every change of a log', () => {
  part();
  expect(branches.holders(at(1, 3))).toEqual({ written: ['n1', 'n2'], durable: [] });
  trace.flushes('n1', at(1, 4));
  expect(branches.holders(at(1, 5))).toEqual({ written: ['n1'], durable: [] });
  expect(branches.holders(at(1, 4))).toEqual({ written: ['n1'], durable: ['n1'] });
  trace.rollsBack('n1', at(1, 5), at(1, 3));
  expect(branches.holders(at(1, 4))).toEqual({ written: [], durable: [] });
  trace.starts('n2', at(1, 2));
  expect(branches.holders(at(1, 3))).toEqual({ written: ['n1'], durable: ['n1'] });
  trace.member('n1', { type: 'initialSync', phase: 'started' });
  expect(branches.holders(at(1, 1)).written).toEqual(['n2']);
});

test('a timestamp stands in one term of a member’s log', () => {
  part();
  expect(branches.opTimeAt('n1', { t: 100, i: 4 })).toEqual(at(1, 4));
  expect(branches.opTimeAt('n2', { t: 100, i: 4 })).toEqual(at(2, 4));
  expect(branches.opTimeAt('n2', { t: 100, i: 2 })).toEqual(at(1, 2));
  expect(branches.opTimeAt('n9', { t: 100, i: 2 })).toBeUndefined();
});
