/**
 * Window functions that reckon with two values of a document, or with all of them that came before. Whole numbers and decimals
 * stay what they are. Upstream: window_function_covariance.cpp, window_function_integral.cpp, window_function_exec_derivative.cpp,
 * accumulator_exp_moving_avg.cpp, window_function_expression.h.
 */
import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import { combineNumbers, doubleValue, type Expression, MovingTotal } from '@replsim/query';
import { Fields } from '../fields/fields.ts';
import { bytesOf, isNumeric, numberOf } from '../fields/values.ts';
import { built, NULL } from './builtValues.ts';
import { covariance } from './covarianceWindows.ts';
import { applyOperator, compileComputed } from './expressions.ts';
import { type Moving, moveThrough } from './movingWindows.ts';
import { fixedMillis } from './timeUnits.ts';
import { type Window, wholePartition } from './windowBounds.ts';
import { failed, type Sorting, sortFields, type WindowFunction } from './windowFunction.ts';
import { mapped } from './work.ts';
import type { PipelineWorld } from './world.ts';

/** What the function stands in; a window only if it has one. */
interface Place {
  readonly sorting: Sorting;
  readonly window: Window | undefined;
}

type Compile = (argument: BsonValue, place: Place, world: PipelineWorld) => WindowFunction;

/** By name: those that take a window. */
export const numericWindows: Readonly<Record<string, Compile>> = {
  $covariancePop: covariance(0),
  $covarianceSamp: covariance(1),
  $derivative: derivative,
  $integral: integral,
};

const int = (value: number) => built((writer) => writer.int32('v', value));
const isNaNumber = (value: BsonValue) => isNumeric(value.type) && Number.isNaN(numberOf(value));

type Pair = readonly [x: BsonValue, y: BsonValue];

interface Arguments {
  readonly input: Expression;
  /** Where documents are sorted. */
  readonly place: Expression;
  /** Of the unit of time. */
  readonly millis: BsonValue | undefined;
}

/** Errors: FailedToParse 9, Location5490710 for a unit above a week. Upstream: ExpressionWithUnit. */
function argumentsOf(name: string, argument: BsonValue, sorting: Sorting, world: PipelineWorld): Arguments {
  if (!sorting.sortBy) throw failed(`${name} requires a sortBy`);
  const [path, ...more] = sortFields(sorting);
  if (path === undefined || more.length > 0) throw failed(`${name} requires a non-compound sortBy`);
  if (new Fields(sorting.sortBy, 'sortBy').rawValue(path)?.type === BsonType.object) {
    throw failed(`${name} requires a non-expression sortBy`);
  }
  if (argument.type !== BsonType.object) throw failed(`${name} expects an object`);
  const fields = new Fields(bytesOf(argument), name);
  const unknown = fields.names.find((field) => field !== 'input' && field !== 'unit');
  if (unknown !== undefined) throw failed(`${name} got unexpected argument: ${unknown}`);
  const unit = fields.rawValue('unit');
  if (unit && unit.type !== BsonType.string) throw failed(`${name} 'unit' must be a string`);
  const millis = unit && fixedMillis(readString(unit));
  const input = fields.rawValue('input');
  if (!input) throw failed(`${name} requires an 'input' expression`);
  return {
    input: compileComputed(input, world),
    place: compileComputed(
      built((writer) => writer.string('v', `$${path}`)),
      world,
    ),
    millis: millis === undefined ? undefined : built((writer) => writer.int64('v', BigInt(millis))),
  };
}

/**
 * The slope from the first document of the window to the last; null for one of no length. Errors: FailedToParse 9 without a window;
 * of documents, Location5624900 to 5624903.
 */
function derivative(argument: BsonValue, { sorting, window }: Place, world: PipelineWorld): WindowFunction {
  const { input, place, millis } = argumentsOf('$derivative', argument, sorting, world);
  if (!window) throw failed('$derivative requires explicit window bounds');
  return (partition) => {
    const slopeAt = (_: Uint8Array, i: number) => {
      const [start, end] = window(partition, i);
      const [left, right] = [partition[start], partition[end - 1]];
      if (!left || !right || start >= end) return NULL;
      const run = runOf(place(left), place(right), millis !== undefined);
      const rise = applyOperator('$subtract', input(right) ?? NULL, input(left) ?? NULL);
      if (rise.type === BsonType.null) {
        throw new CommandError(5624903, '$derivative input must not be null or missing');
      }
      if (numberOf(run) === 0) return NULL;
      const slope = applyOperator('$divide', rise, run);
      return millis ? applyOperator('$multiply', slope, millis) : slope;
    };
    return mapped(partition, slopeAt, world.meter);
  };
}

function runOf(from: BsonValue | undefined, to: BsonValue | undefined, hasUnit: boolean): BsonValue {
  const dates = [from, to].filter((time) => time?.type === BsonType.date);
  if (hasUnit && dates.length < 2) {
    throw new CommandError(5624900, "$derivative with 'unit' expects the sortBy field to be a Date");
  }
  if (!hasUnit && dates.length > 0) {
    throw new CommandError(5624901, "$derivative where the sortBy is a Date requires an 'unit'");
  }
  if (!from || !to || (!hasUnit && !(isNumeric(from.type) && isNumeric(to.type)))) {
    throw new CommandError(5624902, "$derivative (with no 'unit') expects the sortBy field to be numeric");
  }
  return applyOperator('$subtract', to, from);
}

/** The area below the line through all points of the window. Errors: of documents, Location5423900 to 5423902. */
function integral(
  argument: BsonValue,
  { sorting, window = wholePartition }: Place,
  world: PipelineWorld,
): WindowFunction {
  const { input, place, millis } = argumentsOf('$integral', argument, sorting, world);
  const { meter } = world;
  return function* (partition) {
    const pointOf = (document: Uint8Array): Pair => [place(document) ?? NULL, input(document) ?? NULL];
    const points = yield* mapped(partition, pointOf, meter);
    return yield* moveThrough(partition, window, points, new MovingArea(millis), meter);
  };
}

/** Between points that come and go at the two ends of a window. */
class MovingArea implements Moving<Pair> {
  readonly #millis: BsonValue | undefined;
  /** Of each point that is there, what lies between it and the one before it; of the first one it is no longer in the total. */
  readonly #areas: (BsonValue | undefined)[] = [];
  #first = 0;
  #last: Pair | undefined;
  #notANumber = 0;
  readonly #total = new MovingTotal();

  constructor(millis: BsonValue | undefined) {
    this.#millis = millis;
  }

  add(point: Pair): void {
    checkPoint(point, this.#millis !== undefined);
    if (point.some(isNaNumber)) this.#notANumber++;
    const area = this.#last && this.#first < this.#areas.length ? areaBetween(this.#last, point) : undefined;
    if (area) this.#total.add(area);
    this.#areas.push(area);
    this.#last = point;
  }

  remove(point: Pair): void {
    if (point.some(isNaNumber)) this.#notANumber--;
    const next = this.#areas[++this.#first];
    if (next) this.#total.remove(next);
  }

  get result(): BsonValue {
    if (this.#first >= this.#areas.length) return NULL;
    if (this.#notANumber > 0) return doubleValue(Number.NaN);
    const { sum } = this.#total;
    return this.#millis ? applyOperator('$divide', sum, this.#millis) : sum;
  }
}

function checkPoint([x, y]: Pair, hasUnit: boolean): void {
  const isDate = x.type === BsonType.date;
  if (!isNumeric(y.type) || !(isDate || isNumeric(x.type))) {
    const errmsg =
      'The input value of $integral window function must be a vector of 2 value, the first value must be numeric or date type and the second must be numeric.';
    throw new CommandError(5423900, errmsg);
  }
  if (hasUnit && !isDate)
    throw new CommandError(5423901, "$integral with 'unit' expects the sortBy field to be a Date");
  if (!hasUnit && isDate) {
    throw new CommandError(5423902, "$integral (with no 'unit') expects the sortBy field to be numeric");
  }
}

/** By the trapezoidal rule. */
function areaBetween([x0, y0]: Pair, [x1, y1]: Pair): BsonValue {
  const doubled = applyOperator('$multiply', applyOperator('$add', y1, y0), applyOperator('$subtract', x1, x0));
  return applyOperator('$divide', doubled, doubleValue(2));
}

const DECIMAL_ONE = applyOperator('$toDecimal', int(1));

/** Each number counts by `alpha`, and what came before it by the rest. Computed in decimals. Errors: FailedToParse 9. */
export function expMovingAvg(argument: BsonValue, sorting: Sorting, world: PipelineWorld): WindowFunction {
  if (argument.type !== BsonType.object) throw failed('$expMovingAvg must have exactly one argument that is an object');
  const fields = new Fields(bytesOf(argument), '$expMovingAvg');
  const input = fields.rawValue('input');
  if (!input || fields.names.length !== 2) throw wrongFields();
  if (!sorting.sortBy) throw failed("$expMovingAvg requires an explicit 'sortBy'");
  const expression = compileComputed(input, world);
  const alpha = alphaOf(fields);
  const rest = applyOperator('$subtract', DECIMAL_ONE, alpha);
  return (partition) => {
    let average: BsonValue | undefined;
    let isDecimal = false;
    const averageAt = (document: Uint8Array) => {
      const value = expression(document);
      if (value && isNumeric(value.type)) {
        isDecimal ||= value.type === BsonType.decimal;
        average = average
          ? applyOperator('$add', inDecimal(value, alpha), inDecimal(average, rest))
          : inDecimal(value, DECIMAL_ONE);
      }
      if (!average) return NULL;
      return isDecimal ? average : doubleValue(numberOf(average));
    };
    return mapped(partition, averageAt, world.meter);
  };
}

/** A number times a decimal. */
function inDecimal(value: BsonValue, factor: BsonValue): BsonValue {
  return combineNumbers('multiply', value, factor) ?? NULL;
}

function wrongFields(): CommandError {
  return failed("$expMovingAvg sub object must have exactly two fields: An 'input' field, and either an 'N' field or an 'alpha' field"); // biome-ignore format: one line
}

/** A decimal between 0 and 1. */
function alphaOf(fields: Fields): BsonValue {
  const n = fields.rawValue('N');
  if (n) {
    if (!isNumeric(n.type) || !Number.isInteger(numberOf(n))) throw failed("'N' field must be an integer");
    if (numberOf(n) <= 0) throw failed(`'N' must be greater than zero. Got ${numberOf(n)}`);
    return applyOperator('$divide', applyOperator('$toDecimal', int(2)), applyOperator('$add', DECIMAL_ONE, n));
  }
  const alpha = fields.rawValue('alpha');
  if (!alpha) throw wrongFields();
  if (!isNumeric(alpha.type)) throw failed("'alpha' must be a number");
  if (!(numberOf(alpha) > 0 && numberOf(alpha) < 1)) {
    throw failed(`'alpha' must be between 0 and 1 (exclusive), found ${numberOf(alpha)}`);
  }
  return inDecimal(alpha, DECIMAL_ONE);
}
