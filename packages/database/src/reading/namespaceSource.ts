import { contextOf, type DocumentSource, inPlan, type Operation, spend } from '@replsim/operations';
import {
  bucketFieldsOf,
  bucketFilter,
  bucketsHint,
  COMPILE_STEPS,
  documentOf,
  EMPTY_DOCUMENT,
  filtered,
  GEO_NEAR,
  operationCollator,
  type PipelineWorld,
  pay,
  type ResolvedView,
  resolveView,
  runStages,
  type Stage,
  searchNotFirst,
  stagesOf,
  timeseriesCollection,
  UNPACK,
  unpackBucket,
  viewDefinition,
  type Work,
} from '@replsim/pipeline';
import { type BsonValue, CommandError } from '@replsim/protocol';
import { type Collator, Meter, sameCollation, type Variables } from '@replsim/query';
import type { ReadView } from '@replsim/storage';
import type { CommandContext } from '../definition.ts';
import type { MemberFacts } from '../member.ts';
import { checkReadable } from './checkReadable.ts';
import { checkGeoNear, geoNearOf } from './geoNear.ts';
import { OPLOG_NS, OplogSource } from './oplogSource.ts';
import { payFor } from './payFor.ts';
import { type CompiledFilter, compile, refuseNear, scanOf, variablesOf } from './query.ts';
import { ArraySource, FilteredSource, MappedSource, ScanSource, UnwoundSource } from './sources.ts';
import { searchOf } from './textSearch.ts';

/**
 * The documents of a namespace that match, in no particular order, whatever the namespace is: a collection, the oplog, a
 * view, a time-series collection. Undefined where there is nothing of that name.
 * @param counted only their number is wanted
 */
export function* namespaceSource(
  context: CommandContext,
  ns: string,
  filter: CompiledFilter,
  hint?: BsonValue,
  counted = false,
): Operation<DocumentSource | undefined> {
  if (ns === OPLOG_NS) {
    refuseNear(filter);
    const oplog = context.member.oplogDocuments();
    const options = { filter: filter.bytes, matches: filter.matches, reverse: false, tailable: false, skip: 0 };
    return oplog && new OplogSource(oplog, options);
  }
  const view = context.data;
  const resolved = resolveView(view, ns);
  if (resolved) return yield* viewSource(context, resolved, filter, hint);
  const collection = view.collection(ns);
  if (!collection) {
    context.member.debug.missedCollection();
    return undefined;
  }
  checkReadable(context, collection);
  return new ScanSource(scanOf(view, collection, filter, { hint, counted }));
}

/**
 * The documents of a view that match. Buckets at the bottom of it are unpacked one by one as they are read; for any other
 * stage everything is read first. Upstream: view_response_formatter.cpp, and the conversion of reads into aggregations.
 */
export function* viewSource(
  context: CommandContext,
  { viewOn, pipeline }: ResolvedView,
  filter: CompiledFilter,
  hint?: BsonValue,
): Operation<DocumentSource | undefined> {
  refuseNear(filter);
  const stages = stagesOf(pipeline);
  const [first, ...others] = stages;
  const rest = first?.name === UNPACK || first?.name === GEO_NEAR ? others : stages;
  const below = yield* belowSource(context, viewOn, first, ofBelow(rest, filter), hint);
  if (rest.length === 0) return below && new FilteredSource(below, filter.matches);
  const search = rest === stages ? searchOf(context.data, viewOn) : undefined;
  const world = { ...worldOf(context), search };
  // To read a view is to run an aggregation.
  const plan = contextOf('aggregate', context.args.ns, context.member.traits);
  // Stages such as `$unionWith` may add documents where there is nothing below.
  const input = below ? yield* inPlan(plan, takeAll(context, below)) : [];
  const documents = yield* inPlan(plan, inTurns(runStages(rest, input, world)));
  const meter = filter.meter ?? world.meter;
  return new ArraySource(yield* inPlan(plan, inTurns(filtered(documents, filter.matches, meter))));
}

/** What is asked of the documents below these stages: what comes out of them is not what went in. */
function ofBelow(stages: readonly Stage[], filter: CompiledFilter): Uint8Array {
  const [first] = stages;
  if (!first) return filter.bytes;
  return first.name === '$match' ? documentOf(first) : EMPTY_DOCUMENT;
}

/** What stands below a view's stages; buckets as the measurements in them. */
function* belowSource(
  context: CommandContext,
  ns: string,
  first: Stage | undefined,
  filter: Uint8Array,
  hint: BsonValue | undefined,
): Operation<DocumentSource | undefined> {
  const none = new Map();
  if (first?.name === GEO_NEAR) return geoNearSource(context, ns, first, hint);
  if (first?.name !== UNPACK) return yield* namespaceSource(context, ns, compile(EMPTY_DOCUMENT, none), hint);
  const fields = bucketFieldsOf(first);
  const ofBuckets = compile(bucketFilter(filter, fields), none);
  const source = yield* namespaceSource(context, ns, ofBuckets, hint && bucketsHint(hint, fields));
  return source && new UnwoundSource(source, (bucket) => unpackBucket(bucket, fields));
}

/** The collection that `$geoNear` looks into. Errors: Location40602 behind the stages of a view, CommandNotSupported 115 of a time series. */
export function geoNearNamespace(view: ReadView, ns: string): string {
  if (timeseriesCollection(view, ns)) {
    throw new CommandError('CommandNotSupported', '$geoNear on a time series is not supported by replsim');
  }
  const resolved = resolveView(view, ns);
  if (resolved && resolved.pipeline.length > 0) {
    throw new CommandError(
      40602,
      '$geoNear is only valid as the first stage in a pipeline, and a view has stages before it',
    );
  }
  return resolved?.viewOn ?? ns;
}

/** What the stage `$geoNear` gives of a collection. Errors: those of `geoNearOf`, and of the planner. */
export function geoNearSource(
  context: CommandContext,
  ns: string,
  stage: Stage,
  hint: BsonValue | undefined,
): DocumentSource | undefined {
  const view = context.data;
  const collection = view.collection(ns);
  const world = worldOf(context, ns);
  if (!collection) {
    checkGeoNear(stage, world, context.member.traits);
    context.member.debug.missedCollection();
    return undefined;
  }
  const { filter, withDistance } = geoNearOf(stage, collection, world, context.member.traits);
  return new MappedSource(new ScanSource(scanOf(view, collection, filter, { hint })), withDistance);
}

/** What a source has, up to a limit, and the time that it takes to look. */
export function* takeAll(
  { member }: CommandContext,
  source: DocumentSource,
  limit = Infinity,
): Operation<Uint8Array[]> {
  const documents: Uint8Array[] = [];
  while (documents.length < limit) {
    const document = source.take();
    if (document) {
      documents.push(document);
      continue;
    }
    yield* payFor(member, source);
    if (source.state !== 'more') return documents;
    source.resume();
  }
  yield* payFor(member, source);
  return documents;
}

/** What the stages of this command may know beside their input. */
export function worldOf(context: CommandContext, ns = context.args.ns): PipelineWorld {
  const { args, data, member } = context;
  const collator = operationCollator(args, data, ns);
  const { deadlineMicros } = context;
  const world: PipelineWorld = {
    ...worldWith(member, variablesOf(args, member), collator, (name) =>
      documentsOf(context, world, `${args.db}.${name}`),
    ),
    checkJoins: (name) => checkCollationOf(data, `${args.db}.${name}`, collator),
    searchIn: (name) => searchOf(data, `${args.db}.${name}`),
  };
  if (deadlineMicros < Infinity) world.meter.until(() => deadlineMicros - member.now.monotonicMicros);
  return world;
}

/** The work of stages, which takes time and lets others have their turn. */
export function* inTurns<T>(work: Work<T>): Operation<T> {
  let step = work.next();
  while (!step.done) {
    yield* spend(step.value);
    step = work.next();
  }
  return step.value;
}

/** Of stages that see no other collection. */
export function* noOthers(): Work<readonly Uint8Array[]> {
  return [];
}

/** The same, of stages that see these variables and this of other collections, and compare strings so. */
export function worldWith(
  member: MemberFacts,
  filterVariables: Variables,
  collator: Collator | undefined,
  collection: PipelineWorld['collection'],
): PipelineWorld {
  return {
    ids: member.ids,
    meter: filterVariables.meter ?? new Meter(),
    filterVariables,
    collator,
    collection,
    checkJoins: () => {},
    searchIn: () => refuseSearch,
  };
}

function refuseSearch(): never {
  throw searchNotFirst();
}

/**
 * Throws OptionNotSupportedOnView 167 for a view of another collation. Upstream: run_aggregate.cpp, collatorCompatibleWithPipeline.
 */
function checkCollationOf(view: ReadView, ns: string, collator: Collator | undefined): void {
  const definition = viewDefinition(view, ns);
  if (!definition || timeseriesCollection(view, ns) || sameCollation(definition.collation, collator?.bytes)) return;
  throw new CommandError('OptionNotSupportedOnView', `the view ${ns} has another collation than this aggregation`);
}

/** All documents of another namespace, at one instant. */
function* documentsOf(context: CommandContext, world: PipelineWorld, ns: string): Work<readonly Uint8Array[]> {
  const view = context.data;
  const resolved = resolveView(view, ns);
  const documents: Uint8Array[] = [];
  const collection = view.collection(resolved?.viewOn ?? ns);
  if (collection) checkReadable(context, collection);
  const records = collection?.records();
  // All at one instant: nobody else has a turn meanwhile.
  while (records?.next()) documents.push(records.document.bytes);
  world.meter.add(documents.length);
  if (!resolved) return documents;
  // Views that read views several times each are read as often as their ways are many, be they empty.
  yield* pay(world.meter, resolved.pipeline.length * COMPILE_STEPS);
  return yield* runStages(stagesOf(resolved.pipeline), documents, {
    ...world,
    search: searchOf(view, resolved.viewOn),
  });
}
