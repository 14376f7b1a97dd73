/** Stages that make one document of many: what is a group's key, and its values, keep their types. */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  encodeDocument,
  readString,
} from '@replsim/protocol';
import {
  type Collator,
  canonicalType,
  compareValues,
  compileKeyedSort,
  Evaluation,
  type Expression,
  looksAtDocument,
  ROW_STEPS,
} from '@replsim/query';
import { valueKeys } from '@replsim/storage';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { elementsOf, Fields } from '../fields/fields.ts';
import { bytesOf } from '../fields/values.ts';
import { type Accumulator, compileGroupAccumulator, countDocuments } from './accumulators.ts';
import { NULL } from './builtValues.ts';
import { compileComputed, isCall } from './expressions.ts';
import { documentsInOrder } from './sortInTurns.ts';
import { documentOf, type Stage } from './stages.ts';
import { attempted, mapped, type Work } from './work.ts';
import type { PipelineWorld } from './world.ts';

/** What a stage makes of all its documents. */
export type Gather = (documents: readonly Uint8Array[]) => Work<Uint8Array[]>;

/** `$group`. Errors: Location15955 without an `_id`, 40235 for a dot in a name, 40236 for a `$`, those of accumulators. */
export function groupStage(stage: Stage, world: PipelineWorld): Gather {
  let id: Expression | undefined;
  const accumulators: [string, Accumulator][] = [];
  const cursor = new ElementCursor(documentOf(stage));
  while (cursor.next()) {
    const { name } = cursor;
    if (name === '_id') id = compileComputed(cursor.value(), world);
    else accumulators.push([checkedName(name), compileGroupAccumulator(name, cursor.value(), world)]);
  }
  if (!id) throw new CommandError(15955, 'a group specification must include an _id');
  return (documents) => gather(documents, id, accumulators, world);
}

/** `$sortByCount`: the greatest group first. Errors: Location40147 to 40149. Upstream: document_source_sort_by_count.cpp. */
export function sortByCountStage({ spec }: Stage, world: PipelineWorld): Gather {
  if (spec.type !== BsonType.string && spec.type !== BsonType.object) {
    throw new CommandError(40149, 'the sortByCount field must be specified as a string or as an object');
  }
  if (spec.type === BsonType.string && !readString(spec).startsWith('$')) {
    throw new CommandError(40148, 'the path that $sortByCount takes begins with $');
  }
  if (spec.type === BsonType.object && !isCall(spec))
    throw new CommandError(40147, 'the object that $sortByCount takes is the call of an operator');
  const id = compileComputed(spec, world);
  const sort = compileKeyedSort(encodeDocument({ count: -1 }));
  return function* (documents) {
    return yield* documentsInOrder(yield* gather(documents, id, [['count', countDocuments]], world), sort, world.meter);
  };
}

/**
 * `$bucket`: each group named by its lower boundary. Errors: Location40191 to 40202, 40066 for what falls nowhere.
 * Upstream: document_source_bucket.cpp.
 */
export function bucketStage(stage: Stage, world: PipelineWorld): Gather {
  const fields = new Fields(documentOf(stage), '$bucket');
  for (const name of fields.names) {
    if (!['groupBy', 'boundaries', 'default', 'output'].includes(name)) {
      throw new CommandError(40197, `Unrecognized option to $bucket: ${name}.`);
    }
  }
  const groupBy = fields.value('groupBy');
  const given = fields.array('boundaries');
  if (!groupBy || !given) throw new CommandError(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
  const boundaries = given.map((each) => constantOf(each, world, 40191, 'boundaries'));
  if (boundaries.length < 2) {
    throw new CommandError(
      40192,
      `The $bucket 'boundaries' field must have at least 2 values, but found ${boundaries.length}`,
    );
  }
  for (const boundary of boundaries) {
    if (canonicalType(boundary.type) !== canonicalType(boundaries[0]!.type))
      throw new CommandError(40193, "All values in the 'boundaries' option to $bucket must have the same type");
  }
  boundaries.slice(1).forEach((boundary, i) => {
    if (compareValues(boundaries[i]!, boundary, world.collator) >= 0) {
      throw new CommandError(40194, "The 'boundaries' option to $bucket must be sorted");
    }
  });
  const isExpression =
    groupBy.type === BsonType.string ? readString(groupBy).startsWith('$') : groupBy.type === BsonType.object;
  if (!isExpression)
    throw new CommandError(40202, "The $bucket 'groupBy' field must be defined as a $-prefixed path or an expression");
  const byDefault = fields.rawValue('default');
  const otherwise = byDefault && constantOf(byDefault, world, 40195, 'default');
  if (otherwise) checkDefault(otherwise, boundaries, world.collator);
  const expression = compileComputed(groupBy, world);
  const id = bucketOf(expression, boundaries, otherwise, world.collator);
  const accumulators = outputOf(fields.document('output'), world);
  const sort = compileKeyedSort(encodeDocument({ _id: 1 }), world.collator);
  return function* (documents) {
    return yield* documentsInOrder(yield* gather(documents, id, accumulators, world), sort, world.meter);
  };
}

/** Errors: Location40199 for one that falls into a bucket. */
function checkDefault(otherwise: BsonValue, boundaries: readonly BsonValue[], collator: Collator | undefined): void {
  const isInside =
    compareValues(otherwise, boundaries[0]!, collator) >= 0 &&
    compareValues(otherwise, boundaries.at(-1)!, collator) < 0;
  if (isInside)
    throw new CommandError(
      40199,
      "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary",
    );
}

/** What an expression that looks at no document comes to. @throws the given code for one that does */
function constantOf(value: BsonValue, world: PipelineWorld, code: number, name: string): BsonValue {
  if (looksAtDocument(value)) throw new CommandError(code, `the '${name}' of $bucket must be constant`);
  return isCall(value) ? (compileComputed(value, world)(EMPTY_DOCUMENT) ?? NULL) : value;
}

function bucketOf(
  expression: Expression,
  boundaries: readonly BsonValue[],
  otherwise: BsonValue | undefined,
  collator: Collator | undefined,
): Expression {
  return (document) => {
    const value = expression(document) ?? NULL;
    let above = 0;
    let end = boundaries.length;
    while (above < end) {
      const middle = (above + end) >>> 1;
      if (compareValues(value, boundaries[middle]!, collator) < 0) end = middle;
      else above = middle + 1;
    }
    if (above > 0 && above < boundaries.length) return boundaries[above - 1];
    if (otherwise) return otherwise;
    throw new CommandError(
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    );
  };
}

/** The accumulators of a bucket: `output`, or a count. Errors: those of accumulators and names. */
export function outputOf(output: Uint8Array | undefined, world: PipelineWorld): [string, Accumulator][] {
  if (!output || output.length === 5) return [['count', countDocuments]];
  const accumulators: [string, Accumulator][] = [];
  const cursor = new ElementCursor(output);
  while (cursor.next()) {
    if (cursor.name === '_id') throw new CommandError(15948, "a group's _id may only be specified once");
    accumulators.push([checkedName(cursor.name), compileGroupAccumulator(cursor.name, cursor.value(), world)]);
  }
  return accumulators;
}

/** Groups in the order in which they were met; a missing key counts as null. */
function* gather(
  documents: readonly Uint8Array[],
  id: Expression,
  accumulators: readonly (readonly [string, Accumulator])[],
  { collator, meter }: PipelineWorld,
): Work<Uint8Array[]> {
  const keyOf = valueKeys(collator);
  const evaluation = new Evaluation(meter);
  const groups = new Map<string, { readonly key: BsonValue; readonly members: Uint8Array[] }>();
  for (const document of documents) {
    meter.add(ROW_STEPS);
    if (meter.isDue) yield meter.take();
    const value = (yield* attempted(() => id(document), meter, evaluation)) ?? NULL;
    const key = value.type === BsonType.undefined ? NULL : value;
    const text = keyOf(key);
    const group = groups.get(text);
    if (group) group.members.push(document);
    else groups.set(text, { key, members: [document] });
  }
  const gathered: Uint8Array[] = [];
  for (const { key, members } of groups.values()) {
    const writer = new BsonWriter();
    writer.rawValue('_id', key);
    for (const [name, accumulator] of accumulators) writer.rawValue(name, yield* accumulator(members));
    gathered.push(writer.finish());
  }
  return gathered;
}

function checkedName(name: string): string {
  if (name.includes('.')) throw new CommandError(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$')) throw new CommandError(40236, `The field name '${name}' cannot be an operator name`);
  return name;
}

/**
 * The documents of `{ $documents: [ … ] }`, or of an expression that comes to such an array.
 * Errors: Location5858203 for another value, 40228 for an element of it. Upstream: document_source_documents.cpp.
 */
export function documentsStage({ spec }: Stage, world: PipelineWorld): () => Work<Uint8Array[]> {
  const { meter } = world;
  if (spec.type === BsonType.array) {
    // The elements of a long list are computed one by one, so that others have their turn meanwhile.
    const compiled = (element: BsonValue) => compileComputed(element, world);
    return function* () {
      const expressions = yield* mapped(elementsOf(spec), compiled, meter);
      return yield* mapped(expressions, (expression) => madeDocument(expression(EMPTY_DOCUMENT)), meter);
    };
  }
  const all = compileComputed(spec, world);
  return function* () {
    const value = yield* attempted(() => all(EMPTY_DOCUMENT), meter);
    if (value?.type !== BsonType.array) throw new CommandError(5858203, '$documents takes an array of documents');
    return yield* mapped(elementsOf(value), madeDocument, meter);
  };
}

function madeDocument(value: BsonValue | undefined): Uint8Array {
  if (value?.type === BsonType.object) return bytesOf(value);
  throw new CommandError(40228, 'an element of $documents comes to something other than a document');
}
