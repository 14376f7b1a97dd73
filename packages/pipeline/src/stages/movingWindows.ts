/**
 * Accumulators over the windows of a partition, one after the other. A window begins and ends no earlier than the one before it, so each value
 * comes in once and goes out once, however long windows are. Upstream: window_function_exec_removable_document.cpp.
 */
import type { BsonValue } from '@replsim/protocol';
import {
  type Collator,
  compareValues,
  doubleValue,
  type Meter,
  MovingTotal,
  ROW_STEPS,
  readQuantiles,
} from '@replsim/query';
import { valueKeys } from '@replsim/storage';
import { isNumeric, numberOf } from '../fields/values.ts';
import { arrayValue, built, isNullish, NULL } from './builtValues.ts';
import { compileComputed } from './expressions.ts';
import { orderedWindow } from './orderedWindows.ts';
import { type Window, wholePartition } from './windowBounds.ts';
import type { WindowFunction } from './windowFunction.ts';
import { mapped, pay, type Work } from './work.ts';
import type { PipelineWorld } from './world.ts';

type Value = BsonValue | undefined;

/** What is in a window, and what an accumulator makes of it. */
export interface Moving<T = Value> {
  add(value: T): void;
  /** The one that was added first and is still there. */
  remove(value: T): void;
  readonly result: BsonValue;
}

type MakeMoving = (collator: Collator | undefined) => Moving;

const MOVING: Readonly<Record<string, MakeMoving>> = {
  $sum: () => new MovingSum((total) => total.sum),
  $avg: () => new MovingSum((total) => total.mean ?? NULL),
  $min: (collator) => new MovingExtreme(-1, collator),
  $max: (collator) => new MovingExtreme(1, collator),
  $stdDevPop: () => new MovingDeviation(0),
  $stdDevSamp: () => new MovingDeviation(1),
  $addToSet: (collator) => new MovingSet(collator),
};

/** Those that need no more than the values that are in a window. */
const LOOKING: Readonly<Record<string, (values: readonly Value[], start: number, end: number) => BsonValue>> = {
  $first: (values, start, end) => (start < end ? values[start] : undefined) ?? NULL,
  $last: (values, start, end) => (start < end ? values[end - 1] : undefined) ?? NULL,
  $push: (values, start, end) => arrayValue(values.slice(start, end).filter((value) => value !== undefined)),
  $count: (_, start, end) => built((writer) => writer.int32('v', end - start)),
};

/** @returns undefined for an accumulator that computes each window anew */
export function movingFunction(
  name: string,
  argument: BsonValue,
  window: Window,
  world: PipelineWorld,
): WindowFunction | undefined {
  const { collator, meter } = world;
  const ordered = orderedWindow(name, argument, window, world);
  if (ordered !== undefined) return ordered;
  if (name === '$median' || name === '$percentile') return quantileWindow(name, argument, window, world);
  const look = LOOKING[name];
  const make = MOVING[name];
  if (look === undefined && make === undefined) return undefined;
  const expression = name === '$count' ? () => undefined : compileComputed(argument, world);
  if (look !== undefined)
    return function* (partition) {
      const values = yield* mapped(partition, expression, meter);
      const lookAt = (_: Uint8Array, index: number) => counted(look(values, ...window(partition, index)), meter);
      return yield* mapped(partition, lookAt, meter);
    };
  if (make === undefined) return undefined;
  return function* (partition) {
    const values = yield* mapped(partition, expression, meter);
    return yield* moveThrough(partition, window, values, make(collator), meter);
  };
}

/** What is in each window of a partition, one after the other. */
export function* moveThrough<T>(
  partition: readonly Uint8Array[],
  window: Window,
  values: readonly T[],
  moving: Moving<T>,
  meter: Meter,
): Work<BsonValue[]> {
  const results: BsonValue[] = [];
  let [from, to] = [0, 0];
  for (const index of partition.keys()) {
    yield* pay(meter, ROW_STEPS);
    const [start, end] = window(partition, index);
    for (; to < end; yield* pay(meter, 1)) moving.add(values[to++]!);
    for (; from < start; yield* pay(meter, 1)) moving.remove(values[from++]!);
    results.push(moving.result);
  }
  return results;
}

/** In windows that move, the numbers themselves; where all have one window, the digest that a group has. */
function quantileWindow(
  name: string,
  argument: BsonValue,
  window: Window,
  world: PipelineWorld,
): WindowFunction | undefined {
  if (window === wholePartition) return undefined;
  const { input, moving } = readQuantiles(name, argument, (value) => compileComputed(value, world));
  return function* (partition) {
    const values = yield* mapped(partition, input, world.meter);
    return yield* moveThrough(partition, window, values, moving(), world.meter);
  };
}

/** A `$push` of a window is as long as the window. */
function counted(value: BsonValue, meter: Meter): BsonValue {
  meter.add(value.size >>> 6);
  return value;
}

/** What is no number counts nothing. */
class MovingSum implements Moving {
  readonly #total = new MovingTotal();
  readonly #read: (total: MovingTotal) => BsonValue;

  constructor(read: (total: MovingTotal) => BsonValue) {
    this.#read = read;
  }

  add(value: Value): void {
    if (value && isNumeric(value.type)) this.#total.add(value);
  }

  remove(value: Value): void {
    if (value && isNumeric(value.type)) this.#total.remove(value);
  }

  get result(): BsonValue {
    return this.#read(this.#total);
  }
}

/** Numbers so far: how many, their mean, and the sum of their squared distances from it. */
interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly squares: number;
}

const NOBODY: Spread = { count: 0, mean: 0, squares: 0 };

/** Two groups of numbers as one (Chan, Golub and LeVeque); for one number more it is what `deviationOf` does. */
function joined(a: Spread, b: Spread): Spread {
  const count = a.count + b.count;
  if (a.count === 0 || b.count === 0) return a.count === 0 ? b : a;
  const delta = b.mean - a.mean;
  const mean = a.mean + (b.count === 1 ? delta / count : (delta * b.count) / count);
  const more = b.count === 1 ? delta * (b.mean - mean) : (delta * delta * a.count * b.count) / count;
  return { count, mean, squares: a.squares + b.squares + more };
}

/**
 * A queue of two stacks, so that nothing is ever taken out of a sum: a large number that has left the window leaves no rounding behind. What is
 * taken out comes from spreads of the last one, the last two, … of those that came in until the stack was filled.
 */
class MovingDeviation implements Moving {
  readonly #lost: 0 | 1;
  #front: Spread[] = [];
  #back: Spread = NOBODY;
  #inBack: number[] = [];
  /** Of these no distance is a number. */
  #boundless = 0;

  constructor(lost: 0 | 1) {
    this.#lost = lost;
  }

  add(value: Value): void {
    const number = numberIn(value);
    if (number === undefined) return;
    if (!Number.isFinite(number)) this.#boundless++;
    else {
      this.#inBack.push(number);
      this.#back = joined(this.#back, { count: 1, mean: number, squares: 0 });
    }
  }

  remove(value: Value): void {
    const number = numberIn(value);
    if (number === undefined) return;
    if (!Number.isFinite(number)) this.#boundless--;
    else {
      if (this.#front.length === 0) this.#turnOver();
      this.#front.pop();
    }
  }

  #turnOver(): void {
    let spread = NOBODY;
    for (const number of this.#inBack.reverse()) {
      spread = joined(spread, { count: 1, mean: number, squares: 0 });
      this.#front.push(spread);
    }
    this.#inBack = [];
    this.#back = NOBODY;
  }

  get result(): BsonValue {
    const { count, squares } = joined(this.#front.at(-1) ?? NOBODY, this.#back);
    const divisor = count + this.#boundless - this.#lost;
    if (divisor <= 0) return NULL;
    return doubleValue(this.#boundless > 0 ? Number.NaN : Math.sqrt(squares / divisor));
  }
}

function numberIn(value: Value): number | undefined {
  return value && isNumeric(value.type) ? numberOf(value) : undefined;
}

/** Each value once, in the order in which they were first met in the window. */
class MovingSet implements Moving {
  readonly #keyOf: ReturnType<typeof valueKeys>;
  readonly #held = new Map<string, { readonly value: BsonValue; readonly place: number }[]>();
  #places = 0;

  constructor(collator: Collator | undefined) {
    this.#keyOf = valueKeys(collator);
  }

  add(value: Value): void {
    if (value === undefined) return;
    const key = this.#keyOf(value);
    const met = { value, place: this.#places++ };
    const others = this.#held.get(key);
    if (others) others.push(met);
    else this.#held.set(key, [met]);
  }

  remove(value: Value): void {
    if (value === undefined) return;
    const key = this.#keyOf(value);
    const others = this.#held.get(key);
    others?.shift();
    if (others?.length === 0) this.#held.delete(key);
  }

  get result(): BsonValue {
    const first = [...this.#held.values()].map(([met]) => met!);
    return arrayValue(first.sort((a, b) => a.place - b.place).map(({ value }) => value));
  }
}

/** Keeps those that may still become the extreme: of equal ones the first one counts. */
class MovingExtreme implements Moving {
  readonly #sign: 1 | -1;
  readonly #collator: Collator | undefined;
  readonly #kept: BsonValue[] = [];
  #first = 0;

  constructor(sign: 1 | -1, collator: Collator | undefined) {
    this.#sign = sign;
    this.#collator = collator;
  }

  add(value: Value): void {
    if (value === undefined || isNullish(value)) return;
    while (this.#kept.length > this.#first && this.#isBetter(value, this.#kept.at(-1)!)) this.#kept.pop();
    this.#kept.push(value);
  }

  remove(value: Value): void {
    if (value === undefined || this.#kept[this.#first] !== value) return;
    this.#first += 1;
    if (this.#first * 2 <= this.#kept.length) return;
    this.#kept.splice(0, this.#first);
    this.#first = 0;
  }

  get result(): BsonValue {
    return this.#kept[this.#first] ?? NULL;
  }

  #isBetter(value: BsonValue, other: BsonValue): boolean {
    return Math.sign(compareValues(value, other, this.#collator)) === this.#sign;
  }
}
