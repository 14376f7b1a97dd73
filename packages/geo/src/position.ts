/** A point as clients name it: x and y, or longitude and latitude in degrees. */
export type Position = readonly [x: number, y: number];

/** Whether it is a place on the sphere. Upstream: shapes.h, isValidLngLat. */
export function isLngLat([lng, lat]: Position): boolean {
  return Math.abs(lng) <= 180 && Math.abs(lat) <= 90;
}
