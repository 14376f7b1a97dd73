import { parseNear } from '@replsim/geo';
import { type BsonValue, CommandError, required } from '@replsim/protocol';
import type { Collator } from '@replsim/query';
import type { CollectionView } from '@replsim/storage';
import { conjunctsOf, type FilterTree, type Leaf, nearLeafOf, parseFilterTree } from './filterTree.ts';
import { hintedIndex } from './hint.ts';
import { equalities, hasRange, type IndexPlan, indexPlanOf, isUsable } from './indexPlan.ts';
import { hasKeylessIndex, isKeyless } from './keylessIndex.ts';
import { type KeyLimits, limitedPlan } from './minMax.ts';
import { naturalDirection } from './naturalOrder.ts';
import { PlannerError } from './plannerError.ts';
import { readableIndexes } from './readableIndexes.ts';
import { sortFields } from './sortOrder.ts';
import { checkSearchUnderOr, hasSearch, searchIn, textPlan } from './textPlan.ts';

/** Every document, in natural order or against it. */
export interface CollectionScanPlan {
  readonly stage: 'COLLSCAN';
  readonly reverse: boolean;
  readonly sorted: boolean;
  readonly residual: readonly FilterTree[];
  /** Set where an index would serve the query that holds no keys here. */
  readonly insteadOfIndex?: true;
}

/** How a query reaches its documents. */
export type Plan = CollectionScanPlan | IndexPlan;

export interface PlanRequest {
  readonly filter: Uint8Array;
  /** The filter as the planner sees it, if somebody has looked already. */
  readonly tree?: FilterTree | undefined;
  /** By which strings are compared. */
  readonly collator?: Collator | undefined;
  /** Absent or empty if any order will do. */
  readonly sort?: Uint8Array | undefined;
  /** An index by name or by key pattern, or `{ $natural: ±1 }`. */
  readonly hint?: BsonValue | undefined;
  /** Reads in natural order, whatever else there is. */
  readonly tailable?: boolean;
  /** Walks the hinted index from `min` on, up to `max`. */
  readonly limits?: KeyLimits | undefined;
}

/** What the planner found: the plan to carry out, and those that it did not prefer. */
export interface Planning {
  readonly filter: FilterTree;
  readonly winning: Plan;
  readonly rejected: readonly IndexPlan[];
}

/** The plan to carry out. Throws as `planQuery` does. */
export function choosePlan(collection: CollectionView, request: PlanRequest): Plan {
  return planQuery(collection, request).winning;
}

/**
 * Chooses how to read a collection. Each index that bounds the query, or gives the order wanted, is a candidate; the best of
 * them has, in this order: more parts held to single values, a range on the part behind them, the order that is wanted, fewer
 * parts, the earlier creation. Equality on `_id` alone beats all. Without a candidate the collection is scanned.
 * Simplification: upstream lets its candidates compete for a while and caches the winner; here the rule decides, and one index
 * serves one query (no `$or` of several, no intersection).
 * What is to be near is found by a geographic index alone, and cannot be read in natural order.
 * Throws BadValue 2 for a hint that fits no usable index, Location51173 for `min` or `max` without one, NoQueryExecutionPlans 291
 * for them in natural order and for what is to be near without an index that finds it, those of `planSearch`.
 * Upstream: query_planner.cpp, QueryPlanner::plan.
 */
export function planQuery(collection: CollectionView, request: PlanRequest): Planning {
  const { sort, hint, tailable, limits, collator } = request;
  const filter = request.tree ?? parseFilterTree(request.filter);
  const conjuncts = conjunctsOf(filter);
  const order = sortFields(sort);
  const natural = tailable ? 1 : (naturalDirection(sort) ?? naturalDirection(hint));
  if (limits && natural !== undefined)
    throw new PlannerError('NoQueryExecutionPlans', 'min and max are incompatible with $natural');
  if (limits && !hint) {
    throw new CommandError(51173, "'min' and 'max' need a 'hint' at their index");
  }
  if (hasSearch(filter)) return planSearch(collection, request, filter);
  const near = nearLeafOf(conjuncts);
  if (near && natural !== undefined) {
    throw new CommandError(
      'BadValue',
      'geoNear expression not allowed with a $natural sort order or hint, nor tailable',
    );
  }
  if (natural !== undefined) {
    const sorted = order.length === 0 || naturalDirection(sort) !== undefined;
    return alone(filter, { stage: 'COLLSCAN', reverse: natural < 0, sorted, residual: conjuncts });
  }
  if (hint) {
    const index = hintedIndex(collection, hint);
    if (isKeyless(index) && !limits && !near) return alone(filter, scan(conjuncts, order.length === 0, true));
    const plan = limits
      ? limitedPlan(index, limits, conjuncts, order, collator)
      : indexPlanOf(index, conjuncts, order, collator, true);
    if (near && (!plan || limits)) throw noIndexFor(near, collection.ns);
    return alone(filter, required(plan, 'plan by the hint'));
  }
  const candidates =
    conjuncts.length === 0 && order.length === 0
      ? []
      : readableIndexes(collection)
          .filter(isUsable)
          .flatMap((index) => indexPlanOf(index, conjuncts, order, collator, false) ?? []);
  const byId = candidates.find((plan) => plan.byId);
  if (byId) return alone(filter, byId);
  const [winning, ...rejected] = candidates.sort(byMerit);
  if (winning) return { filter, winning, rejected };
  if (near) throw noIndexFor(near, collection.ns);
  return alone(filter, scan(conjuncts, order.length === 0, hasKeylessIndex(collection, conjuncts)));
}

function scan(residual: readonly FilterTree[], sorted: boolean, insteadOfIndex: boolean): CollectionScanPlan {
  return { stage: 'COLLSCAN', reverse: false, sorted, residual, ...(insteadOfIndex && { insteadOfIndex }) };
}

/**
 * The one plan of a query by `$text`. Errors: BadValue 2 for a hint, `$natural` and a tailable cursor beside it, those of `textPlan`
 * and `checkSearchUnderOr`.
 */
function planSearch(
  collection: CollectionView,
  { sort, hint, tailable, collator }: PlanRequest,
  filter: FilterTree,
): Planning {
  if (naturalDirection(sort)) throw badSearch('text expression not allowed with $natural sort order');
  if (hint) throw badSearch('text and hint not allowed in same query');
  if (tailable) throw badSearch('text and tailable cursor not allowed in same query');
  const conjuncts = conjunctsOf(filter);
  const isOrdered = sortFields(sort).length > 0;
  const search = searchIn(conjuncts);
  if (search) return alone(filter, textPlan(collection, search, conjuncts, isOrdered, collator));
  checkSearchUnderOr(collection, filter, collator);
  return alone(filter, { stage: 'COLLSCAN', reverse: false, sorted: !isOrdered, residual: conjuncts });
}

function badSearch(errmsg: string): CommandError {
  return new CommandError('BadValue', errmsg);
}

/**
 * There are clients that read the field's name out of this and make the index. Upstream: get_executor.cpp, prepareExecutor;
 * expression_geo.h, GeoNearExpression::toString.
 */
function noIndexFor(near: Leaf, ns: string): CommandError {
  const { maxDistance } = parseNear(near.operand);
  const distance = Number(Math.min(maxDistance, Number.MAX_VALUE).toPrecision(6));
  const isOnSphere = Number(near.operator === '$nearSphere');
  return new PlannerError(
    'NoQueryExecutionPlans',
    'unable to find index for $geoNear query',
    `error processing query: ns=${ns} Tree: GEONEAR  field=${near.path} maxdist=${distance} isNearSphere=${isOnSphere} `,
  );
}

function alone(filter: FilterTree, winning: Plan): Planning {
  return { filter, winning, rejected: [] };
}

/** The better one first; a sort keeps the order of creation among equals. */
function byMerit(a: IndexPlan, b: IndexPlan): number {
  return (
    equalities(b) - equalities(a) ||
    Number(hasRange(b)) - Number(hasRange(a)) ||
    Number(b.sorted) - Number(a.sorted) ||
    a.index.spec.parts.length - b.index.spec.parts.length
  );
}
