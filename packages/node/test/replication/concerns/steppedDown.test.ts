import { expect, test } from 'vitest';
import { steppedDown } from '../../../src/replication/concerns/writeConcerns.ts';

test.for([
  { what: 'primary in the term of the write', isLeader: true, term: 3, wrote: 3, ends: false },
  { what: 'primary no more', isLeader: false, term: 3, wrote: 3, ends: true },
  { what: 'elected again meanwhile', isLeader: true, term: 5, wrote: 3, ends: true },
  { what: "the set's first entry, which has no term", isLeader: true, term: 1, wrote: -1, ends: false },
])('$what: the wait for a write concern ends: $ends', ({ isLeader, term, wrote, ends }) => {
  const error = steppedDown(isLeader, term, { ts: { t: 1, i: 1 }, t: wrote });
  expect(error?.code).toBe(ends ? 189 : undefined);
});
