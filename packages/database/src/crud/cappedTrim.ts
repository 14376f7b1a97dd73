import { excessRecords } from '@replsim/pipeline';
import type { CommandContext } from '../definition.ts';

/** Lets go of the oldest documents of a capped collection while it holds too many or too much; each is a delete in the oplog. */
export function trimCapped({ data, member, writes }: CommandContext, ns: string): void {
  const collection = data.collection(ns);
  if (!collection) return;
  const excess = excessRecords(collection);
  if (excess.length > 0 && !member.failPoints.enter('skipCappedDeletes'))
    writes.delete(collection, excess, { grouped: false });
}
