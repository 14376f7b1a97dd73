/** The functions of `$setWindowFields`. Upstream: window_function_expression.cpp. */
import { BsonType, type BsonValue, CommandError, readInt64AsNumber, sayIfKnown } from '@replsim/protocol';
import {
  compareValues,
  type Expression,
  looksAtDocument,
  type Meter,
  ROW_STEPS,
  valueAtPath,
  WINDOW_FUNCTION_NAMES,
} from '@replsim/query';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { Fields } from '../fields/fields.ts';
import { bytesOf, isNumeric, numberOf } from '../fields/values.ts';
import { compileAccumulator } from './accumulators.ts';
import { built, isNullish, NULL } from './builtValues.ts';
import { compileComputed } from './expressions.ts';
import { movingFunction } from './movingWindows.ts';
import { expMovingAvg, numericWindows } from './numericWindows.ts';
import { parseWindow, wholePartition } from './windowBounds.ts';
import { failed, type Sorting, sortFields, type WindowFunction } from './windowFunction.ts';
import { mapped, pay } from './work.ts';
import type { PipelineWorld } from './world.ts';

export type { Sorting, WindowFunction };

const accumulators: ReadonlySet<string> = new Set(['$addToSet', '$avg', '$bottom', '$bottomN', '$count', '$first', '$firstN', '$last', '$lastN', '$max', '$maxN', '$median', '$min', '$minN', '$percentile', '$push', '$stdDevPop', '$stdDevSamp', '$sum', '$top', '$topN']); // biome-ignore format: one line
const ranks: ReadonlySet<string> = new Set(['$rank', '$denseRank', '$documentNumber']);

/**
 * Compiles `{ $function: argument, window }`. Errors: FailedToParse 9 for what is no function, Location5371601 to 5371603,
 * 605001, those of windows and accumulators.
 */
export function compileWindowFunction(
  path: string,
  spec: BsonValue,
  sorting: Sorting,
  world: PipelineWorld,
): WindowFunction {
  if (spec.type !== BsonType.object) throw failed(`The field '${path}' of $setWindowFields must be an object`);
  const fields = new Fields(bytesOf(spec), path);
  const name = fields.names.find((field) => field.startsWith('$'));
  if (name === undefined) throw failed(`Expected a $-prefixed window function, ${fields.names[0] ?? ''}`);
  const argument = fields.presentValue(name);
  const isKnown = accumulators.has(name) || ranks.has(name) || name in numericWindows || name in others;
  if (!isKnown) throw failed(sayIfKnown(`Unrecognized window function, ${name}`, name, WINDOW_FUNCTION_NAMES));
  const { meter } = world;
  if (ranks.has(name)) return rank(name, argument, fields, sorting, meter);
  const numeric = Object.hasOwn(numericWindows, name) ? numericWindows[name] : undefined;
  const takesWindow = accumulators.has(name) || numeric !== undefined;
  for (const field of fields.names) {
    if (field === name || (field === 'window' && takesWindow)) continue;
    throw failed(`Window function ${name} found an unknown argument: ${field}`);
  }
  const windowSpec = fields.rawValue('window');
  const given = windowSpec && parseWindow(windowSpec, sorting.sortBy, world);
  const window = given ?? wholePartition;
  if (numeric) return numeric(argument, { sorting, window: given }, world);
  const other = others[name];
  if (other) return other(argument, sorting, world);
  const accumulator = compileAccumulator(path, callOf(name, argument), world);
  const moving = movingFunction(name, argument, window, world);
  if (moving) return moving;
  return function* (partition) {
    const values: BsonValue[] = [];
    let last: { readonly start: number; readonly end: number; readonly value: BsonValue } | undefined;
    for (const index of partition.keys()) {
      yield* pay(meter, ROW_STEPS);
      const [start, end] = window(partition, index);
      if (last?.start !== start || last.end !== end)
        last = { start, end, value: yield* accumulator(partition.slice(start, end)) };
      values.push(last.value);
    }
    return values;
  };
}

function callOf(name: string, argument: BsonValue): BsonValue {
  return built((writer) => {
    writer.beginDocument('v');
    writer.rawValue(name, argument);
    writer.endDocument();
  });
}

/** Of the position among those before it, ties or not. */
function rank(name: string, argument: BsonValue, fields: Fields, sorting: Sorting, meter: Meter): WindowFunction {
  if (fields.names.length > 1) throw new CommandError(5371601, 'Rank style window functions take no other arguments');
  if (argument.type !== BsonType.object || argument.size !== 5) {
    throw new CommandError(5371603, `${name} must be specified with '{}' as the value`);
  }
  if (sortFields(sorting).length !== 1) throw needsOneSortField(5371602, name);
  return (partition) => {
    let position = 0;
    const place = (document: Uint8Array, i: number) => {
      const before = partition[i - 1];
      const isTie = before !== undefined && sorting.order(before, document) === 0;
      if (name === '$documentNumber' || !isTie) position = name === '$denseRank' ? position + 1 : i + 1;
      return built((writer) => writer.int32('v', position));
    };
    return mapped(partition, place, meter);
  };
}

function needsOneSortField(code: number, name: string): CommandError {
  return new CommandError(
    code,
    `${name} must be specified with a top level sortBy expression with exactly one element`,
  );
}

type Compile = (argument: BsonValue, sorting: Sorting, world: PipelineWorld) => WindowFunction;

const others: Readonly<Record<string, Compile>> = {
  $shift: shift,
  $locf: locf,
  $linearFill: linearFill,
  $expMovingAvg: expMovingAvg,
};

function shift(argument: BsonValue, { sortBy }: Sorting, world: PipelineWorld): WindowFunction {
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
  const fallback = otherwise ? (constantOf(otherwise, world) ?? NULL) : NULL;
  const expression = compileComputed(output, world);
  return (partition) =>
    mapped(
      partition,
      (_, i) => {
        const document = partition[i + offset];
        return document ? (expression(document) ?? NULL) : fallback;
      },
      world.meter,
    );
}

/** What there is behind the last document, and before the first one: nothing that a document has a say in. */
function constantOf(value: BsonValue, world: PipelineWorld): BsonValue | undefined {
  const expression = compileComputed(value, world);
  if (looksAtDocument(value)) throw failed("'$shift:default' expression must yield a constant value.");
  return expression(EMPTY_DOCUMENT);
}

/** The last value that was neither null nor missing. */
function locf(argument: BsonValue, _sorting: Sorting, world: PipelineWorld): WindowFunction {
  const expression = compileComputed(argument, world);
  return (partition) => {
    let last = NULL;
    const known = (document: Uint8Array) => {
      const value = expression(document);
      if (value && !isNullish(value)) last = value;
      return last;
    };
    return mapped(partition, known, world.meter);
  };
}

/** Errors: Location605001; of values, TypeMismatch 14 and Location6050106. Upstream: window_function_exec_linear_fill.cpp. */
function linearFill(argument: BsonValue, sorting: Sorting, world: PipelineWorld): WindowFunction {
  const [path, ...more] = sortFields(sorting);
  if (path === undefined || more.length > 0) throw needsOneSortField(605001, '$linearFill');
  const expression = compileComputed(argument, world);
  return function* (partition) {
    const places: number[] = [];
    let last: BsonValue | undefined;
    const known = (document: Uint8Array) => {
      const value = knownValue(expression, document);
      const sorted = valueAtPath(document, path);
      places.push(sortPlace(sorted, last));
      last = sorted;
      return value;
    };
    const values = yield* mapped(partition, known, world.meter);
    let [left, right]: [number | undefined, number] = [undefined, 0];
    return values.map((value, i) => {
      if (value) {
        left = i;
        return value;
      }
      while (right < values.length && (right <= i || values[right] === undefined)) right++;
      if (left === undefined || right === values.length) return NULL;
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

/** @param last the value before, which must be less, and no date where this one is a number */
function sortPlace(value: BsonValue | undefined, last: BsonValue | undefined): number {
  if (!value || (!isNumeric(value.type) && value.type !== BsonType.date)) {
    throw new CommandError('TypeMismatch', 'Sort field of $linearFill must be numeric or a date');
  }
  if (last && compareValues(value, last) === 0) {
    throw new CommandError(6050106, 'There can be no repeated values in the sort field of $linearFill');
  }
  if (last && isNumeric(last.type) !== isNumeric(value.type)) {
    throw new CommandError('TypeMismatch', 'Sort field of $linearFill must be either numeric or a date throughout');
  }
  return isNumeric(value.type) ? numberOf(value) : readInt64AsNumber(value.bytes, value.offset);
}

type Point = readonly [place: number | undefined, value: BsonValue | undefined];

function between([x0 = 0, y0 = NULL]: Point, [x1 = 0, y1 = NULL]: Point, x: number): BsonValue {
  const slope = (numberOf(y1) - numberOf(y0)) / (x1 - x0);
  return built((writer) => writer.double('v', numberOf(y0) + slope * (x - x0)));
}
