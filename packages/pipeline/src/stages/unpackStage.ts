import { BsonType, type BsonValue } from '@replsim/protocol';
import { isEmptyDocument } from '../fields/documents.ts';
import { Fields } from '../fields/fields.ts';
import { naturalDirection } from '../planner/naturalOrder.ts';
import { bucketFilter } from '../timeseries/bucketFilter.ts';
import { bucketsKeyOf } from '../timeseries/indexSpecs.ts';
import type { BucketFields } from '../timeseries/unpack.ts';
import { documentValue } from './builtValues.ts';
import { UNPACK } from './stageRules.ts';
import { documentOf, type Stage } from './stages.ts';

/**
 * The spec of `{ $_internalUnpackBucket: { timeField, metaField?, bucketMaxSpanSeconds } }`.
 * Upstream: document_source_internal_unpack_bucket.cpp, createFromBsonInternal.
 */
export function bucketFieldsOf(stage: Stage): BucketFields {
  const fields = new Fields(documentOf(stage), stage.name);
  return { timeField: fields.requiredString('timeField'), metaField: fields.string('metaField') };
}

/** A hint by key as the buckets have it; a name is the same for both. */
export function bucketsHint(hint: BsonValue, fields: BucketFields): BsonValue {
  const bytes = hint.type === BsonType.object && !naturalDirection(hint) ? bucketsKeyOf(hint, fields) : undefined;
  return bytes ? documentValue(bytes) : hint;
}

/**
 * A pipeline on buckets with what its `$match` asks of whole buckets in front of the unpacking, where an index serves it.
 * Upstream: document_source_internal_unpack_bucket.cpp, doOptimizeAt.
 */
export function withBucketsQuery(stages: readonly Stage[]): readonly Stage[] {
  const [first, second] = stages;
  if (first?.name !== UNPACK || second?.name !== '$match') return stages;
  const filter = bucketFilter(documentOf(second), bucketFieldsOf(first));
  return isEmptyDocument(filter) ? stages : [{ name: '$match', spec: documentValue(filter) }, ...stages];
}
