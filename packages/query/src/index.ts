export { combineNumbers, doubleValue } from './arithmetic.ts';
export { type CollationRules, readRules } from './collation/collationRules.ts';
export { type Collator, compileCollator, sameCollation } from './collation/collator.ts';
export { icuVersion } from './collation/intlOrder.ts';
export { canonicalType, compareRaw, compareValues, equalValues } from './compare.ts';
export { applyDiff, isDelta } from './diff/applyDiff.ts';
export { computeDiff } from './diff/computeDiff.ts';
export {
  compileExpression,
  type Expression,
  type Nearness,
  noTextScore,
  type TextScores,
  type Variables,
} from './expression.ts';
export { deviationOf, extremeOf, meanOf, sumOf } from './expressions/accumulate.ts';
export { mergedDocuments } from './expressions/objects.ts';
export { operators } from './expressions/operators.ts';
export { readQuantiles } from './expressions/quantiles.ts';
export { expressionRules } from './expressions/rules.ts';
export { checkVariableName, checkVariableRead, looksAtDocument } from './expressions/variableNames.ts';
export { checkFieldPath } from './fieldPath.ts';
export { explainFailure } from './filter/explainFailure.ts';
export { compileFilter, type Filter, type FilterOptions, type SearchCompiler } from './filter/filter.ts';
export { compilePositional, type Positional } from './filter/positional.ts';
export { nearNotAllowed } from './filter/predicates.ts';
export { extractIndexValues, type IndexValues } from './indexValues.ts';
export {
  ACCUMULATOR_NAMES,
  EXPRESSION_NAMES,
  MATCH_OPERATOR_NAMES,
  UPDATE_OPERATOR_NAMES,
  WINDOW_FUNCTION_NAMES,
} from './operatorNames.ts';
export { MISSING, type PathSegment, parsePath, presentAtPath, UNDEFINED, valueAtPath, valuesAtPath } from './paths.ts';
export { applyProjection } from './project/applyProjection.ts';
export {
  compileAdditions,
  compileProjection,
  compileStageProjection,
  type Projection,
  type ProjectionOptions,
} from './project/project.ts';
export { newProjectionTree, type ProjectionTree, plantNode } from './project/tree.ts';
export { compileRegex } from './regex/compileRegex.ts';
export type { Regex, RegexMatch } from './regex/search.ts';
export { compileKeyedSort, compileSort, compileSortOrder, type KeyedSort, type Sorter } from './sort.ts';
export { MovingTotal, Total } from './total.ts';
export { Evaluation, UNFINISHED } from './turns/evaluation.ts';
export { interruptible, Meter, ROW_STEPS } from './turns/meter.ts';
export { type Slices, sortInParts } from './turns/parts.ts';
export { eachOf, manyOf, readEach } from './turns/written.ts';
export { parseTypes } from './typeNames.ts';
export { computedUpdate } from './update/computedUpdate.ts';
export { checkDollarNames } from './update/dollarNames.ts';
export { withoutNullTimestamps } from './update/nullTimestamps.ts';
export {
  type ApplyOptions,
  compileUpdate,
  sameBytes,
  type Update,
  type UpdateOptions,
  type UpdateResult,
} from './update/update.ts';
export { buildUpsertDocument } from './update/upsert.ts';
export { firstName, readTruncated } from './values.ts';
