import { Decimal128, Double, Int32, Long } from 'bson';
import { expect, test } from 'vitest';
import { storedGeometry } from '../src/geoJson.ts';
import { point, val } from './values.ts';

const ring = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]; // biome-ignore format: one line
const hole = [[1, 1], [2, 1], [2, 2], [1, 2], [1, 1]]; // biome-ignore format: one line
const far = [[9, 9], [10, 9], [10, 10], [9, 9]]; // biome-ignore format: one line
const across = [[3, 1], [6, 1], [6, 2], [3, 2], [3, 1]]; // biome-ignore format: one line
const crs = (name: unknown) => ({ crs: { type: 'name', properties: { name } } });
const of = (type: string, coordinates: unknown) => ({ type, coordinates });

test.for<[value: unknown, points: number, lines: number, polygons: number]>([
  [point(1, 2), 1, 0, 0],
  [of('Point', [1, 2, 300]), 1, 0, 0],
  [{ ...point(1, 2), ...crs('EPSG:4326') }, 1, 0, 0],
  [{ ...point(1, 2), ...crs('urn:ogc:def:crs:OGC:1.3:CRS84') }, 1, 0, 0],
  [
    of('LineString', [
      [0, 0],
      [0, 0],
      [1, 1],
    ]),
    0,
    1,
    0,
  ],
  [of('Polygon', [ring]), 0, 0, 1],
  [of('Polygon', [[...ring].reverse()]), 0, 0, 1],
  [of('Polygon', [ring, hole]), 0, 0, 1],
  [
    of('Polygon', [
      [
        [0, 0],
        [0, 0],
        [4, 0],
        [4, 4],
        [4, 4],
        [0, 0],
      ],
    ]),
    0,
    0,
    1,
  ],
  [
    of('MultiPoint', [
      [0, 0],
      [1, 1],
    ]),
    2,
    0,
    0,
  ],
  [
    of('MultiLineString', [
      [
        [0, 0],
        [1, 1],
      ],
      [
        [5, 5],
        [6, 6],
      ],
    ]),
    0,
    2,
    0,
  ],
  [of('MultiPolygon', [[ring], [far]]), 0, 0, 2],
  [
    { type: 'GeometryCollection', geometries: [point(1, 2), of('LineString', far), of('MultiPolygon', [[ring]])] },
    1,
    1,
    1,
  ],
  [[1, 2], 1, 0, 0],
  [[1, 2, 'more'], 1, 0, 0],
  [{ lng: 1, lat: 2, name: 'here' }, 1, 0, 0],
  [[new Int32(1), new Decimal128('2.5')], 1, 0, 0],
  [[Long.fromNumber(1), new Double(2.5)], 1, 0, 0],
])('%j is %i points, %i lines, %i polygons', ([value, points, lines, polygons]) => {
  const { shapes } = storedGeometry(val(value));
  expect([shapes?.points.length, shapes?.lines.length, shapes?.polygons.length]).toEqual([points, lines, polygons]);
});

test('of a ring of thousands of vertices it is soon known whether edges cross', () => {
  const round = Array.from({ length: 3000 }, (_, i) => {
    const angle = (i / 3000) * 2 * Math.PI;
    return [60 + 20 * Math.cos(angle), 20 * Math.sin(angle)];
  });
  const good = of('Polygon', [[...round, round[0]]]);
  expect(storedGeometry(val(good)).shapes?.polygons).toHaveLength(1);
  const twisted = [...round.slice(0, 100), round[101], round[100], ...round.slice(102)];
  expect(() => storedGeometry(val(of('Polygon', [[...twisted, twisted[0]]])))).toThrow('Edges 99 and 101 cross');
});

test('a pair of numbers beyond longitude and latitude is a point of the plane alone', () => {
  expect(storedGeometry(val([500, 0]))).toMatchObject({ position: [500, 0], shapes: undefined });
  expect(storedGeometry(val(point(1, 2))).position).toEqual([1, 2]);
  expect(
    storedGeometry(
      val(
        of('LineString', [
          [0, 0],
          [1, 1],
        ]),
      ),
    ).position,
  ).toBeUndefined();
});

test.for<[value: unknown, errmsg: string]>([
  ['here', 'geo element must be an array or object'],
  [{}, "unknown GeoJSON type: a geometry needs a 'type' that is a string"],
  [{ name: 'here', type: 5 }, 'unknown GeoJSON type'],
  [of('Feature', [1, 2]), 'unknown GeoJSON type: Feature'],
  [[], 'Point must only contain numeric elements'],
  [['a', 1], 'Point must only contain numeric elements'],
  [[Number.NaN, 1], 'Point coordinates must be finite numbers'],
  [[Infinity, 1], 'Point coordinates must be finite numbers'],
  [of('Point', 'x'), 'Point must be an array or object'],
  [of('Point', [1]), 'Point must only contain numeric elements'],
  [point(-181, 0), 'Longitude/latitude is out of bounds, lng: -181 lat: 0'],
  [point(0, 90.5), 'Longitude/latitude is out of bounds, lng: 0 lat: 90.5'],
  [of('LineString', 5), 'GeoJSON coordinates must be an array of coordinates'],
  [of('LineString', [5]), 'GeoJSON coordinates must be an array'],
  [of('LineString', [[0, 0]]), 'GeoJSON LineString must have at least 2 vertices: [ [ 0, 0 ] ]'],
  [
    of('LineString', [
      [0, 0],
      [0, 91],
    ]),
    'Longitude/latitude is out of bounds, lng: 0 lat: 91',
  ],
  [of('Polygon', 5), 'Polygon coordinates must be an array'],
  [of('Polygon', []), 'Polygon has no loops.'],
  [of('Polygon', [[]]), 'Loop has no vertices'],
  [of('Polygon', [ring.slice(0, 4)]), 'Loop is not closed: [ [ 0, 0 ], [ 4, 0 ], [ 4, 4 ], [ 0, 4 ] ]'],
  [
    of('Polygon', [
      [
        [0, 0],
        [1, 1],
        [0, 0],
      ],
    ]),
    'Loop must have at least 3 different vertices',
  ],
  [
    of('Polygon', [
      [
        [0, 0],
        [4, 4],
        [4, 0],
        [0, 4],
        [0, 0],
      ],
    ]),
    'Edges 0 and 2 cross. Edge locations in degrees: [0.0000000, 0.0000000]-[4.0000000, 4.0000000] and [0.0000000, 4.0000000]-[4.0000000, 0.0000000]',
  ],
  [
    of('Polygon', [
      [
        [0, 0],
        [4, 0],
        [2, 2],
        [4, 4],
        [2, 2],
        [0, 4],
        [0, 0],
      ],
    ]),
    'Duplicate vertices: 2 and 4',
  ],
  [of('Polygon', [ring, far]), 'Secondary loops not contained by first exterior loop - secondary loops must be holes'],
  [of('Polygon', [ring, across]), 'Edges of loop 0 and loop 1 cross'],
  [
    of('Polygon', [
      ring,
      hole,
      [
        [1.2, 1.2],
        [1.8, 1.2],
        [1.8, 1.8],
        [1.2, 1.2],
      ],
    ]),
    'Polygon interior loops cannot be nested',
  ],
  [
    of('Polygon', [
      ring,
      hole,
      [
        [1.5, 1.5],
        [3, 1.5],
        [3, 3],
        [1.5, 1.5],
      ],
    ]),
    'Edges of loop 1 and loop 2 cross',
  ],
  [
    of('Polygon', [
      ring,
      [
        [0, 0],
        [4, 0],
        [2, 2],
        [0, 0],
      ],
    ]),
    'Loop 1 shares more than one vertex with its parent loop 0',
  ],
  [of('MultiPoint', []), 'MultiPoint coordinates must have at least 1 element'],
  [of('MultiLineString', 1), 'MultiLineString coordinates must be an array'],
  [of('MultiPolygon', [[far], [[[0, 0]]]]), 'Loop must have at least 3 different vertices'],
  [{ type: 'GeometryCollection' }, 'GeometryCollection geometries must be an array'],
  [{ type: 'GeometryCollection', geometries: [] }, 'GeometryCollection geometries must have at least 1 element'],
  [{ type: 'GeometryCollection', geometries: [5] }, 'Element 0 of "geometries" is not an object'],
  [{ type: 'GeometryCollection', geometries: [of('Nope', [])] }, 'Unknown GeoJSON type: Nope'],
  [
    { type: 'GeometryCollection', geometries: [{ type: 'GeometryCollection' }] },
    'GeometryCollections cannot be nested',
  ],
  [{ ...point(1, 2), crs: 5 }, 'GeoJSON CRS must be an object'],
  [{ ...point(1, 2), crs: { type: 'link' } }, 'GeoJSON CRS must have field "type": "name"'],
  [{ ...point(1, 2), crs: { type: 'name' } }, 'CRS must have field "properties" which is an object'],
  [{ ...point(1, 2), ...crs(5) }, 'In CRS, "properties.name" must be a string'],
  [{ ...point(1, 2), ...crs('EPSG:3857') }, 'Unknown CRS name: EPSG:3857'],
  [{ ...of('Polygon', [ring]), ...crs('urn:x-mongodb:crs:strictwinding:EPSG:4326') }, 'is not supported by replsim'],
])('%j: %s', ([value, errmsg]) => {
  expect(() => storedGeometry(val(value))).toThrow(
    expect.objectContaining({ code: 2, message: expect.stringContaining(errmsg) }),
  );
});
