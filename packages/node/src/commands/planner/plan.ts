import { BsonType, type BsonValue, CommandError, ElementCursor } from '@replsim/protocol';
import {
  type CollectionView,
  encodeKey,
  type IndexBounds,
  type IndexView,
  invertKey,
  typePrefix,
} from '@replsim/storage';
import { numberOf, stringOf } from '../values.ts';
import { type Condition, conditionsOf } from './conditions.ts';

/** How a query reaches its documents: in natural order, or along ranges of one index, in their order. */
export type Plan =
  | { readonly stage: 'COLLSCAN'; readonly reverse: boolean; readonly sorted: boolean }
  | {
      readonly stage: 'IXSCAN';
      readonly index: IndexView;
      readonly ranges: readonly IndexBounds[];
      /** The order of the index is the order that was asked for. */
      readonly sorted: boolean;
    };

export interface PlanRequest {
  readonly filter: Uint8Array;
  /** Absent or empty if any order will do. */
  readonly sort?: Uint8Array | undefined;
  /** An index by name or by key pattern, or `{ $natural: ±1 }`. */
  readonly hint?: BsonValue | undefined;
  /** Reads in natural order, whatever else there is. */
  readonly tailable?: boolean;
}

/**
 * Chooses how to read a collection. Points come before ranges, ranges before an index that only sorts, and among equals
 * the index made first. Simplification: there is no trial of plans, one index serves one query, and the ranges come from
 * conditions on its first field alone.
 * Throws BadValue 2 for a hint that fits no usable index. Upstream: query_planner.cpp, QueryPlanner::plan.
 */
export function choosePlan(collection: CollectionView, request: PlanRequest): Plan {
  const natural = request.tailable ? 1 : (naturalDirection(request.sort) ?? naturalDirection(request.hint));
  if (natural !== undefined)
    return {
      stage: 'COLLSCAN',
      reverse: natural < 0,
      sorted: !request.sort || naturalDirection(request.sort) !== undefined,
    };
  const conditions = conditionsOf(request.filter);
  const order = sortFields(request.sort);
  if (request.hint) return indexPlan(hintedIndex(collection, request.hint), conditions, order);
  const usable = collection.indexes.filter(isUsable);
  const best =
    usable.find((index) => conditionFor(index, conditions)?.points) ??
    usable.find((index) => conditionFor(index, conditions)) ??
    (order.length > 0 ? usable.find((index) => !index.spec.sparse && sorts(index, order) !== undefined) : undefined);
  return best ? indexPlan(best, conditions, order) : { stage: 'COLLSCAN', reverse: false, sorted: order.length === 0 };
}

function indexPlan(index: IndexView, conditions: ReadonlyMap<string, Condition>, order: readonly SortField[]): Plan {
  const condition = conditionFor(index, conditions);
  const ranges = condition ? rangesOf(index, condition) : [{}];
  const reverse = order.length === 0 ? false : sorts(index, order);
  // A document of a multikey index has several places; which one counts is for the sort to say.
  if (reverse === undefined) return { stage: 'IXSCAN', index, ranges, sorted: false };
  const directed = ranges.map((range) => ({ ...range, reverse }));
  return { stage: 'IXSCAN', index, ranges: reverse ? directed.reverse() : directed, sorted: true };
}

/** The key ranges in the order of the index; disjoint, so that no document comes up twice for one key. */
function rangesOf(index: IndexView, condition: Condition): IndexBounds[] {
  const descending = index.spec.parts[0]!.descending;
  if (condition.points) {
    const keys = new Set(condition.points.map((point) => encodeKey(point, descending)));
    return [...keys].sort(byCodeUnits).map((key) => ({ lower: key, upper: key }));
  }
  const range = rangeOf(condition, index.multikey);
  return [descending ? inverted(range) : range];
}

/**
 * One range of an ascending index. In a multikey index the two limits may be met by two elements of an array, so one
 * limit alone may be used; where the limits are of different types nothing matches but arrays, and again one is used.
 */
function rangeOf({ lower, upper }: Condition, multikey: boolean): IndexBounds {
  const from = lower && encodeKey(lower.value);
  const to = upper && encodeKey(upper.value);
  const both = !multikey && lower && upper && typePrefix(lower.value.type) === typePrefix(upper.value.type);
  if (both) {
    return { lower: from!, lowerInclusive: lower.inclusive, upper: to!, upperInclusive: upper.inclusive };
  }
  if (lower) return { lower: from!, lowerInclusive: lower.inclusive, upper: typePrefix(lower.value.type) };
  return { lower: typePrefix(upper!.value.type), upper: to!, upperInclusive: upper!.inclusive };
}

/** The same range where the first field descends. */
function inverted({ lower, lowerInclusive = true, upper, upperInclusive = true }: IndexBounds): IndexBounds {
  return {
    lower: invertKey(upper!),
    lowerInclusive: upperInclusive,
    upper: invertKey(lower!),
    upperInclusive: lowerInclusive,
  };
}

function isUsable({ spec }: IndexView): boolean {
  return spec.kind === 'ordered' && !spec.hidden && spec.partialFilter === undefined;
}

/** What an index can be searched for. Queries compare strings byte by byte, and an index with a collation does not. */
function conditionFor(index: IndexView, conditions: ReadonlyMap<string, Condition>): Condition | undefined {
  const condition = conditions.get(firstPath(index));
  if (!condition || !index.spec.collated) return condition;
  const { points = [], lower, upper } = condition;
  const values = [...points, ...(lower ? [lower.value] : []), ...(upper ? [upper.value] : [])];
  return values.some(({ type }) => type === BsonType.string || type === BsonType.object) ? undefined : condition;
}

function firstPath({ spec }: IndexView): string {
  return spec.parts[0]!.path;
}

interface SortField {
  readonly path: string;
  readonly descending: boolean;
}

/** Empty if there is no sort; sorting by anything but a direction (`$meta`) is for the sort itself to judge. */
function sortFields(sort: Uint8Array | undefined): SortField[] {
  const fields: SortField[] = [];
  if (!sort) return fields;
  const cursor = new ElementCursor(sort);
  while (cursor.next()) fields.push({ path: cursor.name, descending: numberOf(cursor) < 0 });
  return fields;
}

/** Whether walking the index gives this order: false forwards, true backwards, undefined not at all. */
function sorts({ spec, multikey }: IndexView, order: readonly SortField[]): boolean | undefined {
  if (multikey || spec.collated || spec.kind !== 'ordered' || order.length > spec.parts.length) return undefined;
  const turned = order.map((field, i) => {
    const part = spec.parts[i]!;
    return part.path === field.path ? part.descending !== field.descending : undefined;
  });
  return turned.every((each) => each === turned[0]) ? turned[0] : undefined;
}

/** The direction of `{ $natural: ±1 }`, undefined for another sort or hint. */
export function naturalDirection(order: Uint8Array | BsonValue | undefined): 1 | -1 | undefined {
  if (!order) return undefined;
  const cursor = order instanceof Uint8Array ? new ElementCursor(order) : elementsOf(order);
  if (!cursor?.next() || cursor.name !== '$natural') return undefined;
  return numberOf(cursor) < 0 ? -1 : 1;
}

function elementsOf(hint: BsonValue): ElementCursor | undefined {
  return hint.type === BsonType.object ? new ElementCursor(hint.bytes, hint.offset) : undefined;
}

function hintedIndex(collection: CollectionView, hint: BsonValue): IndexView {
  const found =
    hint.type === BsonType.string
      ? collection.index(stringOf(hint))
      : collection.indexes.find(({ spec }) => sameBytesOrNumbers(spec.keyPattern, hint));
  if (!found || !isUsable(found)) {
    throw new CommandError(
      'BadValue',
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    );
  }
  return found;
}

function sameBytesOrNumbers(keyPattern: Uint8Array, hint: BsonValue): boolean {
  if (hint.type !== BsonType.object) return false;
  return (
    encodeKey({ type: BsonType.object, bytes: keyPattern, offset: 0, size: keyPattern.length }) === encodeKey(hint)
  );
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
