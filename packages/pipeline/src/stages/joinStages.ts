/** Stages that read other collections: documents of both sides stay as they lie. */
import { BsonType, type BsonValue, CommandError, ElementCursor, readString, required } from '@replsim/protocol';
import {
  checkFieldPath,
  checkVariableName,
  compileFilter,
  type Expression,
  extractIndexValues,
  MISSING,
  UNDEFINED,
} from '@replsim/query';
import { type ValueKeys, valueKeys } from '@replsim/storage';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { elementsOf, Fields } from '../fields/fields.ts';
import { bytesOf, isNumeric, numberOf, typeName } from '../fields/values.ts';
import { built, documentsValue, NULL } from './builtValues.ts';
import { compileComputed } from './expressions.ts';
import { placeAt } from './nestedFields.ts';
import { OperationVariables } from './operationVariables.ts';
import type { Search } from './search.ts';
import { documentOf, parseStages, type Stage } from './stages.ts';
import type { PipelineWorld, RunnerOf } from './world.ts';

const lookupFields = new Set(['from', 'localField', 'foreignField', 'as', 'let', 'pipeline']);
// biome-ignore format: a list
const graphFields = new Set(['from', 'startWith', 'connectFromField', 'connectToField', 'as', 'maxDepth', 'depthField',
  'restrictSearchWithMatch']);

type Shape = (document: Uint8Array) => Uint8Array;

/**
 * `$lookup` by equality of two fields, by a pipeline with variables, or by both. Errors: FailedToParse 9, Location4572
 * where `as` is missing, those of the pipeline. Upstream: document_source_lookup.cpp.
 */
export function lookupStage(stage: Stage, world: PipelineWorld, runnerOf: RunnerOf): Shape {
  const fields = new Fields(documentOf(stage), '$lookup');
  checkKnown(fields, lookupFields, '$lookup');
  const as = fields.string('as');
  if (as === undefined) throw new CommandError('FailedToParse', "must specify 'as' field for a $lookup");
  const local = fields.string('localField');
  const foreign = fields.string('foreignField');
  for (const path of [as, local, foreign]) if (path !== undefined) checkFieldPath(path);
  const pipeline = fields.array('pipeline');
  if ((local === undefined) !== (foreign === undefined) || (local === undefined && !pipeline)) {
    throw new CommandError(
      'FailedToParse',
      "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
    );
  }
  const stages = pipeline && parseStages(pipeline, 'lookup');
  const constants = fields.document('let');
  if (constants && !stages) throw new CommandError('FailedToParse', 'let of $lookup needs a pipeline that uses it');
  const variables = constants ? variablesOf(constants, world) : [];
  const all = sourceOf(fields, stages, world);
  const from = fields.string('from');
  // By equality too it is looked for what the fields have in common first.
  const search = from === undefined || foreign !== undefined ? undefined : world.searchIn(from);
  const keyOf = valueKeys(world.collator);
  const index = foreign === undefined ? undefined : lazily(() => indexBy(all(), foreign, keyOf));

  // Mistakes in the pipeline are reported even if no document ever enters it.
  if (stages) runnerOf(stages, innerWorld(world, search, unbound(variables), EMPTY_DOCUMENT));
  return (document) => {
    const matches = index && local !== undefined ? joined(index(), all(), document, local, keyOf) : all();
    const found = stages ? runnerOf(stages, innerWorld(world, search, variables, document))(matches) : matches;
    return placeAt(document, as, documentsValue(found));
  };
}

/** `$graphLookup`: nearest first. Errors: Location40100 to 40105, 40185, 40327, FailedToParse 9, InvalidNamespace 73. Upstream: document_source_graph_lookup.cpp. */
export function graphLookupStage(stage: Stage, world: PipelineWorld): Shape {
  const fields = new Fields(documentOf(stage), '$graphLookup');
  for (const name of fields.names) {
    if (!graphFields.has(name)) throw new CommandError(40104, `Unknown argument to $graphLookup: ${name}`);
  }
  checkGraphTypes(fields);
  const text = (name: string): string => {
    const found = fields.string(name);
    if (found === undefined) {
      throw new CommandError(
        40105,
        `$graphLookup requires 'from', 'as', 'startWith', 'connectFromField', and 'connectToField': '${name}' is missing`,
      );
    }
    return found;
  };
  const startWith = fields.value('startWith');
  const as = text('as');
  const connectFrom = text('connectFromField');
  const connectTo = text('connectToField');
  const keyOf = valueKeys(world.collator);
  const isReached = restriction(fields, world);
  const foreign = lazily(() => world.collection(text('from')).filter(isReached));
  const index = lazily(() => indexBy(foreign(), connectTo, keyOf));
  const depthField = fields.string('depthField');
  const maxDepth = maxDepthOf(fields);
  if (text('from') === '') throw noName('$graphLookup');
  for (const path of [as, connectFrom, connectTo, depthField]) if (path !== undefined) checkFieldPath(path);
  if (!startWith) return text('startWith') as never;
  const start = compileComputed(startWith, world);
  return (document) => {
    const found = new Map<Uint8Array, number>();
    let reached = elementsAt(start(document));
    for (let depth = 0; depth <= maxDepth && reached.length > 0; depth++) {
      const fresh = new Set<Uint8Array>();
      // Each value once: many documents of one depth may lead to the same value, which as many may have.
      for (const key of new Set(reached.map(keyOf))) {
        for (const place of index().get(key) ?? []) {
          const each = foreign()[place]!;
          if (!found.has(each)) fresh.add(each);
        }
      }
      for (const each of fresh) found.set(each, depth);
      reached = [...fresh].flatMap((each) => presentValues(each, connectFrom));
    }
    const documents = [...found].map(([each, depth]) =>
      depthField === undefined
        ? each
        : placeAt(
            each,
            depthField,
            built((writer) => writer.int64('v', depth)),
          ),
    );
    return placeAt(document, as, documentsValue(documents));
  };
}

/** Upstream: document_source_graph_lookup.cpp, createFromBson. */
function checkGraphTypes(fields: Fields): void {
  for (const name of ['as', 'connectFromField', 'connectToField', 'depthField', 'from']) {
    const value = fields.value(name);
    if (!value || value.type === BsonType.string) continue;
    const code = name === 'from' ? 'FailedToParse' : 40103;
    throw new CommandError(code, `${name} of $graphLookup must be a string, not ${typeName(value.type)}`);
  }
  const match = fields.value('restrictSearchWithMatch');
  if (match && match.type !== BsonType.object) {
    throw new CommandError(
      40185,
      `restrictSearchWithMatch of $graphLookup must be an object, not ${typeName(match.type)}`,
    );
  }
}

function maxDepthOf(fields: Fields): number {
  const value = fields.value('maxDepth');
  if (!value) return Number.POSITIVE_INFINITY;
  if (!isNumeric(value.type)) throw new CommandError(40100, 'maxDepth of $graphLookup must be a number');
  const maxDepth = numberOf(value);
  if (maxDepth < 0) throw new CommandError(40101, `maxDepth of $graphLookup must be 0 or more, not ${maxDepth}`);
  if (!Number.isInteger(maxDepth))
    throw new CommandError(40102, `maxDepth of $graphLookup must be a long, not ${maxDepth}`);
  return maxDepth;
}

/** `{ $unionWith: coll | { coll?, pipeline? } }`: the documents that come behind the input. Upstream: document_source_union_with.cpp. */
export function unionWithStage({ spec }: Stage, world: PipelineWorld, runnerOf: RunnerOf): () => readonly Uint8Array[] {
  if (spec.type === BsonType.string && readString(spec) === '') throw noName('$unionWith');
  if (spec.type === BsonType.string) return () => world.collection(readString(spec));
  if (spec.type !== BsonType.object) {
    throw new CommandError('FailedToParse', '$unionWith takes the name of a collection or an object');
  }
  const fields = new Fields(bytesOf(spec), '$unionWith');
  checkKnown(fields, new Set(['coll', 'pipeline']), '$unionWith');
  const stages = parseStages(fields.array('pipeline') ?? [], 'union');
  const all = sourceOf(fields, stages, world, 'coll');
  const coll = fields.string('coll');
  const inner = innerWorld(world, coll === undefined ? undefined : world.searchIn(coll), [], EMPTY_DOCUMENT);
  const run = runnerOf(stages, inner);
  return () => run(all());
}

/** What a `from` or `coll` stands for; a pipeline that begins with `$documents` needs none. */
function sourceOf(
  fields: Fields,
  stages: readonly Stage[] | undefined,
  world: PipelineWorld,
  name = 'from',
): () => readonly Uint8Array[] {
  const collection = fields.string(name);
  if (collection === '') throw noName(fields.path);
  if (stages?.[0]?.name === '$documents') return () => [];
  if (collection === undefined)
    throw new CommandError(
      'FailedToParse',
      `${fields.path} needs ${name}, as its pipeline does not begin with $documents`,
    );
  return lazily(() => world.collection(collection));
}

/** Upstream: document_source_lookup.cpp and its like, by NamespaceString::isValid. */
function noName(stage: string): CommandError {
  return new CommandError('InvalidNamespace', `${stage} names a collection that has no name`);
}

function checkKnown(fields: Fields, known: ReadonlySet<string>, stage: string): void {
  for (const name of fields.names) {
    if (known.has(name)) continue;
    throw stage === '$lookup'
      ? new CommandError('FailedToParse', `unknown argument to $lookup: ${name}`)
      : new CommandError(40415, `BSON field '${stage}.${name}' is an unknown field.`);
  }
}

/** The places of documents by each value that a filter on the field would find; a missing one counts as null. */
function indexBy(documents: readonly Uint8Array[], path: string, keyOf: ValueKeys): Map<string, number[]> {
  const index = new Map<string, number[]>();
  for (const [place, document] of documents.entries()) {
    for (const key of keysAt(document, path, keyOf)) {
      const held = index.get(key);
      if (held) held.push(place);
      else index.set(key, [place]);
    }
  }
  return index;
}

function keysAt(document: Uint8Array, path: string, keyOf: ValueKeys): Set<string> {
  const { values } = extractIndexValues(document, path);
  return new Set(values.filter((value) => value !== UNDEFINED).map(keyOf));
}

/** Those whose field equals the local one, or one of its elements; in their own order, each once. */
function joined(
  index: ReadonlyMap<string, readonly number[]>,
  documents: readonly Uint8Array[],
  document: Uint8Array,
  path: string,
  keyOf: ValueKeys,
): Uint8Array[] {
  const places = new Set<number>();
  for (const key of keysAt(document, path, keyOf)) for (const place of index.get(key) ?? []) places.add(place);
  return [...places].sort((a, b) => a - b).map((place) => required(documents[place], 'document that was indexed'));
}

function presentValues(document: Uint8Array, path: string): BsonValue[] {
  return extractIndexValues(document, path).values.filter((value) => value !== UNDEFINED && value.size > 0);
}

function elementsAt(value: BsonValue | undefined): BsonValue[] {
  if (!value) return [NULL];
  return value.type === BsonType.array ? elementsOf(value) : [value];
}

function restriction(fields: Fields, world: PipelineWorld): (document: Uint8Array) => boolean {
  const match = fields.document('restrictSearchWithMatch') ?? EMPTY_DOCUMENT;
  return compileFilter(match, { variables: world.filterVariables, collator: world.collator });
}

function variablesOf(constants: Uint8Array, world: PipelineWorld): [name: string, value: Expression][] {
  const variables: [string, Expression][] = [];
  const cursor = new ElementCursor(constants);
  while (cursor.next()) {
    checkVariableName(cursor.name);
    variables.push([cursor.name, compileComputed(cursor.value(), world)]);
  }
  return variables;
}

/** The same names, of a document that has none of the fields. */
function unbound(variables: readonly (readonly [string, Expression])[]): [name: string, value: Expression][] {
  return variables.map(([name]) => [name, () => undefined]);
}

/**
 * The world of a pipeline inside of a stage: its variables are those of the stage for one document, a missing value a variable all
 * the same, and its scores are its own.
 */
function innerWorld(
  world: PipelineWorld,
  search: Search | undefined,
  variables: readonly (readonly [string, Expression])[],
  document: Uint8Array,
): PipelineWorld {
  const filterVariables = new OperationVariables(world.filterVariables.random, world.filterVariables);
  for (const [name, expression] of variables) filterVariables.set(name, expression(document) ?? MISSING);
  return { ...world, filterVariables, search };
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
