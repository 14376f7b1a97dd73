// Operators that a mongod of 8.0 to 8.2 knows, by name: what replsim lacks of them it refuses with a word about that.
// Assembled from memory, not extracted: the places named below are what decides, and a name may be missing or of a neighbouring release.

const names = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .trim()
      .split(/\s+/)
      .map((name) => `$${name}`),
  );

/** Decided by: expression.cpp and its neighbours, REGISTER_STABLE_EXPRESSION, REGISTER_EXPRESSION_WITH_FEATURE_FLAG and the like. */
export const EXPRESSION_NAMES = names(`
abs acos acosh add allElementsTrue and anyElementTrue arrayElemAt arrayToObject asin asinh atan atan2 atanh avg
binarySize bitAnd bitNot bitOr bitXor bsonSize ceil cmp concat concatArrays cond const convert cos cosh createObjectId
currentDate dateAdd dateDiff dateFromParts dateFromString dateSubtract dateToParts dateToString dateTrunc dayOfMonth dayOfWeek
dayOfYear degreesToRadians divide encStrContains encStrEndsWith encStrNormalizedEq encStrStartsWith eq exp expr filter first
firstN floor function getField gt gte hour ifNull in indexOfArray indexOfBytes indexOfCP isArray isNumber isoDayOfWeek isoWeek
isoWeekYear last lastN let literal ln log log10 lt lte ltrim map max maxN median mergeObjects meta millisecond min minN minute
mod month multiply ne not objectToArray or percentile pow radiansToDegrees rand range reduce regexFind regexFindAll regexMatch
replaceAll replaceOne reverseArray round rtrim second setDifference setEquals setField setIntersection setIsSubset setUnion
sigmoid sin sinh size slice sortArray split sqrt stdDevPop stdDevSamp strLenBytes strLenCP strcasecmp substr substrBytes
substrCP subtract sum switch tan tanh testApiVersion toBool toDate toDecimal toDouble toHashedIndexKey toInt toLong toLower
toObjectId toString toUUID toArray toObject toUpper trim trunc tsIncrement tsSecond type unsetField week year zip
similarityCosine similarityDotProduct similarityEuclidean serializeEJSON deserializeEJSON hash hexHash
_internalFindAllValuesAtPath _internalFindElemMatch _internalFindPositional _internalFindSlice _internalFleBetween _internalFleEq
_internalIndexKey _internalJsEmit _internalKeyStringValue _internalOwningShard _internalSortKey _testFeatureFlagLastLTS
_testFeatureFlagLatest
`);

/** Decided by: accumulator_*.cpp, REGISTER_ACCUMULATOR and REGISTER_ACCUMULATOR_WITH_FEATURE_FLAG. */
export const ACCUMULATOR_NAMES = names(`
_internalConstructStats _internalJsReduce accumulator addToSet avg bottom bottomN concatArrays count first firstN last lastN max
maxN median mergeObjects min minN percentile push setUnion stdDevPop stdDevSamp sum top topN
`);

/** Decided by: window_function_expression.cpp, REGISTER_WINDOW_FUNCTION and the like. */
export const WINDOW_FUNCTION_NAMES = names(`
addToSet avg bottom bottomN concatArrays count covariancePop covarianceSamp denseRank derivative documentNumber expMovingAvg first firstN integral last
lastN linearFill locf max maxN median min minMaxScaler minN percentile push rank setUnion shift stdDevPop stdDevSamp sum top topN
`);

/** Decided by: expression_parser.cpp, retrievePathlessParser and queryOperatorMap. */
export const MATCH_OPERATOR_NAMES = names(`
all alwaysFalse alwaysTrue and bitsAllClear bitsAllSet bitsAnyClear bitsAnySet comment elemMatch eq exists expr geoIntersects
geoNear geoWithin gt gte in jsonSchema lt lte mod ne near nearSphere nin nor not options or regex sampleRate size text type where
within _internalBucketGeoWithin _internalEqHash _internalExprEq _internalExprGt _internalExprGte _internalExprLt _internalExprLte _internalPath
_internalSchemaAllElemMatchFromIndex _internalSchemaAllowedProperties _internalSchemaBinDataEncryptedType
_internalSchemaBinDataFLE2EncryptedType _internalSchemaBinDataSubType _internalSchemaCond _internalSchemaEq _internalSchemaFmod
_internalSchemaMatchArrayIndex _internalSchemaMaxItems _internalSchemaMaxLength _internalSchemaMaxProperties
_internalSchemaMinItems _internalSchemaMinLength _internalSchemaMinProperties _internalSchemaObjectMatch
_internalSchemaRootDocEq _internalSchemaType _internalSchemaUniqueItems _internalSchemaXor
`);

/** Decided by: modifier_table.cpp. */
export const UPDATE_OPERATOR_NAMES = names(`
addToSet bit currentDate inc max min mul pop pull pullAll push rename set setOnInsert unset
`);
