/** MQL updates: operators or a replacement, from bytes to bytes. Upstream: update_driver.cpp. */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
} from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { compareValues } from '../compare.ts';
import { compilePositional } from '../filter/positional.ts';
import { formatField } from '../format.ts';
import { loop } from '../turns/evaluation.ts';
import type { Meter } from '../turns/meter.ts';
import { finished, type Parts } from '../turns/parts.ts';
import { documentValue, firstName } from '../values.ts';
import { applyTree } from './applyTree.ts';
import { compileArrayFilters, type ElementFilter } from './arrayFilters.ts';
import { DeltaLog } from './deltaLog.ts';
import { checkDollarNames } from './dollarNames.ts';
import { MutableNode } from './mutable.ts';
import { withoutNullTimestamps } from './nullTimestamps.ts';
import { type OperatorUpdate, parseOperators } from './operatorUpdate.ts';
import { hasElements } from './updateTree.ts';

export interface UpdateOptions {
  /** For `$currentDate`. Unit: ms since 1970. */
  readonly nowMs: number;
  readonly arrayFilters?: readonly Uint8Array[];
  /** For `$currentDate: { $type: 'timestamp' }`; without it, the first one of the second of `nowMs`. */
  readonly nextTimestamp?: { readonly t: number; readonly i: number };
  /** A whole document is taken as it is; otherwise null timestamps at its top become `nextTimestamp`. */
  readonly bypassesNullTimestamps?: boolean;
  /** The query that found the document: it says which element positional `$` is. */
  readonly filter?: Uint8Array;
  /** Compares strings, in array filters and where operators compare; whether anything changed is a matter of bytes. */
  readonly collator?: Collator | undefined;
  /** Counts what an update goes through that may be long, so that applying it may be attempted. */
  readonly meter?: Meter | undefined;
}

/** What is written in fewer bytes has few fields. */
const LONG_BYTES = 1024;

export interface ApplyOptions {
  /** True if the document is being made by an upsert: `$setOnInsert` takes part, and `_id` may be set. */
  readonly isUpsertInsert?: boolean;
  /** The element that positional `$` is, if the caller knows better than `filter`. */
  readonly matchedIndex?: number;
}

export interface UpdateResult {
  /** The new document, `_id` first. */
  readonly document: Uint8Array;
  /** False if there is nothing to write and nothing to log. An operator may count as a change that leaves all as it was. */
  readonly changed: boolean;
  /** The oplog entry's `o` as a delta; undefined if nothing changed, or if the whole document is to be logged. */
  readonly diff: Uint8Array | undefined;
  /** True if the update was a whole document. */
  readonly replacement: boolean;
}

export interface Update {
  /** True if the update is a whole document, which may not be used with `multi`. */
  readonly isReplacement: boolean;
  /** Throws CommandError, mostly ImmutableField, PathNotViable, TypeMismatch, BadValue, ConflictingUpdateOperators. */
  readonly apply: (document: Uint8Array, options?: ApplyOptions) => UpdateResult;
  /** Of its expressions, if it has some, which may be long: applying it may be attempted. */
  readonly meter?: Meter | undefined;
}

const idName = encodeName('_id');

/**
 * Compiles an update once for any number of documents.
 * @param update the update document's bytes, or the value of a command's `u`; a pipeline is for `computedUpdate`
 * Throws CommandError: FailedToParse on an unknown operator or what is no document, and the operators' own.
 */
export function compileUpdate(update: Uint8Array | BsonValue, options: UpdateOptions): Update {
  const value = update instanceof Uint8Array ? documentValue(update) : update;
  if (value.type !== BsonType.object) {
    throw new CommandError('FailedToParse', 'u must be a document or a pipeline');
  }
  const isReplacement = firstName(value)?.startsWith('$') !== true;
  const arrayFilters = compileArrayFilters(options.arrayFilters ?? [], options.collator);
  // A whole document has no use for array filters, and they do no harm. Upstream: update_driver.cpp, parse.
  if (isReplacement) {
    const sent = value.bytes.subarray(value.offset, value.offset + value.size);
    const replacement = options.bypassesNullTimestamps ? sent : withoutNullTimestamps(sent, nextTimestampOf(options));
    return { isReplacement, apply: (document, context = {}) => replace(document, replacement, context) };
  }
  const operators = parseOperators(value, arrayFilters, options.collator, options.meter);
  // Many fields, or all elements of an array: others have their turn meanwhile.
  const isLong = value.size > LONG_BYTES || hasElements(operators.tree);
  const meter = isLong ? options.meter : undefined;
  return { isReplacement, apply: operatorApply(operators, arrayFilters, { ...options, meter }), meter };
}

function replace(document: Uint8Array, replacement: Uint8Array, { isUpsertInsert }: ApplyOptions): UpdateResult {
  const oldId = findField(document, idName);
  const newId = findField(replacement, idName);
  if (!isUpsertInsert && oldId !== undefined && newId !== undefined && compareValues(oldId, newId) !== 0) {
    throw new CommandError('ImmutableField', alteredId(newId));
  }
  const replaced = withIdFirst(replacement, isUpsertInsert ? (newId ?? oldId) : (oldId ?? newId));
  if (!isUpsertInsert) checkDollarNames(documentValue(replaced));
  return { document: replaced, changed: !sameBytes(document, replaced), diff: undefined, replacement: true };
}

function operatorApply(
  { tree, isPositional }: OperatorUpdate,
  arrayFilters: ReadonlyMap<string, ElementFilter>,
  options: UpdateOptions,
): Update['apply'] {
  const nextTimestamp = nextTimestampOf(options);
  const { filter, collator, nowMs } = options;
  const positional = filter === undefined || !isPositional ? undefined : compilePositional(filter, { collator });
  const begin = (document: Uint8Array, { isUpsertInsert = false, matchedIndex }: ApplyOptions): Parts<UpdateResult> => {
    const root = new MutableNode(documentValue(document));
    const id = findField(document, idName);
    const documentId = id === undefined ? '' : formatField('_id', id);
    const matched = (arrayPath: string) => matchedIndex ?? positional?.(document, arrayPath);
    const log = isUpsertInsert ? undefined : new DeltaLog();
    const context = { documentId, nowMs, nextTimestamp, isUpsertInsert, matched, arrayFilters, meter: options.meter };
    return {
      next: () => finished(resultOf(applyTree(tree, root, context, log), root, log, document)),
    };
  };
  return (document, context = {}) => loop(options.meter, () => begin(document, context));
}

/** @param log of an update; an upsert has none */
function resultOf(changed: boolean, root: MutableNode, log: DeltaLog | undefined, before: Uint8Array): UpdateResult {
  if (log === undefined) {
    const made = root.value().bytes;
    return { document: withIdFirst(made, findField(made, idName)), changed: true, diff: undefined, replacement: false };
  }
  if (!changed) return { document: before, changed, diff: undefined, replacement: false };
  const updated = root.value().bytes;
  checkId(findField(before, idName), updated);
  return { document: updated, changed, diff: log.finish(), replacement: false };
}

function nextTimestampOf({ nextTimestamp, nowMs }: UpdateOptions): { readonly t: number; readonly i: number } {
  return nextTimestamp ?? { t: Math.floor(nowMs / 1000), i: 1 };
}

function checkId(oldId: BsonValue | undefined, updated: Uint8Array): void {
  const newId = findField(updated, idName);
  if (oldId === undefined || (newId !== undefined && compareValues(oldId, newId) === 0)) return;
  const message = "Performing an update on the path '_id' would modify the immutable field '_id'";
  throw new CommandError('ImmutableField', message);
}

/** The message of an update that would give a document another `_id`. */
export function alteredId(id: BsonValue): string {
  return `After applying the update, the (immutable) field '_id' was found to have been altered to ${formatField('_id', id)}`;
}

/** The document with this `_id` as its first field, whatever `_id` it had. */
export function withIdFirst(document: Uint8Array, id: BsonValue | undefined): Uint8Array {
  if (id === undefined || (id.bytes === document && id.offset === 9)) return document;
  const writer = new BsonWriter(document.length + id.size + 8);
  writer.rawValue('_id', id);
  const cursor = new ElementCursor(document);
  while (cursor.next()) {
    if (cursor.name !== '_id') writer.rawElements(document, cursor.nameStart - 1, cursor.offset + cursor.size);
  }
  return writer.finish();
}

/** Whether two documents are the same to the byte. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
