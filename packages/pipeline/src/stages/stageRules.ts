/** Where a pipeline stands; what may be in it depends on that. */
export type Place = 'top' | 'view' | 'facet' | 'lookup' | 'union';

/** What a stage is and where it may stand. Upstream: stage_constraints.h, StageConstraints. */
export interface StageRule {
  /**
   * `source`: makes documents instead of taking them; `near`: looks for them in its collection; `write`: puts them elsewhere;
   * `search`: works on Atlas alone.
   */
  readonly kind: 'plain' | 'source' | 'near' | 'write' | 'search';
  /** `{ aggregate: 1 }` begins with it, and no pipeline of a collection does; `either` if both may. */
  readonly onDatabase?: true | 'either';
  /** Version 1 of the Stable API does not have it; `inPart`: all but what counts documents. Upstream: AllowedWithApiStrict. */
  readonly unstable?: true | 'inPart';
  /** Places besides the top where it may not be. */
  readonly notIn?: readonly Exclude<Place, 'top'>[];
  /** The stage with which a pipeline has to begin that has this one. */
  readonly behind?: string;
}

/** What the view of a time-series collection consists of. */
export const UNPACK = '$_internalUnpackBucket';

/** What looks for what is near. */
export const GEO_NEAR = '$geoNear';

const plain: StageRule = { kind: 'plain' };
const source: StageRule = { kind: 'source', notIn: ['facet'] };
const onDatabase: StageRule = { kind: 'source', onDatabase: true, notIn: ['facet', 'lookup', 'union', 'view'] };
const write: StageRule = { kind: 'write', notIn: ['facet', 'lookup', 'union', 'view'] };
/** What `mongot` answers, a process beside mongod that Atlas has. */
const search: StageRule = { kind: 'search', unstable: true };

/** Every stage that mongod's own pipelines may have. */
export const stageRules: ReadonlyMap<string, StageRule> = new Map<string, StageRule>([
  ['$addFields', plain],
  ['$bucket', plain],
  ['$bucketAuto', plain],
  ['$changeStream', { kind: 'source', onDatabase: 'either', notIn: ['facet', 'lookup', 'union'] }],
  ['$changeStreamSplitLargeEvent', { kind: 'plain', behind: '$changeStream' }],
  ['$collStats', { ...source, unstable: 'inPart' }],
  ['$count', plain],
  ['$currentOp', { ...onDatabase, unstable: true }],
  ['$densify', plain],
  ['$documents', { kind: 'source', onDatabase: true, notIn: ['facet'] }],
  ['$facet', { kind: 'plain', notIn: ['facet'] }],
  ['$fill', plain],
  [GEO_NEAR, { kind: 'near', notIn: ['facet'] }],
  ['$graphLookup', plain],
  ['$group', plain],
  ['$indexStats', { ...source, unstable: true }],
  ['$limit', plain],
  ['$listCatalog', { ...source, onDatabase: 'either', unstable: true }],
  ['$listLocalSessions', { ...onDatabase, unstable: true }],
  ['$listSearchIndexes', search],
  ['$listSessions', { ...source, unstable: true }],
  ['$lookup', plain],
  ['$match', plain],
  ['$merge', write],
  ['$out', write],
  ['$planCacheStats', { ...source, unstable: true }],
  ['$project', plain],
  ['$redact', plain],
  ['$replaceRoot', plain],
  ['$replaceWith', plain],
  ['$sample', plain],
  ['$search', search],
  ['$searchMeta', search],
  ['$set', plain],
  ['$setWindowFields', plain],
  ['$skip', plain],
  ['$sort', plain],
  ['$sortByCount', plain],
  ['$unionWith', plain],
  ['$unset', plain],
  ['$unwind', plain],
  ['$vectorSearch', search],
  [UNPACK, plain],
]);
