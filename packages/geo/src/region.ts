/** What `$geoWithin` and `$geoIntersects` ask of a value. Upstream: expression_geo.cpp, GeoExpression. */
import { BsonType, type BsonValue, CommandError } from '@replsim/protocol';
import { badValue, isNested, membersOf } from './bsonValues.ts';
import { checkLngLat, type Geometry, geoJsonGeometry, isPair, pairGeometry, storedGeometry } from './geoJson.ts';
import {
  type Box,
  boxAround,
  boxOf,
  circleParts,
  type PlanarRegion,
  planarCircleOf,
  planarPolygonOf,
  positionOf,
} from './planar.ts';
import type { Position } from './position.ts';
import {
  type CellLevels,
  type CellRange,
  circleOf,
  intersect,
  isWithin,
  rangesAround,
  rangesAroundCircle,
  regionOf,
  type SphereRegion,
  spherePoint,
} from './sphere.ts';

/** A shape that values are held against. */
export interface GeoPredicate {
  /** Whether a stored value, GeoJSON or a pair of numbers, lies in the shape, or meets it. What is no geometry does not. */
  matches(value: BsonValue): boolean;
  /** Where matches are in a 2dsphere index; undefined where such an index is no help. */
  readonly sphereRanges: ((levels: CellLevels) => CellRange[]) | undefined;
  /** Where matches are on the plane; undefined where a 2d index is no help. */
  readonly planarBounds: Box | undefined;
}

export type GeoOperator = '$geoWithin' | '$within' | '$geoIntersects';

/** The operators that need no index. */
export const geoOperators: ReadonlySet<string> = new Set<GeoOperator>(['$geoWithin', '$within', '$geoIntersects']);

/** What was read last of these bytes. */
interface LastRead {
  readonly operator: GeoOperator;
  readonly offset: number;
  readonly predicate: GeoPredicate;
}

/** A filter is read for what matches, and again for where an index has it: a polygon of thousands of corners, and the index of its edges, cost much. */
const lastRead = new WeakMap<Uint8Array, LastRead>();

/**
 * Reads what stands behind one of the operators. Throws BadValue 2.
 * `$uniqueDocs` means nothing since 2.6, to mongod neither.
 */
export function parseGeoPredicate(operator: GeoOperator, operand: BsonValue): GeoPredicate {
  const { bytes, offset } = operand;
  const last = lastRead.get(bytes);
  if (last?.operator === operator && last.offset === offset) return last.predicate;
  const predicate = readGeoPredicate(operator, operand);
  lastRead.set(bytes, { operator, offset, predicate });
  return predicate;
}

function readGeoPredicate(operator: GeoOperator, operand: BsonValue): GeoPredicate {
  if (operand.type !== BsonType.object) throw badValue('geometry must be an object');
  const shapes = membersOf(operand).filter(([name]) => name !== '$uniqueDocs');
  const [shape, ...others] = shapes;
  if (!shape) throw badValue("geo query doesn't have any geometry");
  if (others.length > 0) throw badValue(`${operator} doesn't accept multiple shapes`);
  return operator === '$geoIntersects' ? intersects(...shape) : within(...shape);
}

function intersects(specifier: string, value: BsonValue): GeoPredicate {
  if (specifier !== '$geometry' || !isNested(value)) {
    if (planarShapes.has(specifier) || specifier === '$centerSphere') {
      throw badValue(`$geoIntersect not supported with provided geometry: ${specifier}`);
    }
    throw unknownSpecifier(specifier);
  }
  const { shapes } = queryGeometry(value);
  if (!shapes)
    throw badValue('$geoIntersect not supported with provided geometry: a point beyond longitude and latitude');
  return {
    matches: (stored) => {
      const other = geometryOf(stored)?.shapes;
      return other !== undefined && intersect(shapes, other);
    },
    sphereRanges: (levels) => rangesAround(shapes, levels),
    planarBounds: undefined,
  };
}

const planarShapes: ReadonlyMap<string, (value: BsonValue) => PlanarRegion> = new Map([
  ['$box', boxOf],
  ['$center', planarCircleOf],
  ['$polygon', planarPolygonOf],
]);

function within(specifier: string, value: BsonValue): GeoPredicate {
  if (!isNested(value)) throw unknownSpecifier(specifier);
  const planar = planarShapes.get(specifier)?.(value);
  if (planar) return withinPlanar(planar);
  if (specifier === '$centerSphere') return withinCircle(value);
  if (specifier !== '$geometry') throw unknownSpecifier(specifier);
  const polygons = queryGeometry(value).shapes?.polygons ?? [];
  if (polygons.length === 0) throw badValue('$geoWithin not supported with provided geometry: it has no polygon');
  const shapes = { points: [], lines: [], polygons };
  return withinSphere(regionOf(polygons), (levels) => rangesAround(shapes, levels), undefined);
}

function withinPlanar({ contains, bounds }: PlanarRegion): GeoPredicate {
  return {
    matches: (stored) => {
      const position = geometryOf(stored)?.position;
      return position !== undefined && contains(position);
    },
    sphereRanges: undefined,
    planarBounds: bounds,
  };
}

/** `$centerSphere: [center, radius]`, in radians. */
function withinCircle(value: BsonValue): GeoPredicate {
  const { center, radius } = circleParts(value);
  checkLngLat(center);
  const point = spherePoint(center);
  const ranges = (levels: CellLevels) => rangesAroundCircle(point, radius, levels);
  return withinSphere(circleOf(point, radius), ranges, circleBounds(center, radius));
}

function withinSphere(
  region: SphereRegion,
  sphereRanges: GeoPredicate['sphereRanges'],
  planarBounds: Box | undefined,
): GeoPredicate {
  return {
    matches: (stored) => {
      const shapes = geometryOf(stored)?.shapes;
      return shapes !== undefined && isWithin(shapes, region);
    },
    sphereRanges,
    planarBounds,
  };
}

/**
 * The longitudes and latitudes of a circle; undefined for one that reaches a pole or the antimeridian, which a 2d index does
 * not see around. Upstream: planner_ixselect.cpp, twoDWontWrap.
 */
function circleBounds(center: Position, radius: number): Box | undefined {
  const [lng, lat] = center;
  const height = (radius * 180) / Math.PI;
  const width = height / Math.cos((Math.min(89, Math.abs(lat) + height) * Math.PI) / 180);
  if (Math.abs(lng) + width >= 180 || Math.abs(lat) + height >= 90) return undefined;
  const { min, max } = boxAround(center, height);
  // A little more, for what is rounded.
  const margin = 1e-6;
  return { min: [lng - width - margin, min[1] - margin], max: [lng + width + margin, max[1] + margin] };
}

/** GeoJSON, or a pair of numbers. */
function queryGeometry(value: BsonValue): Geometry {
  return isPair(value) ? pairGeometry(positionOf(value)) : geoJsonGeometry(value);
}

/** What a stored value describes; undefined for what is no geometry. */
export function geometryOf(value: BsonValue): Geometry | undefined {
  if (!isNested(value)) return undefined;
  try {
    return storedGeometry(value);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

function unknownSpecifier(specifier: string): CommandError {
  return badValue(`unknown geo specifier: ${specifier}`);
}
