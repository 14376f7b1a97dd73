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
import { type Collator, compareValues, compileSort, type Expression } from '@replsim/query';
import { valueKeys } from '@replsim/storage';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { elementsOf, Fields } from '../fields/fields.ts';
import { bytesOf } from '../fields/values.ts';
import { type Accumulator, compileAccumulator } from './accumulators.ts';
import { built, NULL } from './builtValues.ts';
import { compileComputed } from './expressions.ts';
import type { MingoWorld } from './mingoSpec.ts';
import { documentOf, type Stage } from './stages.ts';

/** What a stage makes of all its documents. */
export type Gather = (documents: readonly Uint8Array[]) => Uint8Array[];

/** `$group`. Errors: Location15955 without an `_id`, 40235 for a dot in a name, 40236 for a `$`, those of accumulators. */
export function groupStage(stage: Stage, world: MingoWorld): Gather {
  let id: Expression | undefined;
  const accumulators: [string, Accumulator][] = [];
  const cursor = new ElementCursor(documentOf(stage));
  while (cursor.next()) {
    const { name } = cursor;
    if (name === '_id') id = compileComputed(cursor.value(), world);
    else accumulators.push([checkedName(name), compileAccumulator(name, cursor.value(), world)]);
  }
  if (!id) throw new CommandError(15955, 'a group specification must include an _id');
  return (documents) => gather(documents, id, accumulators, world.collator);
}

/** `$sortByCount`: the greatest group first. Errors: Location40147 to 40149. Upstream: document_source_sort_by_count.cpp. */
export function sortByCountStage({ spec }: Stage, world: MingoWorld): Gather {
  if (spec.type !== BsonType.string && spec.type !== BsonType.object) {
    throw new CommandError(40149, '$sortByCount takes a path that begins with $, or an object that is an expression');
  }
  if (spec.type === BsonType.string && !readString(spec).startsWith('$')) {
    throw new CommandError(40148, 'the path that $sortByCount takes begins with $');
  }
  const id = compileComputed(spec, world);
  const sort = compileSort(encodeDocument({ count: -1 }));
  const count: Accumulator = (documents) => built((writer) => writer.int32('v', documents.length));
  return (documents) => sort(gather(documents, id, [['count', count]], world.collator));
}

/**
 * `$bucket`: each group named by its lower boundary. Errors: Location40191 to 40202, 40066 for what falls nowhere.
 * Upstream: document_source_bucket.cpp.
 */
export function bucketStage(stage: Stage, world: MingoWorld): Gather {
  const fields = new Fields(documentOf(stage), '$bucket');
  for (const name of fields.names) {
    if (!['groupBy', 'boundaries', 'default', 'output'].includes(name)) {
      throw new CommandError(40197, `Unrecognized option to $bucket: ${name}.`);
    }
  }
  const groupBy = fields.value('groupBy');
  const boundaries = fields.array('boundaries');
  if (!groupBy || !boundaries)
    throw new CommandError(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
  if (boundaries.length < 2) {
    throw new CommandError(
      40192,
      `The $bucket 'boundaries' field must have at least 2 values, but found ${boundaries.length}`,
    );
  }
  boundaries.slice(1).forEach((boundary, i) => {
    if (compareValues(boundaries[i]!, boundary, world.collator) >= 0) {
      throw new CommandError(40194, "The 'boundaries' option to $bucket must be sorted");
    }
  });
  const expression = compileComputed(groupBy, world);
  const id = bucketOf(expression, boundaries, fields.rawValue('default'), world.collator);
  const accumulators = outputOf(fields.document('output'), world);
  const sort = compileSort(encodeDocument({ _id: 1 }), world.collator);
  return (documents) => sort(gather(documents, id, accumulators, world.collator));
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
      '$bucket could not find a matching branch for an input, and no default was specified.',
    );
  };
}

/** The accumulators of a bucket: `output`, or a count. Errors: those of accumulators and names. */
export function outputOf(output: Uint8Array | undefined, world: MingoWorld): [string, Accumulator][] {
  if (!output || output.length === 5)
    return [['count', (documents) => built((writer) => writer.int32('v', documents.length))]];
  const accumulators: [string, Accumulator][] = [];
  const cursor = new ElementCursor(output);
  while (cursor.next()) {
    accumulators.push([checkedName(cursor.name), compileAccumulator(cursor.name, cursor.value(), world)]);
  }
  return accumulators;
}

/** Groups in the order in which they were met; a missing key counts as null. */
function gather(
  documents: readonly Uint8Array[],
  id: Expression,
  accumulators: readonly (readonly [string, Accumulator])[],
  collator: Collator | undefined,
): Uint8Array[] {
  const keyOf = valueKeys(collator);
  const groups = new Map<string, { readonly key: BsonValue; readonly members: Uint8Array[] }>();
  for (const document of documents) {
    const value = id(document) ?? NULL;
    const key = value.type === BsonType.undefined ? NULL : value;
    const text = keyOf(key);
    const group = groups.get(text);
    if (group) group.members.push(document);
    else groups.set(text, { key, members: [document] });
  }
  return [...groups.values()].map(({ key, members }) => {
    const writer = new BsonWriter();
    writer.rawValue('_id', key);
    for (const [name, accumulator] of accumulators) writer.rawValue(name, accumulator(members));
    return writer.finish();
  });
}

function checkedName(name: string): string {
  if (name.includes('.')) throw new CommandError(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$')) throw new CommandError(40236, `The field name '${name}' cannot be an operator name`);
  return name;
}

/** The documents of `{ $documents: [ … ] }`. Errors: Location5858203. Upstream: document_source_documents.cpp. */
export function documentsStage({ spec }: Stage, world: MingoWorld): Uint8Array[] {
  if (spec.type !== BsonType.array) throw new CommandError(5858203, '$documents takes an array of documents');
  return elementsOf(spec).map((element) => {
    const value = compileComputed(element, world)(EMPTY_DOCUMENT);
    if (value?.type === BsonType.object) return bytesOf(value);
    throw new CommandError(40228, 'an element of $documents comes to something other than a document');
  });
}
