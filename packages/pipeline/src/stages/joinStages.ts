/** Stages that read other collections: documents of both sides stay as they lie. */
import { BsonType, type BsonValue, CommandError, ElementCursor, readString, required } from '@replsim/protocol';
import {
  checkFieldPath,
  checkVariableName,
  compileFilter,
  type Expression,
  type Meter,
  MISSING,
  presentAtPath,
  valuesAtPath,
} from '@replsim/query';
import { type ValueKeys, valueKeys } from '@replsim/storage';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { elementsOf, Fields } from '../fields/fields.ts';
import { bytesOf, isNumeric, numberOf, typeName } from '../fields/values.ts';
import { built, documentsValue, NULL } from './builtValues.ts';
import { equalityIn, equalJoin } from './equalJoin.ts';
import { compileComputed } from './expressions.ts';
import { placeAt } from './nestedFields.ts';
import { OperationVariables } from './operationVariables.ts';
import type { Search } from './search.ts';
import { documentOf, isSource, parseStages, pipelineIn, type Stage } from './stages.ts';
import { attempted, COMPILE_STEPS, filtered, lazily, type PlacesByKey, pay, placesByKey, type Work } from './work.ts';
import type { PipelineWorld, RunnerOf } from './world.ts';

const lookupFields = new Set(['from', 'localField', 'foreignField', 'as', 'let', 'pipeline']);
// biome-ignore format: a list
const graphFields = new Set(['from', 'startWith', 'connectFromField', 'connectToField', 'as', 'maxDepth', 'depthField',
  'restrictSearchWithMatch']);

type Documents = readonly Uint8Array[];
type Shape = (document: Uint8Array) => Work<Uint8Array>;

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
  const pipeline = pipelineIn(fields);
  if ((local === undefined) !== (foreign === undefined) || (local === undefined && !pipeline)) {
    throw new CommandError(
      'FailedToParse',
      "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
    );
  }
  const sent = pipeline && parseStages(pipeline, 'lookup');
  const stages = sent && behindTelling(sent, world);
  const constants = fields.document('let');
  if (constants && !stages) throw new CommandError('FailedToParse', 'let of $lookup needs a pipeline that uses it');
  const variables = constants ? variablesOf(constants, world) : [];
  const all = sourceOf(fields, sent, world);
  const from = fields.string('from');
  // By equality too it is looked for what the fields have in common first.
  const search = from === undefined || foreign !== undefined ? undefined : world.searchIn(from);
  const keyOf = valueKeys(world.collator);
  const { meter } = world;
  const index =
    foreign === undefined ? undefined : lazily(() => placesByKey(all, (each) => keysAt(each, foreign, keyOf), meter));

  const names = new Set(variables.map(([name]) => name));
  const equality = stages && local === undefined ? equalityIn(stages[0], names) : undefined;
  const byExpression = equality && equalJoin(equality, all, keyOf, world);

  // Mistakes in the pipeline are reported even if no document ever enters it.
  if (stages) runnerOf(stages, innerWorld(world, search, unbound(variables), EMPTY_DOCUMENT));
  return function* (document) {
    const candidates = yield* all();
    const wanted = local === undefined ? undefined : wantedKeys(document, local, keyOf);
    const matches = index && wanted ? joined(yield* index(), candidates, wanted) : candidates;
    if (!stages) return placeAt(document, as, documentsValue(matches));
    yield* pay(meter, stages.length * COMPILE_STEPS);
    const inner = yield* attempted(() => innerWorld(world, search, variables, document), meter);
    const input = byExpression ? yield* byExpression(inner) : matches;
    if (foreign === undefined || !wanted || !makesDocuments(stages))
      return placeAt(document, as, documentsValue(yield* runnerOf(stages, inner)(input)));
    // The fields are compared behind what makes the documents.
    const made = yield* runnerOf(stages.slice(0, 1), inner)([]);
    const equal = yield* filtered(made, (each) => hasKey(keysAt(each, foreign, keyOf), wanted), meter);
    return placeAt(document, as, documentsValue(yield* runnerOf(stages.slice(1), inner)(equal)));
  };
}

/** `$graphLookup`: nearest first. Errors: Location40100 to 40105, 40185, FailedToParse 9, InvalidNamespace 73. Upstream: document_source_graph_lookup.cpp. */
export function graphLookupStage(stage: Stage, world: PipelineWorld): Shape {
  const fields = new Fields(documentOf(stage), '$graphLookup');
  if (!fields.has('from')) throw new CommandError('FailedToParse', "missing 'from' option to $graphLookup stage");
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
  const startWith = fields.rawValue('startWith');
  const as = text('as');
  const connectFrom = text('connectFromField');
  const connectTo = text('connectToField');
  const keyOf = valueKeys(world.collator);
  const isReached = restriction(fields, world);
  const { meter } = world;
  const foreign = lazily(function* () {
    return yield* filtered(yield* world.collection(text('from')), isReached, meter);
  });
  const index = lazily(() => placesByKey(foreign, (each) => presentKeysAt(each, connectTo, keyOf), meter));
  const depthField = fields.string('depthField');
  const maxDepth = maxDepthOf(fields);
  if (text('from') === '') throw noName('$graphLookup');
  world.checkJoins(text('from'));
  for (const path of [as, connectFrom, connectTo, depthField]) if (path !== undefined) checkFieldPath(path);
  if (!startWith) return text('startWith') as never;
  const start = compileComputed(startWith, world);
  return function* (document) {
    const graph = { documents: yield* foreign(), places: yield* index(), connectFrom, maxDepth, keyOf, meter };
    const found = yield* reachedFrom(elementsAt(yield* attempted(() => start(document), meter)), graph);
    const shown = [...found].map(([each, depth]) =>
      depthField === undefined
        ? each
        : placeAt(
            each,
            depthField,
            built((writer) => writer.int64('v', depth)),
          ),
    );
    return placeAt(document, as, documentsValue(shown));
  };
}

interface Graph {
  readonly documents: Documents;
  readonly places: PlacesByKey;
  readonly connectFrom: string;
  readonly maxDepth: number;
  readonly keyOf: ValueKeys;
  readonly meter: Meter;
}

/** The documents to which values lead, by one another, and over how many others. */
function* reachedFrom(values: readonly BsonValue[], graph: Graph): Work<Map<Uint8Array, number>> {
  const { documents, places, connectFrom, maxDepth, keyOf, meter } = graph;
  const found = new Map<Uint8Array, number>();
  let reached = values;
  for (let depth = 0; depth <= maxDepth && reached.length > 0; depth++) {
    const fresh = new Set<Uint8Array>();
    // Each value once: many documents of one depth may lead to the same value, which as many may have.
    for (const key of new Set(reached.map(keyOf))) {
      const reachable = places.get(key) ?? [];
      for (const place of reachable) {
        const each = documents[place]!;
        if (!found.has(each)) fresh.add(each);
      }
      yield* pay(meter, 1 + reachable.length);
    }
    for (const each of fresh) found.set(each, depth);
    reached = [...fresh].flatMap((each) => presentAtPath(each, connectFrom));
  }
  return found;
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
export function unionWithStage({ spec }: Stage, world: PipelineWorld, runnerOf: RunnerOf): () => Work<Documents> {
  if (spec.type === BsonType.string && readString(spec) === '') throw noName('$unionWith');
  if (spec.type === BsonType.string) {
    world.checkJoins(readString(spec));
    return () => world.collection(readString(spec));
  }
  if (spec.type !== BsonType.object) {
    throw new CommandError('FailedToParse', '$unionWith takes the name of a collection or an object');
  }
  const fields = new Fields(bytesOf(spec), '$unionWith');
  checkKnown(fields, new Set(['coll', 'pipeline']), '$unionWith');
  const sent = parseStages(pipelineIn(fields) ?? [], 'union');
  const all = sourceOf(fields, sent, world, 'coll');
  const stages = behindTelling(sent, world);
  const coll = fields.string('coll');
  const inner = innerWorld(world, coll === undefined ? undefined : world.searchIn(coll), [], EMPTY_DOCUMENT);
  const run = runnerOf(stages, inner);
  return function* () {
    return yield* run(yield* all());
  };
}

/** What a `from` or `coll` stands for; a pipeline that begins with `$documents` needs none. */
function sourceOf(
  fields: Fields,
  stages: readonly Stage[] | undefined,
  world: PipelineWorld,
  name = 'from',
): () => Work<Documents> {
  const named = fields.value(name);
  if (fields.path === '$lookup' && named && named.type !== BsonType.string)
    throw new CommandError('FailedToParse', `$lookup 'from' field must be a string, but found ${typeName(named.type)}`);
  const collection = fields.string(name);
  if (collection !== undefined) world.checkJoins(collection);
  if (collection === '') throw noName(fields.path);
  if (makesDocuments(stages)) return lazily(nothing);
  if (collection === undefined)
    throw new CommandError(
      'FailedToParse',
      `${fields.path} needs ${name}, as its pipeline does not begin with $documents`,
    );
  const telling = tellingStage(stages, world);
  return lazily(() => (telling ? told(collection, telling, world) : world.collection(collection)));
}

/** The first of them, if it tells of its collection instead of reading it. */
function tellingStage([first]: readonly Stage[] = [], { sourceIn }: PipelineWorld): Stage | undefined {
  return first && sourceIn && isSource(first) && !makesDocuments([first]) ? first : undefined;
}

function behindTelling(stages: readonly Stage[], world: PipelineWorld): readonly Stage[] {
  return tellingStage(stages, world) ? stages.slice(1) : stages;
}

function* told(collection: string, stage: Stage, { sourceIn }: PipelineWorld): Work<Documents> {
  return sourceIn?.(collection, stage) ?? [];
}

function makesDocuments(stages: readonly Stage[] | undefined): boolean {
  return stages?.[0]?.name === '$documents';
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

function* nothing(): Work<Documents> {
  return [];
}

/** What a filter on the field would have to equal: a missing one is null, an array is itself as well as each of its elements. */
function keysAt(document: Uint8Array, path: string, keyOf: ValueKeys): Set<string> {
  return new Set(valuesAtPath(document, path).map(keyOf));
}

/** The same of a document that has the field somewhere, and none of others. Upstream: makeMatchStageFromFrontier. */
function presentKeysAt(document: Uint8Array, path: string, keyOf: ValueKeys): Set<string> {
  const values = valuesAtPath(document, path);
  return new Set(values.some((value) => value !== MISSING) ? values.map(keyOf) : []);
}

/** What is looked for: what the local field holds, or null where it holds nothing. Upstream: makeMatchStageFromInput. */
function wantedKeys(document: Uint8Array, path: string, keyOf: ValueKeys): Set<string> {
  const values = presentAtPath(document, path);
  return new Set((values.length === 0 ? [NULL] : values).map(keyOf));
}

function hasKey(keys: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  for (const key of wanted) if (keys.has(key)) return true;
  return false;
}

/** Those whose field equals the local one, or one of its elements; in their own order, each once. */
function joined(index: PlacesByKey, documents: Documents, keys: Iterable<string>): Uint8Array[] {
  const places = new Set<number>();
  for (const key of keys) for (const place of index.get(key) ?? []) places.add(place);
  return [...places].sort((a, b) => a - b).map((place) => required(documents[place], 'document that was indexed'));
}

function elementsAt(value: BsonValue | undefined): BsonValue[] {
  if (!value) return [];
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
  const filterVariables = OperationVariables.around(world.filterVariables, world.filterVariables);
  for (const [name, expression] of variables) filterVariables.set(name, expression(document) ?? MISSING);
  return { ...world, filterVariables, search };
}
