import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
} from '@replsim/protocol';
import { computeDiff, equalValues, type Variables, valueAtPath } from '@replsim/query';
import { type CollectionView, encodeKey, StoredDocument } from '@replsim/storage';
import type { Operation } from '../../operations/operation.ts';
import { spend } from '../../operations/operation.ts';
import { checkNotView } from '../catalog/viewDefinitions.ts';
import type { MemberServices } from '../command.ts';
import { updateMicros } from '../crud/updateStatement.ts';
import { elementsOf, Fields } from '../fields.ts';
import { nextMatch } from '../reading/matchScan.ts';
import { compile, scanOf } from '../reading/query.ts';
import { bytesOf, stringOf } from '../values.ts';
import { documentValue, isNullish } from './builtValues.ts';
import { compileComputed } from './expressions.ts';
import { mergedDocuments } from './mergedDocuments.ts';
import { checkedTarget, stored, type Target } from './outStage.ts';
import { type PipelineWorld, runStages } from './pipeline.ts';
import { parseStages, type Stage } from './stages.ts';

/** A `$merge`, parsed. */
export interface Merge {
  readonly target: Target;
  /** By which documents are found again; undefined: by `_id`. */
  readonly on: readonly string[];
  readonly whenMatched: 'replace' | 'keepExisting' | 'merge' | 'fail' | readonly Stage[];
  readonly whenNotMatched: 'insert' | 'discard' | 'fail';
  /** What the pipeline of `whenMatched` knows besides `new`. */
  readonly variables: Uint8Array | undefined;
}

const mergeFields = new Set(['into', 'on', 'let', 'whenMatched', 'whenNotMatched']);
/** Stages that may change a document that is there. Upstream: document_source_merge_spec.cpp. */
const ofUpdates: ReadonlySet<string> = new Set([
  '$addFields',
  '$set',
  '$project',
  '$unset',
  '$replaceRoot',
  '$replaceWith',
]);

/**
 * `{ $merge: coll | { into, on?, let?, whenMatched?, whenNotMatched? } }`. Errors: Location51182, 51178 for what `into` is,
 * 51186 and 51187 for `on`, FailedToParse 9 for an unknown mode, Location51181 for modes that do not go together,
 * 51199 for `let` without a pipeline, 40415. Upstream: document_source_merge.cpp, document_source_merge_spec.cpp.
 */
export function parseMerge({ spec }: Stage, db: string): Merge {
  if (spec.type === BsonType.string) {
    const target = checkedTarget({ db, collection: stringOf(spec) }, '$merge');
    return { target, on: ['_id'], whenMatched: 'merge', whenNotMatched: 'insert', variables: undefined };
  }
  if (spec.type !== BsonType.object) throw new CommandError(51182, '$merge requires a string or object argument');
  const fields = new Fields(bytesOf(spec), '$merge');
  fields.allow(mergeFields);
  const target = checkedTarget(targetOf(fields.value('into') ?? fields.missing('into'), db), '$merge');
  const whenMatched = matchedOf(fields.value('whenMatched'));
  const whenNotMatched = notMatchedOf(fields.string('whenNotMatched') ?? 'insert');
  const variables = fields.document('let');
  if (variables && typeof whenMatched === 'string') {
    throw new CommandError(51199, "Cannot use 'let' variables with 'whenMatched' modes that are not a pipeline");
  }
  if ((whenMatched === 'keepExisting' || whenMatched === 'fail') && whenNotMatched !== 'insert') {
    throw new CommandError(
      51181,
      `Combination of $merge modes 'whenMatched: ${whenMatched}' and 'whenNotMatched: ${whenNotMatched}' is not supported`,
    );
  }
  return { target, on: onOf(fields.value('on')), whenMatched, whenNotMatched, variables };
}

/**
 * Merges documents into the target one by one, each in a storage transaction of its own: what came before one that is
 * refused stays. Errors: Location51183 where no unique index holds the `on` fields, 51132 and 51185 for what they are,
 * MergeStageNoMatchingDocument 13113, DuplicateKey 11000, ImmutableField 66.
 */
export function* writeMerge(
  member: MemberServices,
  merge: Merge,
  documents: readonly Uint8Array[],
  world: PipelineWorld,
): Operation<void> {
  const ns = `${merge.target.db}.${merge.target.collection}`;
  const { costs, engine } = member;
  checkNotView(engine, ns);
  checkUnique(engine.collection(ns), merge.on);
  for (const document of documents) {
    const collection = engine.collection(ns);
    yield* spend(collection ? updateMicros(member, collection) : costs.insertMicros + costs.commitMicros);
    const present = engine.collection(ns);
    const recordId = present && (yield* find(member, present, merge.on, document));
    if (recordId === undefined) addNew(member, ns, merge, document);
    else change(member, present!, recordId, merge, document, world);
  }
}

function targetOf(into: BsonValue, db: string): Target {
  if (into.type === BsonType.string) return { db, collection: stringOf(into) };
  if (into.type !== BsonType.object) {
    throw new CommandError(51178, "$merge 'into' field must be either a string or an object");
  }
  const fields = new Fields(bytesOf(into), '$merge.into');
  fields.allow(new Set(['db', 'coll']));
  return { db: fields.string('db') ?? db, collection: fields.requiredString('coll') };
}

function onOf(on: BsonValue | undefined): string[] {
  if (!on) return ['_id'];
  const values = on.type === BsonType.array ? elementsOf(on) : [on];
  if (values.length === 0)
    throw new CommandError(51187, "If explicitly specifying $merge 'on', must include at least one field");
  if (values.some(({ type }) => type !== BsonType.string)) {
    throw new CommandError(51186, "$merge 'on' field must be either a string or an array of strings");
  }
  return values.map(stringOf);
}

function matchedOf(value: BsonValue | undefined): Merge['whenMatched'] {
  if (!value) return 'merge';
  if (value.type === BsonType.array) {
    const stages = parseStages(elementsOf(value));
    const wrong = stages.find(({ name }) => !ofUpdates.has(name));
    if (wrong) throw new CommandError('InvalidOptions', `${wrong.name} is not allowed to be used within an update`);
    return stages;
  }
  const mode = value.type === BsonType.string ? stringOf(value) : '';
  if (mode === 'replace' || mode === 'keepExisting' || mode === 'merge' || mode === 'fail') return mode;
  throw new CommandError('BadValue', `Enumeration value '${mode}' for field 'whenMatched' is not a valid value.`);
}

function notMatchedOf(mode: string): Merge['whenNotMatched'] {
  if (mode === 'insert' || mode === 'discard' || mode === 'fail') return mode;
  throw new CommandError('BadValue', `Enumeration value '${mode}' for field 'whenNotMatched' is not a valid value.`);
}

/** A whole unique index on just these fields. Upstream: common_mongod_process_interface.cpp, supportsUniqueKey. */
function checkUnique(collection: CollectionView | undefined, on: readonly string[]): void {
  if (on.length === 1 && on[0] === '_id') return;
  const isHeld = collection?.indexes.some(({ spec: { unique, partialFilter, collated, parts } }) => {
    const paths = new Set(parts.map(({ path }) => path));
    return unique && !partialFilter && !collated && paths.size === on.length && on.every((path) => paths.has(path));
  });
  if (!isHeld) throw new CommandError(51183, 'Cannot find index to verify that join fields will be unique');
}

function* find(
  member: MemberServices,
  collection: CollectionView,
  on: readonly string[],
  document: Uint8Array,
): Operation<number | undefined> {
  const writer = new BsonWriter();
  for (const path of on) {
    const value = valueAtPath(document, path);
    // A document without an `_id` gets a new one, which nobody has.
    if (!value && path === '_id') return undefined;
    if (isNullish(value)) {
      throw new CommandError(51132, "$merge write error: 'on' field cannot be missing, null, undefined or an array");
    }
    if (value!.type === BsonType.array) {
      throw new CommandError(51185, "$merge write error: 'on' field cannot be missing, null, undefined or an array");
    }
    if (path === '_id' && on.length === 1) return collection.findById(encodeKey(value!));
    writer.beginDocument(path);
    writer.rawValue('$eq', value!);
    writer.endDocument();
  }
  const scan = scanOf(member.engine, collection, compile(writer.finish(), new Map()));
  return (yield* nextMatch(scan, member)) ? scan.recordId : undefined;
}

function addNew(member: MemberServices, ns: string, { whenNotMatched }: Merge, document: Uint8Array): void {
  if (whenNotMatched === 'discard') return;
  if (whenNotMatched === 'fail') {
    throw new CommandError(
      'MergeStageNoMatchingDocument',
      '$merge could not find a matching document in the target collection for at least one document in the source collection',
    );
  }
  member.writes.insert(ns, [stored(member, document)]);
}

function change(
  member: MemberServices,
  collection: CollectionView,
  recordId: number,
  merge: Merge,
  document: Uint8Array,
  world: PipelineWorld,
): void {
  const before = collection.get(recordId)!.bytes;
  const { whenMatched } = merge;
  if (whenMatched === 'keepExisting') return;
  if (whenMatched === 'fail') {
    // The index says which key is there twice.
    member.writes.insert(collection.ns, [stored(member, document)]);
    return;
  }
  const after = withId(changed(before, document, merge, world), before);
  if (sameBytes(before, after)) return;
  const delta = whenMatched === 'replace' ? undefined : computeDiff(before, after);
  member.writes.update(collection, recordId, new StoredDocument(after), delta);
}

function changed(before: Uint8Array, document: Uint8Array, merge: Merge, world: PipelineWorld): Uint8Array {
  const { whenMatched, variables } = merge;
  if (whenMatched === 'replace') return document;
  if (typeof whenMatched === 'string') {
    return bytesOf(mergedDocuments([documentValue(before), documentValue(document)]));
  }
  const all = new Map<string, BsonValue>(world.filterVariables);
  all.set('new', documentValue(document));
  const cursor = new ElementCursor(variables ?? new BsonWriter().finish());
  while (cursor.next()) {
    const value = compileComputed(cursor.value(), world)(document);
    if (value) all.set(cursor.name, value);
  }
  return runStages(whenMatched, [before], { ...world, filterVariables: all satisfies Variables })[0]!;
}

const ID = encodeName('_id');

/** With the `_id` of what it replaces, which cannot change. */
function withId(after: Uint8Array, before: Uint8Array): Uint8Array {
  const id = findField(before, ID)!;
  const given = findField(after, ID);
  if (given && !equalValues(given, id)) {
    throw new CommandError(
      'ImmutableField',
      '$merge failed to update the matching document, did you attempt to modify the _id or the shard key?',
    );
  }
  const writer = new BsonWriter(after.length + 32);
  writer.rawValue('_id', id);
  const cursor = new ElementCursor(after);
  while (cursor.next()) if (cursor.name !== '_id') writer.rawValue(cursor.name, cursor);
  return writer.finish();
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
