import { BsonType, type BsonValue, CommandError, required } from '@replsim/protocol';
import {
  applyProjection,
  compareValues,
  compileKeyedSort,
  compileSortOrder,
  type Expression,
  type Meter,
  newProjectionTree,
  type ProjectionTree,
  plantNode,
} from '@replsim/query';
import { Fields } from '../fields/fields.ts';
import { NULL } from './builtValues.ts';
import { compileComputed } from './expressions.ts';
import type { Gather } from './groupStages.ts';
import { documentsInOrder, sortInTurns } from './sortInTurns.ts';
import { documentOf, type Stage } from './stages.ts';
import { compileWindowFunction, type Sorting, type WindowFunction } from './windowFunctions.ts';
import { mapped, type Work } from './work.ts';
import type { PipelineWorld } from './world.ts';

/**
 * `$setWindowFields`: documents sorted by partition and `sortBy`, each with what the functions make of its window.
 * Errors: FailedToParse 9, 40414, 40415, 6307900 for paths that meet, TypeMismatch 14 for an array that partitions,
 * those of functions. Upstream: document_source_set_window_fields.cpp.
 */
export function windowFieldsStage(stage: Stage, world: PipelineWorld): Gather {
  const fields = new Fields(documentOf(stage), '$setWindowFields');
  fields.allow(new Set(['partitionBy', 'sortBy', 'output']));
  const output = new Fields(fields.requiredDocument('output'), '$setWindowFields.output');
  const partitionBy = fields.value('partitionBy');
  const partition = partitionBy && compileComputed(partitionBy, world);
  const sortBy = fields.document('sortBy');
  const order = sortBy ? compileSortOrder(sortBy, world.collator) : () => 0;
  const sort = sortBy && compileKeyedSort(sortBy, world.collator);
  const set = setterOf(functionsOf(output, { sortBy, order }, world), world.meter);
  return function* (documents) {
    const all: Uint8Array[][] = [];
    const partitions = yield* partitionsOf(documents, partition, world);
    for (const members of partitions) {
      const sorted = sort ? yield* documentsInOrder(members, sort, world.meter) : members;
      all.push(yield* set(sorted));
    }
    return all.flat();
  };
}

type NamedFunction = readonly [path: string, compute: WindowFunction];

function functionsOf(output: Fields, sorting: Sorting, world: PipelineWorld): NamedFunction[] {
  const paths = newProjectionTree();
  return output.names.map((path) => {
    plantPath(paths, path);
    return [path, compileWindowFunction(path, output.presentValue(path), sorting, world)];
  });
}

function plantPath(tree: ProjectionTree, path: string): void {
  try {
    plantNode(tree, path, { kind: 'include' });
  } catch (error) {
    if (!(error instanceof CommandError) || (error.code !== 31249 && error.code !== 31250)) throw error;
    throw new CommandError(6307900, "$setWindowFields 'output' specification contains two conflicting paths");
  }
}

/** Puts the values of a sorted partition into its documents. */
function setterOf(functions: readonly NamedFunction[], meter: Meter): Gather {
  const current = new Map<string, BsonValue>();
  const tree = newProjectionTree();
  for (const [path] of functions) {
    const expression: Expression = () => current.get(path);
    plantNode(tree, path, { kind: 'compute', expression });
  }
  return function* (partition) {
    const columns: [path: string, values: readonly BsonValue[]][] = [];
    for (const [path, compute] of functions) columns.push([path, yield* compute(partition)]);
    const withValues = (document: Uint8Array, i: number) => {
      for (const [path, values] of columns) current.set(path, required(values[i], 'value of a document'));
      return applyProjection(tree, document, true);
    };
    return yield* mapped(partition, withValues, meter);
  };
}

/** In the order of their keys; what is missing belongs to null. */
function* partitionsOf(
  documents: readonly Uint8Array[],
  partition: Expression | undefined,
  { collator, meter }: PipelineWorld,
): Work<(readonly Uint8Array[])[]> {
  if (!partition) return documents.length > 0 ? [documents] : [];
  const unsorted = yield* mapped(
    documents,
    (document) => ({ document, key: partitionKey(partition, document) }),
    meter,
  );
  const keyed = yield* sortInTurns(unsorted, (a, b) => compareValues(a.key, b.key, collator), meter);
  const partitions: { readonly key: BsonValue; readonly members: Uint8Array[] }[] = [];
  for (const { document, key } of keyed) {
    const last = partitions.at(-1);
    if (last && compareValues(last.key, key, collator) === 0) last.members.push(document);
    else partitions.push({ key, members: [document] });
  }
  return partitions.map(({ members }) => members);
}

function partitionKey(partition: Expression, document: Uint8Array): BsonValue {
  const key = partition(document) ?? NULL;
  if (key.type !== BsonType.array) return key;
  throw new CommandError('TypeMismatch', 'An expression used to partition cannot evaluate to value of type array');
}
