const names = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Operators of expressions that hardly a scenario uses, by what they are about. None is one of filters or updates too, but for `$type`. */
export const RARE_OPERATORS = {
  conversionOperators:
    names(`$toBool $toDate $toDecimal $toDouble $toInt $toLong $toObjectId $toString $toUUID $type $isNumber $binarySize
    $toHashedIndexKey $bsonSize`),
  dateOperators: names('$dateAdd $dateSubtract $dateDiff $dateTrunc $dateToParts $tsSecond $tsIncrement'),
  objectOperators: names('$mergeObjects $objectToArray $arrayToObject $setField $unsetField'),
  setOperators: names(
    '$setUnion $setIntersection $setDifference $setEquals $setIsSubset $allElementsTrue $anyElementTrue',
  ),
  stringOperators:
    names(`$toUpper $toLower $strcasecmp $substr $substrBytes $substrCP $strLenBytes $strLenCP $split $indexOfBytes $indexOfCP
    $trim $ltrim $rtrim $replaceOne $replaceAll`),
  trigonometryOperators:
    names(`$sin $cos $tan $asin $acos $atan $sinh $cosh $tanh $asinh $acosh $atanh $degreesToRadians $radiansToDegrees
    $atan2`),
} as const;

/** The same for those that do not compute all of their arguments. */
export const RARE_CONTROLS = {
  dateControls:
    names(`$dateToString $dateFromString $dateFromParts $year $month $dayOfMonth $dayOfWeek $dayOfYear $hour $minute $second
    $millisecond $week $isoDayOfWeek $isoWeek $isoWeekYear`),
  quantileControls: names('$median $percentile'),
  regexControls: names('$regexMatch $regexFind $regexFindAll'),
} as const;

/** Each by itself. */
export const RARE_CONTROLS_ALONE = { convert: '$convert', getField: '$getField' } as const;

/** Stages; a change stream begins with the first. */
export const RARE_STAGES = names(`$changeStream $bucket $bucketAuto $densify $facet $fill $graphLookup $listCatalog
  $listLocalSessions $listSessions $lookup $merge $out $redact $setWindowFields $unionWith $unwind`);

/** Commands; `explain` is an option too. */
export const RARE_COMMANDS =
  names(`applyOps authenticate bulkWrite cloneCollectionAsCapped collMod collstats collStats compact connectionStatus
  connPoolStats convertToCapped createRole createUser currentOp datasize dataSize dbstats dbStats
  deleteIndexes distinct dropAllRolesFromDatabase dropAllUsersFromDatabase dropIndexes dropRole dropUser
  endSessions explain features findandmodify findAndModify getClusterParameter getDefaultRWConcern
  getDiagnosticData grantPrivilegesToRole grantRolesToRole grantRolesToUser hostInfo invalidateUserCache
  killAllSessions killAllSessionsByPattern killOp killSessions lockInfo logout logRotate planCacheClear
  planCacheClearFilters planCacheListFilters planCacheSetFilter profile reapLogicalSessionCacheNow
  refreshLogicalSessionCacheNow refreshSessions reIndex renameCollection replSetSyncFrom revokePrivilegesFromRole
  revokeRolesFromRole revokeRolesFromUser rolesInfo saslContinue saslStart setClusterParameter setDefaultRWConcern
  setFeatureCompatibilityVersion setIndexCommitQuorum setUserWriteBlockMode startSession top updateRole updateUser
  usersInfo validate`);

/** Steps, and what the head of a scenario says of access. */
const RARE_STEPS = ['watch', 'users', 'auth', 'keyFile', 'access'];
const SEARCHES = /\b2d|\$(geo|near|within|text)|\$regularExpression|:\s*['"]?text\b|\bpattern(Properties)?\b['"]?\s*:/;

const all = (tables: Readonly<Record<string, string | readonly string[]>>) => Object.values(tables).flat();
const RARE = [...all(RARE_OPERATORS), ...all(RARE_CONTROLS), ...all(RARE_CONTROLS_ALONE), ...RARE_STAGES, '$options'];
const NAMED = new RegExp(`\\$(${RARE.map((name) => name.slice(1)).join('|')})\\b`);
const KEYS = new RegExp(`\\b(${[...RARE_COMMANDS, ...RARE_STEPS].join('|')})['"]?\\s*:`);
/** But for a text with or without an anchor before it. */
const PATTERNS = /\$regex\b(?!['"]?\s*:\s*(['"]?)\^?[\w :,/-]+\1\s*[,}\n])/;
const COLLECTIONS = /\btimeseries\b|\bsystem\.buckets\b|\bvalidator\b|\bviewOn\b|\bcollation\b|\$jsonSchema\b/;

/**
 * Whether a scenario may need what hardly any does, and what the page leaves away where none does: indexes and searches of places and words,
 * patterns, time series, views, validators, change streams, `explain`, most stages, operators of dates, texts and the like. It looks at the text
 * alone, and sees too much rather than too little.
 */
export const asksForRare = (text: string): boolean =>
  [SEARCHES, PATTERNS, NAMED, KEYS, COLLECTIONS].some((pattern) => pattern.test(text));
