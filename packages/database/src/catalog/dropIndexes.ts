import { type Operation, spend } from '@replsim/operations';
import {
  bytesOf,
  checkCollectionUuid,
  checkDroppable,
  checkNotView,
  elementsOf,
  fieldSet,
  indexCount,
  type Reply,
  seriesIndexSpec,
  type TimeseriesOptions,
  timeseriesCollection,
  typeName,
} from '@replsim/pipeline';
import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import { type CollectionView, describeDocument, encodeKey, type IndexSpec, type IndexView } from '@replsim/storage';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { DataServices } from '../member.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { ITS_COLLECTION } from './excluded.ts';

const fields = fieldSet('dropIndexes', 'index', 'collectionUUID');

/**
 * `{ dropIndexes, index: name | key | [names] | '*' }` → `{ nIndexesWas }`. What is being built is aborted.
 * Errors: NamespaceNotFound 26, IndexNotFound 27, AmbiguousIndexKeyPattern 181, InvalidOptions 72 for `_id_`, 5979800 for
 * a clustered index.
 * Upstream: drop_indexes.cpp.
 */
export const dropIndexes: CommandDefinition = {
  name: 'dropIndexes',
  help: 'drops indexes',
  auth: { action: 'dropIndex', resource: 'collection' },
  api: 'v1',
  aliases: ['deleteIndexes'],
  ...ON_PRIMARY,
  excludes: ITS_COLLECTION,
  run,
};

function* run({ args, data, member, writes }: CommandContext): Operation<Reply> {
  args.allow(fields);
  const { ns } = args;
  const wanted = args.value('index') ?? args.missing('index');
  checkCollectionUuid(args, data, ns);
  yield* spend(member.costs.commitMicros);
  const series = timeseriesCollection(data, ns);
  const collection = series?.buckets ?? data.collection(ns);
  if (!collection) checkNotView(data, ns);
  if (!collection) throw new CommandError('NamespaceNotFound', `ns not found ${ns}`);
  const nIndexesWas = indexCount(collection);
  const all = wanted.type === BsonType.string && readString(wanted) === '*';
  if (all) member.indexBuilds.abortAll(collection, 'dropIndexes command');
  else if (abortBuild(member, collection, wanted)) return { nIndexesWas };
  // All are looked up before one is dropped.
  const names = all ? secondaryNames(collection) : namesOf(collection, wanted, series?.options);
  for (const name of names) writes.dropIndex(collection.ns, name);
  return { nIndexesWas, ...(all && { msg: 'non-_id indexes dropped for collection' }) };
}

/** Ends the build that makes just what is wanted. A build of several indexes ends only if all of them are named. */
function abortBuild({ indexBuilds }: DataServices, collection: CollectionView, wanted: BsonValue): boolean {
  return indexBuilds.abortByNames(collection, namesBeingBuilt(collection, wanted), 'dropIndexes command');
}

function namesBeingBuilt({ unfinished }: CollectionView, wanted: BsonValue): string[] {
  if (wanted.type === BsonType.string) return [readString(wanted)];
  if (wanted.type === BsonType.array) {
    return elementsOf(wanted).flatMap((element) => (element.type === BsonType.string ? [readString(element)] : []));
  }
  if (wanted.type !== BsonType.object) return [];
  const specs = unfinished.flatMap(({ indexes }) => indexes.map(({ spec }) => spec));
  return specs.filter((spec) => hasKey(spec, wanted)).map(({ name }) => name);
}

function secondaryNames({ indexes }: CollectionView): string[] {
  return indexes.map(({ spec }) => spec.name).filter((name) => name !== '_id_');
}

function namesOf(collection: CollectionView, wanted: BsonValue, series?: TimeseriesOptions): readonly string[] {
  if (wanted.type === BsonType.string) return [named(collection, readString(wanted))];
  if (wanted.type === BsonType.object) {
    checkDroppable(collection, (spec) => hasKey(spec, wanted));
    return [droppable(indexByKey(collection, wanted, series))];
  }
  if (wanted.type !== BsonType.array) {
    throw new CommandError(
      'TypeMismatch',
      `BSON field 'dropIndexes.index' is the wrong type '${typeName(wanted.type)}', expected types '[string, object, array]'`,
    );
  }
  const names = elementsOf(wanted).map((element) => {
    if (element.type !== BsonType.string)
      throw new CommandError('TypeMismatch', 'dropIndexes: a list may hold only names of indexes');
    return named(collection, readString(element));
  });
  return [...new Set(names)];
}

function named(collection: CollectionView, name: string): string {
  checkDroppable(collection, (spec) => spec.name === name);
  const index = collection.index(name);
  if (!index) throw new CommandError('IndexNotFound', `index not found with name [${name}]`);
  return droppable(index);
}

/** The one index with this key pattern, for the buckets of a time series with this key there. Errors: IndexNotFound 27, AmbiguousIndexKeyPattern 181. */
export function indexByKey(collection: CollectionView, key: BsonValue, series?: TimeseriesOptions): IndexView {
  const found = collection.indexes.filter(({ spec }) => (series ? hasSeriesKey(spec, series, key) : hasKey(spec, key)));
  const shown = describeDocument(bytesOf(key));
  const [index] = found;
  if (!index) throw new CommandError('IndexNotFound', `can't find index with key: ${shown}`);
  if (found.length > 1) {
    const names = found.map(({ spec }) => spec.name).join(', ');
    throw new CommandError(
      'AmbiguousIndexKeyPattern',
      `${found.length} indexes found for key: ${shown}, identify by name instead: ${names}`,
    );
  }
  return index;
}

/** Whether an index has this key pattern, numbers of all types alike. */
export function hasKey({ keyPattern: bytes }: IndexSpec, key: BsonValue): boolean {
  return encodeKey({ type: BsonType.object, bytes, offset: 0, size: bytes.length }) === encodeKey(key);
}

function hasSeriesKey(spec: IndexSpec, series: TimeseriesOptions, key: BsonValue): boolean {
  const listed = seriesIndexSpec(spec, series);
  return listed !== undefined && hasKey(listed, key);
}

function droppable({ spec }: IndexView): string {
  if (spec.name === '_id_') throw new CommandError('InvalidOptions', 'cannot drop _id index');
  return spec.name;
}
