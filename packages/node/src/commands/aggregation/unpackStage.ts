import type { BucketFields } from '../../timeseries/unpack.ts';
import { Fields } from '../fields.ts';
import { documentOf, type Stage } from './stages.ts';

/**
 * The spec of `{ $_internalUnpackBucket: { timeField, metaField?, bucketMaxSpanSeconds } }`.
 * Upstream: document_source_internal_unpack_bucket.cpp, createFromBsonInternal.
 */
export function bucketFieldsOf(stage: Stage): BucketFields {
  const fields = new Fields(documentOf(stage), stage.name);
  return { timeField: fields.requiredString('timeField'), metaField: fields.string('metaField') };
}
