import { namesElsewhere } from '@replsim/protocol';
import { namesOf } from './namesOf.ts';

/**
 * The stages that a mongod of 8.0 to 8.2 knows. Sources: a jstest of 2026 that classifies all stages of `$listMqlEntities` and fails if one
 * is missing, without what came after 8.2; a public inventory of what REGISTER_DOCUMENT_SOURCE and its like register below
 * src/mongo/db/pipeline; and for $operationMetrics, $_internalReplaceRoot and $_internalSearchMongotRemote, which later releases took
 * away, the sources of 6.0 and 7.0.
 */
const MONGOD = `
_addReshardingResumeId _analyzeShardKeyReadWriteDistribution _internalAllCollectionStats _internalApplyOplogUpdate _internalBoundedSort
_internalChangeStreamAddPostImage _internalChangeStreamAddPreImage _internalChangeStreamCheckInvalidate
_internalChangeStreamCheckResumability _internalChangeStreamCheckTopologyChange _internalChangeStreamHandleTopologyChange
_internalChangeStreamOplogMatch _internalChangeStreamTransform _internalChangeStreamUnwindTransaction _internalComputeGeoNearDistance
_internalConvertBucketIndexStats _internalDensify _internalFindAndModifyImageLookup _internalInhibitOptimization _internalListCollections
_internalReplaceRoot _internalReshardingIterateTransaction _internalReshardingOwnershipMatch _internalSearchIdLookup
_internalSearchMongotRemote _internalSetWindowFields _internalShardServerInfo _internalShredDocuments _internalSplitPipeline
_internalStreamingGroup _internalUnpackBucket _unpackBucket addFields bucket bucketAuto changeStream changeStreamSplitLargeEvent collStats
count currentOp densify documents facet fill geoNear graphLookup group indexStats limit listCachedAndActiveUsers listCatalog
listClusterCatalog listExtensions listLocalSessions listMqlEntities listSampledQueries listSearchIndexes listSessions lookup match merge
mergeCursors operationMetrics out planCacheStats project querySettings queryStats queue rankFusion redact replaceRoot replaceWith sample
score scoreFusion search searchBeta searchMeta set setMetadata setVariableFromSubPipeline setWindowFields shardedDataDistribution skip sort
sortByCount unionWith unset unwind vectorSearch
`;

/** The Enterprise edition alone has them, and Atlas Stream Processing. Source: the same jstest. */
const ENTERPRISE = `
_backupFile _streamsVectorSearch backupCursor backupCursorExtend cachedLookup externalFunction hoppingWindow https sessionWindow
setStreamMeta tumblingWindow validate
`;

const stagesOf = (text: string): string[] => namesOf(text).map((name) => `$${name}`);

export const MONGOD_STAGES: readonly string[] = stagesOf(MONGOD);

/** Whether upstream knows a stage of this name, and who there. */
export const STAGE_NAMES = namesElsewhere({
  mongod: new Set(MONGOD_STAGES),
  'MongoDB Enterprise': new Set(stagesOf(ENTERPRISE)),
});
