/**
 * Geometry on the sphere, whose edges are great arcs. The one file that knows the library, so that a page can leave it out.
 * Upstream: geometry_container.cpp and S2, of which `s2js` is a port.
 */
import { s2 } from 's2js';
import type { Position } from './position.ts';

export type SpherePoint = s2.Point;
export type SphereLine = s2.Polyline;
export type SpherePolygon = s2.Polygon;

/** What a geometry consists of. */
export interface SphereShapes {
  readonly points: readonly SpherePoint[];
  readonly lines: readonly SphereLine[];
  readonly polygons: readonly SpherePolygon[];
}

/** What may contain shapes. */
export interface SphereRegion {
  containsPoint(point: SpherePoint): boolean;
  containsLine(line: SphereLine): boolean;
  containsPolygon(polygon: SpherePolygon): boolean;
}

/** What lies this close to an edge lies on it; unit: radians, some 6 mm on Earth. A cell of the finest level is as large. */
const ON_EDGE = 1e-9;
/** Below this a double does not tell on which side of an arc a point lies. */
const UNSURE = 1e-14;

export function spherePoint([lng, lat]: Position): SpherePoint {
  return s2.Point.fromLatLng(s2.LatLng.fromDegrees(lat, lng));
}

/** @param points at least two, no two neighbours equal */
export function sphereLine(points: readonly SpherePoint[]): SphereLine {
  return new s2.Polyline([...points]);
}

/** A ring that is to bound a polygon: its vertices, the first not repeated. */
export type SphereRing = readonly SpherePoint[];

/** Why a ring bounds nothing; undefined for a good one. Upstream: s2loop.cc, IsValid. */
export function faultOfRing(ring: SphereRing): string | undefined {
  // By x, y and z: a text of the three would take longer than all the rest.
  const first = new Map<number, Map<number, Map<number, number>>>();
  for (const [j, { x, y, z }] of ring.entries()) {
    const ofX = first.get(x) ?? new Map<number, Map<number, number>>();
    const ofXY = ofX.get(y) ?? new Map<number, number>();
    const i = ofXY.get(z);
    if (i !== undefined) return `Duplicate vertices: ${i} and ${j}`;
    first.set(x, ofX.set(y, ofXY.set(z, j)));
  }
  const pair = crossingEdges(ring);
  if (!pair) return undefined;
  const [i, j] = pair;
  const [from, to] = [i, j].map((edge) => edgeOf(ring, edge).map(shown).join('-'));
  return `Edges ${i} and ${j} cross. Edge locations in degrees: ${from} and ${to}`;
}

/** The first two edges of a ring that cross. Only those are compared whose stretches along the x axis overlap. */
function crossingEdges(ring: SphereRing): readonly [number, number] | undefined {
  const stretches = ring.map((_, i) => stretchOf(...edgeOf(ring, i), i)).sort((a, b) => a.low - b.low || a.i - b.i);
  let found: readonly [number, number] | undefined;
  for (const [at, stretch] of stretches.entries()) {
    for (let next = at + 1; next < stretches.length && stretches[next]!.low <= stretch.high; next++) {
      const i = Math.min(stretch.i, stretches[next]!.i);
      const j = Math.max(stretch.i, stretches[next]!.i);
      // Neighbours share a vertex, as the last edge and the first do.
      if (j === i + 1 || (i === 0 && j === ring.length - 1)) continue;
      if (found && (found[0] < i || (found[0] === i && found[1] < j))) continue;
      if (edgesMeet(...edgeOf(ring, i), ...edgeOf(ring, j))) found = [i, j];
    }
  }
  return found;
}

/** How far an arc reaches along the x axis: it bulges beyond its ends, by a quarter of its chord's square at most. */
function stretchOf(
  a: SpherePoint,
  b: SpherePoint,
  i: number,
): { readonly low: number; readonly high: number; readonly i: number } {
  const bulge = ((a.x - b.x) ** 2 + (a.y - b.y) ** 2 + (a.z - b.z) ** 2) / 4 + ON_EDGE;
  return { low: Math.min(a.x, b.x) - bulge, high: Math.max(a.x, b.x) + bulge, i };
}

/** Why rings, each good by itself, make no polygon; undefined if they do. Upstream: geoparser.cpp, parseGeoJSONPolygonCoordinates. */
export function faultOfRings([shell, ...holes]: readonly SphereRing[]): string | undefined {
  const outer = loopOf(shell!);
  const inner = holes.map(loopOf);
  for (const [i, hole] of inner.entries()) {
    if (crossing(shell!, holes[i]!)) return `Polygon isn't valid: Edges of loop 0 and loop ${i + 1} cross`;
    if (!outer.contains(hole)) {
      return `Secondary loops not contained by first exterior loop - secondary loops must be holes: loop ${i + 1}`;
    }
    const shared = holes[i]!.filter((vertex) => shell!.some((other) => other.equals(vertex))).length;
    if (shared > 1) return `Loop ${i + 1} shares more than one vertex with its parent loop 0`;
    for (let j = 0; j < i; j++) {
      if (crossing(holes[j]!, holes[i]!)) return `Polygon isn't valid: Edges of loop ${j + 1} and loop ${i + 1} cross`;
      if (inner[j]!.intersects(hole)) return `Polygon interior loops cannot be nested: loop ${j + 1} and loop ${i + 1}`;
    }
  }
  return undefined;
}

/** @param rings the shell and its holes, without fault; whichever way a ring runs, it bounds the smaller side */
export function spherePolygon(rings: readonly SphereRing[]): SpherePolygon {
  return new s2.Polygon(rings.map(loopOf));
}

function loopOf(ring: SphereRing): s2.Loop {
  const loop = new s2.Loop([...ring]);
  loop.normalize();
  return loop;
}

function edgeOf(ring: SphereRing, i: number): [SpherePoint, SpherePoint] {
  return [ring[i]!, ring[(i + 1) % ring.length]!];
}

function crossing(a: SphereRing, b: SphereRing): boolean {
  return a.some((_, i) => {
    const [from, to] = edgeOf(a, i);
    return b.some((_, j) => {
      const [otherFrom, otherTo] = edgeOf(b, j);
      const shares = [otherFrom, otherTo].some((vertex) => vertex.equals(from) || vertex.equals(to));
      return !shares && edgesMeet(from, to, otherFrom, otherTo);
    });
  });
}

/** Whether two arcs cross or share a vertex. */
function edgesMeet(a: SpherePoint, b: SpherePoint, c: SpherePoint, d: SpherePoint): boolean {
  const abc = side(a, b, c);
  const abd = side(a, b, d);
  const cda = side(c, d, a);
  const cdb = side(c, d, b);
  if ([abc, abd, cda, cdb].some((value) => Math.abs(value) < UNSURE)) {
    // The library has exact arithmetic for it.
    return new s2.Polyline([a, b]).intersects(new s2.Polyline([c, d]));
  }
  return abc > 0 !== abd > 0 && cda > 0 !== cdb > 0 && abc > 0 === cdb > 0;
}

/** On which side of the arc from a to b point c lies: above 0 on the left. */
function side(a: SpherePoint, b: SpherePoint, c: SpherePoint): number {
  return (a.y * b.z - a.z * b.y) * c.x + (a.z * b.x - a.x * b.z) * c.y + (a.x * b.y - a.y * b.x) * c.z;
}

/** Latitude and longitude, as S2 shows them. */
function shown(point: SpherePoint): string {
  const degrees = (radians: number) => ((radians * 180) / Math.PI).toFixed(7);
  return `[${degrees(s2.LatLng.latitude(point))}, ${degrees(s2.LatLng.longitude(point))}]`;
}

// What lies in what. Edges and vertices belong to a polygon, as the cell of a point that lies on them meets it.

/** The polygons of a query: each part of what is asked has to lie in one of them. */
export function regionOf(polygons: readonly SpherePolygon[]): SphereRegion {
  return {
    containsPoint: (point) => polygons.some((polygon) => polygonTouches(polygon, point)),
    containsLine: (line) => polygons.some((polygon) => polygonContainsLine(polygon, line)),
    containsPolygon: (other) => polygons.some((polygon) => polygon.contains(other)),
  };
}

/** A circle. @param radius unit: radians; π and more is the whole sphere */
export function circleOf(center: SpherePoint, radius: number): SphereRegion {
  const cap = s2.Cap.fromCenterAngle(center, Math.min(radius, Math.PI));
  const opposite = new s2.Point(-center.x, -center.y, -center.z);
  const isFar = (shapes: SphereShapes) => distanceTo(opposite, shapes) >= Math.PI - radius - ON_EDGE;
  return {
    containsPoint: (point) => cap.intersectsCell(s2.Cell.fromPoint(point)),
    containsLine: (line) => isFar({ ...NOTHING, lines: [line] }),
    containsPolygon: (polygon) => isFar({ ...NOTHING, polygons: [polygon] }),
  };
}

const NOTHING: SphereShapes = { points: [], lines: [], polygons: [] };

/** Whether all of the shapes lie in the region. */
export function isWithin({ points, lines, polygons }: SphereShapes, region: SphereRegion): boolean {
  return (
    points.every((point) => region.containsPoint(point)) &&
    lines.every((line) => region.containsLine(line)) &&
    polygons.every((polygon) => region.containsPolygon(polygon))
  );
}

/** Whether any of the shapes meets any of the others. */
export function intersect(a: SphereShapes, b: SphereShapes): boolean {
  return (
    a.points.some((point) => touches(b, point)) ||
    b.points.some((point) => touches(a, point)) ||
    a.lines.some((line) => b.lines.some((other) => line.intersects(other))) ||
    a.lines.some((line) => b.polygons.some((polygon) => polygonMeetsLine(polygon, line))) ||
    b.lines.some((line) => a.polygons.some((polygon) => polygonMeetsLine(polygon, line))) ||
    a.polygons.some((polygon) => b.polygons.some((other) => polygon.intersects(other)))
  );
}

function touches({ points, lines, polygons }: SphereShapes, point: SpherePoint): boolean {
  const cell = s2.Cell.fromPoint(point);
  return (
    points.some((other) => s2.cellid.fromPoint(other) === s2.cellid.fromPoint(point)) ||
    lines.some((line) => line.intersectsCell(cell)) ||
    polygons.some((polygon) => polygonTouches(polygon, point))
  );
}

function polygonTouches(polygon: SpherePolygon, point: SpherePoint): boolean {
  return polygon.containsPoint(point) || polygon.intersectsCell(s2.Cell.fromPoint(point));
}

function polygonMeetsLine(polygon: SpherePolygon, line: SphereLine): boolean {
  return (
    line.points.some((point) => polygon.containsPoint(point)) ||
    polygon.loops.some((loop) => outlineOf(loop).intersects(line))
  );
}

/** All of its vertices are inside, and no edge of it leaves. */
function polygonContainsLine(polygon: SpherePolygon, line: SphereLine): boolean {
  if (!line.points.every((point) => polygonTouches(polygon, point))) return false;
  for (let i = 1; i < line.points.length; i++) {
    const from = line.points[i - 1]!;
    const to = line.points[i]!;
    if (polygon.loops.some(({ vertices }) => vertices.some((_, j) => leaves(from, to, ...edgeOf(vertices, j))))) {
      return false;
    }
    if (!polygonTouches(polygon, middleOf(from, to))) return false;
  }
  return true;
}

/** Whether the arc crosses a ring's edge, and does not only begin or end on it, or pass its vertex. */
function leaves(from: SpherePoint, to: SpherePoint, a: SpherePoint, b: SpherePoint): boolean {
  if (!edgesMeet(from, to, a, b)) return false;
  const edge = new s2.Polyline([a, b]);
  const arc = new s2.Polyline([from, to]);
  return (
    distanceToLine(from, edge) > ON_EDGE &&
    distanceToLine(to, edge) > ON_EDGE &&
    distanceToLine(a, arc) > ON_EDGE &&
    distanceToLine(b, arc) > ON_EDGE
  );
}

function middleOf(a: SpherePoint, b: SpherePoint): SpherePoint {
  return s2.Point.fromCoords(a.x + b.x, a.y + b.y, a.z + b.z);
}

function outlineOf({ vertices }: s2.Loop): SphereLine {
  return new s2.Polyline([...vertices, vertices[0]!]);
}

/** How far the nearest of the shapes is. Unit: radians. */
export function distanceTo(point: SpherePoint, { points, lines, polygons }: SphereShapes): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const other of points) nearest = Math.min(nearest, point.distance(other));
  for (const line of lines) nearest = Math.min(nearest, distanceToLine(point, line));
  for (const polygon of polygons) nearest = Math.min(nearest, distanceToPolygon(point, polygon));
  return nearest;
}

function distanceToLine(point: SpherePoint, line: SphereLine): number {
  return line.project(point)[0].distance(point);
}

function distanceToPolygon(point: SpherePoint, polygon: SpherePolygon): number {
  if (polygon.containsPoint(point)) return 0;
  return Math.min(...polygon.loops.map((loop) => distanceToLine(point, outlineOf(loop))));
}

// Cells: what an index holds of shapes, and where in it a query looks.

/** How fine the cells of lines and polygons are; a point always has one of the finest level. */
export interface CellLevels {
  readonly coarsest: number;
  readonly finest: number;
}

/** Cells in one covering. Advice, as the levels come first. Upstream: expression_params.cpp, maxCellsInCovering. */
const MOST_CELLS = 20;

/** The cells that an index holds of shapes, as signed 64-bit numbers; each once. */
export function cellsOf({ points, lines, polygons }: SphereShapes, levels: CellLevels): bigint[] {
  const cells = new Set(points.map((point) => s2.cellid.fromPoint(point)));
  const parts = [...lines, ...polygons];
  const most = Math.max(4, Math.floor(MOST_CELLS / Math.max(parts.length, 1)));
  for (const part of parts) for (const cell of covering(part, levels, most)) cells.add(cell);
  return [...cells].map(signed);
}

/** Numbers of cells from `low` to `high`, both included. */
export interface CellRange {
  readonly low: bigint;
  readonly high: bigint;
}

/** Where in an index the cells of shapes may be that meet these: in cells of their covering, or around them. */
export function rangesAround({ points, lines, polygons }: SphereShapes, levels: CellLevels): CellRange[] {
  const cells = points.map((point) => s2.cellid.fromPoint(point));
  for (const part of [...lines, ...polygons]) cells.push(...covering(part, levels, MOST_CELLS));
  return rangesOf(cells);
}

/** The same for a circle. @param radius unit: radians */
export function rangesAroundCircle(center: SpherePoint, radius: number, levels: CellLevels): CellRange[] {
  // What only touches it is found, whatever is rounded.
  const cap = s2.Cap.fromCenterAngle(center, Math.min(radius * (1 + 1e-12) + 2 * ON_EDGE, Math.PI));
  return rangesOf(covering(cap, levels, MOST_CELLS));
}

function covering(region: s2.Cap | SphereLine | SpherePolygon, levels: CellLevels, maxCells: number): bigint[] {
  const { coarsest: minLevel, finest: maxLevel } = levels;
  return [...new s2.RegionCoverer({ minLevel, maxLevel, levelMod: 1, maxCells }).covering(region)];
}

function rangesOf(cells: readonly bigint[]): CellRange[] {
  const ranges: CellRange[] = [];
  const around = new Set<bigint>();
  for (const cell of cells) {
    ranges.push({ low: signed(s2.cellid.rangeMin(cell)), high: signed(s2.cellid.rangeMax(cell)) });
    for (let level = s2.cellid.level(cell) - 1; level >= 0; level--) around.add(s2.cellid.parent(cell, level));
  }
  return [...ranges, ...[...around].map((cell) => ({ low: signed(cell), high: signed(cell) }))];
}

function signed(cell: bigint): bigint {
  return BigInt.asIntN(64, cell);
}
