import { decodeDocument, decodePromoted, splitNamespace } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import { type Due, dueBy, expiredFilter, lateText } from '@replsim/scenario';
import { idKey } from './documentId.ts';
import type { Ask, Glance } from './glance.ts';
import { batchOf } from './replies.ts';

/**
 * Which of a member's documents have expired, by a clock that goes right: since when, and by which of its own indexes.
 * @returns by `_id`, see `DataRow.id`
 */
export function expiredOf(
  ask: Ask,
  ns: string,
  documents: readonly Uint8Array[],
  { epochMs, nowMicros }: ReplicaSetApi,
): ReadonlyMap<string, string> {
  const [db, collection] = splitNamespace(ns);
  const nowMs = epochMs + nowMicros / 1000;
  const ids = documents.map((document) => decodeDocument(document)._id);
  const expired = new Map<string, string>();
  for (const { index, due } of ttlIndexesOf(ask, ns)) {
    const filter = expiredFilter(due, nowMs);
    if (!filter) continue;
    const many = { batchSize: ids.length, singleBatch: true };
    const found = ask(db, { find: collection, filter: { $and: [{ _id: { $in: ids } }, filter] }, ...many });
    for (const document of found.ok ? batchOf(found.bytes) : [])
      expired.set(idKey(document), sinceText(document, index, due, nowMs));
  }
  return expired;
}

/** The TTL indexes of a collection, and its own option under the name of the `_id` index, as a member has them. */
function ttlIndexesOf(ask: Ask, ns: string): { readonly index: string; readonly due: Due }[] {
  const [db, collection] = splitNamespace(ns);
  const indexes = ask(db, { listIndexes: collection });
  if (!indexes.ok) return [];
  const names = batchOf(indexes.bytes).map((spec) => String(decodePromoted(spec).name));
  return [...new Set([...names, '_id_'])].flatMap((index) => {
    const due = dueBy({ ns, index }, (command) => ask(db, command).bytes);
    return due ? [{ index, due }] : [];
  });
}

function sinceText(document: Uint8Array, index: string, { path, seconds }: Due, nowMs: number): string {
  let value: unknown = decodePromoted(document);
  for (const name of path.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  // Of an array of dates the earliest counts; how late that is the document's own story says.
  return value instanceof Date
    ? `expired ${lateText(nowMs - (value.getTime() + seconds * 1000))} ago, by ${index}`
    : `expired, by ${index}`;
}

/**
 * Why an expired document is still there on a member, in a sentence.
 * @param primaryHasIt whether it is there on the primary, too
 */
export function whyStillThere(glance: Glance, ns: string, member: string, primaryHasIt: boolean): string {
  const { reasons, set } = glance;
  const primary = glance.members.primary();
  if (glance.presence(member) === 'down') return 'it is on the disk of a process that is down';
  const monitorOf = (name: string) => reasons.monitor(name).join('; ');
  if (member === primary || set.status(member).mode === 'standalone') return monitorOf(member);
  if (primary === undefined) return 'there is no primary, so nobody deletes it';
  if (primaryHasIt) return `${member} waits for the delete of ${primary}; ${monitorOf(primary)}`;
  return [`${primary} has deleted it`, ...reasons.data([member], ns)].join('; ');
}
