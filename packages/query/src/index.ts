export { canonicalType, compareRaw, compareValues, equalValues } from './compare.ts';
export { compileExpression, type Expression, type Variables } from './expression.ts';
export { compileFilter, type Filter, type FilterOptions } from './filter/filter.ts';
export { compilePositional, type Positional } from './filter/positional.ts';
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
