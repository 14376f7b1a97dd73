import { Evaluation, type Meter, ROW_STEPS, type Slices, UNFINISHED } from '@replsim/query';

/**
 * Work as long as a client makes it, done a slice at a time so that others get their turn: each `yield` is what the slice cost, in µs of
 * virtual time.
 */
export type Work<T> = Generator<number, T, undefined>;

/** What it costs to read a stage anew, for a document whose values its variables have, or for a view. */
export const COMPILE_STEPS = 50;

/** To the end at once, for what takes no time. */
export function atOnce<T>(work: Work<T>): T {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

/** Counts the steps that were just done, and lets others have their turn if it is theirs. */
export function* pay(meter: Meter, steps: number): Work<void> {
  meter.add(steps);
  if (meter.isDue) yield meter.take();
}

/** Work of expressions' kind, which counts steps and not microseconds. */
export function* inParts<T>(slices: Slices<T>, meter: Meter): Work<T> {
  for (;;) {
    const part = slices.next();
    if (part.done) return part.value;
    yield* pay(meter, part.value);
  }
}

/** What is computed without effects and may be long: others have their turn in the middle of it. */
export function* attempted<T>(compute: () => T, meter: Meter, evaluation = new Evaluation(meter)): Work<T> {
  for (;;) {
    const result = evaluation.attempt(compute);
    if (result !== UNFINISHED) return result;
    yield meter.take();
  }
}

/** Those documents that `keeps` says yes to. */
export function* filtered<T>(input: readonly T[], keeps: (each: T) => boolean, meter: Meter): Work<T[]> {
  const kept: T[] = [];
  const evaluation = new Evaluation(meter);
  for (const each of input) {
    meter.add(ROW_STEPS);
    if (meter.isDue) yield meter.take();
    if (yield* attempted(() => keeps(each), meter, evaluation)) kept.push(each);
  }
  return kept;
}

/** What is made of each document, by what changes nothing before its expressions are computed. */
export function* mapped<T, R>(input: readonly T[], make: (each: T, index: number) => R, meter: Meter): Work<R[]> {
  const made: R[] = [];
  const evaluation = new Evaluation(meter);
  for (const [index, each] of input.entries()) {
    meter.add(ROW_STEPS);
    if (meter.isDue) yield meter.take();
    made.push(yield* attempted(() => make(each, index), meter, evaluation));
  }
  return made;
}

/** Makes a value when it is first asked for. */
export function lazily<T>(make: () => Work<T>): () => Work<T> {
  let made: { readonly value: T } | undefined;
  return function* () {
    made ??= { value: yield* make() };
    return made.value;
  };
}

/** Where documents stand that have a key, in order. */
export type PlacesByKey = ReadonlyMap<string, readonly number[]>;

/** The places of documents by each of their keys. */
export function* placesByKey(
  all: () => Work<readonly Uint8Array[]>,
  keysOf: (document: Uint8Array) => Iterable<string>,
  meter: Meter,
): Work<PlacesByKey> {
  const documents = yield* all();
  const index = new Map<string, number[]>();
  for (const [place, document] of documents.entries()) {
    meter.add(ROW_STEPS);
    if (meter.isDue) yield meter.take();
    for (const key of keysOf(document)) {
      const held = index.get(key);
      if (held) held.push(place);
      else index.set(key, [place]);
    }
  }
  return index;
}
