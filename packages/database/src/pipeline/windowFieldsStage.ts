import { BsonType, type BsonValue, BsonWriter, CommandError, required } from '@replsim/protocol';
import { compareValues, compileSortOrder, type Expression } from '@replsim/query';
import { Fields } from '../fields/fields.ts';
import { documentValue, NULL } from './builtValues.ts';
import { compileComputed } from './expressions.ts';
import { applyTree, newTree, plant } from './fieldTree.ts';
import type { Gather } from './groupStages.ts';
import type { MingoWorld } from './mingoSpec.ts';
import { runAddingStage } from './mingoStages.ts';
import { documentOf, type Stage } from './stages.ts';
import { compileWindowFunction, isMingoFunction, type Sorting, type WindowFunction } from './windowFunctions.ts';

/**
 * `$setWindowFields`: documents sorted by partition and `sortBy`, each with what the functions make of its window.
 * Errors: FailedToParse 9, 40414, 40415, 6307900 for paths that meet, TypeMismatch 14 for an array that partitions,
 * those of functions. Upstream: document_source_set_window_fields.cpp.
 */
export function windowFieldsStage(stage: Stage, world: MingoWorld): Gather {
  const fields = new Fields(documentOf(stage), '$setWindowFields');
  fields.allow(new Set(['partitionBy', 'sortBy', 'output']));
  const output = new Fields(fields.requiredDocument('output'), '$setWindowFields.output');
  const partitionBy = fields.value('partitionBy');
  const partition = partitionBy && compileComputed(partitionBy, world);
  const sortBy = fields.document('sortBy');
  const order = sortBy ? compileSortOrder(sortBy, world.collator) : () => 0;
  const { functions, mingo } = functionsOf(output, { sortBy, order }, world);
  const added = new Set(mingo.map(([path]) => path.split('.')[0] ?? path));
  const mingoStage = stageOf(fields, mingo);
  const set = setterOf(functions);
  return (documents) => {
    const computed = mingo.length > 0 ? runAddingStage(mingoStage, documents, added, world) : documents;
    return partitionsOf(computed, partition, world).flatMap((members) => set([...members].sort(order)));
  };
}

type Named<T> = readonly [path: string, item: T];

function functionsOf(output: Fields, sorting: Sorting, world: MingoWorld) {
  const functions: Named<WindowFunction>[] = [];
  const mingo: Named<BsonValue>[] = [];
  const paths = newTree();
  for (const path of output.names) {
    const spec = output.presentValue(path);
    plantPath(paths, path);
    const compiled = compileWindowFunction(path, spec, sorting, world);
    if (compiled) functions.push([path, compiled]);
    else if (isMingoFunction(spec)) mingo.push([path, spec]);
  }
  return { functions, mingo };
}

function plantPath(tree: ReturnType<typeof newTree>, path: string): void {
  try {
    plant(tree, path, { kind: 'include' });
  } catch (error) {
    if (!(error instanceof CommandError) || (error.code !== 31249 && error.code !== 31250)) throw error;
    throw new CommandError(6307900, "$setWindowFields 'output' specification contains two conflicting paths");
  }
}

/** The stage with only those functions that mingo computes. */
function stageOf(fields: Fields, output: readonly Named<BsonValue>[]): Stage {
  const writer = new BsonWriter();
  for (const name of ['partitionBy', 'sortBy'] as const) {
    const value = fields.value(name);
    if (value) writer.rawValue(name, value);
  }
  writer.beginDocument('output');
  for (const [path, spec] of output) writer.rawValue(path, spec);
  writer.endDocument();
  return { name: '$setWindowFields', spec: documentValue(writer.finish()) };
}

/** Puts the values of a sorted partition into its documents. */
function setterOf(functions: readonly Named<WindowFunction>[]): (partition: readonly Uint8Array[]) => Uint8Array[] {
  const current = new Map<string, BsonValue>();
  const tree = newTree();
  for (const [path] of functions) {
    const expression: Expression = () => current.get(path);
    plant(tree, path, { kind: 'compute', expression });
  }
  return (partition) => {
    const columns = functions.map(([path, compute]) => [path, compute(partition)] as const);
    return partition.map((document, i) => {
      for (const [path, values] of columns) current.set(path, required(values[i], 'value of a document'));
      return applyTree(tree, document, true);
    });
  };
}

/** In the order of their keys; what is missing belongs to null. */
function partitionsOf(
  documents: readonly Uint8Array[],
  partition: Expression | undefined,
  { collator }: MingoWorld,
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
