/**
 * Accumulators over the windows of a partition, one after the other. A window begins and ends no earlier than the one before it, so each value
 * comes in once and goes out once, however long windows are. Upstream: window_function_exec_removable_document.cpp.
 */
import type { BsonValue } from '@replsim/protocol';
import { type Collator, compareValues, type Expression, type Meter, MovingTotal } from '@replsim/query';
import { isNumeric } from '../fields/values.ts';
import { arrayValue, built, isNullish, NULL } from './builtValues.ts';
import type { Window } from './windowBounds.ts';
import type { WindowFunction } from './windowFunction.ts';
import { mapped } from './work.ts';
import type { PipelineWorld } from './world.ts';

type Value = BsonValue | undefined;

/** What is in a window, and what an accumulator makes of it. */
interface Moving {
  add(value: Value): void;
  /** The one that was added first and is still there. */
  remove(value: Value): void;
  readonly result: BsonValue;
}

type MakeMoving = (collator: Collator | undefined) => Moving;

const MOVING: Readonly<Record<string, MakeMoving>> = {
  $sum: () => new MovingSum((total) => total.sum),
  $avg: () => new MovingSum((total) => total.mean ?? NULL),
  $min: (collator) => new MovingExtreme(-1, collator),
  $max: (collator) => new MovingExtreme(1, collator),
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
  expression: Expression,
  window: Window,
  { collator, meter }: Pick<PipelineWorld, 'collator' | 'meter'>,
): WindowFunction | undefined {
  const look = LOOKING[name];
  if (look !== undefined)
    return function* (partition) {
      const values = yield* mapped(partition, expression, meter);
      const lookAt = (_: Uint8Array, index: number) => counted(look(values, ...window(partition, index)), meter);
      return yield* mapped(partition, lookAt, meter);
    };
  const make = MOVING[name];
  if (make === undefined) return undefined;
  return function* (partition) {
    const values = yield* mapped(partition, expression, meter);
    const moving = make(collator);
    let [from, to] = [0, 0];
    const moveTo = (_: Uint8Array, index: number) => {
      const [start, end] = window(partition, index);
      while (to < end) moving.add(values[to++]);
      while (from < start) moving.remove(values[from++]);
      return moving.result;
    };
    return yield* mapped(partition, moveTo, meter);
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
