/** Shapes on the plane. Upstream: shapes.cpp. */

import type { BsonValue } from '@replsim/protocol';
import { badValue, elementsOf, isNested, numberOf } from './bsonValues.ts';
import type { Position } from './position.ts';

/** What may contain points of the plane. */
export interface PlanarRegion {
  contains(point: Position): boolean;
  /** What it lies in. */
  readonly bounds: Box;
}

/** The points between two corners, edges included. */
export interface Box {
  readonly min: Position;
  readonly max: Position;
}

export function distanceBetween([x, y]: Position, [otherX, otherY]: Position): number {
  return Math.hypot(x - otherX, y - otherY);
}

/** The square around a circle. */
export function boxAround([x, y]: Position, radius: number): Box {
  return { min: [x - radius, y - radius], max: [x + radius, y + radius] };
}

/**
 * Two finite numbers: `[x, y]`, or the first two fields of a document. BadValue 2 for anything else.
 * @param more whether further elements are let pass, as in what is stored
 */
export function positionOf(value: BsonValue | undefined, more = false): Position {
  if (!isNested(value)) throw badValue('Point must be an array or object');
  const [first, second, ...others] = elementsOf(value);
  const x = numberOf(first);
  const y = numberOf(second);
  if (x === undefined || y === undefined) throw badValue('Point must only contain numeric elements');
  if (!more && others.length > 0) throw badValue('Point must only contain two numeric elements');
  if (!Number.isFinite(x) || !Number.isFinite(y)) throw badValue('Point coordinates must be finite numbers');
  return [x, y];
}

/** `$box: [corner, corner]`. Throws BadValue 2. */
export function boxOf(value: BsonValue): PlanarRegion {
  const [first, second] = elementsOf(value);
  const bounds = boxOfTwo(positionOf(first), positionOf(second));
  return { contains: (point) => isInBox(point, bounds), bounds };
}

function boxOfTwo([x1, y1]: Position, [x2, y2]: Position): Box {
  return { min: [Math.min(x1, x2), Math.min(y1, y2)], max: [Math.max(x1, x2), Math.max(y1, y2)] };
}

function isInBox([x, y]: Position, { min, max }: Box): boolean {
  return x >= min[0] && x <= max[0] && y >= min[1] && y <= max[1];
}

/** `[center, radius]`, as `$center` and `$centerSphere` have them. Throws BadValue 2. */
export function circleParts(value: BsonValue): { readonly center: Position; readonly radius: number } {
  const [first, second, ...others] = elementsOf(value);
  const center = positionOf(first);
  const radius = numberOf(second);
  if (radius === undefined || !(radius >= 0)) throw badValue('radius must be a non-negative number');
  if (others.length > 0) throw badValue('Only 2 fields allowed for circular region');
  return { center, radius };
}

/** `$center: [center, radius]`. Throws BadValue 2. */
export function planarCircleOf(value: BsonValue): PlanarRegion {
  const { center, radius } = circleParts(value);
  return { contains: (point) => distanceBetween(center, point) <= radius, bounds: boxAround(center, radius) };
}

/** `$polygon: [point, point, …]`, closed by itself. Throws BadValue 2. */
export function planarPolygonOf(value: BsonValue): PlanarRegion {
  const points = elementsOf(value).map((point) => positionOf(point));
  if (points.length < 3) throw badValue('Polygon must have at least 3 points');
  return { contains: (point) => isInPolygon(point, points), bounds: boundsOf(points) };
}

/** Not by all of them as arguments at once: a client's polygon may have more points than the stack has room for. */
function boundsOf(points: readonly Position[]): Box {
  let [[minX, minY], [maxX, maxY]] = [points[0]!, points[0]!];
  for (const [x, y] of points) {
    minX = Math.min(minX, x);
    minY = Math.min(minY, y);
    maxX = Math.max(maxX, x);
    maxY = Math.max(maxY, y);
  }
  return { min: [minX, minY], max: [maxX, maxY] };
}

/**
 * Counts the edges to the right of the point. Corners and edges along an axis belong to the polygon; of what lies on a slanting
 * edge some does, some does not, as upstream. Upstream: shapes.cpp, Polygon::contains.
 */
function isInPolygon([x, y]: Position, points: readonly Position[]): boolean {
  let inside = false;
  let [fromX, fromY] = points.at(-1)!;
  for (const [toX, toY] of points) {
    const isBetween = isInBox([x, y], boxOfTwo([fromX, fromY], [toX, toY]));
    if (isBetween && (fromX === toX || fromY === toY || (x === toX && y === toY))) return true;
    const isBeside = y > Math.min(fromY, toY) && y <= Math.max(fromY, toY) && x <= Math.max(fromX, toX);
    if (isBeside) {
      const edgeX = ((y - fromY) * (toX - fromX)) / (toY - fromY) + fromX;
      if (fromX === toX || x <= edgeX) inside = !inside;
    }
    fromX = toX;
    fromY = toY;
  }
  return inside;
}
