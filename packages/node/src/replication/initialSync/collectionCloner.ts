import { failIfInsertsAre, type Operation, spend } from '@replsim/operations';
import type { FailPointData } from '@replsim/pipeline';
import {
  type ClonerListIndexesReply,
  type ClonerQueryCommand,
  type ClonerQueryReply,
  CommandError,
  decodeDocument,
  encodeName,
  type MemberCommand,
  type MemberReply,
  PRE_IMAGES_NS,
  required,
  requiredField,
} from '@replsim/protocol';
import { parseIndexSpec, type StoredDocument } from '@replsim/storage';
import { hangAt } from '../../core/hang.ts';
import type { InitialSyncAttempt } from './attempt.ts';
import { inStages } from './clonerStage.ts';
import type { CollectionStats } from './cloneStats.ts';
import { patientCall } from './patientCall.ts';

/**
 * Copies one collection: its indexes while it is empty, then its documents, batch by batch in natural order. One that is
 * dropped meanwhile is left as it is, since the oplog holds the drop. Upstream: collection_cloner.cpp.
 * @param info from `listCollections`
 */
export function* cloneCollection(
  attempt: InitialSyncAttempt,
  stats: CollectionStats,
  info: Uint8Array,
): Operation<void> {
  const { core } = attempt.repl;
  const uuid = uuidOf(info);
  const stage = { cloner: 'CollectionCloner', ns: stats.ns } as const;
  const list = ifThere<ClonerListIndexesReply>(attempt, { listIndexes: uuid });
  const listed = yield* inStages(core, { ...stage, stages: ['count', 'listIndexes'] }, list);
  if (!listed) return;
  stats.documentsToCopy = listed.count;
  stats.bytesToCopy = listed.size;
  createEmpty(attempt, stats, uuid, info, listed);
  yield* inStages(core, { ...stage, stages: ['query'] }, copyDocuments(attempt, stats, uuid));
}

function* copyDocuments(attempt: InitialSyncAttempt, stats: CollectionStats, uuid: Uint8Array): Operation<void> {
  const { core, host } = attempt.repl;
  let after: ClonerQueryReply['postBatchResumeToken'];
  do {
    const command: ClonerQueryCommand = {
      find: uuid,
      hint: { $natural: 1 },
      $_requestResumeToken: true,
      ...(after && { $_resumeAfter: after }),
      batchSize: host.parameters.number('collectionClonerBatchSize'),
    };
    const reply = yield* ifThere<ClonerQueryReply>(attempt, command);
    if (!reply) return;
    stats.fetchedBatches += 1;
    yield* spend(reply.documents.length * core.costs.initialSyncMicrosPerDocument);
    // Each member keeps its own images: of changes from before it came it has none.
    if (stats.ns !== PRE_IMAGES_NS) insert(attempt, stats, uuid, reply.documents as readonly StoredDocument[]);
    const concerns = ({ namespace, numDocsToClone = 0 }: FailPointData) =>
      namespace === stats.ns && stats.documentsCopied >= Number(numDocsToClone);
    yield* hangAt(core, 'initialSyncHangDuringCollectionClone', { concerns });
    const isIts = ({ nss }: FailPointData) => !nss || nss === stats.ns;
    yield* hangAt(core, 'initialSyncHangCollectionClonerAfterHandlingBatchResponse', { concerns: isIts });
    after = reply.postBatchResumeToken;
  } while (after);
}

/** The answer, or undefined if the collection is gone. */
function* ifThere<T extends MemberReply>(
  attempt: InitialSyncAttempt,
  command: MemberCommand,
): Operation<T | undefined> {
  try {
    return yield* patientCall<T>(attempt, 'admin', command);
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
  { indexes, unfinished }: ClonerListIndexesReply,
): void {
  const { core, topology, host } = attempt.repl;
  const { engine } = core;
  const options = requiredField(info, encodeName('options'));
  const isId = (spec: Uint8Array) => (decodeDocument(spec) as { name: string }).name === '_id_';
  engine.createCollection(stats.ns, {
    uuid,
    options: options.bytes.slice(options.offset, options.offset + options.size),
    idIndex: indexes.find(isId),
  });
  stats.indexes = 1;
  if (topology.self?.buildIndexes === false) return;
  for (const spec of indexes) {
    if (isId(spec)) continue;
    engine.createIndex(stats.ns, parseIndexSpec(spec), { allowDuplicates: true });
    stats.indexes += 1;
  }
  // Those that the source is still building are built here too; the oplog says what becomes of them.
  const collection = required(engine.collectionByUuid(uuid), 'copied collection');
  for (const { buildUUID, indexes: specs } of unfinished) host.builds.begin(collection, buildUUID, specs);
}

function insert(
  attempt: InitialSyncAttempt,
  stats: CollectionStats,
  uuid: Uint8Array,
  documents: readonly StoredDocument[],
): void {
  const { core } = attempt.repl;
  const { engine } = core;
  const collection = required(engine.collectionByUuid(uuid), 'copied collection');
  if (documents.length > 0) failIfInsertsAre(core, stats.ns);
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
