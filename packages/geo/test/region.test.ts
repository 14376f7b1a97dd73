import type { BsonValue } from '@replsim/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { membersOf } from '../src/bsonValues.ts';
import { type GeoOperator, parseGeoPredicate } from '../src/region.ts';
import { point, val } from './values.ts';

const asks = (operator: GeoOperator, shape: object, stored: unknown) =>
  parseGeoPredicate(operator, val(shape)).matches(val(stored));
const within = ($geometry: unknown, stored: unknown) => asks('$geoWithin', { $geometry }, stored);
const meets = ($geometry: unknown, stored: unknown) => asks('$geoIntersects', { $geometry }, stored);
const of = (type: string, coordinates: unknown) => ({ type, coordinates });
const box = (x: number, y: number, side: number) => [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]; // biome-ignore format: one line
const square = (x: number, y: number, side: number, ...holes: unknown[]) => of('Polygon', [box(x, y, side), ...holes]);
const line = (...coordinates: unknown[]) => of('LineString', coordinates);

test('a shape that is read again is the same, and another operator or place another one', () => {
  const both = val({ first: { $geometry: square(0, 0, 2) }, second: { $geometry: square(50, 50, 2) } });
  const [[, first], [, second]] = membersOf(both) as [[string, BsonValue], [string, BsonValue]];
  const corner = val(line([1, 1], [3, 1]));
  expect(parseGeoPredicate('$geoWithin', first)).toBe(parseGeoPredicate('$geoWithin', first));
  expect(parseGeoPredicate('$geoWithin', first).matches(corner)).toBe(false);
  expect(parseGeoPredicate('$geoIntersects', first).matches(corner)).toBe(true);
  expect(parseGeoPredicate('$geoIntersects', second).matches(corner)).toBe(false);
});

describe('edges are great arcs', () => {
  const wide = of('Polygon', [
    [
      [-60, 50],
      [60, 50],
      [60, 60],
      [-60, 60],
      [-60, 50],
    ],
  ]);

  test('which leave the parallel towards the pole', () => {
    expect(within(wide, point(0, 55))).toBe(false);
    expect(within(wide, point(0, 70))).toBe(true);
    expect(within(wide, point(-59, 55))).toBe(true);
  });

  test('a polygon may lie across the antimeridian, or around a pole', () => {
    const across = of('Polygon', [
      [
        [170, -10],
        [-170, -10],
        [-170, 10],
        [170, 10],
        [170, -10],
      ],
    ]);
    expect(within(across, point(180, 0))).toBe(true);
    expect(within(across, point(-175, 5))).toBe(true);
    expect(within(across, point(0, 0))).toBe(false);
    const arctic = of('Polygon', [
      [
        [0, 70],
        [90, 70],
        [180, 70],
        [-90, 70],
        [0, 70],
      ],
    ]);
    expect(within(arctic, point(33, 89))).toBe(true);
    expect(within(arctic, point(33, 60))).toBe(false);
  });

  test('whichever way a ring runs, it bounds the smaller side', () => {
    expect(within(of('Polygon', [box(0, 0, 10).reverse()]), point(5, 5))).toBe(true);
    expect(within(of('Polygon', [box(0, 0, 10).reverse()]), point(50, 50))).toBe(false);
  });
});

test.for<[shape: object, stored: object, isWithin: boolean, doesMeet: boolean]>([
  // Vertices and edges belong to a polygon.
  [square(0, 0, 10), point(0, 0), true, true],
  [square(0, 0, 10), point(10, 10), true, true],
  [square(0, 0, 10), point(5, 0), true, true],
  [square(0, 0, 10), point(10, 5), true, true],
  [square(0, 0, 10), point(10.001, 5), false, false],
  [square(0, 0, 10, box(4, 4, 2)), point(5, 5), false, false],
  [square(0, 0, 10, box(4, 4, 2)), point(3, 3), true, true],
  [square(0, 0, 10), line([1, 1], [9, 9]), true, true],
  [square(0, 0, 10), line([1, 1], [19, 9]), false, true],
  [square(0, 0, 10), line([0, 0], [5, 5]), true, true],
  [square(0, 0, 10), line([-5, 5], [15, 5]), false, true],
  [square(0, 0, 10), line([20, 5], [30, 5]), false, false],
  [square(0, 0, 10, box(4, 4, 2)), line([1, 1], [9, 9]), false, true],
  [square(0, 0, 10, box(4, 4, 2)), line([4.5, 4.5], [5.5, 5.5]), false, false],
  [square(0, 0, 10), square(2, 2, 3), true, true],
  [square(0, 0, 10), square(0, 0, 10), true, true],
  [square(0, 0, 10), square(5, 5, 10), false, true],
  [square(2, 2, 3), square(0, 0, 10), false, true],
  [square(0, 0, 10), square(10, 0, 10), false, false],
  [square(0, 0, 10), square(20, 20, 2), false, false],
  [square(0, 0, 10, box(4, 4, 2)), square(4.5, 4.5, 1), false, false],
  [square(0, 0, 10, box(4, 4, 2)), square(3, 3, 4), false, true],
  [of('MultiPolygon', [[box(0, 0, 5)], [box(20, 20, 5)]]), point(22, 22), true, true],
  [of('MultiPolygon', [[box(0, 0, 5)], [box(20, 20, 5)]]), line([1, 1], [22, 22]), false, true],
  [
    square(0, 0, 10),
    of('MultiPoint', [
      [1, 1],
      [2, 2],
    ]),
    true,
    true,
  ],
  [
    square(0, 0, 10),
    of('MultiPoint', [
      [1, 1],
      [20, 20],
    ]),
    false,
    true,
  ],
  [square(0, 0, 10), { type: 'GeometryCollection', geometries: [point(1, 1), line([1, 1], [20, 1])] }, false, true],
  [{ type: 'GeometryCollection', geometries: [point(50, 50), square(0, 0, 10)] }, point(1, 1), true, true],
])('%j and %j: within %s, intersects %s', ([shape, stored, isWithin, doesMeet]) => {
  expect([within(shape, stored), meets(shape, stored)]).toEqual([isWithin, doesMeet]);
});

test.for<[a: object, b: object, doMeet: boolean]>([
  [point(1, 2), point(1, 2), true],
  [point(1, 2), point(1, 2.000001), false],
  [point(0, 0), line([0, 0], [10, 0]), true],
  [point(5, 0), line([0, 0], [10, 0]), true],
  [point(5, 1), line([0, 0], [10, 0]), false],
  [line([0, 0], [10, 10]), line([0, 10], [10, 0]), true],
  [line([0, 0], [1, 0]), line([0, 2], [1, 2]), false],
  [line([0, 0], [1, 1]), line([1, 1], [2, 0]), true],
])('%j meets %j: %s, either way', ([a, b, doMeet]) => {
  expect([meets(a, b), meets(b, a)]).toEqual([doMeet, doMeet]);
});

test('a circle on the sphere holds what lies in it as a whole', () => {
  const circle = (radius: number, stored: unknown) => asks('$geoWithin', { $centerSphere: [[0, 0], radius] }, stored);
  const degrees = Math.PI / 180;
  expect(circle(5 * degrees, point(4.99, 0))).toBe(true);
  expect(circle(5 * degrees, point(5, 0))).toBe(true);
  expect(circle(5 * degrees, [0, 5.01])).toBe(false);
  expect(circle(5 * degrees, line([0, 0], [4, 0]))).toBe(true);
  expect(circle(5 * degrees, line([0, 0], [6, 0]))).toBe(false);
  expect(circle(9 * degrees, square(-5, -5, 10))).toBe(true);
  expect(circle(6 * degrees, square(-5, -5, 10))).toBe(false);
  expect(circle(0, point(0, 0))).toBe(true);
  expect(circle(4, point(180, 0))).toBe(true);
  // More than a hemisphere: all but what is around the other end.
  expect(circle(170 * degrees, line([100, 0], [160, 0]))).toBe(true);
  expect(circle(170 * degrees, line([100, 0], [175, 0]))).toBe(false);
});

test('shapes of the plane hold points, pairs and GeoJSON alike, and nothing else', () => {
  const holds = (shape: object, stored: unknown) => asks('$geoWithin', shape, stored);
  expect(
    holds(
      {
        $box: [
          [0, 0],
          [10, 10],
        ],
      },
      [10, 0],
    ),
  ).toBe(true);
  expect(
    holds(
      {
        $box: [
          [10, 10],
          [0, 0],
        ],
      },
      point(10, 0),
    ),
  ).toBe(true);
  expect(
    holds(
      {
        $box: [
          [0, 0],
          [10, 10],
        ],
      },
      [10.01, 0],
    ),
  ).toBe(false);
  expect(
    holds(
      {
        $box: [
          [300, 0],
          [500, 10],
        ],
      },
      [400, 5],
    ),
  ).toBe(true);
  expect(
    holds(
      {
        $box: [
          [0, 0],
          [10, 10],
        ],
      },
      line([1, 1], [2, 2]),
    ),
  ).toBe(false);
  expect(holds({ $center: [[0, 0], 5] }, [3, 4])).toBe(true);
  expect(holds({ $center: [[0, 0], 5] }, [3, 4.01])).toBe(false);
  expect(holds({ $center: [{ x: 0, y: 0 }, 5] }, { a: 0, b: 5 })).toBe(true);
  expect(
    holds(
      {
        $polygon: [
          [0, 0],
          [10, 0],
          [0, 10],
        ],
      },
      [2, 2],
    ),
  ).toBe(true);
  expect(
    holds(
      {
        $polygon: [
          [0, 0],
          [10, 0],
          [0, 10],
        ],
      },
      [6, 6],
    ),
  ).toBe(false);
  expect(holds({ $polygon: { a: [0, 0], b: [10, 0], c: [0, 10] } }, [2, 2])).toBe(true);
});

// Upstream: shapes.cpp, Polygon::contains; jstests/core/index/geo/geo_max.js, geo_poly_edge.js.
test.for<[point: [number, number], isWithin: boolean]>([
  [[0, 0], true],
  [[10, 0], true],
  [[0, 10], true],
  [[5, 0], true],
  [[0, 5], true],
  [[5, -0.001], false],
  [[-0.001, 5], false],
  [[11, 0], false],
  [[0, 11], false],
])('corners, and edges along an axis, belong to a planar polygon: %j %j', ([stored, isWithin]) => {
  const corners = [[0, 0], [10, 0], [0, 10]]; // biome-ignore format: one line
  for (const $polygon of [corners, corners.toReversed()])
    expect(asks('$geoWithin', { $polygon }, stored)).toBe(isWithin);
});

test('what is no geometry is in nothing', () => {
  for (const stored of ['here', 5, null, {}, { type: 'Point' }, point(500, 0), [], ['a', 'b'], true]) {
    expect(within(square(-179, -80, 50), stored)).toBe(false);
    expect(
      asks(
        '$geoWithin',
        {
          $box: [
            [-1, -1],
            [1, 1],
          ],
        },
        stored,
      ),
    ).toBe(false);
    expect(meets(square(-179, -80, 50), stored)).toBe(false);
  }
});

test.for<[operator: GeoOperator, operand: unknown, errmsg: string]>([
  ['$geoWithin', 5, 'geometry must be an object'],
  ['$geoWithin', [1], 'geometry must be an object'],
  ['$geoWithin', {}, "geo query doesn't have any geometry"],
  ['$geoWithin', { $uniqueDocs: true }, "geo query doesn't have any geometry"],
  ['$geoWithin', { $circle: [] }, 'unknown geo specifier: $circle'],
  ['$geoWithin', { $box: 5 }, 'unknown geo specifier: $box'],
  ['$geoWithin', { $box: [[0, 0]] }, 'Point must be an array or object'],
  [
    '$geoWithin',
    {
      $box: [
        [0, 0],
        [1, 'a'],
      ],
    },
    'Point must only contain numeric elements',
  ],
  [
    '$geoWithin',
    {
      $box: [
        [0, 0],
        [1, 1, 1],
      ],
    },
    'Point must only contain two numeric elements',
  ],
  [
    '$geoWithin',
    {
      $box: [
        [0, 0],
        [1, 1],
      ],
      $center: [[0, 0], 1],
    },
    "$geoWithin doesn't accept multiple shapes",
  ],
  ['$geoWithin', { $center: [[0, 0], -1] }, 'radius must be a non-negative number'],
  ['$geoWithin', { $center: [[0, 0]] }, 'radius must be a non-negative number'],
  ['$geoWithin', { $center: [[0, 0], 1, 1] }, 'Only 2 fields allowed for circular region'],
  ['$geoWithin', { $centerSphere: [[200, 0], 1] }, 'Longitude/latitude is out of bounds, lng: 200 lat: 0'],
  [
    '$geoWithin',
    {
      $polygon: [
        [0, 0],
        [1, 1],
      ],
    },
    'Polygon must have at least 3 points',
  ],
  ['$geoWithin', { $geometry: point(0, 0) }, '$geoWithin not supported with provided geometry'],
  ['$geoWithin', { $geometry: line([0, 0], [1, 1]) }, '$geoWithin not supported with provided geometry'],
  ['$geoWithin', { $geometry: { type: 'Nope' } }, 'unknown GeoJSON type: Nope'],
  [
    '$geoIntersects',
    {
      $box: [
        [0, 0],
        [1, 1],
      ],
    },
    '$geoIntersect not supported with provided geometry',
  ],
  ['$geoIntersects', { $centerSphere: [[0, 0], 1] }, '$geoIntersect not supported with provided geometry'],
  ['$geoIntersects', { $geometry: [200, 0] }, '$geoIntersect not supported with provided geometry'],
  ['$geoIntersects', { $nope: 1 }, 'unknown geo specifier: $nope'],
])('%s: %j is refused: %s', ([operator, operand, errmsg]) => {
  expect(() => parseGeoPredicate(operator, val(operand))).toThrow(
    expect.objectContaining({ code: 2, message: expect.stringContaining(errmsg) }),
  );
});

// A triangle by itself: on the inner side of each of its three arcs.

type Vector = readonly [number, number, number];
const vector = ([lng, lat]: readonly [number, number]): Vector => {
  const [a, b] = [(lng * Math.PI) / 180, (lat * Math.PI) / 180];
  return [Math.cos(b) * Math.cos(a), Math.cos(b) * Math.sin(a), Math.sin(b)];
};
const side = ([ax, ay, az]: Vector, [bx, by, bz]: Vector, [cx, cy, cz]: Vector): number =>
  (ay * bz - az * by) * cx + (az * bx - ax * bz) * cy + (ax * by - ay * bx) * cz;

test('a point lies in a triangle if it lies on the inner side of each edge', () => {
  const corner = fc.tuple(fc.integer({ min: -40, max: 40 }), fc.integer({ min: -40, max: 40 }));
  const place = fc.tuple(fc.double({ min: -50, max: 50, noNaN: true }), fc.double({ min: -50, max: 50, noNaN: true }));
  let inside = 0;
  fc.assert(
    fc.property(fc.tuple(corner, corner, corner), place, (corners, at) => {
      const [a, b, c] = corners.map(vector) as [Vector, Vector, Vector];
      const turn = side(a, b, c);
      const p = vector(at);
      const sides = [side(a, b, p), side(b, c, p), side(c, a, p)].map((value) => value * Math.sign(turn));
      // Too flat to be a triangle, or too close to an edge to say.
      fc.pre(Math.abs(turn) > 1e-3 && sides.every((value) => Math.abs(value) > 1e-6));
      const expected = sides.every((value) => value > 0);
      if (expected) inside += 1;
      expect(within(of('Polygon', [[...corners, corners[0]]]), point(...at))).toBe(expected);
    }),
    { numRuns: 500, seed: 17 },
  );
  expect(inside).toBeGreaterThan(20);
});

test('two triangles meet if a corner of one lies in the other, or edges cross; one is within if all its corners are', () => {
  const corner = fc.tuple(fc.integer({ min: -30, max: 30 }), fc.integer({ min: -30, max: 30 }));
  const triangle = fc.tuple(corner, corner, corner);
  const met = { meets: 0, within: 0 };
  fc.assert(
    fc.property(triangle, triangle, fc.constantFrom(0.2, 1), (one, two, scale) => {
      const other = two.map(([x, y]) => [x * scale + 0.01, y * scale + 0.013] as const);
      const [a, b] = [one.map(vector), other.map(vector)];
      fc.pre([a, b].every(([p, q, r]) => Math.abs(side(p!, q!, r!)) > 1e-3));
      const polygonOf = (corners: readonly (readonly [number, number])[]) => of('Polygon', [[...corners, corners[0]]]);
      const holds = (ring: readonly Vector[], p: Vector) => {
        const [x, y, z] = ring as [Vector, Vector, Vector];
        const turn = Math.sign(side(x, y, z));
        return [side(x, y, p), side(y, z, p), side(z, x, p)].every((value) => value * turn > 0);
      };
      const edges = (ring: readonly Vector[]) => ring.map((from, i) => [from, ring[(i + 1) % 3]!] as const);
      const cross = edges(a).some(([p, q]) =>
        edges(b).some(([r, s]) => side(p, q, r) > 0 !== side(p, q, s) > 0 && side(r, s, p) > 0 !== side(r, s, q) > 0),
      );
      const expected = cross || a.some((p) => holds(b, p)) || b.some((p) => holds(a, p));
      const inner = !cross && b.every((p) => holds(a, p));
      if (expected) met.meets += 1;
      if (inner) met.within += 1;
      expect(meets(polygonOf(one), polygonOf(other))).toBe(expected);
      expect(within(polygonOf(one), polygonOf(other))).toBe(inner);
    }),
    { numRuns: 300, seed: 17 },
  );
  expect(met.meets).toBeGreaterThan(50);
  expect(met.within).toBeGreaterThan(5);
});
