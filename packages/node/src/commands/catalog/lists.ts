import { BsonWriter, CommandError, ElementCursor, encodeDocument, RawBson } from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import type { CollectionView, IndexSpec, ReadView } from '@replsim/storage';
import { listedExpireAfterSeconds } from '@replsim/ttl';
import { Binary } from 'bson';
import type { Operation } from '../../operations/operation.ts';
import { type CommandArguments, fieldSet } from '../arguments.ts';
import { atOnce } from '../atOnce.ts';
import type { CommandContext, CommandDefinition, MemberServices, Reply } from '../command.ts';
import { EMPTY_DOCUMENT } from '../documents.ts';
import { Fields } from '../fields.ts';
import { openCursor } from '../reading/batches.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';
import { ArraySource } from '../reading/sources.ts';

const listCollectionsFields = fieldSet('listCollections', 'filter', 'cursor', 'nameOnly', 'authorizedCollections');
const listDatabasesFields = fieldSet('listDatabases', 'filter', 'nameOnly', 'authorizedDatabases');
const listIndexesFields = fieldSet('listIndexes', 'cursor', 'collectionUUID');

/** `{ listCollections: 1, filter?, nameOnly?, cursor? }` → a cursor. Upstream: list_collections.cpp. */
const listCollections: CommandDefinition = {
  name: 'listCollections',
  secondaries: 'optIn',
  maintenanceOk: false,
  run: runListCollections,
};

/** `{ listIndexes, cursor? }` → a cursor. Errors: NamespaceNotFound 26. Upstream: list_indexes.cpp. */
const listIndexes: CommandDefinition = {
  name: 'listIndexes',
  secondaries: 'optIn',
  maintenanceOk: false,
  run: runListIndexes,
};

/** `{ listDatabases: 1, filter?, nameOnly? }` → `{ databases, totalSize, totalSizeMb }`, sizes in bytes. Upstream: list_databases.cpp. */
const listDatabases: CommandDefinition = {
  name: 'listDatabases',
  secondaries: 'optIn',
  maintenanceOk: true,
  adminOnly: true,
  run: atOnce(runListDatabases),
};

export const listCommands: readonly CommandDefinition[] = [listCollections, listIndexes, listDatabases];

function* runListCollections({ args, member }: CommandContext): Operation<Reply> {
  args.allow(listCollectionsFields);
  const nameOnly = args.bool('nameOnly');
  const matches = compileFilter(args.document('filter') ?? EMPTY_DOCUMENT);
  const prefix = `${args.db}.`;
  const found = member.engine.collections().filter(({ ns }) => ns.startsWith(prefix));
  const entries = found.map((collection) => collectionEntry(collection, collection.ns.slice(prefix.length)));
  const oplog = args.db === 'local' ? oplogEntry(member) : undefined;
  // By code units, as the engine lists the others.
  const all = [...(oplog ? [oplog] : []), ...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  const documents = all.filter((entry) => matches(encodeDocument(entry)));
  const shown = nameOnly ? documents.map(({ name, type }) => ({ name, type })) : documents;
  return yield* openList(args, member, '$cmd.listCollections', shown.map(encodeDocument));
}

function* runListIndexes({ args, member }: CommandContext): Operation<Reply> {
  args.allow(listIndexesFields);
  const { ns, collection: name } = args;
  const collection = member.engine.collection(ns);
  const isOplog = ns === OPLOG_NS && member.oplogDocuments() !== undefined;
  if (!collection && !isOplog) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
  const specs = collection?.indexes.map(({ spec }) => listedSpec(spec)) ?? [];
  return yield* openList(args, member, name, specs);
}

function runListDatabases({ args, member }: CommandContext): Reply {
  args.allow(listDatabasesFields);
  const matches = compileFilter(args.document('filter') ?? EMPTY_DOCUMENT);
  const databases = [...databaseSizes(member)]
    .map(([name, size]) => ({ name, sizeOnDisk: BigInt(size), empty: false }))
    .filter((database) => matches(encodeDocument(database)));
  if (args.bool('nameOnly')) return { databases: databases.map(({ name }) => ({ name })) };
  const total = databases.reduce((sum, { sizeOnDisk }) => sum + sizeOnDisk, 0n);
  return { databases, totalSize: total, totalSizeMb: total / 1048576n };
}

/** Bytes of documents by database, in the order of names. */
function databaseSizes(member: MemberServices): Map<string, number> {
  const sizes = new Map<string, number>();
  const oplog = member.oplogDocuments();
  if (oplog) sizes.set('local', oplog.sizeBytes);
  for (const { ns, dataSize } of member.engine.collections()) {
    const db = ns.slice(0, ns.indexOf('.'));
    sizes.set(db, (sizes.get(db) ?? 0) + dataSize);
  }
  return new Map([...sizes].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Collections of one database, in the order of names. */
export function collectionsOf(view: ReadView, db: string): CollectionView[] {
  return view.collections().filter(({ ns }) => ns.startsWith(`${db}.`));
}

/** An index as clients are shown it: an invalid `expireAfterSeconds` as the largest valid one. */
export function listedSpec(spec: IndexSpec): Uint8Array {
  const { expireAfterSeconds } = spec;
  if (!expireAfterSeconds) return spec.bytes;
  const writer = new BsonWriter(spec.bytes.length + 8);
  const cursor = new ElementCursor(spec.bytes);
  while (cursor.next()) {
    const { name } = cursor;
    if (name === 'expireAfterSeconds') writer.int32(name, listedExpireAfterSeconds(expireAfterSeconds));
    else writer.rawValue(name, cursor);
  }
  return writer.finish();
}

interface CollectionEntry extends Reply {
  readonly name: string;
  readonly type: 'collection';
}

function collectionEntry({ uuid, options, indexes }: CollectionView, name: string): CollectionEntry {
  const idIndex = indexes.find(({ spec }) => spec.name === '_id_');
  return {
    name,
    type: 'collection',
    options: new RawBson(options),
    info: { readOnly: false, uuid: new Binary(uuid, Binary.SUBTYPE_UUID) },
    ...(idIndex && { idIndex: new RawBson(idIndex.spec.bytes) }),
  };
}

/** The oplog is no collection of the storage engine, and looks like one all the same. */
function oplogEntry(member: MemberServices): CollectionEntry | undefined {
  const oplog = member.oplogDocuments();
  if (!oplog) return undefined;
  const options = { capped: true, size: oplog.maxSizeBytes, autoIndexId: false };
  return { name: 'oplog.rs', type: 'collection', options, info: { readOnly: false } };
}

function openList(
  args: CommandArguments,
  member: MemberServices,
  collection: string,
  documents: readonly Uint8Array[],
): Operation<Reply> {
  const cursor = args.document('cursor');
  const batchSize = cursor && new Fields(cursor, `${args.name}.cursor`).count('batchSize');
  const options = {
    ns: `${args.db}.${collection}`,
    source: new ArraySource(documents),
    originatingCommand: args.bytes,
  };
  // All fit into one batch unless the client wants it otherwise.
  return openCursor(member, options, { batchSize: batchSize ?? Infinity });
}
