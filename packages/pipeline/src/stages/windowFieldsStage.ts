import { BsonType, type BsonValue, CommandError, required } from '@replsim/protocol';
import {
  applyProjection,
  compareValues,
  compileSortOrder,
  type Expression,
  newProjectionTree,
  type ProjectionTree,
  plantNode,
} from '@replsim/query';
import { Fields } from '../fields/fields.ts';
import { NULL } from './builtValues.ts';
import { compileComputed, type ExpressionWorld } from './expressions.ts';
import type { Gather } from './groupStages.ts';
import { documentOf, type Stage } from './stages.ts';
import { compileWindowFunction, type Sorting, type WindowFunction } from './windowFunctions.ts';

/**
 * `$setWindowFields`: documents sorted by partition and `sortBy`, each with what the functions make of its window.
 * Errors: FailedToParse 9, 40414, 40415, 6307900 for paths that meet, TypeMismatch 14 for an array that partitions,
 * those of functions. Upstream: document_source_set_window_fields.cpp.
 */
export function windowFieldsStage(stage: Stage, world: ExpressionWorld): Gather {
  const fields = new Fields(documentOf(stage), '$setWindowFields');
  fields.allow(new Set(['partitionBy', 'sortBy', 'output']));
  const output = new Fields(fields.requiredDocument('output'), '$setWindowFields.output');
  const partitionBy = fields.value('partitionBy');
  const partition = partitionBy && compileComputed(partitionBy, world);
  const sortBy = fields.document('sortBy');
  const order = sortBy ? compileSortOrder(sortBy, world.collator) : () => 0;
  const set = setterOf(functionsOf(output, { sortBy, order }, world));
  return (documents) => partitionsOf(documents, partition, world).flatMap((members) => set([...members].sort(order)));
}

type NamedFunction = readonly [path: string, compute: WindowFunction];

function functionsOf(output: Fields, sorting: Sorting, world: ExpressionWorld): NamedFunction[] {
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
function setterOf(functions: readonly NamedFunction[]): (partition: readonly Uint8Array[]) => Uint8Array[] {
  const current = new Map<string, BsonValue>();
  const tree = newProjectionTree();
  for (const [path] of functions) {
    const expression: Expression = () => current.get(path);
    plantNode(tree, path, { kind: 'compute', expression });
  }
  return (partition) => {
    const columns = functions.map(([path, compute]) => [path, compute(partition)] as const);
    return partition.map((document, i) => {
      for (const [path, values] of columns) current.set(path, required(values[i], 'value of a document'));
      return applyProjection(tree, document, true);
    });
  };
}

/** In the order of their keys; what is missing belongs to null. */
function partitionsOf(
  documents: readonly Uint8Array[],
  partition: Expression | undefined,
  { collator }: ExpressionWorld,
): (readonly Uint8Array[])[] {
  if (!partition) return documents.length > 0 ? [documents] : [];
  const keyed = documents.map((document) => ({ document, key: partitionKey(partition, document) }));
  keyed.sort((a, b) => compareValues(a.key, b.key, collator));
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
