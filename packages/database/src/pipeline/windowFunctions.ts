/** The functions of `$setWindowFields`. Upstream: window_function_expression.cpp. */
import { BsonType, type BsonValue, CommandError, readInt64AsNumber, sayIfKnown } from '@replsim/protocol';
import { type Expression, valueAtPath, WINDOW_FUNCTION_NAMES } from '@replsim/query';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { Fields } from '../fields/fields.ts';
import { bytesOf, isNumeric, numberOf } from '../fields/values.ts';
import { compileAccumulator } from './accumulators.ts';
import { built, isNullish, NULL } from './builtValues.ts';
import { compileComputed } from './expressions.ts';
import type { MingoWorld } from './mingoSpec.ts';
import { parseWindow, wholePartition } from './windowBounds.ts';

/** One value for each document of a partition, which is sorted. */
export type WindowFunction = (partition: readonly Uint8Array[]) => readonly BsonValue[];

/** What a function may know of its stage. */
export interface Sorting {
  readonly sortBy: Uint8Array | undefined;
  /** Of documents as they are sorted; 0 for all if they are not. */
  readonly order: (a: Uint8Array, b: Uint8Array) => number;
}

const accumulators: ReadonlySet<string> = new Set(['$addToSet', '$avg', '$bottom', '$bottomN', '$count', '$first', '$firstN', '$last', '$lastN', '$max', '$maxN', '$median', '$min', '$minN', '$percentile', '$push', '$stdDevPop', '$stdDevSamp', '$sum', '$top', '$topN']); // biome-ignore format: one line
const ranks: ReadonlySet<string> = new Set(['$rank', '$denseRank', '$documentNumber']);
const byMingo: ReadonlySet<string> = new Set(['$covariancePop', '$covarianceSamp', '$derivative', '$expMovingAvg', '$integral']); // biome-ignore format: one line

/** Whether mingo computes it: all of these give doubles. */
export function isMingoFunction(spec: BsonValue): boolean {
  return spec.type === BsonType.object && new Fields(bytesOf(spec), 'output').names.some((name) => byMingo.has(name));
}

/**
 * Compiles `{ $function: argument, window }`. Errors: FailedToParse 9 for what is no function, Location5371601 to 5371603,
 * 605001, those of windows and accumulators.
 */
export function compileWindowFunction(
  path: string,
  spec: BsonValue,
  sorting: Sorting,
  world: MingoWorld,
): WindowFunction | undefined {
  if (spec.type !== BsonType.object) throw failed(`The field '${path}' of $setWindowFields must be an object`);
  const fields = new Fields(bytesOf(spec), path);
  const name = fields.names.find((field) => field.startsWith('$'));
  if (name === undefined) throw failed(`Expected a $-prefixed window function, ${fields.names[0] ?? ''}`);
  const argument = fields.presentValue(name);
  const isKnown = accumulators.has(name) || ranks.has(name) || byMingo.has(name) || name in others;
  if (!isKnown) throw failed(sayIfKnown(`Unrecognized window function, ${name}`, name, WINDOW_FUNCTION_NAMES));
  if (ranks.has(name)) return rank(name, argument, fields, sorting);
  const takesWindow = accumulators.has(name) || (byMingo.has(name) && name !== '$expMovingAvg');
  for (const field of fields.names) {
    if (field === name || (field === 'window' && takesWindow)) continue;
    throw failed(`Window function ${name} found an unknown argument: ${field}`);
  }
  const windowSpec = fields.rawValue('window');
  const window = windowSpec ? parseWindow(windowSpec, sorting.sortBy, world) : wholePartition;
  if (byMingo.has(name)) {
    checkMingoArgument(name, argument, sorting);
    return undefined;
  }
  const other = others[name];
  if (other) return other(argument, sorting, world);
  const accumulator = compileAccumulator(path, callOf(name, argument), world);
  return (partition) => {
    let last: { readonly start: number; readonly end: number; readonly value: BsonValue } | undefined;
    return partition.map((_, index) => {
      const [start, end] = window(partition, index);
      if (last?.start === start && last.end === end) return last.value;
      last = { start, end, value: accumulator(partition.slice(start, end)) };
      return last.value;
    });
  };
}

const failed = (message: string) => new CommandError('FailedToParse', message);

function callOf(name: string, argument: BsonValue): BsonValue {
  return built((writer) => {
    writer.beginDocument('v');
    writer.rawValue(name, argument);
    writer.endDocument();
  });
}

function sortFields({ sortBy }: Sorting): readonly string[] {
  return new Fields(sortBy ?? EMPTY_DOCUMENT, 'sortBy').names;
}

/** Of the position among those before it, ties or not. */
function rank(name: string, argument: BsonValue, fields: Fields, sorting: Sorting): WindowFunction {
  if (fields.names.length > 1) throw new CommandError(5371601, 'Rank style window functions take no other arguments');
  if (argument.type !== BsonType.object || argument.size !== 5) {
    throw new CommandError(5371603, `${name} must be specified with '{}' as the value`);
  }
  if (sortFields(sorting).length !== 1) throw needsOneSortField(5371602, name);
  return (partition) => {
    let position = 0;
    return partition.map((document, i) => {
      const before = partition[i - 1];
      const isTie = before !== undefined && sorting.order(before, document) === 0;
      if (name === '$documentNumber' || !isTie) position = name === '$denseRank' ? position + 1 : i + 1;
      return built((writer) => writer.int32('v', position));
    });
  };
}

function needsOneSortField(code: number, name: string): CommandError {
  return new CommandError(
    code,
    `${name} must be specified with a top level sortBy expression with exactly one element`,
  );
}

type Compile = (argument: BsonValue, sorting: Sorting, world: MingoWorld) => WindowFunction;

const others: Readonly<Record<string, Compile>> = { $shift: shift, $locf: locf, $linearFill: linearFill };

function shift(argument: BsonValue, { sortBy }: Sorting, world: MingoWorld): WindowFunction {
  if (argument.type !== BsonType.object) throw failed('Argument to $shift must be an object');
  const fields = new Fields(bytesOf(argument), '$shift');
  const unknown = fields.names.find((name) => !['output', 'by', 'default'].includes(name));
  if (unknown !== undefined) throw failed(`Unknown argument in $shift: ${unknown}`);
  const output = fields.rawValue('output');
  const by = fields.rawValue('by');
  if (!output || !by) throw failed("$shift requires an 'output' expression and 'by' as an integer value");
  if (!sortBy) throw failed("'$shift' requires a sortBy");
  const offset = isNumeric(by.type) ? numberOf(by) : Number.NaN;
  if (!Number.isInteger(offset)) throw failed("'$shift:by' field must be an integer");
  const otherwise = fields.rawValue('default');
  const fallback = otherwise ? (compileComputed(otherwise, world)(EMPTY_DOCUMENT) ?? NULL) : NULL;
  const expression = compileComputed(output, world);
  return (partition) =>
    partition.map((_, i) => {
      const document = partition[i + offset];
      return document ? (expression(document) ?? NULL) : fallback;
    });
}

/** The last value that was neither null nor missing. */
function locf(argument: BsonValue, _sorting: Sorting, world: MingoWorld): WindowFunction {
  const expression = compileComputed(argument, world);
  return (partition) => {
    let last = NULL;
    return partition.map((document) => {
      const value = expression(document);
      if (value && !isNullish(value)) last = value;
      return last;
    });
  };
}

/** Errors: Location605001; of values, TypeMismatch 14. Upstream: window_function_exec_linear_fill.cpp. */
function linearFill(argument: BsonValue, sorting: Sorting, world: MingoWorld): WindowFunction {
  const [path, ...more] = sortFields(sorting);
  if (path === undefined || more.length > 0) throw needsOneSortField(605001, '$linearFill');
  const expression = compileComputed(argument, world);
  return (partition) => {
    const values = partition.map((document) => knownValue(expression, document));
    const places = partition.map((document) => sortPlace(valueAtPath(document, path)));
    let left: number | undefined;
    return values.map((value, i) => {
      if (value) {
        left = i;
        return value;
      }
      const right = values.findIndex((each, j) => j > i && each !== undefined);
      if (left === undefined || right < 0) return NULL;
      return between([places[left], values[left]], [places[right], values[right]], places[i] ?? 0);
    });
  };
}

function knownValue(expression: Expression, document: Uint8Array): BsonValue | undefined {
  const value = expression(document);
  if (!value || isNullish(value)) return undefined;
  if (isNumeric(value.type)) return value;
  throw new CommandError('TypeMismatch', 'Value to be filled must be numeric or nullish');
}

function sortPlace(value: BsonValue | undefined): number {
  if (value && isNumeric(value.type)) return numberOf(value);
  if (value?.type === BsonType.date) return readInt64AsNumber(value.bytes, value.offset);
  throw new CommandError('TypeMismatch', 'Sort field of $linearFill must be numeric or a date');
}

type Point = readonly [place: number | undefined, value: BsonValue | undefined];

function between([x0 = 0, y0 = NULL]: Point, [x1 = 0, y1 = NULL]: Point, x: number): BsonValue {
  if (x0 === x1) throw new CommandError(6050106, 'There can be no repeated values in the sort field of $linearFill');
  const slope = (numberOf(y1) - numberOf(y0)) / (x1 - x0);
  return built((writer) => writer.double('v', numberOf(y0) + slope * (x - x0)));
}

/** What mingo's own functions do not look at. Errors: FailedToParse 9. */
function checkMingoArgument(name: string, argument: BsonValue, sorting: Sorting): void {
  if (name.startsWith('$covariance')) return;
  if (argument.type !== BsonType.object) throw failed(`${name} must have exactly one argument that is an object`);
  const fields = new Fields(bytesOf(argument), name);
  if (!fields.rawValue('input')) throw failed(`${name} requires an 'input' expression`);
  const allowed = name === '$expMovingAvg' ? ['input', 'N', 'alpha'] : ['input', 'unit'];
  const unknown = fields.names.find((field) => !allowed.includes(field));
  if (unknown !== undefined) throw failed(`${name} got unexpected argument: ${unknown}`);
  if (!sorting.sortBy) throw failed(`${name} requires an explicit 'sortBy'`);
  if (name !== '$expMovingAvg' && sortFields(sorting).length !== 1)
    throw failed(`${name} requires a single-column sortBy`);
  const unit = fields.rawValue('unit');
  if (unit && unit.type !== BsonType.string) throw failed(`${name} 'unit' must be a string`);
  if (name === '$expMovingAvg') checkMovingAverage(fields);
}

function checkMovingAverage(fields: Fields): void {
  const n = fields.rawValue('N');
  const alpha = fields.rawValue('alpha');
  if ((n === undefined) === (alpha === undefined)) {
    throw failed("$expMovingAvg sub object must have exactly two fields: 'input', and either 'N' or 'alpha'");
  }
  if (n && !(isNumeric(n.type) && Number.isInteger(numberOf(n)))) throw failed("'N' field must be an integer");
  if (n && numberOf(n) <= 0) throw failed("'N' must be greater than zero");
  if (alpha && !isNumeric(alpha.type)) throw failed("'alpha' must be a number");
  if (alpha && !(numberOf(alpha) > 0 && numberOf(alpha) < 1)) {
    throw failed("'alpha' must be between 0 and 1 (exclusive)");
  }
}
