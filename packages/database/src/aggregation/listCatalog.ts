import { documentOf, Fields, isEmptyDocument, type Stage, splitNs, viewDefinition, viewsNs } from '@replsim/pipeline';
import { BsonWriter, CommandError, encodeDocument, RawBson, writeJsValue } from '@replsim/protocol';
import type { CollectionView, ReadView } from '@replsim/storage';
import { Binary } from 'bson';
import type { CommandContext } from '../definition.ts';

/** What a pipeline without a collection works on. */
const NO_COLLECTION = '.$cmd.aggregate';

/**
 * `{ $listCatalog: {} }`: what the catalog holds of a collection or view, options and index specs as they are stored; of all
 * of them with `{ aggregate: 1 }` on admin. Errors: BadValue 2 for a spec that is not empty, InvalidNamespace 73, Location40602
 * behind the stages of a view.
 * Simplification: there are no idents, as there are no tables behind. Upstream: document_source_list_catalog.cpp.
 */
export function listCatalog(stage: Stage, context: CommandContext, ns: string): Uint8Array[] {
  if (!isEmptyDocument(documentOf(stage))) throw new CommandError('BadValue', '$listCatalog has no options');
  const view = context.data;
  if (ns === `admin${NO_COLLECTION}`) return view.collections().flatMap((collection) => entriesOf(collection));
  if (ns.endsWith(NO_COLLECTION)) {
    throw new CommandError(
      'InvalidNamespace',
      "$listCatalog of all collections needs the 'admin' database and {aggregate: 1}",
    );
  }
  const definition = viewDefinition(view, ns);
  if (definition && definition.pipeline.length > 0) {
    throw new CommandError(40602, '$listCatalog can only begin a pipeline, and here that of the view does');
  }
  const collection = view.collection(ns);
  return collection ? [collectionEntry(collection)] : viewEntries(view, ns);
}

/** A collection, and the views that it holds if it is the one for views. */
function entriesOf(collection: CollectionView): Uint8Array[] {
  const entries = [collectionEntry(collection)];
  const isViews = collection.ns === viewsNs(splitNs(collection.ns)[0]);
  return isViews ? [...entries, ...definitionsIn(collection).map(viewEntry)] : entries;
}

function collectionEntry({ ns, uuid, options, indexes }: CollectionView): Uint8Array {
  const [db, name] = splitNs(ns);
  const stored = new BsonWriter();
  writeJsValue(stored, 'uuid', new Binary(uuid, Binary.SUBTYPE_UUID));
  stored.rawElements(options, 4, options.length - 1);
  return encodeDocument({
    db,
    name,
    type: 'collection',
    md: {
      ns,
      options: new RawBson(stored.finish()),
      indexes: indexes.map(({ spec, multikey }) => ({ spec: new RawBson(spec.bytes), ready: true, multikey })),
    },
    ns,
  });
}

function viewEntries(view: ReadView, ns: string): Uint8Array[] {
  const views = view.collection(viewsNs(splitNs(ns)[0]));
  return views
    ? definitionsIn(views)
        .filter((fields) => fields.string('_id') === ns)
        .map(viewEntry)
    : [];
}

function definitionsIn(views: CollectionView): Fields[] {
  const definitions: Fields[] = [];
  const records = views.records();
  while (records.next()) definitions.push(new Fields(records.document.bytes, 'system.views'));
  return definitions;
}

function viewEntry(definition: Fields): Uint8Array {
  const ns = definition.requiredString('_id');
  const [db, name] = splitNs(ns);
  const isTimeseries = definition.requiredString('viewOn').startsWith('system.buckets.');
  const writer = new BsonWriter();
  for (const [field, text] of Object.entries({ db, name, type: isTimeseries ? 'timeseries' : 'view', ns })) {
    writer.string(field, text);
  }
  writer.rawElements(definition.bytes, 4, definition.bytes.length - 1);
  return writer.finish();
}
