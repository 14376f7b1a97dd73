import type { OplogEntry } from '@replsim/protocol';
import { type Change, type CollectionHistory, historyOf } from './collectionHistory.ts';
import { idOf, idText } from './documentId.ts';
import { lifeOf } from './documentLife.ts';
import type { MemberStory } from './memberStory.ts';
import type { Records } from './records.ts';
import { at } from './situation.ts';
import type { Written } from './written.ts';

/** So many others are named where there is none that was asked for. */
const NAMED = 5;

/**
 * A document's life on a member.
 * @param ids its `_id`, as it may have been meant: the first counts that any entry has
 */
export function documentOf(
  ns: string,
  ids: readonly unknown[],
  member: MemberStory,
  written: Written,
  records: Records,
): string[] {
  const { branches, logs } = records;
  const reached = ({ opTime }: OplogEntry) => branches.survives(opTime) || logs.turnsOf(member.name, opTime).length > 0;
  const { version } = records;
  const history = historyOf(written.batches, ns, { command: reached, document: () => true, version });
  const forgotten = oldestOf(written);
  const changes = changesOf(history, ids);
  if (!changes) return [...unknown(ns, ids, history), ...forgotten];
  // What only another branch has is told where there is nothing else.
  const own = changes.filter(({ entry }) => reached(entry));
  const began = changes[0]?.kind === 'inserted' ? [] : forgotten;
  return [...began, ...lifeOf(own.length > 0 ? own : changes, history, member, records)];
}

function changesOf({ documents }: CollectionHistory, ids: readonly unknown[]): readonly Change[] | undefined {
  const byId = new Map<string, readonly Change[]>();
  for (const changes of documents.values()) {
    const id = changes.find(({ id }) => id)?.id;
    if (id) byId.set(idOf(id), changes);
  }
  for (const id of ids) {
    const changes = byId.get(idText(id));
    if (changes) return changes;
  }
  return undefined;
}

function unknown(ns: string, ids: readonly unknown[], { documents, timeseries }: CollectionHistory): string[] {
  if (timeseries) return [inBuckets(ns)];
  if (documents.size === 0) return [`no oplog entry is about ${ns}`];
  const others = [...documents.values()].slice(0, NAMED).flatMap(([change]) => (change?.id ? [idOf(change.id)] : []));
  const more = documents.size > NAMED ? ` and ${documents.size - NAMED} more` : '';
  return [`no oplog entry is about a document ${idText(ids[0])} of ${ns}; there are ${others.join(', ')}${more}`];
}

/** Where the documents of a time series are. */
export function inBuckets(ns: string): string {
  const [db, name] = ns.split(/\.(.*)/);
  return `${ns} is a time series: its measurements are in the buckets of ${db}.system.buckets.${name}`;
}

function oldestOf({ forgot, batches }: Written): string[] {
  const [oldest] = batches;
  return forgot && oldest ? [`writes before ${at(oldest.atMicros)} are no longer remembered`] : [];
}
