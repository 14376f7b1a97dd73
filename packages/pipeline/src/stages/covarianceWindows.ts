/** `$covariancePop` and `$covarianceSamp`. Upstream: window_function_covariance.cpp. */
import { BsonType, type BsonValue } from '@replsim/protocol';
import { doubleValue, type Meter, ROW_STEPS, Total } from '@replsim/query';
import { elementsOf } from '../fields/fields.ts';
import { isNumeric, numberOf } from '../fields/values.ts';
import { NULL } from './builtValues.ts';
import { applyOperator, compileComputed } from './expressions.ts';
import { type Moving, moveThrough } from './movingWindows.ts';
import { type Window, wholePartition } from './windowBounds.ts';
import type { WindowFunction } from './windowFunction.ts';
import { mapped } from './work.ts';
import type { PipelineWorld } from './world.ts';

/** @param lost 1 for a sample */
export function covariance(lost: 0 | 1) {
  return (
    argument: BsonValue,
    { window = wholePartition }: { readonly window: Window | undefined },
    world: PipelineWorld,
  ): WindowFunction => {
    const input = compileComputed(argument, world);
    const { meter } = world;
    return function* (partition) {
      const pairs = yield* mapped(partition, (document) => pairOf(input(document)), meter);
      return yield* moveThrough(partition, window, pairs, new MovingCovariance(lost, meter), meter);
    };
  };
}

type Pair = readonly [x: BsonValue, y: BsonValue];

/** What is no array of two numbers counts nothing. */
function pairOf(value: BsonValue | undefined): Pair | undefined {
  const [x, y, ...more] = value?.type === BsonType.array ? elementsOf(value) : [];
  if (!x || !y || more.length > 0 || !isNumeric(x.type) || !isNumeric(y.type)) return undefined;
  return [x, y];
}

/** In one pass (Welford): each pair adds its distance from the means before it times that from those behind it. */
class Covariance {
  readonly #sumX = new Total();
  readonly #sumY = new Total();
  readonly #products = new Total();
  #count = 0;

  add(pair: Pair): void {
    const [x, y] = pair;
    if (!isFinitePair(pair)) {
      this.#products.add(boundless(pair));
      return;
    }
    const deltaX = this.#count === 0 ? undefined : applyOperator('$subtract', x, this.#sumX.dividedBy(this.#count));
    this.#count++;
    this.#sumX.add(x);
    this.#sumY.add(y);
    if (deltaX === undefined) return;
    const deltaY = applyOperator('$subtract', y, this.#sumY.dividedBy(this.#count));
    this.#products.add(applyOperator('$multiply', deltaX, deltaY));
  }

  result(lost: 0 | 1): BsonValue {
    if (this.#count === 1 && lost === 0) return doubleValue(0);
    const divisor = this.#count - lost;
    if (divisor <= 0) return NULL;
    const { sum } = this.#products;
    if (sum.type === BsonType.decimal) return applyOperator('$divide', sum, doubleValue(divisor));
    return doubleValue(numberOf(sum) / divisor);
  }
}

const isFinitePair = (pair: Pair): boolean => pair.every((value) => Number.isFinite(numberOf(value)));

/** Whether doubles do not say all about it. */
const isSpecial = (pair: Pair): boolean => !isFinitePair(pair) || pair.some((value) => value.type === BsonType.decimal);

/** What a pair with an infinity or a NaN in it adds. */
function boundless(pair: Pair): BsonValue {
  const numbers = pair.map(numberOf).filter((number) => !Number.isFinite(number));
  const isDecimal = pair.some((value) => value.type === BsonType.decimal && !Number.isNaN(numberOf(value)));
  const sign = numbers.every((number) => number === numbers[0]) ? (numbers[0] ?? Number.NaN) : Number.NaN;
  return isDecimal ? applyOperator('$toDecimal', doubleValue(sign)) : doubleValue(sign);
}

/** A covariance of at most so many pairs is computed anew when one has gone: that rounds least. */
const FEW_PAIRS = 32;
/** So many that have gone are kept before the others move up. */
const MOST_GONE = 1024;

/**
 * The covariance of pairs that come and go. As long as none goes it is that of one pass. From then on it is computed anew where pairs are
 * few, or some are decimals or infinite; of the others it is joined from two stacks, so that nothing is taken out of a sum.
 */
class MovingCovariance implements Moving<Pair | undefined> {
  readonly #lost: 0 | 1;
  readonly #meter: Meter;
  /** Of all that came; undefined once one has gone. */
  #growing: Covariance | undefined = new Covariance();
  readonly #pairs: Pair[] = [];
  #first = 0;
  #specials = 0;
  readonly #queue = new SpreadQueue();

  constructor(lost: 0 | 1, meter: Meter) {
    this.#lost = lost;
    this.#meter = meter;
  }

  add(pair: Pair | undefined): void {
    if (!pair) return;
    this.#growing?.add(pair);
    this.#pairs.push(pair);
    if (isSpecial(pair)) this.#specials++;
    this.#queue.add(numberOf(pair[0]), numberOf(pair[1]));
  }

  remove(pair: Pair | undefined): void {
    if (!pair) return;
    this.#growing = undefined;
    this.#first++;
    if (isSpecial(pair)) this.#specials--;
    this.#queue.remove();
    if (this.#first < MOST_GONE || 2 * this.#first < this.#pairs.length) return;
    this.#pairs.splice(0, this.#first);
    this.#first = 0;
  }

  get result(): BsonValue {
    if (this.#growing) return this.#growing.result(this.#lost);
    const count = this.#pairs.length - this.#first;
    if (count > FEW_PAIRS && this.#specials === 0) {
      return doubleValue(this.#queue.spread.products / (count - this.#lost));
    }
    this.#meter.add(ROW_STEPS * count);
    const anew = new Covariance();
    for (let i = this.#first; i < this.#pairs.length; i++) anew.add(this.#pairs[i]!);
    return anew.result(this.#lost);
  }
}

/** Of some pairs: how many, their means, and the sum of the products of their distances from these. */
interface Spread {
  readonly count: number;
  readonly meanX: number;
  readonly meanY: number;
  readonly products: number;
}

const NOBODY: Spread = { count: 0, meanX: 0, meanY: 0, products: 0 };

/** Two groups as one (Chan, Golub and LeVeque). */
function joined(a: Spread, b: Spread): Spread {
  if (a.count === 0 || b.count === 0) return a.count === 0 ? b : a;
  const count = a.count + b.count;
  const [deltaX, deltaY] = [b.meanX - a.meanX, b.meanY - a.meanY];
  const share = b.count / count;
  return {
    count,
    meanX: a.meanX + deltaX * share,
    meanY: a.meanY + deltaY * share,
    products: a.products + b.products + deltaX * deltaY * a.count * share,
  };
}

/** A queue of two stacks: what is taken out comes from spreads of the last one, the last two, … of those that came in until it was filled. */
class SpreadQueue {
  #front: Spread[] = [];
  #back: Spread = NOBODY;
  #inBack: Spread[] = [];

  add(x: number, y: number): void {
    const one = { count: 1, meanX: x, meanY: y, products: 0 };
    this.#inBack.push(one);
    this.#back = joined(this.#back, one);
  }

  remove(): void {
    if (this.#front.length === 0) {
      let spread = NOBODY;
      for (const one of this.#inBack.reverse()) {
        spread = joined(one, spread);
        this.#front.push(spread);
      }
      this.#inBack = [];
      this.#back = NOBODY;
    }
    this.#front.pop();
  }

  get spread(): Spread {
    return joined(this.#front.at(-1) ?? NOBODY, this.#back);
  }
}
