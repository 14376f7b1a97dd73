export { CELL_LEVELS, planarKeys, sphereKeys } from './documentKeys.ts';
export { checkInSquare, rangesInBox, TWO_D_DEFAULTS, type TwoDParameters } from './geoHash.ts';
export { cellValue } from './keyValues.ts';
export {
  isOnPlane,
  isOnSphere,
  type Located,
  type NearQuery,
  nearestOf,
  nearOperators,
  parseNear,
  planarBoundsNear,
  sphereRangesNear,
} from './near.ts';
export type { Box } from './planar.ts';
export { type GeoOperator, geoOperators, parseGeoPredicate } from './region.ts';
export type { CellLevels, CellRange } from './sphere.ts';
