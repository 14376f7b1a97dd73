import { cappedLimits } from '../catalog/cappedOptions.ts';
import type { MemberServices } from '../command.ts';

/**
 * Deletes the oldest documents of a capped collection while it holds too many or too much; each is a delete in the oplog.
 * Upstream: collection_impl.cpp, cappedDeleteUntilBelowConfiguredMaximum.
 */
export function trimCapped({ engine, writes }: MemberServices, ns: string): void {
  const collection = engine.collection(ns);
  const limits = collection && cappedLimits(collection);
  if (!limits) return;
  let documents = collection.count;
  let bytes = collection.dataSize;
  const oldest: number[] = [];
  const records = collection.records();
  while ((documents > limits.maxDocuments || bytes > limits.sizeBytes) && documents > 1 && records.next()) {
    oldest.push(records.recordId);
    documents -= 1;
    bytes -= records.document.bytes.length;
  }
  if (oldest.length > 0) writes.delete(collection, oldest, { grouped: false });
}
