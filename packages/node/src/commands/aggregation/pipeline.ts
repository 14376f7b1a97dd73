import type { IdSource } from '@replsim/protocol';
import { BsonType, BsonWriter, CommandError } from '@replsim/protocol';
import { compileFilter, type Variables } from '@replsim/query';
import { unpackBucket } from '../../timeseries/unpack.ts';
import { Fields } from '../fields.ts';
import { sorterOf } from '../reading/sorter.ts';
import { isNumeric, numberOf, stringOf } from '../values.ts';
import { type MingoWorld, runMingoStage } from './mingoStages.ts';
import { documentOf, isByMingo, type Stage, UNPACK } from './stages.ts';
import { bucketFieldsOf } from './unpackStage.ts';

/** What the stages of a pipeline may know beside their input. */
export interface PipelineWorld extends MingoWorld {
  readonly ids: IdSource;
  /** For `$match` with `$expr`. */
  readonly filterVariables: Variables;
}

/** Runs stages one after the other over whole sets of documents. */
export function runStages(
  stages: readonly Stage[],
  input: readonly Uint8Array[],
  world: PipelineWorld,
): readonly Uint8Array[] {
  return stages.reduce((documents, stage) => runStage(stage, documents, world), input);
}

function runStage(stage: Stage, input: readonly Uint8Array[], world: PipelineWorld): readonly Uint8Array[] {
  if (isByMingo(stage)) return runMingoStage(stage, input, world);
  switch (stage.name) {
    case '$match':
      return input.filter(compileFilter(documentOf(stage), { variables: world.filterVariables }));
    case '$sort':
      return sorterOf(sortOf(stage))?.([...input]) ?? input;
    case '$limit':
      return input.slice(0, wholeNumber(stage, 1));
    case '$skip':
      return input.slice(wholeNumber(stage, 0));
    case UNPACK: {
      const fields = bucketFieldsOf(stage);
      return input.flatMap((bucket) => unpackBucket(bucket, fields));
    }
    case '$sample':
      return sample(stage, input, world.ids);
    default:
      return count(stage, input);
  }
}

/** Errors: Location15976 for an empty one. */
export function sortOf(stage: Stage): Uint8Array {
  const sort = documentOf(stage);
  if (sort.length === 5) throw new CommandError(15976, '$sort stage must have at least one sort key');
  return sort;
}

/** The number of `$limit` and `$skip`. Errors: Location5107201 for `$limit`, 5107200 for `$skip`, 15958 for a limit of 0. */
export function wholeNumber({ name, spec }: Stage, atLeast: 0 | 1): number {
  const number = isNumeric(spec.type) ? numberOf(spec) : Number.NaN;
  if (Number.isInteger(number) && number >= atLeast) return number;
  if (number === 0) throw new CommandError(15958, 'the limit must be positive');
  const code = name === '$limit' ? 5107201 : 5107200;
  throw new CommandError(code, `invalid argument to ${name} stage: Expected a non-negative number`);
}

/** The name that `$count` gives to its number. Errors: Location40156 to 40160. Upstream: document_source_count.cpp. */
function countName({ spec }: Stage): string {
  if (spec.type !== BsonType.string) throw new CommandError(40156, 'the count field must be a non-empty string');
  const name = stringOf(spec);
  if (name === '') throw new CommandError(40157, 'the count field must be a non-empty string');
  if (name.startsWith('$')) throw new CommandError(40158, 'the count field cannot be a $-prefixed path');
  if (name.includes('.')) throw new CommandError(40160, "the count field cannot contain '.'");
  return name;
}

/** No document for nothing counted, as upstream has it (a `$group` finds no group). */
function count(stage: Stage, input: readonly Uint8Array[]): Uint8Array[] {
  const name = countName(stage);
  if (input.length === 0) return [];
  const writer = new BsonWriter(32);
  writer.int32(name, input.length);
  return [writer.finish()];
}

/** Draws without repetition from the member's own ids, so that a seed gives the same sample. */
function sample(stage: Stage, input: readonly Uint8Array[], ids: IdSource): Uint8Array[] {
  const size = new Fields(documentOf(stage), '$sample').number('size');
  if (size === undefined || size < 1)
    throw new CommandError(28747, 'size argument to $sample must be a positive number');
  const left = [...input];
  const drawn: Uint8Array[] = [];
  while (left.length > 0 && drawn.length < size) {
    const index = ids.below(left.length);
    drawn.push(left[index]!);
    left[index] = left[left.length - 1]!;
    left.pop();
  }
  return drawn;
}
