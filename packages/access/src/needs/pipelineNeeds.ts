import {
  bytesOf,
  elementsOf,
  Fields,
  isSource,
  parseStages,
  pipelineIn,
  type Stage,
  type StageNeeds,
  stageRules,
} from '@replsim/pipeline';
import { BsonType, type BsonValue, readString, required } from '@replsim/protocol';
import { shownName } from '../names.ts';
import { ANY_NORMAL } from '../privileges/resourcePattern.ts';
import { type Asker, type Needed, NOTHING, on, onCluster, onDatabase } from './needed.ts';

/** Of which pipeline a stage is. */
interface Surroundings {
  readonly asking: Asker;
  readonly db: string;
  /** The namespace that the pipeline reads; the database alone for one that reads none. */
  readonly ns: string;
  /** The command writes what validators would refuse. */
  readonly bypasses: boolean;
}

/**
 * What a pipeline needs: that of its stages, and `find` on what it reads, unless its first stage makes the documents.
 * Upstream: authorization_checks.cpp, getPrivilegesForAggregate.
 * @param ns `db.collection`; a database for a pipeline that reads no collection
 */
export function pipelineNeeds(
  pipeline: readonly BsonValue[],
  ns: string,
  asking: Asker,
  bypasses = false,
): readonly Needed[] {
  const stages = parseStages(pipeline);
  return stagesNeed(stages, { asking, db: asking.args.db, ns, bypasses });
}

function stagesNeed(stages: readonly Stage[], surroundings: Surroundings): readonly Needed[] {
  const [first] = stages;
  const reads = first && isSource(first) ? NOTHING : on(surroundings.ns, 'find');
  return [...reads, ...stages.flatMap((stage) => stageNeeds(stage, surroundings))];
}

function stageNeeds(stage: Stage, surroundings: Surroundings): readonly Needed[] {
  const { needs } = required(stageRules.get(stage.name), 'rule of a parsed stage');
  return BY_KIND[needs](stage, surroundings);
}

/** What the words of `StageRule.needs` mean. */
const BY_KIND: Readonly<Record<StageNeeds, (stage: Stage, surroundings: Surroundings) => readonly Needed[]>> = {
  nothing: () => NOTHING,
  find: (_, { ns }) => on(ns, 'find'),
  collStats: (_, { ns }) => on(ns, 'collStats'),
  indexStats: (_, { ns }) => on(ns, 'indexStats'),
  planCacheRead: (_, { ns }) => on(ns, 'planCacheRead'),
  internal: () => onCluster('internal'),
  catalog: (_, { ns }) =>
    ns.includes('.')
      ? on(ns, 'listCollections', 'listIndexes')
      : (['listCollections', 'listIndexes'] as const).map((action) => ({ action, target: ANY_NORMAL })),
  changes: changesNeed,
  operations: ({ spec }) => (fieldsOf(spec)?.bool('allUsers') ? onCluster('inprog') : NOTHING),
  sessions: sessionsNeed,
  parts: ({ spec }, surroundings) =>
    spec.type === BsonType.object
      ? elementsOf(spec).flatMap((part) =>
          part.type === BsonType.array
            ? parseStages(elementsOf(part), 'facet').flatMap((stage) => stageNeeds(stage, surroundings))
            : [],
        )
      : NOTHING,
  foreign: foreignNeed,
  graph: ({ spec }, { db }) => {
    const from = fieldsOf(spec)?.string('from');
    return from === undefined ? NOTHING : on(`${db}.${from}`, 'find');
  },
  union: (stage, surroundings) =>
    stage.spec.type === BsonType.string
      ? on(`${surroundings.db}.${readString(stage.spec)}`, 'find')
      : subPipelineNeeds(fieldsOf(stage.spec), 'coll', 'union', surroundings),
  out: ({ spec }, surroundings) => {
    const target = targetOf(spec, surroundings.db);
    return target === undefined ? NOTHING : writingNeeds(target, ['insert', 'remove'], surroundings);
  },
  merge: mergeNeeds,
};

function fieldsOf(spec: BsonValue): Fields | undefined {
  return spec.type === BsonType.object ? new Fields(bytesOf(spec), 'stage') : undefined;
}

/** Of the whole cluster, a database, or a collection. */
function changesNeed({ spec }: Stage, { ns, db }: Surroundings): readonly Needed[] {
  if (fieldsOf(spec)?.bool('allChangesForCluster')) {
    return (['changeStream', 'find'] as const).map((action) => ({ action, target: ANY_NORMAL }));
  }
  return ns.includes('.') ? on(ns, 'changeStream', 'find') : onDatabase(db, 'changeStream', 'find');
}

/** Everybody may see their own. */
function sessionsNeed({ spec }: Stage, { asking }: Surroundings): readonly Needed[] {
  const fields = fieldsOf(spec);
  const own = asking.user && shownName(asking.user.name);
  const others = (fields?.documents('users') ?? []).some((bytes) => {
    const named = new Fields(bytes, 'users');
    return shownName({ user: named.string('user') ?? '', db: named.string('db') ?? '' }) !== own;
  });
  return fields?.bool('allUsers') || others ? onCluster('listSessions') : NOTHING;
}

function foreignNeed({ spec }: Stage, surroundings: Surroundings): readonly Needed[] {
  const fields = fieldsOf(spec);
  const from = fields?.string('from');
  const joined = from !== undefined && fields?.has('foreignField');
  const found = joined ? on(`${surroundings.db}.${from}`, 'find') : NOTHING;
  return [...found, ...subPipelineNeeds(fields, 'from', 'lookup', surroundings)];
}

/** Another collection, read through a pipeline: of it all where there is none, of none where the pipeline makes its documents. */
function subPipelineNeeds(
  fields: Fields | undefined,
  name: 'from' | 'coll',
  place: 'lookup' | 'union',
  surroundings: Surroundings,
): readonly Needed[] {
  const from = fields?.string(name);
  const stages = parseStages((fields && pipelineIn(fields)) ?? [], place);
  const [first] = stages;
  // A stage that names nothing reads nothing, and is refused when it runs.
  if (from === undefined && !(first && isSource(first))) {
    return stages.flatMap((stage) => stageNeeds(stage, surroundings));
  }
  return stagesNeed(stages, {
    ...surroundings,
    ns: from === undefined ? surroundings.db : `${surroundings.db}.${from}`,
  });
}

function targetOf(spec: BsonValue | undefined, db: string): string | undefined {
  if (spec?.type === BsonType.string) return `${db}.${readString(spec)}`;
  const fields = spec && fieldsOf(spec);
  const collection = fields?.string('coll');
  return collection === undefined ? undefined : `${fields?.string('db') ?? db}.${collection}`;
}

function writingNeeds(
  target: string,
  actions: readonly ('insert' | 'update' | 'remove')[],
  { bypasses }: Surroundings,
): readonly Needed[] {
  return [...on(target, ...actions), ...(bypasses ? on(target, 'bypassDocumentValidation') : NOTHING)];
}

/** By what becomes of documents that are there, and of those that are not. Upstream: document_source_merge.cpp, getDescriptors. */
function mergeNeeds({ spec }: Stage, surroundings: Surroundings): readonly Needed[] {
  const fields = fieldsOf(spec);
  const target = targetOf(fields ? fields.value('into') : spec, surroundings.db);
  if (target === undefined) return NOTHING;
  const matched = fields?.value('whenMatched');
  const inserts = (fields?.string('whenNotMatched') ?? 'insert') === 'insert';
  const updates = !(matched?.type === BsonType.string && readString(matched) === 'fail');
  const actions = [...(inserts ? (['insert'] as const) : []), ...(updates ? (['update'] as const) : [])];
  return writingNeeds(target, actions, surroundings);
}
