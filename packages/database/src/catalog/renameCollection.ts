import { database, type Needed, NOTHING, namespace, on, onDatabase } from '@replsim/access';
import { type Operation, spend } from '@replsim/operations';
import {
  type CommandArguments,
  checkCollectionName,
  checkCollectionUuid,
  checkCreatableName,
  checkWritableName,
  fieldSet,
  isBucketsName,
  type Reply,
  splitNs,
  viewDefinition,
} from '@replsim/pipeline';
import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import type { CollectionView, StoredDocument } from '@replsim/storage';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { DataServices, MemberFacts } from '../member.ts';
import type { Asking } from '../needs.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { passingName } from './passingName.ts';

const fields = fieldSet('renameCollection', 'to', 'dropTarget', 'stayTemp', 'collectionUUID');

/**
 * `{ renameCollection: "db.a", to: "db.b", dropTarget? }` on admin. Into another database the documents and indexes are
 * copied to a collection of a passing name, which then takes the place of the target.
 * Errors: NamespaceNotFound 26, NamespaceExists 48 for a target without `dropTarget`, IllegalOperation 20 for a collection
 * onto itself, the oplog, or between `local` and what is replicated, InvalidNamespace 73.
 * Upstream: rename_collection_cmd.cpp, rename_collection.cpp.
 */
export const renameCollection: CommandDefinition = {
  name: 'renameCollection',
  help: 'renames a collection',
  auth: renameNeeds,
  api: 'none',
  ...ON_PRIMARY,
  excludes: (args) => {
    const names = namesIn(args);
    return (ns) => names.includes(ns);
  },
  namespaces: namesIn,
  adminOnly: true,
  run,
};

/**
 * Within a database one action may do, but whoever cannot read the source must not get to read it by the new name.
 * Upstream: rename_collection_common.cpp, checkAuthForRenameCollectionCommand.
 */
function renameNeeds({ args, mayDo }: Asking): readonly Needed[] {
  const from = args.requiredString('renameCollection');
  const to = args.requiredString('to');
  const drops = args.strictBool('dropTarget') ? on(to, 'dropCollection') : NOTHING;
  const db = databaseOf(from);
  const within = db === databaseOf(to) && mayDo('renameCollectionSameDB', database(db));
  const reveals = !mayDo('find', namespace(from)) && mayDo('find', namespace(to));
  if (within && !reveals) return [...onDatabase(db, 'renameCollectionSameDB'), ...drops];
  return [...on(from, 'find', 'dropCollection'), ...on(to, 'insert', 'createIndex'), ...drops];
}

/** Upstream: rename_collection.cpp, validateNamespacesForRenameCollection. */
const NEVER_RENAMED: ReadonlySet<string> = new Set(['system.views', 'system.js', 'system.users']);

interface Rename {
  readonly from: string;
  readonly to: string;
  readonly dropTarget: boolean;
  readonly stayTemp: boolean;
}

function* run(context: CommandContext): Operation<Reply> {
  const { args, member, writes } = context;
  args.allow(fields);
  const rename: Rename = {
    from: args.requiredString('renameCollection'),
    to: args.requiredString('to'),
    dropTarget: args.strictBool('dropTarget') ?? false,
    stayTemp: args.strictBool('stayTemp') ?? false,
  };
  checkNames(rename);
  checkCollectionUuid(args, context.data, rename.from);
  const withinDatabase = databaseOf(rename.from) === databaseOf(rename.to);
  const source = sourceOf(context, rename);
  yield* spend(member.costs.commitMicros + (withinDatabase ? 0 : copyMicros(member, source)));
  // Time has passed: others may have got here first.
  const found = sourceOf(context, rename);
  if (withinDatabase) writes.renameCollection(rename.from, rename.to, rename);
  else copyAcross(context, found, rename);
  return {};
}

function databaseOf(ns: string): string {
  return splitNs(ns)[0];
}

function checkNames({ from, to }: Rename): void {
  if (from === to) throw new CommandError('IllegalOperation', "Can't rename a collection to itself");
  if (from === OPLOG_NS) throw new CommandError('IllegalOperation', "can't rename live oplog while replicating");
  if (to === OPLOG_NS) throw new CommandError('IllegalOperation', "can't rename to live oplog while replicating");
  if ([from, to].some((ns) => isBucketsName(splitNs(ns)[1]))) {
    throw new CommandError('IllegalOperation', 'the buckets of a time series cannot be renamed');
  }
  if ([from, to].some((ns) => NEVER_RENAMED.has(splitNs(ns)[1])) || from === 'admin.system.version') {
    throw new CommandError('IllegalOperation', `${from} cannot be renamed to ${to}: one of them belongs to the server`);
  }
  checkWritable(from, 'source');
  checkWritable(to, 'target');
  checkCreatableName(...splitNs(to));
  if ((databaseOf(from) === 'local') !== (databaseOf(to) === 'local')) {
    throw new CommandError(
      'IllegalOperation',
      'Cannot rename collections between a replicated and an unreplicated database',
    );
  }
}

/** What nobody may write to is another mistake here than what is no name at all, which is InvalidNamespace 73. */
function checkWritable(ns: string, role: 'source' | 'target'): void {
  const [db, collection] = splitNs(ns);
  checkCollectionName(db, collection);
  try {
    checkWritableName(db, collection);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError('IllegalOperation', `error with ${role} namespace: ${error.message}`);
  }
}

/** The collection, if the rename may happen as things are now. */
function sourceOf(
  { data, member: { indexBuilds } }: CommandContext<DataServices>,
  { from, to, dropTarget }: Rename,
): CollectionView {
  const source = data.collection(from);
  if (viewDefinition(data, from)) throw new CommandError('CommandNotSupportedOnView', `cannot rename view: ${from}`);
  if (!source) throw new CommandError('NamespaceNotFound', `Source collection ${from} does not exist`);
  if (viewDefinition(data, to)) throw new CommandError('NamespaceExists', 'the new name is that of a view');
  if (data.collection(to) && !dropTarget) throw new CommandError('NamespaceExists', 'target namespace exists');
  indexBuilds.checkNone(source);
  const target = data.collection(to);
  if (target) indexBuilds.checkNone(target);
  return source;
}

function copyMicros({ costs }: MemberFacts, { count, indexes }: CollectionView): number {
  return count * (costs.insertMicros + (indexes.length - 1) * costs.indexKeyMicros);
}

/** At one instant, so that no write to the source comes between. A mongod holds locks instead. */
function copyAcross(
  { member, writes }: CommandContext<MemberFacts>,
  source: CollectionView,
  { from, to, stayTemp }: Rename,
): void {
  const passing = passingName(databaseOf(to), 'renameCollection', member.ids);
  writes.createCollection(passing, source.options);
  for (const { spec } of source.indexes) if (spec.name !== '_id_') writes.createIndex(passing, spec.bytes);
  const documents: StoredDocument[] = [];
  const records = source.records();
  while (records.next()) documents.push(records.document);
  writes.insert(passing, documents);
  writes.renameCollection(passing, to, { stayTemp });
  writes.dropCollection(from);
}

/** Both names; what is no text is refused later. */
function namesIn(args: CommandArguments): readonly string[] {
  return [args.rawValue('renameCollection'), args.rawValue('to')].map(textOf);
}

function textOf(value: BsonValue | undefined): string {
  return value?.type === BsonType.string ? readString(value) : '';
}
