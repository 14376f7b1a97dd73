import { type Collator, extractIndexValues } from '@replsim/query';
import { compareKeys, encodeKey, type IndexBounds, type IndexSpec, ITSELF, invertKey } from '@replsim/storage';
import { type Interval, intervalsOf, isPoint } from './interval.ts';

/** The ranges of several parts are multiplied out only up to so many; what lies behind is then asked of each key. */
const MAX_PRODUCT = 1000;

/** How the bounds of all parts of an index are looked up. */
export interface KeyRanges {
  /** In the order of the index and apart from each other. */
  readonly ranges: readonly IndexBounds[];
  /** For parts behind a range: whether the key of this document is within their bounds. */
  readonly keyTest: ((document: Uint8Array) => boolean) | undefined;
}

/**
 * Turns bounds into ranges of keys: as far as the parts are held to points these are multiplied, the next part gives the
 * ranges. Simplification: bounds behind that choose among the keys of a range, where upstream skips over those between.
 * @param unbounded the parts from here on have no bounds
 */
export function keyRangesOf(
  { parts, collator }: IndexSpec,
  bounds: readonly (readonly Interval[])[],
  unbounded: number,
): KeyRanges {
  let prefixes = [''];
  let ranges: IndexBounds[] | undefined;
  let used = 0;
  for (const [i, { descending }] of parts.slice(0, unbounded).entries()) {
    const ascending = intervalsOf(bounds, i);
    const intervals = descending ? [...ascending].reverse() : ascending;
    if (i > 0 && prefixes.length * intervals.length > MAX_PRODUCT) break;
    used += 1;
    if (intervals.every(isPoint)) {
      prefixes = prefixes.flatMap((prefix) => intervals.map(({ low }) => prefix + directed(low.key, descending)));
      continue;
    }
    ranges = prefixes.flatMap((prefix) => intervals.map((each) => rangeOf(prefix, each, descending)));
    break;
  }
  const rest = parts.slice(used, unbounded).flatMap(({ path, plugin }, i) =>
    // The key of a geometry is not in the document, which is asked itself.
    plugin ? [] : [{ path, intervals: intervalsOf(bounds, used + i) }],
  );
  return {
    ranges: ranges ?? prefixes.map((prefix) => (prefix === '' ? {} : { lower: prefix, upper: prefix })),
    keyTest: rest.length > 0 ? (document) => rest.every((part) => hasKeyWithin(document, part, collator)) : undefined,
  };
}

function rangeOf(
  prefix: string,
  { low, lowInclusive, high, highInclusive }: Interval,
  descending: boolean,
): IndexBounds {
  const [from, fromIncluded] = descending ? [high, highInclusive] : [low, lowInclusive];
  const [to, toIncluded] = descending ? [low, lowInclusive] : [high, highInclusive];
  return {
    lower: prefix + directed(from.key, descending),
    lowerInclusive: fromIncluded,
    upper: prefix + directed(to.key, descending),
    upperInclusive: toIncluded,
  };
}

function directed(key: string, descending: boolean): string {
  return descending ? invertKey(key) : key;
}

/** The key is that of the document's own value: only indexes that are not multikey are asked so. */
function hasKeyWithin(
  document: Uint8Array,
  { path, intervals }: { readonly path: string; readonly intervals: readonly Interval[] },
  collator: Collator | undefined,
): boolean {
  const key = encodeKey(extractIndexValues(document, path).values[0]!, false, collator && ITSELF);
  // They are in order and apart: only the last two that begin at or below the key can hold it, as one may begin just above it.
  let first = 0;
  let behind = intervals.length;
  while (first < behind) {
    const middle = (first + behind) >>> 1;
    if (compareKeys(intervals[middle]!.low.key, key, collator) <= 0) first = middle + 1;
    else behind = middle;
  }
  return intervals.slice(Math.max(0, first - 2), first).some(({ low, lowInclusive, high, highInclusive }) => {
    const fromLow = compareKeys(key, low.key, collator);
    const fromHigh = compareKeys(key, high.key, collator);
    return (lowInclusive ? fromLow >= 0 : fromLow > 0) && (highInclusive ? fromHigh <= 0 : fromHigh < 0);
  });
}
