/** Windows of accumulators that take the first or the last ones of an order: the documents' own, that of values, or another of documents. */
import type { BsonValue } from '@replsim/protocol';
import { compareValues } from '@replsim/query';
import { readSeveral, readSorted } from './accumulators.ts';
import { arrayValue, isNullish, NULL } from './builtValues.ts';
import type { Window } from './windowBounds.ts';
import type { WindowFunction } from './windowFunction.ts';
import { mapped } from './work.ts';
import type { PipelineWorld } from './world.ts';

/** @returns undefined for an accumulator that is none of these */
export function orderedWindow(
  name: string,
  argument: BsonValue,
  window: Window,
  world: PipelineWorld,
): WindowFunction | undefined {
  switch (name) {
    case '$firstN':
    case '$lastN':
      return atAnEnd(name, argument, window, world);
    case '$minN':
    case '$maxN':
      return extremes(name, argument, window, world);
    case '$top':
    case '$topN':
    case '$bottom':
    case '$bottomN':
      return byDocuments(name, argument, window, world);
    default:
      return undefined;
  }
}

function atAnEnd(name: string, argument: BsonValue, window: Window, world: PipelineWorld): WindowFunction {
  const { input, most } = readSeveral(name, argument, world);
  return function* (partition) {
    const values = yield* mapped(partition, (document) => input(document) ?? NULL, world.meter);
    const ofWindow = (_: Uint8Array, index: number) => {
      const [start, end] = window(partition, index);
      return arrayValue(
        name === '$firstN'
          ? values.slice(start, Math.min(end, start + most))
          : values.slice(Math.max(start, end - most), end),
      );
    };
    return yield* mapped(partition, ofWindow, world.meter);
  };
}

function extremes(name: string, argument: BsonValue, window: Window, world: PipelineWorld): WindowFunction {
  const { input, most } = readSeveral(name, argument, world);
  const sign = name === '$minN' ? 1 : -1;
  return function* (partition) {
    const values = yield* mapped(partition, (document) => input(document) ?? NULL, world.meter);
    const order = new MovingOrder(
      values.map((value) => (isNullish(value) ? undefined : value)),
      (a, b) => sign * compareValues(a, b, world.collator),
    );
    const ofWindow = (_: Uint8Array, index: number) => {
      order.moveTo(...window(partition, index));
      return arrayValue(order.first(most));
    };
    return yield* mapped(partition, ofWindow, world.meter);
  };
}

function byDocuments(name: string, argument: BsonValue, window: Window, world: PipelineWorld): WindowFunction {
  const { order: compare, output, most } = readSorted(name, argument, world);
  const isTop = name.startsWith('$top');
  return function* (partition) {
    const keyOf = (document: Uint8Array) => ({ document, key: compare.keyOf(document) });
    const keyed = yield* mapped(partition, keyOf, world.meter);
    const order = new MovingOrder(keyed, (a, b) => compare.compare(a.key, b.key));
    const ofWindow = (_: Uint8Array, index: number) => {
      order.moveTo(...window(partition, index));
      const chosen = isTop ? order.first(most ?? 1) : order.last(most ?? 1);
      const values = chosen.map(({ document }) => output(document) ?? NULL);
      return most === undefined ? (values[0] ?? NULL) : arrayValue(values);
    };
    return yield* mapped(partition, ofWindow, world.meter);
  };
}

/** What is in a window that moves, in order; equal ones as they come in the partition. */
class MovingOrder<T> {
  readonly #all: readonly (T | undefined)[];
  readonly #compare: (a: T, b: T) => number;
  readonly #sorted: T[] = [];
  #from = 0;
  #to = 0;

  /** @param all in the order of the partition; undefined for what does not count */
  constructor(all: readonly (T | undefined)[], compare: (a: T, b: T) => number) {
    this.#all = all;
    this.#compare = compare;
  }

  moveTo(start: number, end: number): void {
    for (; this.#to < end; this.#to++) {
      const each = this.#all[this.#to];
      if (each !== undefined) this.#sorted.splice(this.#place(each, 1), 0, each);
    }
    for (; this.#from < start; this.#from++) {
      const each = this.#all[this.#from];
      if (each !== undefined) this.#sorted.splice(this.#place(each, 0), 1);
    }
  }

  first(n: number): readonly T[] {
    return this.#sorted.slice(0, n);
  }

  last(n: number): readonly T[] {
    return this.#sorted.slice(-n);
  }

  /** In front of those that equal it, of which the one that came first is the first; or behind them. @param from order that is behind: 0 or 1 */
  #place(each: T, from: 0 | 1): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#sorted[middle]!, each) < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
