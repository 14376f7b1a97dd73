import {
  type ClonerQueryCommand,
  type ClonerQueryReply,
  CommandError,
  decodeDocument,
  encodeName,
  findField,
} from '@replsim/protocol';
import { parseIndexSpec, type StoredDocument } from '@replsim/storage';
import { type Operation, spend } from '../../operations/operation.ts';
import type { InitialSyncAttempt } from './attempt.ts';
import type { CollectionStats } from './cloneStats.ts';
import { patientCall } from './patientCall.ts';

/**
 * Copies one collection: its indexes while it is empty, then its documents, batch by batch in natural order. One that is
 * dropped meanwhile is left as it is, since the oplog holds the drop. Upstream: collection_cloner.cpp.
 * @param info from `listCollections`
 * @param indexes from `listIndexes`
 */
export function* cloneCollection(
  attempt: InitialSyncAttempt,
  stats: CollectionStats,
  info: Uint8Array,
  indexes: readonly Uint8Array[],
): Operation<void> {
  const { core, parts } = attempt.repl;
  const uuid = uuidOf(info);
  createEmpty(attempt, stats, uuid, info, indexes);
  let after: ClonerQueryReply['postBatchResumeToken'];
  do {
    const command: ClonerQueryCommand = {
      find: uuid,
      hint: { $natural: 1 },
      $_requestResumeToken: true,
      ...(after && { $_resumeAfter: after }),
      batchSize: parts.parameters.number('collectionClonerBatchSize'),
    };
    const reply = yield* nextBatch(attempt, command);
    if (!reply) return;
    stats.fetchedBatches += 1;
    yield* spend(reply.documents.length * core.costs.initialSyncMicrosPerDocument);
    insert(attempt, stats, reply.documents as readonly StoredDocument[]);
    after = reply.postBatchResumeToken;
  } while (after);
}

function* nextBatch(attempt: InitialSyncAttempt, command: ClonerQueryCommand): Operation<ClonerQueryReply | undefined> {
  try {
    return yield* patientCall<ClonerQueryReply>(attempt, 'admin', command);
  } catch (error) {
    if (error instanceof CommandError && error.codeName === 'NamespaceNotFound') return undefined;
    throw error;
  }
}

function createEmpty(
  attempt: InitialSyncAttempt,
  stats: CollectionStats,
  uuid: Uint8Array,
  info: Uint8Array,
  indexes: readonly Uint8Array[],
): void {
  const { core, topology } = attempt.repl;
  const { engine } = core;
  // Renamed since it was listed under another name.
  if (engine.collectionByUuid(uuid) || engine.collection(stats.ns)) return;
  const options = findField(info, encodeName('options'))!;
  engine.createCollection(stats.ns, {
    uuid,
    options: options.bytes.slice(options.offset, options.offset + options.size),
  });
  stats.indexes = 1;
  if (topology.self?.buildIndexes === false) return;
  for (const spec of indexes) {
    if ((decodeDocument(spec) as { name: string }).name === '_id_') continue;
    engine.createIndex(stats.ns, parseIndexSpec(spec), { allowDuplicates: true });
    stats.indexes += 1;
  }
}

function insert(attempt: InitialSyncAttempt, stats: CollectionStats, documents: readonly StoredDocument[]): void {
  const { engine } = attempt.repl.core;
  const collection = engine.collection(stats.ns);
  if (!collection) return;
  for (const document of documents) {
    // Deleted and inserted again meanwhile, it is met twice.
    const present = collection.findById(document.idKey);
    if (present === undefined) engine.insert(stats.ns, document, { allowDuplicates: true });
    else engine.update(stats.ns, present, document, { allowDuplicates: true });
    stats.documentsCopied += 1;
    stats.bytesCopied += document.bytes.length;
  }
}

function uuidOf(info: Uint8Array): Uint8Array {
  const { uuid } = (decodeDocument(info) as { info: { uuid: { buffer: Uint8Array } } }).info;
  return Uint8Array.from(uuid.buffer);
}
