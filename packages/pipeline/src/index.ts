export { excessRecords } from './collections/cappedEviction.ts';
export { cappedLimits, cappedSizeOf, limitIn, sizeOfCopy } from './collections/cappedOptions.ts';
export {
  checkDroppable,
  checkNotClustered,
  existsAsClustered,
  indexCount,
  shownClusteredIndex,
} from './collections/clusteredIndexes.ts';
export { checkKinds, checkMayExpire, clusteredSeconds } from './collections/clusteredOptions.ts';
export { checkCollation, completeCollation } from './collections/collation.ts';
export { type CollectionChanges, changedOptions, collectionSeconds } from './collections/collectionChanges.ts';
export { checkUnsupported, collectionOptions, oldIdIndex } from './collections/collectionOptions.ts';
export {
  checkCollectionMeant,
  checkCollectionUuid,
  collectionUuidOf,
  type WriteTarget,
} from './collections/collectionUuid.ts';
export { type CommitQuorum, parseCommitQuorum, VOTING_MEMBERS } from './collections/commitQuorum.ts';
export { checkIdAndHashed, checkShape, INDEX_OPTIONS } from './collections/indexSpecShape.ts';
export { listedSpec, listSpecs } from './collections/listedSpec.ts';
export { notSupported } from './collections/notSupported.ts';
export { collatorOf, defaultCollator, operationCollator } from './collections/operationCollation.ts';
export { checkPartialFilter } from './collections/partialFilter.ts';
export { findPreImage, keepsPreImages, preImageAge, preImageDocument } from './collections/preImages.ts';
export { parsePreImages } from './collections/preImagesOption.ts';
export { textOptionsOf } from './collections/textOptions.ts';
export { parseValidation } from './collections/validators.ts';
export {
  allViews,
  checkNotView,
  MAX_VIEW_DEPTH,
  type ResolvedView,
  resolveView,
  type ViewDefinition,
  viewDefinition,
  viewRecord,
  viewsNs,
} from './collections/viewDefinitions.ts';
export { checkSameApi, shownApiParameters } from './fields/apiParameters.ts';
export { type AppliedEntry, readEntry } from './fields/applyOpsEntry.ts';
export { checkOperations, checkOptions, isCrudOnly, upsertsAlways } from './fields/applyOpsShape.ts';
export { CommandArguments, fieldSet } from './fields/arguments.ts';
export { checkBson } from './fields/checkBson.ts';
export { EMPTY_DOCUMENT, isEmptyDocument, MAX_BSON_OBJECT_SIZE, subsetOf } from './fields/documents.ts';
export { elementsOf, Fields } from './fields/fields.ts';
export { legible } from './fields/legible.ts';
export {
  checkCollectionName,
  checkCreatableName,
  checkDbName,
  checkWritableName,
  splitNs,
} from './fields/namespaces.ts';
export { checkStoredDepth } from './fields/nesting.ts';
export { newDocument } from './fields/newDocument.ts';
export { RecentBytes } from './fields/recentBytes.ts';
export { searchNotEnabled } from './fields/searchNotEnabled.ts';
export {
  anySessionId,
  digestOf,
  isSessionOf,
  NOBODY,
  parseSessionId,
  partsOfKey,
  type SessionId,
  sessionIdOf,
  userDigits,
  uuidOf,
} from './fields/sessionId.ts';
export { hashOfText } from './fields/textHash.ts';
export { hasUnusualNames } from './fields/unusualNames.ts';
export {
  bytesOf,
  INT32_MAX,
  int64Of,
  isNumeric,
  jsValueOf,
  numberOf,
  truthOf,
  typeName,
  wholeNumberOf,
} from './fields/values.ts';
export { isCovered, keyDocuments, shapeOf } from './planner/covered.ts';
export {
  allOf,
  conjunctsOf,
  type FilterTree,
  filterDocument,
  nearLeafOf,
  parseFilterTree,
} from './planner/filterTree.ts';
export type { IndexPlan } from './planner/indexPlan.ts';
export { IndexWalk } from './planner/indexWalk.ts';
export { type Bound, type Interval, intervalsOf, showInterval } from './planner/interval.ts';
export { boundsOf } from './planner/leafBounds.ts';
export type { KeyLimits } from './planner/minMax.ts';
export { checkNatural, checkNaturalHint, naturalDirection, naturalHint } from './planner/naturalOrder.ts';
export { NearOrder } from './planner/nearSearch.ts';
export { newValue } from './planner/newValue.ts';
export {
  type CollectionScanPlan,
  choosePlan,
  type Plan,
  type Planning,
  type PlanRequest,
  planQuery,
} from './planner/plan.ts';
export { BeforePlanError, PlannerError } from './planner/plannerError.ts';
export { planSummary } from './planner/planSummary.ts';
export { readableIndex } from './planner/readableIndexes.ts';
export {
  initialSyncIdIn,
  type MetRecord,
  placeOf,
  type ScanStart,
  scanToken,
  writeRecordId,
} from './planner/scanTokens.ts';
export { searchIn } from './planner/textPlan.ts';
export { checkCompatible } from './replSetConfig/compatibility.ts';
export { hostAndPort } from './replSetConfig/configFields.ts';
export { encodeReplSetConfig, sameConfigContents, shownConfig } from './replSetConfig/encodeConfig.ts';
export { withAllVotes, withNewlyAdded, withoutNewlyAdded } from './replSetConfig/newlyAdded.ts';
export { parseReplSetConfig } from './replSetConfig/parseConfig.ts';
export { readStoredConfig } from './replSetConfig/storedConfig.ts';
export { type ValidationRules, validateReplSetConfig } from './replSetConfig/validateConfig.ts';
export type { Reply } from './reply.ts';
export {
  CLUSTER_PARAMETERS_NS,
  clusterParameter,
  clusterParameterNames,
  defaultReadMaxTimeMS,
  newClusterParameter,
} from './settings/clusterParameters.ts';
export { failPointSetting } from './settings/failPointSetting.ts';
export { FAIL_POINT_NAMES, type FailPointData, type FailPointMode, FailPoints } from './settings/failPoints.ts';
export {
  failPointParameters,
  ownerElsewhere,
  type ParameterMoment,
  ParameterStore,
  type ParameterValue,
  parametersOf,
  unknownParameter,
} from './settings/parameters.ts';
export { knowsCommand } from './since.ts';
export { parseAggregate } from './stages/aggregateArguments.ts';
export { arrayValue, documentValue, isNullish } from './stages/builtValues.ts';
export type { DocumentScores } from './stages/documentScores.ts';
export { compileComputed } from './stages/expressions.ts';
export { foldConstants } from './stages/foldConstants.ts';
export { placeAt } from './stages/nestedFields.ts';
export { OperationVariables } from './stages/operationVariables.ts';
export { projectorOf, projectorOnView } from './stages/projector.ts';
export { runnerOf, runStages, sortOf, wholeNumber } from './stages/runStages.ts';
export { type Search, searchCompiler, searchNotFirst } from './stages/search.ts';
export { type SortDocuments, sorterOf } from './stages/sorter.ts';
export { GEO_NEAR, type StageNeeds, stageRules, UNPACK } from './stages/stageRules.ts';
export {
  checkStagesSince,
  countStages,
  documentOf,
  isSource,
  isWriteStage,
  parseStages,
  pipelineIn,
  type Stage,
  stagesOf,
  unstableStageIn,
} from './stages/stages.ts';
export { bucketFieldsOf, bucketsHint, withBucketsQuery } from './stages/unpackStage.ts';
export { atOnce, attempted, COMPILE_STEPS, filtered, pay, type Work } from './stages/work.ts';
export type { PipelineWorld } from './stages/world.ts';
export { BucketCatalog, type OpenBucket } from './timeseries/bucketCatalog.ts';
export { bucketFilter, isMetaFilter, renamedMetaFilter } from './timeseries/bucketFilter.ts';
export { checkGranularityChange, type GranularityChange } from './timeseries/granularityChange.ts';
export { bucketsIndexSpec, seriesIndexSpec } from './timeseries/indexSpecs.ts';
export { type Measurement, readMeasurement } from './timeseries/measurement.ts';
export {
  bucketsNs,
  GRANULARITIES,
  type Granularity,
  hasExtendedRange,
  isBucketsName,
  objectIdSecs,
  type TimeseriesCollection,
  type TimeseriesOptions,
  timeseriesCollection,
  timeseriesOptions,
  writeTimeseriesOptions,
} from './timeseries/options.ts';
export { rebuiltBucket } from './timeseries/rebuiltBucket.ts';
export { unpackBucket } from './timeseries/unpack.ts';
export { metadataUpdate } from './timeseries/updateMetadata.ts';
export { COMMAND_NAMES } from './upstream/commandNames.ts';
export { whyElsewhere } from './upstream/failPointNames.ts';
export { PARAMETER_NAMES } from './upstream/parameterNames.ts';
