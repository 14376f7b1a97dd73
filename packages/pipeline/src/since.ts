import { COMMANDS_SINCE } from './upstream/commandNames.ts';

/**
 * Which releases know what a client asks for by name, by the `maxWireVersion` of the first that did: 5 is 3.4, 6 is 3.6, 7 is 4.0,
 * 8 is 4.2, 9 is 4.4, 13 is 5.0, 14 is 5.1, 16 is 5.3, 17 is 6.0, 21 is 7.0, 25 is 8.0. What is not named here is as old as 3.2.
 * Sources: the release notes and the manual's "New in version".
 */

/** Commands; a release before does not know the name (59). */
const COMMANDS: Readonly<Record<string, number>> = {
  setFeatureCompatibilityVersion: 5,
  replSetAbortPrimaryCatchUp: 6,
  replSetResizeOplog: 6,
  startSession: 6,
  refreshSessions: 6,
  endSessions: 6,
  killSessions: 6,
  killAllSessions: 6,
  killAllSessionsByPattern: 6,
  abortTransaction: 7,
  commitTransaction: 7,
  getDefaultRWConcern: 9,
  setDefaultRWConcern: 9,
  setIndexCommitQuorum: 9,
  rotateCertificates: 13,
  validateDBMetadata: 13,
  getClusterParameter: 17,
  setClusterParameter: 17,
  setUserWriteBlockMode: 17,
  analyzeShardKey: 21,
  configureQueryAnalyzer: 21,
  createSearchIndexes: 21,
  dropSearchIndex: 21,
  listSearchIndexes: 21,
  updateSearchIndex: 21,
  autoCompact: 25,
  bulkWrite: 25,
  removeQuerySettings: 25,
  setQuerySettings: 25,
};

/** Those that replsim lacks, too. */
const ALL_COMMANDS: ReadonlyMap<string, number> = new Map([
  ...COMMANDS_SINCE.flatMap(([maxWireVersion, names]) => names.map((name) => [name, maxWireVersion] as const)),
  ...Object.entries(COMMANDS),
]);

/** Stages of a pipeline; a release before answers 40324. */
const STAGES: Readonly<Record<string, number>> = {
  $addFields: 5,
  $bucket: 5,
  $bucketAuto: 5,
  $collStats: 5,
  $count: 5,
  $facet: 5,
  $graphLookup: 5,
  $replaceRoot: 5,
  $sortByCount: 5,
  $changeStream: 6,
  $currentOp: 6,
  $listLocalSessions: 6,
  $listSessions: 6,
  $merge: 8,
  $planCacheStats: 8,
  $replaceWith: 8,
  $set: 8,
  $unset: 8,
  $unionWith: 9,
  $setWindowFields: 13,
  $densify: 14,
  $documents: 14,
  $fill: 16,
  $changeStreamSplitLargeEvent: 17,
  $listCatalog: 17,
  $listSampledQueries: 21,
  $listSearchIndexes: 21,
  $vectorSearch: 21,
  $querySettings: 25,
};

/** Whether a release has a command of this name. */
export function knowsCommand(name: string, maxWireVersion: number): boolean {
  return maxWireVersion >= (ALL_COMMANDS.get(name) ?? 0);
}

/** Whether a release has a stage of this name. */
export function knowsStage(name: string, maxWireVersion: number): boolean {
  return maxWireVersion >= (STAGES[name] ?? 0);
}
