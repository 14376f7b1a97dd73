import { type Operation, spend } from '@replsim/operations';
import { checkNotView, fieldSet, indexCount, type Reply, timeseriesCollection } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import { Binary } from 'bson';
import { isValid } from '../../catalog/validation.ts';
import type { CommandContext, CommandDefinition } from '../../definition.ts';
import type { MemberFacts } from '../../member.ts';
import { OPLOG_NS } from '../../reading/oplogSource.ts';
import { conformanceOf } from './bsonConformance.ts';
import { checkIndexes, uncheckedIndexes } from './checkedIndexes.ts';
import { type ValidateOptions, validateOptions } from './validateOptions.ts';

// biome-ignore format: a list
const fields = fieldSet('validate', 'full', 'background', 'metadata', 'repair', 'fixMultikey', 'enforceFastCount',
  'enforceFastSize', 'checkBSONConformance', 'logDiagnostics', 'scandata');

/**
 * `{ validate: collection, full?, background?, metadata?, repair?, checkBSONConformance? }`: reads every record and holds all
 * indexes against them. Simplification: nothing is repaired, since nothing here comes apart by itself; `full` and
 * `background` look at the same.
 * Errors: NamespaceNotFound 26, CommandNotSupportedOnView 166, those of `validateOptions`. Upstream: validate.cpp.
 */
export const validate: CommandDefinition = {
  name: 'validate',
  help: 'checks a collection and its indexes',
  auth: { action: 'validate', resource: 'collection' },
  api: 'none',
  kind: 'other',
  secondaries: 'always',
  maintenanceOk: false,
  run,
};

function* run({ args, data, member }: CommandContext): Operation<Reply> {
  args.allow(fields);
  const options = validateOptions(args, member);
  const { ns } = args;
  const oplog = ns === OPLOG_NS ? member.oplogDocuments() : undefined;
  if (oplog) return oplogReply(oplog.endIndex - oplog.firstIndex, options);
  const collectionNow = (): CollectionView => {
    const series = timeseriesCollection(data, ns);
    if (series) return series.buckets;
    checkNotView(data, ns);
    const collection = data.collection(ns);
    if (!collection) throw new CommandError('NamespaceNotFound', `Collection '${ns}' does not exist to validate.`);
    return collection;
  };
  if (!options.metadata) yield* spend(scanMicros(member, collectionNow()));
  // Time has passed: what is there now is looked at, all at one instant.
  const collection = collectionNow();
  const reply = validateReply(collection, options);
  const { nNonCompliantDocuments: count } = reply;
  if (count)
    member.log('W', 'STORAGE', 5363500, 'Documents are not as their collection wants them', { namespace: ns, count });
  return reply;
}

/** Every record, and every key of every index. */
function scanMicros({ costs }: MemberFacts, { count, indexes }: CollectionView): number {
  return indexes.reduce((keys, { keyCount }) => keys + keyCount, count) * costs.scanKeyMicros;
}

function validateReply(collection: CollectionView, options: ValidateOptions): Reply {
  const { ns, uuid } = collection;
  const records = options.metadata ? undefined : checkRecords(collection, options.checkBSONConformance);
  const indexes = options.metadata ? uncheckedIndexes(collection) : checkIndexes(collection);
  const errors = [...(records?.errors ?? []), ...indexes.errors];
  return {
    ns,
    uuid: new Binary(uuid, Binary.SUBTYPE_UUID),
    ...records?.counts,
    nIndexes: indexCount(collection),
    keysPerIndex: indexes.keysPerIndex,
    indexDetails: indexes.details,
    valid: errors.length === 0,
    repaired: false,
    repairMode: 'None',
    warnings: records?.warnings ?? [],
    errors,
    extraIndexEntries: indexes.extra,
    missingIndexEntries: indexes.missing,
    corruptRecords: records?.corrupt ?? [],
  };
}

/** The oplog has no index, and each entry is read as BSON when it comes in. */
function oplogReply(nrecords: number, { metadata }: ValidateOptions): Reply {
  return {
    ns: OPLOG_NS,
    ...(!metadata && { nInvalidDocuments: 0, nNonCompliantDocuments: 0, nrecords }),
    nIndexes: 0,
    keysPerIndex: {},
    indexDetails: {},
    valid: true,
    repaired: false,
    repairMode: 'None',
    warnings: [],
    errors: [],
    extraIndexEntries: [],
    missingIndexEntries: [],
    corruptRecords: [],
  };
}

interface CheckedRecords {
  readonly counts: Reply;
  readonly corrupt: readonly bigint[];
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
}

function checkRecords(collection: CollectionView, strictly: boolean): CheckedRecords {
  const corrupt: bigint[] = [];
  let nrecords = 0;
  let nNonCompliantDocuments = 0;
  let size = 0;
  const cursor = collection.records();
  while (cursor.next()) {
    const { bytes } = cursor.document;
    nrecords += 1;
    size += bytes.length;
    const conformance = conformanceOf(bytes, strictly);
    if (conformance === 'invalid') corrupt.push(BigInt(cursor.recordId));
    else if (conformance === 'nonCompliant' || !isValid(collection, bytes)) nNonCompliantDocuments += 1;
  }
  const { count, dataSize } = collection;
  return {
    counts: { nInvalidDocuments: corrupt.length, nNonCompliantDocuments, nrecords },
    corrupt,
    warnings:
      nNonCompliantDocuments === 0
        ? []
        : [
            `${nNonCompliantDocuments} documents are not as BSON or the validator wants them: see id 5363500 in the log`,
          ],
    errors: [
      ...(corrupt.length > 0 ? [`${corrupt.length} documents are not BSON`] : []),
      ...(count === nrecords ? [] : [`fast count is ${count}, and there are ${nrecords} records`]),
      ...(dataSize === size ? [] : [`fast size is ${dataSize}, and the records have ${size} bytes`]),
    ],
  };
}
