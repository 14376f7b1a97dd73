import type { CollectionView } from '@replsim/storage';
import { cappedLimits } from './cappedOptions.ts';

/**
 * The oldest documents of a capped collection, as many as must go until it is within its limits; one stays in any case.
 * Upstream: collection_impl.cpp, cappedDeleteUntilBelowConfiguredMaximum.
 */
export function excessRecords(collection: CollectionView): number[] {
  const oldest: number[] = [];
  const limits = cappedLimits(collection);
  if (!limits) return oldest;
  let documents = collection.count;
  let bytes = collection.dataSize;
  const records = collection.records();
  while ((documents > limits.maxDocuments || bytes > limits.sizeBytes) && documents > 1 && records.next()) {
    oldest.push(records.recordId);
    documents -= 1;
    bytes -= records.document.bytes.length;
  }
  return oldest;
}
