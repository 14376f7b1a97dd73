/** Where a pipeline stands; what may be in it depends on that. */
export type Place = 'top' | 'view' | 'facet' | 'lookup' | 'union';

/**
 * What a client must be allowed to do that uses a stage, where privileges are asked for: `nothing` beyond `find` on what the pipeline
 * reads; an action on that; or what follows from its arguments. Upstream: LiteParsedDocumentSource::requiredPrivileges.
 */
export type StageNeeds =
  | 'nothing'
  | 'find'
  | 'collStats'
  | 'indexStats'
  | 'planCacheRead'
  | 'internal'
  | 'catalog'
  | 'changes'
  | 'operations'
  | 'sessions'
  | 'parts'
  | 'foreign'
  | 'graph'
  | 'union'
  | 'out'
  | 'merge';

/** What a stage is and where it may stand. Upstream: stage_constraints.h, StageConstraints. */
export interface StageRule {
  /**
   * `source`: makes documents instead of taking them; `near`: looks for them in its collection; `write`: puts them elsewhere;
   * `search`: works on Atlas alone.
   */
  readonly kind: 'plain' | 'source' | 'near' | 'write' | 'search';
  readonly needs: StageNeeds;
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

const plain: StageRule = { kind: 'plain', needs: 'nothing' };
const source = { kind: 'source', notIn: ['facet'] } as const;
const onDatabase = { kind: 'source', onDatabase: true, notIn: ['facet', 'lookup', 'union', 'view'] } as const;
const write = { kind: 'write', notIn: ['facet', 'lookup', 'union', 'view'] } as const;
/** What `mongot` answers, a process beside mongod that Atlas has. */
const search: StageRule = { kind: 'search', needs: 'find', unstable: true };

/** Every stage that mongod's own pipelines may have. */
export const stageRules: ReadonlyMap<string, StageRule> = new Map<string, StageRule>([
  ['$addFields', plain],
  ['$bucket', plain],
  ['$bucketAuto', plain],
  ['$changeStream', { kind: 'source', needs: 'changes', onDatabase: 'either', notIn: ['facet', 'lookup', 'union'], unstable: 'inPart' }], // biome-ignore format: one line
  ['$changeStreamSplitLargeEvent', { ...plain, behind: '$changeStream' }],
  ['$collStats', { ...source, needs: 'collStats', unstable: 'inPart' }],
  ['$count', plain],
  ['$currentOp', { ...onDatabase, needs: 'operations', unstable: true }],
  ['$densify', plain],
  ['$documents', { kind: 'source', needs: 'nothing', onDatabase: true, notIn: ['facet'] }],
  ['$facet', { kind: 'plain', needs: 'parts', notIn: ['facet'] }],
  ['$fill', plain],
  [GEO_NEAR, { kind: 'near', needs: 'find', notIn: ['facet'] }],
  ['$graphLookup', { kind: 'plain', needs: 'graph' }],
  ['$group', plain],
  ['$indexStats', { ...source, needs: 'indexStats', unstable: true }],
  ['$limit', plain],
  ['$listCatalog', { ...source, needs: 'catalog', onDatabase: 'either', unstable: true }],
  ['$listLocalSessions', { ...onDatabase, needs: 'sessions', unstable: true }],
  ['$listSearchIndexes', search],
  ['$listSessions', { ...source, needs: 'sessions', unstable: true }],
  ['$lookup', { kind: 'plain', needs: 'foreign' }],
  ['$match', plain],
  ['$merge', { ...write, needs: 'merge' }],
  ['$out', { ...write, needs: 'out' }],
  ['$planCacheStats', { ...source, needs: 'planCacheRead', unstable: true }],
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
  ['$unionWith', { kind: 'plain', needs: 'union' }],
  ['$unset', plain],
  ['$unwind', plain],
  ['$vectorSearch', search],
  [UNPACK, { kind: 'plain', needs: 'internal' }],
]);
