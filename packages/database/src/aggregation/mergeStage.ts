import { type Operation, spend } from '@replsim/operations';
import {
  atOnce,
  checkNotView,
  compileComputed,
  documentValue,
  EMPTY_DOCUMENT,
  isNullish,
  OperationVariables,
  type PipelineWorld,
  runnerOf,
  type Stage,
} from '@replsim/pipeline';
import { BsonType, BsonWriter, CommandError, ElementCursor, required } from '@replsim/protocol';
import {
  type Collator,
  compileUpdate,
  computedUpdate,
  type Expression,
  MISSING,
  sameCollation,
  type Update,
  valueAtPath,
} from '@replsim/query';
import { type CollectionView, encodeKey, StoredDocument } from '@replsim/storage';
import { checkValid } from '../catalog/validation.ts';
import { checkUpdated, updateMicros } from '../crud/updateStatement.ts';
import { backOff } from '../crud/writeConflicts.ts';
import type { CommandContext } from '../definition.ts';
import { nextMatch } from '../reading/matchScan.ts';
import { compile, scanOf } from '../reading/query.ts';
import type { Merge } from './mergeSpec.ts';
import { stored } from './outStage.ts';

/** A merge under way. */
export interface Merging extends Merge {
  readonly context: CommandContext;
  readonly world: PipelineWorld;
  readonly bypassesValidation: boolean;
}

/**
 * Merges documents into the target one by one, each in a storage transaction of its own: what came before one that is
 * refused stays. Errors: Location51183 where no unique index holds the `on` fields, 51132 and 51185 for what they are,
 * MergeStageNoMatchingDocument 13113, DuplicateKey 11000, ImmutableField 66, DocumentValidationFailure 121.
 */
export function* writeMerge(merging: Merging, documents: readonly Uint8Array[]): Operation<void> {
  const { context, on, target } = merging;
  const { member, writes } = context;
  const { costs } = member;
  const ns = `${target.db}.${target.collection}`;
  checkNotView(writes.newest(), ns);
  checkUnique(writes.newest().collection(ns), on, merging.world.collator);
  const toUpdate = updaterOf(merging);
  for (const document of documents) {
    const collection = writes.newest().collection(ns);
    yield* spend(collection ? updateMicros(member, collection) : costs.insertMicros + costs.commitMicros);
    yield* mergeOne(merging, ns, document, toUpdate);
  }
}

function* mergeOne(merging: Merging, ns: string, document: Uint8Array, toUpdate: Updater): Operation<void> {
  for (let conflicts = 0; ; ) {
    const present = merging.context.writes.newest().collection(ns);
    try {
      const recordId = present && (yield* find(merging, present, document));
      // Stages are read whether or not there is a document that they could change.
      const update = toUpdate(document);
      if (present && recordId !== undefined) change(merging, present, recordId, document, update);
      else addNew(merging, document);
      return;
    } catch (error) {
      yield* backOff(merging.context, error, ++conflicts);
    }
  }
}

/** A whole unique index on just these fields. Upstream: common_mongod_process_interface.cpp, supportsUniqueKey. */
function checkUnique(
  collection: CollectionView | undefined,
  on: readonly string[],
  wanted: Collator | undefined,
): void {
  if (on.length === 1 && on[0] === '_id') return;
  const isHeld = collection?.indexes.some(({ spec: { unique, partialFilter, collator, parts } }) => {
    const paths = new Set(parts.map(({ path }) => path));
    const fits = !partialFilter && sameCollation(collator?.bytes, wanted?.bytes);
    return unique && fits && paths.size === on.length && on.every((path) => paths.has(path));
  });
  if (!isHeld)
    throw new CommandError(51183, `Cannot find index to verify that join fields will be unique: ${on.join(', ')}`);
}

function* find(
  { context: { member, writes }, on, world: { collator } }: Merging,
  collection: CollectionView,
  document: Uint8Array,
): Operation<number | undefined> {
  const writer = new BsonWriter();
  for (const path of on) {
    const value = valueAtPath(document, path);
    // A document without an `_id` gets a new one, which nobody has.
    if (!value && path === '_id') return undefined;
    if (!value || isNullish(value)) {
      throw new CommandError(
        51132,
        `$merge write error: 'on' field cannot be missing, null, undefined or an array: ${path}`,
      );
    }
    if (value.type === BsonType.array) {
      throw new CommandError(
        51185,
        `$merge write error: 'on' field cannot be missing, null, undefined or an array: ${path}`,
      );
    }
    if (path === '_id' && on.length === 1 && !collator) return collection.findById(encodeKey(value));
    writer.beginDocument(path);
    writer.rawValue('$eq', value);
    writer.endDocument();
  }
  const scan = scanOf(writes.newest(), collection, compile(writer.finish(), new Map(), collator));
  return (yield* nextMatch(scan, member)) ? scan.recordId : undefined;
}

function addNew(merging: Merging, document: Uint8Array): void {
  const { whenNotMatched } = merging;
  if (whenNotMatched === 'discard') return;
  if (whenNotMatched === 'fail') {
    throw new CommandError(
      'MergeStageNoMatchingDocument',
      '$merge could not find a matching document in the target collection for at least one document in the source collection',
    );
  }
  insert(merging, document);
}

function change(
  merging: Merging,
  collection: CollectionView,
  recordId: number,
  document: Uint8Array,
  update: Update['apply'] | undefined,
): void {
  const { context, whenMatched, bypassesValidation } = merging;
  const { member, writes } = context;
  // The index says which key is there twice.
  if (whenMatched === 'fail') return insert(merging, document);
  if (!update) return;
  const before = collection.get(recordId)!.bytes;
  const { document: after, changed, diff } = update(before);
  if (!changed) return;
  checkUpdated(member, collection, { before, after, bypassesValidation });
  writes.update(collection, recordId, new StoredDocument(after), diff);
}

function insert({ context, target, bypassesValidation }: Merging, document: Uint8Array): void {
  const { member, writes } = context;
  const ns = `${target.db}.${target.collection}`;
  const made = stored(member, document);
  const collection = writes.newest().collection(ns);
  if (collection && !bypassesValidation) checkValid(member, collection, made.bytes);
  writes.insert(ns, [made]);
}

/** What becomes of the document that is found for one; undefined if nothing does. */
type Updater = (document: Uint8Array) => Update['apply'] | undefined;

/** Errors: those of `let`. Upstream: merge_processor.cpp, where `merge` is an update by `$set`. */
function updaterOf(merging: Merging): Updater {
  const { whenMatched } = merging;
  // It has no operators that could ask for the time.
  const nowMs = 0;
  switch (whenMatched) {
    case 'fail':
    case 'keepExisting':
      return () => undefined;
    case 'replace':
      return (document) => (before) => compileUpdate(document, { nowMs }).apply(before);
    case 'merge':
      return (document) => (before) => {
        const writer = new BsonWriter(document.length + 16);
        writer.rawDocument('$set', document);
        return compileUpdate(writer.finish(), { nowMs }).apply(before);
      };
    default:
      return updaterByStages(merging, whenMatched);
  }
}

function updaterByStages({ variables, whenNotMatched, world }: Merging, stages: readonly Stage[]): Updater {
  const constants: [name: string, expression: Expression][] = [];
  for (const cursor = new ElementCursor(variables ?? EMPTY_DOCUMENT); cursor.next(); )
    constants.push([cursor.name, compileComputed(cursor.value(), world)]);
  // Where it is not there to be inserted, a `let` of one's own may leave it out.
  const knowsNew = !variables || whenNotMatched === 'insert';
  return (document) => {
    const all = OperationVariables.around(world.filterVariables, world.filterVariables);
    if (knowsNew) all.set('new', documentValue(document));
    for (const [name, expression] of constants) all.set(name, expression(document) ?? MISSING);
    const run = runnerOf(stages, { ...world, filterVariables: all });
    return computedUpdate((before) => required(atOnce(run([before]))[0], 'document of the stages')).apply;
  };
}
