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
