import type { Random } from '@replsim/kernel';
import type { Doc } from './caller.ts';
import { EXPIRING } from './clients.ts';

/** A collection that operators drop, rename and make again. */
export const SCRATCH = 'scratch';
/** Collections that transactions make; operators drop them. */
export const MADE = ['made1', 'made2', 'made3'];
/** Documents of which no two travel together. */
export const BULKY = 'bulky';
const BULK_BYTES = 9_000_000;
/** Whatever an `_id` of other clients may be. */
const MAX_ID = 400;

/** What a transaction does beside what it is for, so that it meets TTL, index builds and changes of the catalog. */
export function statementsBeside(random: Random, name: string): Doc[] {
  return Array.from({ length: random.pick([0, 0, 1, 1, 2, 4]) }, (_, i) => oneBeside(random, `${name} ${i}`));
}

function oneBeside(random: Random, name: string): Doc {
  const some = { _id: { $gte: random.int(0, MAX_ID) } };
  switch (random.int(0, 11)) {
    case 0:
      // Far from now on whichever clock: it is due at once.
      return { insert: EXPIRING, documents: [{ _id: name, at: new Date(0), n: 0 }] };
    case 1:
      return { update: EXPIRING, updates: [{ q: some, u: { $inc: { n: 1 } }, multi: true }] };
    case 2:
      return { delete: EXPIRING, deletes: [{ q: some, limit: random.int(0, 2) }] };
    case 3:
      return {
        findAndModify: EXPIRING,
        query: some,
        update: { $set: { at: new Date(9e12) } },
        new: random.chance(0.5),
      };
    case 4:
      return { findAndModify: EXPIRING, query: some, remove: true };
    case 5:
      return { aggregate: EXPIRING, pipeline: [{ $group: { _id: null, n: { $sum: 1 } } }], cursor: {} };
    case 6:
      return { create: random.pick(MADE) };
    case 7:
      return { createIndexes: random.pick(MADE), indexes: [{ key: { n: 1 }, name: 'n_1' }] };
    case 8:
      return { insert: random.pick(MADE), documents: [{ _id: name }, { _id: `${name} too` }] };
    case 9:
      return { update: SCRATCH, updates: [{ q: { _id: random.int(0, 5) }, u: { $inc: { n: 1 } }, upsert: true }] };
    default:
      return { insert: SCRATCH, documents: [{ _id: name }] };
  }
}

/** Two entries, each in a reply of its own to those who fetch them: some get the first and never the second. */
export function bulkyStatements(name: string): Doc[] {
  const pad = 'x'.repeat(BULK_BYTES);
  return [1, 2].map((i) => ({ insert: BULKY, documents: [{ _id: `${name} ${i}`, pad }] }));
}
