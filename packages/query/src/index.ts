export { canonicalType, compareRaw, compareValues, equalValues } from './compare.ts';
export {
  extractIndexValues,
  type IndexValues,
  MISSING,
  type PathSegment,
  parsePath,
  UNDEFINED,
  valueAtPath,
  valuesAtPath,
} from './paths.ts';
