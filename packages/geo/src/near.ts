/** What `$near`, `$nearSphere` and `$geoNear` ask for. Upstream: expression_geo.cpp, GeoNearExpression. */
import { BsonType, type BsonValue, CommandError } from '@replsim/protocol';
import { badValue, elementsOf, isNested, membersOf, numberOf } from './bsonValues.ts';
import { isPair, pointPosition } from './geoJson.ts';
import { type Box, boxAround, distanceBetween, positionOf } from './planar.ts';
import { isLngLat, type Position } from './position.ts';
import { geometryOf } from './region.ts';
import { type CellLevels, type CellRange, distanceTo, rangesAroundCircle, spherePoint } from './sphere.ts';

/** Unit: m. Upstream: geoconstants.h, kRadiusOfEarthInMeters. */
export const EARTH_RADIUS_METERS = 6_378_100;

export const nearOperators: ReadonlySet<string> = new Set(['$near', '$nearSphere', '$geoNear']);

/** A point, and how far from it what is wanted may be. */
export interface NearQuery {
  readonly center: Position;
  /** Of distances: as far as the numbers go on the plane, or on the sphere. */
  readonly unit: 'plane' | 'radians' | 'meters';
  readonly minDistance: number;
  /** Infinity for none. */
  readonly maxDistance: number;
}

/**
 * Reads `{ $near: … }` with what stands beside it: a GeoJSON point in `$geometry` with `$minDistance` and `$maxDistance`
 * inside, or a point with these beside it. Errors: BadValue 2, Location16893 to 16896, 18522, 34413.
 */
export function parseNear(value: BsonValue): NearQuery {
  const members = membersOf(value);
  return besideNear(members) ?? insideNear(members);
}

/** `{ $near: [x, y], $maxDistance: … }`; undefined if there is no point of this kind. */
function besideNear(members: readonly [string, BsonValue][]): NearQuery | undefined {
  let near: Pick<NearQuery, 'center' | 'unit'> | undefined;
  let minDistance = 0;
  let maxDistance = Infinity;
  for (const [name, value] of members) {
    if (nearOperators.has(name)) {
      const point = pointOf(value);
      if (!point) continue;
      maxDistance = point.maxDistance ?? maxDistance;
      if (!(maxDistance >= 0)) throw new CommandError(18522, 'max distance must be non-negative');
      near = { center: point.center, unit: unitOf(name, point) };
    } else if (name === '$minDistance') minDistance = distanceOf(name, value, 16893, 16894);
    else if (name === '$maxDistance') maxDistance = distanceOf(name, value, 16895, 16896);
    else if (name !== '$uniqueDocs') throw new CommandError(34413, `invalid argument in geo near query: ${name}`);
  }
  return near && { ...near, minDistance, maxDistance };
}

interface NearPoint {
  readonly center: Position;
  readonly isGeoJson: boolean;
  readonly maxDistance?: number;
}

/** GeoJSON, a pair, or a triple of which the third is the greatest distance; undefined for what is no point. */
function pointOf(value: BsonValue): NearPoint | undefined {
  if (!isNested(value)) throw badValue('geo near query argument is not an object');
  try {
    return isPair(value)
      ? { center: positionOf(value), isGeoJson: false }
      : { center: pointPosition(value), isGeoJson: true };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const [x, y, maxDistance, ...more] = elementsOf(value).map(numberOf);
    if (x === undefined || y === undefined || maxDistance === undefined || more.length > 0) return undefined;
    return { center: [x, y], isGeoJson: false, maxDistance };
  }
}

function unitOf(operator: string, { center, isGeoJson }: NearPoint): NearQuery['unit'] {
  if (isGeoJson) return 'meters';
  if (operator !== '$nearSphere') return 'plane';
  if (!isLngLat(center)) throw badValue('Legacy point is out of bounds for spherical query');
  return 'radians';
}

function distanceOf(name: string, value: BsonValue, notNumber: number, negative: number): number {
  const distance = numberOf(value);
  if (distance === undefined) throw new CommandError(notNumber, `${name} must be a number`);
  if (!(distance >= 0)) throw new CommandError(negative, `${name} must be non-negative`);
  return distance;
}

/** `{ $near: { $geometry: POINT, $minDistance, $maxDistance } }`. */
function insideNear([first, second]: readonly [string, BsonValue][]): NearQuery {
  if (!first) throw badValue('empty geo near query object');
  if (second) {
    throw badValue(
      `geo near accepts just one argument when querying for a GeoJSON point. Extra field found: ${second[0]}`,
    );
  }
  const [operator, value] = first;
  if (!nearOperators.has(operator)) throw badValue(`invalid geo near query operator: ${operator}`);
  let center: Position | undefined;
  let minDistance = 0;
  let maxDistance = Infinity;
  for (const [name, member] of membersOf(value)) {
    if (name === '$geometry') center = geometryPosition(member);
    else if (name === '$minDistance') minDistance = finiteDistance(name, member);
    else if (name === '$maxDistance') maxDistance = finiteDistance(name, member);
    else throw badValue(`invalid argument in geo near query: ${name}`);
  }
  if (!center) throw badValue('$geometry is required for geo near query');
  return { center, unit: 'meters', minDistance, maxDistance };
}

function geometryPosition(value: BsonValue): Position | undefined {
  if (!isNested(value)) return undefined;
  if (isPair(value)) throw badValue('$near requires geojson point, given a pair of numbers');
  try {
    return pointPosition(value);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw badValue(`invalid point in geo near query $geometry argument: ${error.message}`);
  }
}

function finiteDistance(name: string, value: BsonValue): number {
  const distance = numberOf(value);
  if (distance === undefined) throw badValue(`${name} must be a number`);
  if (!(distance >= 0 && Number.isFinite(distance))) throw badValue(`${name} must be non-negative`);
  return distance;
}

/** Whether a 2dsphere index finds what is near. Upstream: planner_ixselect.cpp, _compatible. */
export function isOnSphere({ unit }: NearQuery): boolean {
  return unit !== 'plane';
}

/** Whether a 2d index does, which sees around neither poles nor the antimeridian. */
export function isOnPlane({ unit }: NearQuery): boolean {
  return unit !== 'meters';
}

/** The stored value that is nearest of a document's, and how far it is. */
export interface Located {
  readonly distance: number;
  readonly location: BsonValue;
}

/**
 * Looks for the nearest of the values at a document's path, of which an array may hold several; undefined if none is a geometry
 * within the distances. Upstream: geo_near.cpp, extractGeometries and computeGeoNearDistance.
 */
export function nearestOf(near: NearQuery, values: readonly BsonValue[]): Located | undefined {
  let nearest: Located | undefined;
  const consider = (location: BsonValue): boolean => {
    const geometry = geometryOf(location);
    const distance = geometry && distanceFrom(near, geometry);
    if (distance !== undefined && !(nearest && nearest.distance <= distance)) nearest = { distance, location };
    return geometry !== undefined;
  };
  for (const value of values) {
    if (!consider(value) && value.type === BsonType.array) elementsOf(value).forEach(consider);
  }
  return nearest && nearest.distance >= near.minDistance && nearest.distance <= near.maxDistance ? nearest : undefined;
}

function distanceFrom(
  { center, unit }: NearQuery,
  { position, shapes }: NonNullable<ReturnType<typeof geometryOf>>,
): number | undefined {
  if (unit === 'plane') return position && distanceBetween(center, position);
  if (!shapes) return undefined;
  const radians = distanceTo(spherePoint(center), shapes);
  return unit === 'meters' ? radians * EARTH_RADIUS_METERS : radians;
}

/** Where in a 2dsphere index what is near may be; undefined for everywhere. */
export function sphereRangesNear(
  { center, unit, maxDistance }: NearQuery,
  levels: CellLevels,
): CellRange[] | undefined {
  const radius = unit === 'meters' ? maxDistance / EARTH_RADIUS_METERS : maxDistance;
  return radius < Math.PI ? rangesAroundCircle(spherePoint(center), radius, levels) : undefined;
}

/** Where on the plane what is near may be; undefined for everywhere, as always where distances are those on the sphere. */
export function planarBoundsNear({ center, unit, maxDistance }: NearQuery): Box | undefined {
  return unit === 'plane' && Number.isFinite(maxDistance) ? boxAround(center, maxDistance) : undefined;
}
