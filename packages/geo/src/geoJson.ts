/** GeoJSON as it is stored and asked for. Upstream: geoparser.cpp. */
import { BsonType, type BsonValue, readString } from '@replsim/protocol';
import { badValue, elementsOf, isNested, memberOf, numberOf } from './bsonValues.ts';
import { positionOf } from './planar.ts';
import { isLngLat, type Position } from './position.ts';
import {
  faultOfRing,
  faultOfRings,
  type SphereLine,
  type SpherePoint,
  type SpherePolygon,
  type SphereShapes,
  sphereLine,
  spherePoint,
  spherePolygon,
} from './sphere.ts';

/** What a value describes. */
export interface Geometry {
  /** Where it is on the plane, if it is one point. */
  readonly position: Position | undefined;
  /** What it is on the sphere; undefined for a pair of numbers that is no place there. */
  readonly shapes: SphereShapes | undefined;
}

/** A pair of numbers, which is a point of the plane and, between the bounds, of the sphere. */
export function pairGeometry(position: Position): Geometry {
  return {
    position,
    // Made when it is asked for: on the plane nobody does.
    get shapes() {
      return isLngLat(position) ? shapesOf({ points: [spherePoint(position)] }) : undefined;
    },
  };
}

/** Whether it is a pair of numbers and no GeoJSON. */
export function isPair(value: BsonValue): boolean {
  return value.type === BsonType.array || numberOf(elementsOf(value)[0]) !== undefined;
}

/**
 * A stored value: GeoJSON, or a pair of numbers with whatever follows. Throws BadValue 2 for what is neither.
 * Upstream: GeometryContainer::parseFromStorage.
 */
export function storedGeometry(value: BsonValue): Geometry {
  if (!isNested(value)) throw badValue('geo element must be an array or object');
  return isPair(value) ? pairGeometry(positionOf(value, true)) : geoJsonGeometry(value);
}

/** A GeoJSON object of one of the seven types. Throws BadValue 2. */
export function geoJsonGeometry(value: BsonValue): Geometry {
  const name = typeOf(value);
  if (name === 'Point') return pairGeometry(pointPosition(value));
  const shapes = name === 'GeometryCollection' ? collectionShapes(value) : shapesByType.get(name)?.(value);
  if (!shapes) throw badValue(`unknown GeoJSON type: ${name}`);
  return { position: undefined, shapes };
}

/** The position of a GeoJSON Point. Throws BadValue 2. */
export function pointPosition(value: BsonValue): Position {
  checkCrs(value);
  const position = positionOf(memberOf(value, 'coordinates'), true);
  checkLngLat(position);
  return position;
}

const shapesByType: ReadonlyMap<string, (value: BsonValue) => SphereShapes> = new Map([
  ['Point', (value: BsonValue) => shapesOf({ points: [spherePoint(pointPosition(value))] })],
  ['LineString', (value: BsonValue) => shapesOf({ lines: [lineOf(coordinatesOf(value))] })],
  ['Polygon', (value: BsonValue) => shapesOf({ polygons: [polygonOf(coordinatesOf(value))] })],
  ['MultiPoint', (value: BsonValue) => shapesOf({ points: several(value, 'MultiPoint', pointOf) })],
  ['MultiLineString', (value: BsonValue) => shapesOf({ lines: several(value, 'MultiLineString', lineOf) })],
  ['MultiPolygon', (value: BsonValue) => shapesOf({ polygons: several(value, 'MultiPolygon', polygonOf) })],
]);

function shapesOf({ points = [], lines = [], polygons = [] }: Partial<SphereShapes>): SphereShapes {
  return { points, lines, polygons };
}

function typeOf(value: BsonValue): string {
  const type = memberOf(value, 'type');
  if (type?.type === BsonType.string) return readString(type);
  throw badValue("unknown GeoJSON type: a geometry needs a 'type' that is a string");
}

function collectionShapes(value: BsonValue): SphereShapes {
  const geometries = memberOf(value, 'geometries');
  if (geometries?.type !== BsonType.array) throw badValue('GeometryCollection geometries must be an array');
  const parts = elementsOf(geometries).map((part, i) => {
    if (part.type !== BsonType.object) throw badValue(`Element ${i} of "geometries" is not an object`);
    const name = typeOf(part);
    if (name === 'GeometryCollection') throw badValue('GeometryCollections cannot be nested');
    const shapes = shapesByType.get(name);
    if (!shapes) throw badValue(`Unknown GeoJSON type: ${name}`);
    return shapes(part);
  });
  if (parts.length === 0) throw badValue('GeometryCollection geometries must have at least 1 element');
  return {
    points: parts.flatMap(({ points }) => points),
    lines: parts.flatMap(({ lines }) => lines),
    polygons: parts.flatMap(({ polygons }) => polygons),
  };
}

function coordinatesOf(value: BsonValue): BsonValue | undefined {
  checkCrs(value);
  return memberOf(value, 'coordinates');
}

function several<T>(value: BsonValue, name: string, partOf: (part: BsonValue) => T): T[] {
  const coordinates = coordinatesOf(value);
  if (coordinates?.type !== BsonType.array) throw badValue(`${name} coordinates must be an array`);
  const parts = elementsOf(coordinates).map(partOf);
  if (parts.length === 0) throw badValue(`${name} coordinates must have at least 1 element`);
  return parts;
}

function coordinateOf(value: BsonValue): Position {
  if (value.type !== BsonType.array) throw badValue('GeoJSON coordinates must be an array');
  const position = positionOf(value, true);
  checkLngLat(position);
  return position;
}

function pointOf(value: BsonValue): SpherePoint {
  return spherePoint(coordinateOf(value));
}

/** Positions, equal neighbours taken once. */
function positionsOf(value: BsonValue | undefined): Position[] {
  if (value?.type !== BsonType.array) throw badValue('GeoJSON coordinates must be an array of coordinates');
  return elementsOf(value).map(coordinateOf);
}

function withoutRepeats(positions: readonly Position[]): Position[] {
  return positions.filter((position, i) => i === 0 || !areEqual(position, positions[i - 1]!));
}

function areEqual([x, y]: Position, [otherX, otherY]: Position): boolean {
  return x === otherX && y === otherY;
}

function lineOf(value: BsonValue | undefined): SphereLine {
  const positions = withoutRepeats(positionsOf(value));
  if (positions.length < 2) throw badValue(`GeoJSON LineString must have at least 2 vertices: ${show(positions)}`);
  return sphereLine(positions.map(spherePoint));
}

function polygonOf(value: BsonValue | undefined): SpherePolygon {
  if (value?.type !== BsonType.array) throw badValue('Polygon coordinates must be an array');
  const rings = elementsOf(value).map(ringOf);
  if (rings.length === 0) throw badValue('Polygon has no loops.');
  const fault = rings.length > 1 ? faultOfRings(rings) : undefined;
  if (fault !== undefined) throw badValue(fault);
  return spherePolygon(rings);
}

function ringOf(value: BsonValue): SpherePoint[] {
  const positions = positionsOf(value);
  const [first] = positions;
  if (!first) throw badValue('Loop has no vertices: []');
  if (!areEqual(first, positions.at(-1)!)) throw badValue(`Loop is not closed: ${show(positions)}`);
  const vertices = withoutRepeats(positions).slice(0, -1);
  if (vertices.length < 3) throw badValue(`Loop must have at least 3 different vertices: ${show(positions)}`);
  const ring = vertices.map(spherePoint);
  const fault = faultOfRing(ring);
  if (fault !== undefined) throw badValue(`Loop is not valid: ${show(positions)} ${fault}`);
  return ring;
}

function show(positions: readonly Position[]): string {
  return `[ ${positions.map(([x, y]) => `[ ${x}, ${y} ]`).join(', ')} ]`;
}

/** Throws BadValue 2 for a position that is nowhere on the sphere. */
export function checkLngLat(position: Position): void {
  if (isLngLat(position)) return;
  const [lng, lat] = position;
  throw badValue(`Longitude/latitude is out of bounds, lng: ${lng} lat: ${lat}`);
}

const knownCrs: ReadonlySet<string> = new Set(['urn:ogc:def:crs:OGC:1.3:CRS84', 'EPSG:4326']);
const STRICT_WINDING = 'urn:x-mongodb:crs:strictwinding:EPSG:4326';

/** Throws BadValue 2. Simplification: a polygon of more than a hemisphere, by MongoDB's own reference system, is refused. */
function checkCrs(value: BsonValue): void {
  const crs = memberOf(value, 'crs');
  if (!crs) return;
  if (!isNested(crs)) throw badValue('GeoJSON CRS must be an object');
  const type = memberOf(crs, 'type');
  if (type?.type !== BsonType.string || readString(type) !== 'name') {
    throw badValue('GeoJSON CRS must have field "type": "name"');
  }
  const properties = memberOf(crs, 'properties');
  if (!isNested(properties)) throw badValue('CRS must have field "properties" which is an object');
  const name = memberOf(properties, 'name');
  if (name?.type !== BsonType.string) throw badValue('In CRS, "properties.name" must be a string');
  const text = readString(name);
  if (knownCrs.has(text)) return;
  if (text !== STRICT_WINDING) throw badValue(`Unknown CRS name: ${text}`);
  throw badValue(`${STRICT_WINDING} (polygons by strict winding order) is not supported by replsim`);
}
