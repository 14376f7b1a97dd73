import {
  BsonType,
  BsonWriter,
  CommandError,
  ElementCursor,
  type IdSource,
  indexName,
  readString,
} from '@replsim/protocol';
import { checkFieldPath, compileFilter, compileSort, Evaluation, ROW_STEPS, type Variables } from '@replsim/query';
import { elementsOf, Fields } from '../fields/fields.ts';
import { isNumeric, numberOf } from '../fields/values.ts';
import { naturalDirection } from '../planner/naturalOrder.ts';
import { unpackBucket } from '../timeseries/unpack.ts';
import { bucketAutoStage } from './bucketAutoStage.ts';
import { densifyStage } from './densifyStage.ts';
import type { DocumentScores } from './documentScores.ts';
import { stagesOfFill } from './fillStage.ts';
import { bucketStage, documentsStage, groupStage, sortByCountStage } from './groupStages.ts';
import { graphLookupStage, lookupStage, unionWithStage } from './joinStages.ts';
import { OperationVariables } from './operationVariables.ts';
import { redactStage } from './redactStage.ts';
import { searchCompiler, searchNotFirst } from './search.ts';
import { addFieldsStage, projectStage, replaceRootStage, unsetStage } from './shapeStages.ts';
import { sorterOf } from './sorter.ts';
import { UNPACK } from './stageRules.ts';
import { documentOf, parseStages, type Stage } from './stages.ts';
import { bucketFieldsOf } from './unpackStage.ts';
import { unwindStage } from './unwindStage.ts';
import { windowFieldsStage } from './windowFieldsStage.ts';
import { attempted, filtered, pay, type Work } from './work.ts';
import type { PipelineWorld, RunStages } from './world.ts';

type Documents = readonly Uint8Array[];
type Run = (input: Documents) => Work<Documents>;
type Quick = (input: Documents) => Documents;

/** Runs stages one after the other over whole sets of documents. All are read before the first is run. */
export const runStages: RunStages = (stages, input, world) => runnerOf(stages, world)(input);

/** The same, for stages that are run again and again. */
export function runnerOf(stages: readonly Stage[], world: PipelineWorld): Run {
  const behind = world.search ? { ...world, search: undefined } : world;
  const runs = stages.map((stage, i) => compileStage(stage, i === 0 ? world : behind));
  return chain(runs);
}

function chain(runs: readonly Run[]): Run {
  return function* (input) {
    let documents = input;
    for (const run of runs) documents = yield* run(documents);
    return documents;
  };
}

function compileStage(stage: Stage, world: PipelineWorld): Run {
  const { meter } = world;
  switch (stage.name) {
    case '$match': {
      const { filterVariables: variables, collator } = world;
      const search = searchCompiler(world.search, variables) ?? refuseSearch;
      const matches = compileFilter(documentOf(stage), { variables, collator, search });
      return (input) => filtered(input, matches, meter);
    }
    case '$sort': {
      const sorter = sorterOf(sortOf(stage), world.collator, world.filterVariables.textScores);
      return function* (input) {
        return sorter ? yield* sorter(input, meter) : input;
      };
    }
    case '$limit': {
      const limit = wholeNumber(stage, 1);
      return quick((input) => input.slice(0, limit), world);
    }
    case '$skip': {
      const skip = wholeNumber(stage, 0);
      return quick((input) => input.slice(skip), world);
    }
    case UNPACK: {
      const fields = bucketFieldsOf(stage);
      return several((bucket) => unpackBucket(bucket, fields), world);
    }
    case '$sample':
      return quick(sample(stage, world.ids), world);
    case '$count':
      return quick(count(stage), world);
    case '$project':
      return each(projectStage(stage, world), world);
    case '$addFields':
    case '$set':
      return each(addFieldsStage(stage, world), world);
    case '$unset':
      return each(unsetStage(stage), world);
    case '$replaceRoot':
    case '$replaceWith':
      return each(replaceRootStage(stage, world), world);
    case '$unwind':
      return unwindStage(stage, meter, scoresOf(world.filterVariables));
    case '$lookup':
      return eachInTurns(lookupStage(stage, world, runnerOf), world);
    case '$graphLookup':
      return eachInTurns(graphLookupStage(stage, world), world);
    case '$unionWith': {
      const others = unionWithStage(stage, world, runnerOf);
      return function* (input) {
        const more = yield* others();
        yield* pay(meter, more.length);
        return [...input, ...more];
      };
    }
    case '$facet':
      return facet(stage, { ...world, search: undefined });
    case '$group':
      return groupStage(stage, world);
    case '$sortByCount':
      return sortByCountStage(stage, world);
    case '$bucket':
      return bucketStage(stage, world);
    case '$documents':
      return documentsStage(stage, world);
    case '$merge':
    case '$out':
      // What writes is the command's; explained, it writes nothing.
      return quick(() => [], world);
    case '$setWindowFields':
      return windowFieldsStage(stage, world);
    case '$fill': {
      const runs = stagesOfFill(stage).map((each) => compileStage(each, world));
      return chain(runs);
    }
    case '$densify':
      return densifyStage(stage, world);
    case '$bucketAuto':
      return bucketAutoStage(stage, world);
    case '$redact': {
      const redact = redactStage(stage, world);
      return several(redact, world);
    }
    default:
      throw new CommandError(
        'CommandNotSupported',
        `${stage.name} inside another stage is not supported by replsim yet`,
      );
  }
}

/** What a stage does with all of them in one go. */
function quick(run: Quick, { meter }: PipelineWorld): Run {
  return function* (input) {
    yield* pay(meter, input.length);
    return run(input);
  };
}

/** What is made of a document fits the search as well as the document did. */
function each(shape: (document: Uint8Array) => Uint8Array, world: PipelineWorld): Run {
  return several((document) => [shape(document)], world);
}

function several(shape: (document: Uint8Array) => Documents, { filterVariables, meter }: PipelineWorld): Run {
  const scores = scoresOf(filterVariables);
  return function* (input) {
    const all: Uint8Array[] = [];
    const evaluation = new Evaluation(meter);
    for (const document of input) {
      meter.add(ROW_STEPS);
      if (meter.isDue) yield meter.take();
      for (const made of yield* attempted(() => shape(document), meter, evaluation)) {
        scores?.carry(document, made);
        all.push(made);
      }
    }
    return all;
  };
}

/** The same of a shape that takes turns with others itself. */
function eachInTurns(
  shape: (document: Uint8Array) => Work<Uint8Array>,
  { filterVariables, meter }: PipelineWorld,
): Run {
  const scores = scoresOf(filterVariables);
  return function* (input) {
    const all: Uint8Array[] = [];
    for (const document of input) {
      yield* pay(meter, ROW_STEPS);
      const made = yield* shape(document);
      scores?.carry(document, made);
      all.push(made);
    }
    return all;
  };
}

function scoresOf(variables: Variables): DocumentScores | undefined {
  return variables instanceof OperationVariables ? variables.textScores : undefined;
}

function refuseSearch(): never {
  throw searchNotFirst();
}

/** `{ $facet: { name: pipeline } }`: one document of all that came of them. Errors: Location40169, 40170, 16412, 16410, 15998. */
function facet(stage: Stage, world: PipelineWorld): Run {
  const facets: [name: string, run: Run][] = [];
  const cursor = new ElementCursor(documentOf(stage));
  while (cursor.next()) {
    if (cursor.type !== BsonType.array) {
      throw new CommandError(40170, `arguments to $facet must be arrays, ${cursor.name} is not`);
    }
    if (cursor.name.includes('.')) {
      throw new CommandError(16412, `the name of a facet may not contain '.': ${cursor.name}`);
    }
    if (cursor.name === '') throw new CommandError(15998, 'FieldPath field names may not be empty strings.');
    checkFieldPath(cursor.name);
    facets.push([cursor.name, runnerOf(parseStages(elementsOf(cursor.value()), 'facet'), world)]);
  }
  if (facets.length === 0) throw new CommandError(40169, 'the $facet specification must be a non-empty object');
  return function* (input) {
    const writer = new BsonWriter();
    for (const [name, run] of facets) {
      const found = yield* run(input);
      writer.beginArray(name);
      for (const [i, document] of found.entries()) writer.rawDocument(indexName(i), document);
      writer.endArray();
    }
    return [writer.finish()];
  };
}

/** Errors: Location15976 for an empty one, those of any sort: `$natural` is none here. */
export function sortOf(stage: Stage): Uint8Array {
  const sort = documentOf(stage);
  if (sort.length === 5) throw new CommandError(15976, '$sort stage must have at least one sort key');
  if (naturalDirection(sort)) compileSort(sort);
  return sort;
}

/** The number of `$limit` and `$skip`. Errors: Location5107201 for `$limit`, 5107200 for `$skip`, 15958 for a limit of 0. */
export function wholeNumber({ name, spec }: Stage, atLeast: 0 | 1): number {
  const number = isNumeric(spec.type) ? numberOf(spec) : Number.NaN;
  if (Number.isInteger(number) && number >= atLeast) return number;
  if (number === 0) throw new CommandError(15958, 'the limit must be positive');
  const code = name === '$limit' ? 5107201 : 5107200;
  throw new CommandError(code, `invalid argument to ${name} stage: Expected a whole number from ${atLeast} on`);
}

/** The name that `$count` gives to its number. Errors: Location40156 to 40160. Upstream: document_source_count.cpp. */
function countName({ spec }: Stage): string {
  if (spec.type !== BsonType.string) throw new CommandError(40156, 'the count field must be a non-empty string');
  const name = readString(spec);
  if (name === '') throw new CommandError(40157, 'the count field must be a non-empty string');
  if (name.startsWith('$')) throw new CommandError(40158, 'the count field cannot be a $-prefixed path');
  if (name.includes('\0')) throw new CommandError(40159, 'the count field cannot contain a null byte');
  if (name.includes('.')) throw new CommandError(40160, "the count field cannot contain '.'");
  return name;
}

/** No document for nothing counted, as upstream has it (a `$group` finds no group). */
function count(stage: Stage): Quick {
  const name = countName(stage);
  return (input) => {
    if (input.length === 0) return [];
    const writer = new BsonWriter(32);
    writer.int32(name, input.length);
    return [writer.finish()];
  };
}

/** Draws without repetition from the member's own ids, so that a seed gives the same sample. */
function sample(stage: Stage, ids: IdSource): Quick {
  const fields = new Fields(documentOf(stage), '$sample');
  for (const name of fields.names)
    if (name !== 'size') throw new CommandError(28748, `unrecognized option to $sample: ${name}`);
  const given = fields.value('size');
  if (given && !isNumeric(given.type)) throw new CommandError(28746, 'size argument to $sample must be a number');
  const size = fields.number('size');
  if (size === undefined) throw new CommandError(28749, '$sample stage must specify a size');
  if (size < 1) throw new CommandError(28747, 'size argument to $sample must be a positive integer');
  return (input) => {
    const left = [...input];
    const drawn: Uint8Array[] = [];
    while (left.length > 0 && drawn.length < size) {
      const index = ids.below(left.length);
      drawn.push(left[index]!);
      left[index] = left[left.length - 1]!;
      left.pop();
    }
    return drawn;
  };
}
