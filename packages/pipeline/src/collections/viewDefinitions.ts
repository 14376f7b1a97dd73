import { BsonWriter, CommandError, encodeName, requiredField } from '@replsim/protocol';
import { type CollectionView, encodeKey, type ReadView, type RecordId } from '@replsim/storage';
import { Fields } from '../fields/fields.ts';
import { splitNs } from '../fields/namespaces.ts';
import { bytesOf } from '../fields/values.ts';

/** A view as `<db>.system.views` holds it; a time-series collection has one too, over its buckets. */
export interface ViewDefinition {
  /** `db.name` of what it stands on: a collection, another view, or nothing. */
  readonly viewOn: string;
  /** The stages, each a document. */
  readonly pipeline: readonly Uint8Array[];
  /** By which strings are compared where it is read; undefined for plain comparison. */
  readonly collation: Uint8Array | undefined;
}

/** What a namespace is in the end: the collection to read, and the stages that its documents go through. */
export type ResolvedView = ViewDefinition;

/** Views on views, at most. Upstream: view_graph.h, kMaxViewDepth. */
export const MAX_VIEW_DEPTH = 20;

const V = encodeName('v');

/** The collection of one database that holds its views, which is replicated as any other. */
export function viewsNs(db: string): string {
  return `${db}.system.views`;
}

/** The view of this name. Upstream: view_catalog, ViewsForDatabase::lookup. */
export function viewDefinition(view: ReadView, ns: string): ViewDefinition | undefined {
  const record = viewRecord(view, ns);
  if (!record) return undefined;
  const [db] = splitNs(ns);
  return definitionIn(new Fields(record.views.get(record.recordId)!.bytes, 'system.views'), db);
}

function definitionIn(fields: Fields, db: string): ViewDefinition {
  return {
    viewOn: `${db}.${fields.requiredString('viewOn')}`,
    pipeline: fields.array('pipeline')?.map(bytesOf) ?? [],
    collation: fields.document('collation'),
  };
}

/** Where the definition of a view is kept. */
export function viewRecord(
  view: ReadView,
  ns: string,
): { readonly views: CollectionView; readonly recordId: RecordId } | undefined {
  const views = view.collection(viewsNs(splitNs(ns)[0]));
  const recordId = views?.findById(viewKey(ns));
  return views && recordId !== undefined ? { views, recordId } : undefined;
}

/** Every view of a database by its namespace, time-series collections among them. */
export function allViews(view: ReadView, db: string): ReadonlyMap<string, ViewDefinition> {
  const found = new Map<string, ViewDefinition>();
  const records = view.collection(viewsNs(db))?.records();
  while (records?.next()) {
    const fields = new Fields(records.document.bytes, 'system.views');
    found.set(fields.requiredString('_id'), definitionIn(fields, db));
  }
  return found;
}

/** Throws CommandNotSupportedOnView 166 for a view; time-series collections are views too. Upstream: catalog_raii.cpp. */
export function checkNotView(view: ReadView, ns: string): void {
  if (view.collection(ns) || !viewDefinition(view, ns)) return;
  throw new CommandError('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
}

/**
 * Follows a view down to the collection below it; undefined for a namespace that is no view. Throws
 * ViewDepthLimitExceeded 165 for views on views without end, and already for as many as may be made: a mongod counts the
 * collection as well when it reads. Upstream: view_catalog_helpers.cpp, resolveView.
 */
export function resolveView(view: ReadView, ns: string): ResolvedView | undefined {
  let resolved = viewDefinition(view, ns);
  for (let depth = 1; resolved; depth++) {
    if (depth === MAX_VIEW_DEPTH) {
      throw new CommandError('ViewDepthLimitExceeded', `too many views upon views, or a cycle of them, from ${ns} on`);
    }
    const below = viewDefinition(view, resolved.viewOn);
    if (!below) return resolved;
    resolved = { ...resolved, viewOn: below.viewOn, pipeline: [...below.pipeline, ...resolved.pipeline] };
  }
  return undefined;
}

function viewKey(ns: string): string {
  const writer = new BsonWriter();
  writer.string('v', ns);
  return encodeKey(requiredField(writer.finish(), V));
}
