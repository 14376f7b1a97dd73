// Operators that a mongod of 8.0 to 8.2 knows, by name: what replsim lacks of them it refuses with a word about that.
// Sources, unless a list says otherwise: a public inventory of 2025, made from what mongod registers below src/mongo/db/pipeline and in
// expression_parser.cpp, held against the counters of operators in a server's serverStatus. That of 8.0 itself was not read, so a name
// may be of a neighbouring release.

const names = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .trim()
      .split(/\s+/)
      .map((name) => `$${name}`),
  );

/**
 * Registered by REGISTER_STABLE_EXPRESSION and the like in expression.cpp and its neighbours. Behind a feature flag there, and perhaps of
 * a release after 8.2: $createObjectId, $createUUID, $currentDate, the $similarity…, $serializeEJSON and $deserializeEJSON, $hash and
 * $hexHash, $subtype, $toArray and $toObject, and $top, $topN, $bottom and $bottomN as expressions. For tests alone: $_test….
 */
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
substrCP subtract sum switch tan tanh toBool toDate toDecimal toDouble toHashedIndexKey toInt toLong toLower
toObjectId toString toUUID createUUID subtype top topN bottom bottomN toArray toObject toUpper trim trunc tsIncrement tsSecond type unsetField week year zip
similarityCosine similarityDotProduct similarityEuclidean serializeEJSON deserializeEJSON hash hexHash
_internalFindAllValuesAtPath _internalFleBetween _internalFleEq
_internalIndexKey _internalJsEmit _internalKeyStringValue _internalOwningShard _internalSortKey _testApiVersion _testFeatureFlagLastLTS
_testFeatureFlagLatest
`);

/** Registered by REGISTER_ACCUMULATOR and the like in accumulator_*.cpp. */
export const ACCUMULATOR_NAMES = names(`
_internalConstructStats _internalJsReduce accumulator addToSet avg bottom bottomN concatArrays count first firstN last lastN max
maxN median mergeObjects min minN percentile push setUnion stdDevPop stdDevSamp sum top topN
`);

/** Registered by REGISTER_STABLE_WINDOW_FUNCTION and the like. */
export const WINDOW_FUNCTION_NAMES = names(`
addToSet avg bottom bottomN concatArrays count covariancePop covarianceSamp denseRank derivative documentNumber expMovingAvg first firstN integral last
lastN linearFill locf max maxN median mergeObjects min minMaxScaler minN percentile push rank setUnion shift stdDevPop stdDevSamp sum top topN
`);

/** Of expression_parser.cpp, what retrievePathlessParser and queryOperatorMap know. */
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

/** Of update/modifier_table.cpp, 0293c14c, but for $pushAll, which 3.6 removed. */
export const UPDATE_OPERATOR_NAMES = names(`
addToSet bit currentDate inc max min mul pop pull pullAll push rename set setOnInsert unset
`);
