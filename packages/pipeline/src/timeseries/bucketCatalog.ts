import type { IdSource } from '@replsim/protocol';
import type { CollectionView, StoredDocument } from '@replsim/storage';
import { Bucket } from './bucket.ts';
import type { Measurement } from './measurement.ts';
import { bucketStartMs, type TimeseriesOptions } from './options.ts';

/** A bucket that measurements go to, with its document as this member wrote it last. */
export interface OpenBucket {
  readonly bucket: Bucket;
  /** Undefined for one that is not in the collection yet. */
  written: StoredDocument | undefined;
}

/**
 * Which bucket is open for which metadata: one for each, in the memory of this process.
 * Simplifications: a closed bucket is never opened again, which a mongod does after a restart and for measurements that
 * come late; memory is not limited. Upstream: bucket_catalog/bucket_catalog.cpp.
 */
export class BucketCatalog {
  readonly #open = new WeakMap<CollectionView, Map<string, OpenBucket>>();

  /** The bucket for a measurement: the one that is open, or a new one in its place if it does not fit. */
  bucketFor(buckets: CollectionView, options: TimeseriesOptions, measurement: Measurement, ids: IdSource): OpenBucket {
    const open = this.#openIn(buckets);
    const { metaKey, meta, timeMs } = measurement;
    const known = open.get(metaKey);
    if (known && isIntact(known, buckets, options) && !known.bucket.rollover(measurement)) return known;
    const startMs = bucketStartMs(timeMs, options);
    const bucket = new Bucket(ids.objectId(startMs / 1000), startMs, options, meta);
    const fresh: OpenBucket = { bucket, written: undefined };
    open.set(metaKey, fresh);
    return fresh;
  }

  /** After a failed write nobody knows what the open buckets of a collection hold. */
  forget(buckets: CollectionView): void {
    this.#open.delete(buckets);
  }

  #openIn(buckets: CollectionView): Map<string, OpenBucket> {
    let open = this.#open.get(buckets);
    if (!open) {
      open = new Map();
      this.#open.set(buckets, open);
    }
    return open;
  }
}

/**
 * Whether a bucket is what this member left it as: it may have been deleted, rolled back or written by another primary
 * since, and its span may have been changed. A document object stays the same only as long as nobody touches it.
 */
function isIntact({ bucket, written }: OpenBucket, buckets: CollectionView, options: TimeseriesOptions): boolean {
  if (bucket.options.bucketMaxSpanSeconds !== options.bucketMaxSpanSeconds) return false;
  if (!written) return true;
  const recordId = buckets.findById(written.idKey);
  return recordId !== undefined && buckets.get(recordId) === written;
}
