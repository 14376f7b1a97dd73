import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EARTH_RADIUS_METERS, nearestOf, parseNear } from '../src/near.ts';
import { point, val } from './values.ts';

const distanceOf = (near: object, ...stored: unknown[]) => nearestOf(parseNear(val(near)), stored.map(val))?.distance;
const of = (type: string, coordinates: unknown) => ({ type, coordinates });
const DEGREE = (Math.PI / 180) * EARTH_RADIUS_METERS;

test.for<[near: object, unit: string, maxDistance: number]>([
  [{ $near: [1, 2] }, 'plane', Infinity],
  [{ $near: [1, 2, 3] }, 'plane', 3],
  [{ $near: { x: 1, y: 2 }, $maxDistance: 5 }, 'plane', 5],
  [{ $geoNear: [1, 2], $minDistance: 0 }, 'plane', Infinity],
  [{ $nearSphere: [1, 2], $maxDistance: 0.1 }, 'radians', 0.1],
  [{ $maxDistance: 0.1, $nearSphere: [1, 2] }, 'radians', 0.1],
  [{ $near: { $geometry: point(1, 2), $maxDistance: 100 } }, 'meters', 100],
  [{ $nearSphere: { $geometry: point(1, 2) } }, 'meters', Infinity],
  [{ $near: point(1, 2), $maxDistance: 100 }, 'meters', 100],
  [{ $near: [1, 2], $uniqueDocs: true }, 'plane', Infinity],
])('%j measures in %s', ([near, unit, maxDistance]) => {
  expect(parseNear(val(near))).toEqual({ center: [1, 2], unit, minDistance: 0, maxDistance });
});

test.for<[near: object, code: number, errmsg: string]>([
  [{ $near: 5 }, 2, 'geo near query argument is not an object'],
  [{ $near: {} }, 2, '$geometry is required for geo near query'],
  [
    { $near: { $geometry: point(1000, 1000) } },
    2,
    'invalid point in geo near query $geometry argument: Longitude/latitude is out of bounds, lng: 1000 lat: 1000',
  ],
  [{ $near: { $geometry: [1, 2] } }, 2, '$near requires geojson point'],
  [
    {
      $near: {
        $geometry: of('LineString', [
          [0, 0],
          [1, 1],
        ]),
      },
    },
    2,
    'invalid point in geo near query',
  ],
  [{ $near: { $geometry: point(1, 2), $maxDistance: -1 } }, 2, '$maxDistance must be non-negative'],
  [{ $near: { $geometry: point(1, 2), $maxDistance: 'far' } }, 2, '$maxDistance must be a number'],
  [{ $near: { $geometry: point(1, 2), $minDistance: Infinity } }, 2, '$minDistance must be non-negative'],
  [{ $near: { $geometry: point(1, 2), $far: 1 } }, 2, 'invalid argument in geo near query: $far'],
  [{ $near: { $geometry: point(1, 2) }, $maxDistance: 5 }, 2, 'Extra field found: $maxDistance'],
  [{ $near: [1, 2], $minDistance: 'a' }, 16893, '$minDistance must be a number'],
  [{ $near: [1, 2], $minDistance: -1 }, 16894, '$minDistance must be non-negative'],
  [{ $near: [1, 2], $maxDistance: 'a' }, 16895, '$maxDistance must be a number'],
  [{ $near: [1, 2], $maxDistance: -1 }, 16896, '$maxDistance must be non-negative'],
  [{ $near: [1, 2, -3] }, 18522, 'max distance must be non-negative'],
  [{ $near: [1, 2], $gt: 3 }, 34413, 'invalid argument in geo near query: $gt'],
  [{ $nearSphere: [200, 0] }, 2, 'Legacy point is out of bounds for spherical query'],
])('%j is refused with %i: %s', ([near, code, errmsg]) => {
  expect(() => parseNear(val(near))).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(errmsg) }),
  );
});

test('distances between points are those of the haversine', () => {
  const place = fc.tuple(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.double({ min: -90, max: 90, noNaN: true }),
  );
  fc.assert(
    fc.property(place, place, (from, to) => {
      const [a, b, c, d] = [...from, ...to].map((degrees) => (degrees * Math.PI) / 180);
      const half = (angle: number) => Math.sin(angle / 2) ** 2;
      const h = half(d! - b!) + Math.cos(b!) * Math.cos(d!) * half(c! - a!);
      const haversine = 2 * Math.asin(Math.sqrt(Math.min(1, h)));
      expect(distanceOf({ $nearSphere: from }, to)).toBeCloseTo(haversine, 7);
      expect(distanceOf({ $near: point(...from) }, point(...to))! / EARTH_RADIUS_METERS).toBeCloseTo(haversine, 7);
      expect(distanceOf({ $near: from }, to)).toBe(Math.hypot(from[0] - to[0], from[1] - to[1]));
    }),
    { numRuns: 300, seed: 17 },
  );
});

test('the distance of a shape is that of its nearest point, and none inside', () => {
  const near = { $near: { $geometry: point(5, 3) } };
  expect(
    distanceOf(
      near,
      of('LineString', [
        [0, 0],
        [10, 0],
      ]),
    )! / DEGREE,
  ).toBeCloseTo(3, 9);
  expect(
    distanceOf(
      near,
      of('Polygon', [
        [
          [0, 0],
          [10, 0],
          [10, 10],
          [0, 0],
        ],
      ]),
    ),
  ).toBe(0);
  expect(
    distanceOf(
      near,
      of('Polygon', [
        [
          [5, 4],
          [6, 9],
          [4, 9],
          [5, 4],
        ],
      ]),
    )! / DEGREE,
  ).toBeCloseTo(1, 9);
  expect(
    distanceOf(
      near,
      of('MultiPoint', [
        [5, 50],
        [5, 5],
      ]),
    )! / DEGREE,
  ).toBeCloseTo(2, 9);
});

test('of several values the nearest counts, and what is no geometry does not', () => {
  const near = { $near: { $geometry: point(0, 0) } };
  const values = [
    point(9, 0),
    'here',
    point(2, 0),
    [
      [30, 0],
      [1, 0],
    ],
  ];
  expect(distanceOf(near, ...values)! / DEGREE).toBeCloseTo(1, 9);
  expect(distanceOf(near, 'here', { type: 'Nope' }, 5)).toBeUndefined();
  expect(distanceOf({ $near: { $geometry: point(0, 0), $minDistance: 2 * DEGREE } }, ...values)).toBeUndefined();
  expect(
    distanceOf(
      { $near: [0, 0] },
      of('LineString', [
        [0, 0],
        [1, 1],
      ]),
    ),
  ).toBeUndefined();
});
