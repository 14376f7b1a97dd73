import { allowsAnythingIn, allowsAnythingOn, type Needed, NOTHING, namespace, onDatabase } from '@replsim/access';
import { type OpenConnection, type Operation, waitWhileSet } from '@replsim/operations';
import {
  allViews,
  type CommandArguments,
  EMPTY_DOCUMENT,
  fieldSet,
  isBucketsName,
  type Reply,
  splitNs,
  subsetOf,
  timeseriesOptions,
  type ViewDefinition,
} from '@replsim/pipeline';
import { encodeDocument, RawBson } from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import type { CollectionView, ReadView } from '@replsim/storage';
import { Binary } from 'bson';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { AccessServices, OplogServices } from '../member.ts';
import type { Asking } from '../needs.ts';
import { checkListCursor, openList } from './openList.ts';

const fields = fieldSet('listCollections', 'filter', 'cursor', 'nameOnly', 'authorizedCollections');

/** `{ listCollections: 1, filter?, nameOnly?, cursor? }` → a cursor. Upstream: list_collections.cpp. */
export const listCollections: CommandDefinition = {
  name: 'listCollections',
  help: 'lists the collections and views of a database',
  auth: listCollectionsNeeds,
  api: 'v1',
  kind: 'other',
  secondaries: 'optIn',
  maintenanceOk: false,
  run,
};

/** Whoever may do anything there may see the names of that. Upstream: authorization_session_impl.cpp, checkAuthorizedToListCollections. */
function listCollectionsNeeds({ args, member, connection }: Asking): readonly Needed[] {
  const asksForOwn = args.strictBool('nameOnly') === true && args.strictBool('authorizedCollections') === true;
  const hasAny = asksForOwn && allowsAnythingIn(member.access.privilegesOf(connection), args.db);
  return hasAny ? NOTHING : onDatabase(args.db, 'listCollections');
}

/** Of one's own alone where that is asked: those that one may do anything to. */
function isVisible(args: CommandArguments, { access }: AccessServices, connection?: OpenConnection) {
  if (!args.strictBool('authorizedCollections') || !connection || !access.isEnabled) return () => true;
  const privileges = access.privilegesOf(connection);
  return (name: string) => allowsAnythingOn(privileges, namespace(`${args.db}.${name}`));
}

function* run({ args, data, member, connection }: CommandContext): Operation<Reply> {
  args.allow(fields);
  checkListCursor(args);
  const maySee = isVisible(args, member, connection);
  const nameOnly = args.strictBool('nameOnly') ?? false;
  const matches = compileFilter(args.document('filter') ?? EMPTY_DOCUMENT);
  const prefix = `${args.db}.`;
  yield* waitWhileSet(member, 'hangBeforeListCollections', { ns: `${prefix}$cmd.listCollections` });
  const found = data.collections().filter(({ ns }) => ns.startsWith(prefix));
  const entries = found.map((collection) => collectionEntry(collection, collection.ns.slice(prefix.length)));
  const series = found.flatMap((collection) => seriesEntry(collection, prefix) ?? []);
  const views = [...allViews(data, args.db)].flatMap(([ns, view]) => viewEntry(ns, view) ?? []);
  const oplog = args.db === 'local' ? oplogEntry(member) : undefined;
  // By code units, as the engine lists the others.
  const all = [...(oplog ? [oplog] : []), ...entries, ...series, ...views].sort((a, b) => (a.name < b.name ? -1 : 1));
  const documents = all.filter((entry) => maySee(entry.name) && matches(encodeDocument(entry)));
  const shown = nameOnly ? documents.map(({ name, type }) => ({ name, type })) : documents;
  return yield* openList(args, member, '$cmd.listCollections', shown.map(encodeDocument));
}

/** Collections of one database, in the order of names. */
export function collectionsOf(view: ReadView, db: string): CollectionView[] {
  return view.collections().filter(({ ns }) => ns.startsWith(`${db}.`));
}

interface CollectionEntry extends Reply {
  readonly name: string;
  readonly type: 'collection' | 'timeseries' | 'view';
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

/** The time series that these buckets belong to. */
function seriesEntry({ ns, options }: CollectionView, prefix: string): CollectionEntry | undefined {
  if (!timeseriesOptions({ options })) return undefined;
  const name = ns.slice(prefix.length).replace('system.buckets.', '');
  const shown = new RawBson(subsetOf(options, (option) => option !== 'clusteredIndex'));
  return { name, type: 'timeseries', options: shown, info: { readOnly: false } };
}

/** Undefined for a time series, which its buckets tell more of. */
function viewEntry(ns: string, { viewOn, pipeline, collation }: ViewDefinition): CollectionEntry | undefined {
  const [, source] = splitNs(viewOn);
  if (isBucketsName(source)) return undefined;
  const options = {
    viewOn: source,
    pipeline: pipeline.map((stage) => new RawBson(stage)),
    ...(collation && { collation: new RawBson(collation) }),
  };
  return { name: splitNs(ns)[1], type: 'view', options, info: { readOnly: true } };
}

/** The oplog is no collection of the storage engine, and looks like one all the same. */
function oplogEntry(member: OplogServices): CollectionEntry | undefined {
  const oplog = member.oplogDocuments();
  if (!oplog) return undefined;
  const options = { capped: true, size: oplog.maxSizeBytes, autoIndexId: false };
  return { name: 'oplog.rs', type: 'collection', options, info: { readOnly: false } };
}
