/** Where a pipeline stands; what may be in it depends on that. */
export type Place = 'top' | 'view' | 'facet' | 'lookup' | 'union';

/** What a stage is and where it may stand. Upstream: stage_constraints.h, StageConstraints. */
export interface StageRule {
  /** `source`: makes documents instead of taking them; `write`: puts them elsewhere; `missing`: mongod has it, this program does not. */
  readonly kind: 'plain' | 'source' | 'write' | 'missing';
  /** `{ aggregate: 1 }` begins with it, and no pipeline of a collection does; `either` if both may. */
  readonly onDatabase?: true | 'either';
  /** Places besides the top where it may not be. */
  readonly notIn?: readonly Exclude<Place, 'top'>[];
}

/** What the view of a time-series collection consists of. */
export const UNPACK = '$_internalUnpackBucket';

const plain: StageRule = { kind: 'plain' };
const source: StageRule = { kind: 'source', notIn: ['facet'] };
const onDatabase: StageRule = { kind: 'source', onDatabase: true, notIn: ['facet', 'lookup', 'union', 'view'] };
const write: StageRule = { kind: 'write', notIn: ['facet', 'lookup', 'union', 'view'] };
const missing: StageRule = { kind: 'missing' };

/** Every stage that mongod's own pipelines may have. */
export const stageRules: ReadonlyMap<string, StageRule> = new Map<string, StageRule>([
  ['$addFields', plain],
  ['$bucket', plain],
  ['$bucketAuto', plain],
  ['$changeStream', { ...missing, onDatabase: 'either' }],
  ['$collStats', source],
  ['$count', plain],
  ['$currentOp', onDatabase],
  ['$densify', plain],
  ['$documents', { kind: 'source', onDatabase: true, notIn: ['facet'] }],
  ['$facet', { kind: 'plain', notIn: ['facet'] }],
  ['$fill', plain],
  ['$geoNear', missing],
  ['$graphLookup', plain],
  ['$group', plain],
  ['$indexStats', source],
  ['$limit', plain],
  ['$listCatalog', { ...source, onDatabase: 'either' }],
  ['$listLocalSessions', onDatabase],
  ['$listSessions', source],
  ['$lookup', plain],
  ['$match', plain],
  ['$merge', write],
  ['$out', write],
  ['$planCacheStats', source],
  ['$project', plain],
  ['$redact', plain],
  ['$replaceRoot', plain],
  ['$replaceWith', plain],
  ['$sample', plain],
  ['$search', missing],
  ['$searchMeta', missing],
  ['$set', plain],
  ['$setWindowFields', plain],
  ['$skip', plain],
  ['$sort', plain],
  ['$sortByCount', plain],
  ['$unionWith', plain],
  ['$unset', plain],
  ['$unwind', plain],
  ['$vectorSearch', missing],
  [UNPACK, plain],
]);
