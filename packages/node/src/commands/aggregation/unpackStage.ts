import { unpackBucket } from '../../timeseries/unpack.ts';
import { Fields } from '../fields.ts';
import { documentOf, type Stage } from './stages.ts';

/**
 * What `{ $_internalUnpackBucket: { timeField, metaField?, bucketMaxSpanSeconds } }` makes of a bucket: its measurements.
 * Upstream: document_source_internal_unpack_bucket.cpp, createFromBsonInternal.
 */
export function unpackerOf(stage: Stage): (bucket: Uint8Array) => readonly Uint8Array[] {
  const fields = new Fields(documentOf(stage), stage.name);
  const bucketFields = { timeField: fields.requiredString('timeField'), metaField: fields.string('metaField') };
  return (bucket) => unpackBucket(bucket, bucketFields);
}
