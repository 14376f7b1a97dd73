/**
 * The stages that a mongod of 8.0 to 8.2 knows.
 * Assembled from memory, not extracted: REGISTER_DOCUMENT_SOURCE and its like in document_source_*.cpp are what decides.
 */
export const STAGE_NAMES: ReadonlySet<string> = new Set(
  `
addFields bucket bucketAuto changeStream changeStreamSplitLargeEvent collStats count currentOp densify documents facet fill geoNear
graphLookup group indexStats limit listCachedAndActiveUsers listCatalog listClusterCatalog listExtensions listLocalSessions listMqlEntities
listSampledQueries listSearchIndexes listSessions lookup match merge mergeCursors operationMetrics out planCacheStats project
queryStats queue querySettings rankFusion redact replaceRoot replaceWith sample score scoreFusion search searchBeta searchMeta set setMetadata
setVariableFromSubPipeline setWindowFields shardedDataDistribution skip sort sortByCount unionWith unset unwind vectorSearch
_addReshardingResumeId _analyzeShardKeyReadWriteDistribution _backupFile _internalAllCollectionStats
_internalApplyOplogUpdate _internalBoundedSort _internalChangeStreamAddPostImage _internalChangeStreamAddPreImage
_internalChangeStreamCheckInvalidate _internalChangeStreamCheckResumability _internalChangeStreamCheckTopologyChange
_internalChangeStreamHandleTopologyChange _internalChangeStreamOplogMatch _internalChangeStreamTransform
_internalChangeStreamUnwindTransaction _internalComputeGeoNearDistance _internalConvertBucketIndexStats _internalDensify
_internalFindAndModifyImageLookup _internalInhibitOptimization _internalListCollections _internalReplaceRoot
_internalReshardingIterateTransaction _internalReshardingOwnershipMatch _internalSearchIdLookup _internalSearchMongotRemote
_internalSetWindowFields _internalShardServerInfo _internalShredDocuments _internalSplitPipeline _internalStreamingGroup _internalUnpackBucket
_unpackBucket backupCursor backupCursorExtend
`
    .trim()
    .split(/\s+/)
    .map((name) => `$${name}`),
);
