import { type Operation, spend } from '@replsim/operations';
import {
  checkCollectionUuid,
  checkNotView,
  checkWritableName,
  fieldSet,
  type Reply,
  sizeOfCopy,
} from '@replsim/pipeline';
import { BsonWriter, CommandError, databaseOf, ElementCursor, writeJsValue } from '@replsim/protocol';
import type { CollectionView, ReadView, StoredDocument } from '@replsim/storage';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { MemberFacts } from '../member.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { ITS_COLLECTION } from './excluded.ts';
import { passingName } from './passingName.ts';

const fields = fieldSet('convertToCapped', 'size', 'temp', 'collectionUUID');

/**
 * `{ convertToCapped, size }`. The newest documents that fit go into a capped collection that takes the name; its indexes,
 * those of TTL among them, do not come along. Errors: NamespaceNotFound 26, those of `sizeOfCopy`, InvalidOptions
 * 72 for what is clustered or a time series, BackgroundOperationInProgressForNamespace 12587 while an index is being built.
 * Upstream: capped_utils.cpp, convertToCapped, cloneCollectionAsCapped.
 */
export const convertToCapped: CommandDefinition = {
  name: 'convertToCapped',
  help: 'makes a collection a capped one',
  auth: { action: 'convertToCapped', resource: 'collection' },
  api: 'none',
  ...ON_PRIMARY,
  excludes: ITS_COLLECTION,
  run,
};

function* run(context: CommandContext): Operation<Reply> {
  const { args, data, member } = context;
  args.allow(fields);
  const { ns, db, collection: name } = args;
  checkWritableName(db, name);
  const size = sizeOfCopy(args, member.traits);
  checkCollectionUuid(args, data, ns);
  const source = convertibleSource(data, ns);
  member.indexBuilds.checkNone(source);
  const { commitMicros, insertMicros } = member.costs;
  yield* spend(commitMicros + source.count * insertMicros);
  // Time has passed: others may have got here first.
  const now = convertibleSource(data, ns);
  member.indexBuilds.checkNone(now);
  copy(context, now, size);
  return {};
}

/** Errors: NamespaceNotFound 26, InvalidOptions 72 for what is clustered, CommandNotSupportedOnView 166. */
export function convertibleSource(data: ReadView, ns: string): CollectionView {
  checkNotView(data, ns);
  const source = data.collection(ns);
  if (!source) throw new CommandError('NamespaceNotFound', `source collection ${ns} does not exist`);
  if (source.clusteredIndex) {
    throw new CommandError('InvalidOptions', `a clustered collection cannot be converted to a capped one: ${ns}`);
  }
  return source;
}

/** At one instant, so that no write to the source comes between. A mongod holds locks instead. */
function copy({ member: { ids }, writes }: CommandContext<MemberFacts>, source: CollectionView, size: number): void {
  const { ns } = source;
  const passing = passingName(databaseOf(ns), 'convertToCapped', ids);
  writes.createCollection(passing, cappedCopyOptions(source.options, size));
  writes.insert(passing, newestWithin(source, size));
  writes.renameCollection(passing, ns, { stayTemp: false });
}

/** The options of the source, now capped; limits that it may have had do not count any more. */
export function cappedCopyOptions(options: Uint8Array, size: number): Uint8Array {
  const writer = new BsonWriter();
  writer.bool('capped', true);
  writeJsValue(writer, 'size', size);
  const cursor = new ElementCursor(options);
  while (cursor.next()) if (!['capped', 'size', 'max'].includes(cursor.name)) writer.rawValue(cursor.name, cursor);
  return writer.finish();
}

/** The newest documents that so many bytes hold, at least one, in natural order. */
export function newestWithin(source: CollectionView, size: number): StoredDocument[] {
  const kept: StoredDocument[] = [];
  let bytes = 0;
  const records = source.records({ reverse: true });
  while (records.next()) {
    bytes += records.document.bytes.length;
    if (bytes > size && kept.length > 0) break;
    kept.push(records.document);
  }
  return kept.reverse();
}
