import { BsonWriter, CommandError, encodeName, findField } from '@replsim/protocol';
import { type CollectionView, encodeKey, type ReadView, type RecordId } from '@replsim/storage';
import { Fields } from '../fields.ts';
import { splitNs } from '../namespaces.ts';
import { bytesOf } from '../values.ts';

/** A view as `<db>.system.views` holds it; a time-series collection has one too, over its buckets. */
export interface ViewDefinition {
  /** `db.name` of what it stands on: a collection, another view, or nothing. */
  readonly viewOn: string;
  /** The stages, each a document. */
  readonly pipeline: readonly Uint8Array[];
}

/** What a namespace is in the end: the collection to read, and the stages that its documents go through. */
export type ResolvedView = ViewDefinition;

/** Views on views, at most. Upstream: view_graph.h, kMaxViewDepth. */
const MAX_VIEW_DEPTH = 20;

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
  const fields = new Fields(record.views.get(record.recordId)!.bytes, 'system.views');
  return {
    viewOn: `${db}.${fields.requiredString('viewOn')}`,
    pipeline: fields.array('pipeline')?.map(bytesOf) ?? [],
  };
}

/** Where the definition of a view is kept. */
export function viewRecord(
  view: ReadView,
  ns: string,
): { readonly views: CollectionView; readonly recordId: RecordId } | undefined {
  const views = view.collection(viewsNs(splitNs(ns)[0]));
  const recordId = views?.findById(encodeKey(stringValue(ns)));
  return views && recordId !== undefined ? { views, recordId } : undefined;
}

/**
 * Follows a view down to the collection below it; undefined for a namespace that is no view. Throws
 * ViewDepthLimitExceeded 165 for views on views without end. Upstream: view_catalog_helpers.cpp, resolveView.
 */
export function resolveView(view: ReadView, ns: string): ResolvedView | undefined {
  let resolved = viewDefinition(view, ns);
  for (let depth = 1; resolved; depth++) {
    const below = viewDefinition(view, resolved.viewOn);
    if (!below) return resolved;
    if (depth === MAX_VIEW_DEPTH) {
      throw new CommandError('ViewDepthLimitExceeded', `View depth too deep or view cycle detected; starting at ${ns}`);
    }
    resolved = { viewOn: below.viewOn, pipeline: [...below.pipeline, ...resolved.pipeline] };
  }
  return undefined;
}

function stringValue(text: string) {
  const writer = new BsonWriter();
  writer.string('v', text);
  return findField(writer.finish(), V)!;
}
