import { type BsonValue, CommandError, ElementCursor } from '@replsim/protocol';
import { type Collator, sameCollation } from '@replsim/query';
import { compareKeys, encodeCompoundKey, type IndexView, ITSELF } from '@replsim/storage';
import type { FilterTree } from './filterTree.ts';
import type { IndexPlan } from './indexPlan.ts';
import { EVERYTHING } from './interval.ts';
import { directionFor, type SortField } from './sortOrder.ts';

/** The keys from `min` on and below `max`, as a cursor's `min()` and `max()` give them; each may be missing. */
export interface KeyLimits {
  readonly min: Uint8Array | undefined;
  readonly max: Uint8Array | undefined;
}

/**
 * The plan that walks the hinted index between two keys.
 * Errors: Location51174 for limits that do not name the index's fields, Location51175 unless min is below max.
 * Upstream: query_planner.cpp, the part on min and max.
 */
export function limitedPlan(
  index: IndexView,
  { min, max }: KeyLimits,
  conjuncts: readonly FilterTree[],
  order: readonly SortField[],
  collator: Collator | undefined,
): IndexPlan {
  const lower = min && keyOf(index, min);
  const upper = max && keyOf(index, max);
  if (lower !== undefined && upper !== undefined && compareKeys(lower, upper, index.spec.collator) >= 0) {
    throw new CommandError(51175, "'min' has to come before 'max'");
  }
  const bounds = index.spec.parts.map(() => [EVERYTHING]);
  const direction =
    order.length === 0
      ? undefined
      : directionFor(index, bounds, order, sameCollation(index.spec.collator?.bytes, collator?.bytes));
  const reverse = direction ?? false;
  const range = {
    ...(lower !== undefined && { lower }),
    ...(upper !== undefined && { upper, upperInclusive: false }),
    ...(reverse && { reverse }),
  };
  const sorted = order.length === 0 || direction !== undefined;
  return {
    stage: 'IXSCAN',
    index,
    bounds,
    ranges: [range],
    keyTest: undefined,
    reverse,
    sorted,
    residual: conjuncts,
    byId: false,
    limited: true,
    near: undefined,
    text: undefined,
  };
}

function keyOf({ spec }: IndexView, limit: Uint8Array): string {
  const values: BsonValue[] = [];
  const cursor = new ElementCursor(limit);
  while (cursor.next()) {
    if (cursor.name !== spec.parts[values.length]?.path) throw incompatible();
    values.push(cursor.value());
  }
  if (values.length !== spec.parts.length) throw incompatible();
  return encodeCompoundKey(
    values,
    spec.parts.map(({ descending }) => descending),
    spec.collator && ITSELF,
  );
}

function incompatible(): CommandError {
  return new CommandError(51174, "this index does not fit 'min' or 'max'");
}
