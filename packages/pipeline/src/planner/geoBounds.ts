/** From geographic conditions to ranges of an index. Upstream: planner_ixselect.cpp, _compatible, and expression_mapping.cpp. */

import {
  type Box,
  type CellRange,
  cellValue,
  checkInSquare,
  type GeoOperator,
  geoOperators,
  isOnPlane,
  isOnSphere,
  nearOperators,
  parseGeoPredicate,
  parseNear,
  planarBoundsNear,
  rangesInBox,
  sphereRangesNear,
} from '@replsim/geo';
import type { BsonValue } from '@replsim/protocol';
import type { GeoPlugin, IndexSpec } from '@replsim/storage';
import type { Leaf } from './filterTree.ts';
import { boundAt, EVERYTHING, type Interval, union } from './interval.ts';
import type { LeafBounds } from './leafBounds.ts';

/**
 * The bounds of a leaf on a geographic part of an index, undefined where such an index is no help. Cells are larger than shapes, so
 * that documents are always asked too. Errors: Location16433 for `$near` at a point outside of a 2d index.
 */
export function geoBoundsOf(leaf: Leaf, spec: IndexSpec, plugin: GeoPlugin): LeafBounds | undefined {
  if (leaf.negated) return undefined;
  if (nearOperators.has(leaf.operator)) return nearBounds(leaf, spec, plugin);
  if (!geoOperators.has(leaf.operator)) return undefined;
  const { sphereRanges, planarBounds } = parseGeoPredicate(leaf.operator as GeoOperator, leaf.operand);
  if (plugin === '2dsphere') return sphereRanges && within(cellIntervals(sphereRanges(spec.cellLevels)));
  return planarBounds && within(squareIntervals(planarBounds, spec));
}

function nearBounds({ operand }: Leaf, spec: IndexSpec, plugin: GeoPlugin): LeafBounds | undefined {
  const near = parseNear(operand);
  if (plugin === '2dsphere') {
    const ranges = sphereRangesNear(near, spec.cellLevels);
    return isOnSphere(near) ? within(ranges ? cellIntervals(ranges) : [EVERYTHING]) : undefined;
  }
  if (!isOnPlane(near)) return undefined;
  // For distances on the sphere another index may do.
  if (near.unit === 'plane') checkInSquare(near.center, spec.square, 16433);
  const box = planarBoundsNear(near);
  return within(box ? squareIntervals(box, spec) : [EVERYTHING]);
}

function within(intervals: readonly Interval[]): LeafBounds {
  return { intervals, exact: false, needsPresence: true };
}

function cellIntervals(ranges: readonly CellRange[]): Interval[] {
  return union(ranges.map(({ low, high }) => between(cellValue(low), cellValue(high))));
}

function squareIntervals(box: Box, { square }: IndexSpec): Interval[] {
  return union(rangesInBox(box, square).map(({ low, high }) => between(low, high)));
}

function between(low: BsonValue, high: BsonValue): Interval {
  return { low: boundAt(low), lowInclusive: true, high: boundAt(high), highInclusive: true };
}
