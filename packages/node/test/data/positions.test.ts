import { NULL_OP_TIME, type OpTime } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { Positions } from '../../../oplog/src/positions.ts';

const at = (secs: number): OpTime => ({ ts: { t: secs, i: 1 }, t: 1 });
const place = (secs: number) => ({ opTime: at(secs), wallMs: secs * 1000 });

test.for<[what: string, commit: number | undefined, applied: number, initialData: number, stable: number]>([
  ['the commit point, where it is applied', 5, 9, 1, 5],
  ['what is applied, where the commit point is ahead', 9, 5, 1, 5],
  ['never below what the data began with', 3, 9, 7, 7],
  ['nor while no commit point is known', undefined, 9, 7, 7],
])('the stable opTime is %s', ([, commit, applied, initialData, stable]) => {
  const positions = new Positions();
  if (commit !== undefined) positions.commitPoint = place(commit);
  positions.applied = place(applied);
  positions.initialData = at(initialData);
  expect(positions.stable).toEqual(at(stable));
  positions.initialSyncing = true;
  expect(positions.stable).toEqual(NULL_OP_TIME);
});

test('a commit point before what an initial sync copied is no snapshot to read from', () => {
  const positions = new Positions();
  positions.applied = place(9);
  positions.commitPoint = place(5);
  positions.initialData = at(7);
  expect(positions.hasCommittedSnapshot).toBe(false);
  positions.commitPoint = place(7);
  expect(positions.hasCommittedSnapshot).toBe(true);
});

test('after a config that changes what committed means, something new has to be committed first', () => {
  const positions = new Positions();
  positions.applied = place(9);
  positions.commitPoint = place(5);
  positions.dropCommittedSnapshot();
  expect(positions.hasCommittedSnapshot).toBe(false);
  positions.commitPoint = place(6);
  expect(positions.hasCommittedSnapshot).toBe(true);
});

test.for(['applied', 'commitPoint'] as const)(
  'after a rollback there is no committed snapshot until %s moves on',
  (moves) => {
    const positions = new Positions();
    positions.commitPoint = place(5);
    positions.reset(place(6));
    expect(positions.hasCommittedSnapshot).toBe(false);
    positions[moves] = place(7);
    expect(positions.hasCommittedSnapshot).toBe(true);
  },
);
