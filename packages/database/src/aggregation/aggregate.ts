import { type Needed, pipelineNeeds } from '@replsim/access';
import { contextOf, type DocumentSource, inPlan, type Operation, parseWriteConcern } from '@replsim/operations';
import {
  type CommandArguments,
  checkCollectionUuid,
  countStages,
  documentOf,
  EMPTY_DOCUMENT,
  Fields,
  foldConstants,
  GEO_NEAR,
  isNumeric,
  isSource,
  isWriteStage,
  MAX_BSON_OBJECT_SIZE,
  numberOf,
  parseAggregate,
  pipelineIn,
  type Reply,
  resolveView,
  runnerOf,
  type Stage,
  stageRules,
} from '@replsim/pipeline';
import { BsonType, type BsonValue, BsonWriter, CommandError, ElementCursor } from '@replsim/protocol';
import { openChangeStream } from '../changeStreams/openChangeStream.ts';
import { countMatches } from '../crud/count.ts';
import type { CommandContext, CommandDefinition, OneLevel } from '../definition.ts';
import { explainPipeline } from '../explain/explainPipeline.ts';
import { explainReply } from '../explain/explainReply.ts';
import type { Asking } from '../needs.ts';
import { openCursor } from '../reading/batches.ts';
import { checkReadable } from '../reading/checkReadable.ts';
import { collectionSource } from '../reading/collectionSource.ts';
import {
  geoNearNamespace,
  geoNearSource,
  inTurns,
  namespaceSource,
  takeAll,
  worldOf,
} from '../reading/namespaceSource.ts';
import { frontOf } from '../reading/pipelineFront.ts';
import { compile, hintOf } from '../reading/query.ts';
import { readInTurns } from '../reading/readInTurns.ts';
import { ArraySource } from '../reading/sources.ts';
import { searchOf } from '../reading/textSearch.ts';
import { aggregateInto } from './aggregateInto.ts';
import { sourceDocuments } from './sourceStages.ts';

const cursorFields = new Set(['batchSize']);
/** What a document may have beside its fields' 16 MiB. Upstream: BSONObjMaxInternalSize. */
const MAX_RESULT_SIZE = MAX_BSON_OBJECT_SIZE + 16_384;

/**
 * `{ aggregate: collection | 1, pipeline, cursor: { batchSize? } }` → `{ cursor }`. `$match`, `$sort`, `$skip` and `$limit` at
 * the front are a query. All stages work on BSON.
 * Errors: FailedToParse 9 without `cursor`, BSONObjectTooLarge 10334 for a result, those of `parseStages`, InvalidNamespace 73. Upstream: pipeline_command.cpp.
 */
export const aggregate: CommandDefinition = {
  name: 'aggregate',
  help: 'runs a pipeline of stages over a collection, or over what the server has to tell',
  auth: aggregateNeeds,
  api: 'v1',
  secondaries: 'optIn',
  maintenanceOk: false,
  kind: 'read',
  readConcern: 'withSnapshot',
  oneLevel,
  countedAs: 'aggregation',
  ownWriteConcern: writes,
  run,
};

/** The stages' names, before anybody has looked whether the pipeline makes sense: undefined for what is no stage. */
function* stageNamesOf(args: CommandArguments): Generator<string | undefined> {
  const pipeline = args.rawValue('pipeline');
  if (pipeline?.type !== BsonType.array) return;
  const stages = new ElementCursor(pipeline.bytes, pipeline.offset);
  while (stages.next()) {
    const stage = stages.type === BsonType.object ? new ElementCursor(stages.bytes, stages.offset) : undefined;
    yield stage?.next() ? stage.name : undefined;
  }
}

/** Stages that do not leave it to the client how they read: each can only be the first. */
const ONE_LEVEL: ReadonlyMap<string, OneLevel['level']> = new Map([
  ['$changeStream', 'majority'],
  ['$currentOp', 'local'],
  ['$listLocalSessions', 'local'],
]);

function oneLevel(args: CommandArguments): OneLevel | undefined {
  const stage = stageNamesOf(args).next().value;
  const level = stage === undefined ? undefined : ONE_LEVEL.get(stage);
  return stage !== undefined && level !== undefined ? { stage, level } : undefined;
}

function aggregateNeeds(asking: Asking): readonly Needed[] {
  const { args } = asking;
  const pipeline = pipelineIn(args) ?? args.missing('pipeline');
  const readsCollection = args.rawValue('aggregate')?.type === BsonType.string;
  return pipelineNeeds(pipeline, readsCollection ? args.ns : args.db, asking, args.bool('bypassDocumentValidation'));
}

function* run(context: CommandContext): Operation<Reply> {
  const { args, member, deadlineMicros } = context;
  refuseLinearizable(context);
  const { ns, stages } = parseAggregate(args, context.member.traits);
  countStages(stages, member.counters.stages);
  if (context.transaction) checkStagesInTransaction(stages);
  if (args.strictBool('explain')) {
    if (args.value('writeConcern')) {
      throw new CommandError('FailedToParse', "Aggregation explain does not support the 'writeConcern' option");
    }
    const explained = yield* explainPipeline(context, ns, stages, 'queryPlanner', hintOf(args));
    return explainReply(explained, args.bytes, member);
  }
  const last = stages.at(-1);
  const target = last !== undefined && isWriteStage(last) ? last : undefined;
  // One that writes nothing takes a write concern all the same, and waits for nobody.
  if (!target) parseWriteConcern(args);
  const cursor = args.document('cursor');
  if (!cursor) {
    throw new CommandError(
      'FailedToParse',
      "The 'cursor' option is required, except for aggregate with the explain argument",
    );
  }
  const options = new Fields(cursor, 'aggregate.cursor');
  options.allow(cursorFields);
  const batchSize = options.count('batchSize');
  const [first, ...behind] = stages;
  if (args.has('collectionUUID')) checkNamesCollection(args, first);
  checkCollectionUuid(args, context.data, ns);
  if (first?.name === '$changeStream') return yield* openChangeStream(context, ns, [first, ...behind], batchSize);
  if (target) return yield* aggregateInto(context, ns, target, () => sized(context, ns, stages.slice(0, -1)));
  const documents = yield* results(context, ns, stages);
  checkSizes(documents);
  const source = new ArraySource(documents);
  const opened = openCursor(member, { ns, source, originatingCommand: args.bytes }, { batchSize, deadlineMicros });
  return yield* inPlan(planContext(context, ns), opened);
}

/** Errors: Location4928900 and 4928901 where a pipeline is about no collection. Upstream: run_aggregate.cpp. */
function checkNamesCollection(args: CommandArguments, first: Stage | undefined): void {
  if (first?.name === '$changeStream')
    throw new CommandError(4928900, 'collectionUUID is not supported for a change stream');
  if (args.rawValue('aggregate')?.type !== BsonType.string) {
    throw new CommandError(4928901, 'collectionUUID is not supported for a collectionless aggregation');
  }
}

/** Results that may be stored. Throws BSONObjectTooLarge 10334. */
function* sized(context: CommandContext, ns: string, stages: readonly Stage[]): Operation<readonly Uint8Array[]> {
  const documents = yield* results(context, ns, stages);
  checkSizes(documents);
  return documents;
}

/** Throws BSONObjectTooLarge 10334: stages may make what no client could take. */
function checkSizes(documents: readonly Uint8Array[]): void {
  const tooLarge = documents.find(({ length }) => length > MAX_RESULT_SIZE);
  if (!tooLarge) return;
  throw new CommandError(
    'BSONObjectTooLarge',
    `BSONObj size: ${tooLarge.length} is invalid: a result of the pipeline may have ${MAX_RESULT_SIZE} bytes at most`,
  );
}

/** Whether it is `{ $sum: 1 }` with an int32, whose sum is one too. */
function isSumOfOnes({ bytes, offset }: BsonValue): boolean {
  const cursor = new ElementCursor(bytes, offset);
  if (!cursor.next() || cursor.name !== '$sum' || cursor.type !== BsonType.int || numberOf(cursor) !== 1) return false;
  return !cursor.next();
}

/** Stages that write, or that tell of more than documents. Upstream: stage_constraints.h, TransactionRequirement. */
const NOT_IN_TRANSACTION: ReadonlySet<string> = new Set([
  ...['$out', '$merge', '$changeStream', '$collStats', '$currentOp', '$indexStats', '$listSessions'],
  ...['$listLocalSessions', '$planCacheStats', '$listCatalog', '$listSearchIndexes'],
]);

/** Errors: OperationNotSupportedInTransaction 263. */
function checkStagesInTransaction(stages: readonly Stage[]): void {
  const stage = stages.find(({ name }) => NOT_IN_TRANSACTION.has(name));
  if (!stage) return;
  throw new CommandError(
    'OperationNotSupportedInTransaction',
    `Stage not supported inside of a multi-document transaction: ${stage.name}`,
  );
}

/** What writes cannot be linearizable reading. Errors: InvalidOptions 72. */
function refuseLinearizable({ args, readConcern }: CommandContext): void {
  const stage = readConcern.level === 'linearizable' ? writeStageIn(args) : undefined;
  if (stage === undefined) return;
  throw new CommandError('InvalidOptions', `${stage} writes, and read concern linearizable is for reading only`);
}

function writes(args: CommandArguments): boolean {
  return writeStageIn(args) !== undefined;
}

function writeStageIn(args: CommandArguments): string | undefined {
  for (const name of stageNamesOf(args)) if (name !== undefined && stageRules.get(name)?.kind === 'write') return name;
  return undefined;
}

function planContext({ member }: CommandContext, ns: string): string | undefined {
  return contextOf('aggregate', ns, member.traits);
}

function* results(context: CommandContext, ns: string, stages: readonly Stage[]): Operation<readonly Uint8Array[]> {
  const sourceIn = (name: string, stage: Stage) => sourceDocuments(stage, context, `${context.args.db}.${name}`);
  const world = { ...worldOf(context, ns), sourceIn };
  const { collator } = world;
  const plan = planContext(context, ns);
  // All stages are read before the first document is.
  const reading = function* (rest: readonly Stage[]) {
    const run = yield* readInTurns(context.args, world.meter, () => runnerOf(rest, world));
    if (plan !== undefined) yield* inTurns(foldConstants(stages, world));
    return (input: readonly Uint8Array[]) => inPlan(plan, inTurns(run(input)));
  };
  const taking = (source: DocumentSource, limit?: number) => inPlan(plan, takeAll(context, source, limit));
  const first = stages[0];
  if (first?.name === '$documents') return yield* (yield* reading(stages))([]);
  if (first && isSource(first)) return yield* (yield* reading(stages.slice(1)))(sourceDocuments(first, context, ns));
  const hint = hintOf(context.args);
  const view = context.data;
  if (first?.name === GEO_NEAR) {
    const source = geoNearSource(context, geoNearNamespace(view, ns), first, hint);
    const run = yield* reading(stages.slice(1));
    return yield* run(source ? yield* taking(source) : []);
  }
  const collection = view.collection(ns);
  if (collection && !resolveView(view, ns) && isQuery(stages)) {
    checkReadable(context, collection);
    const front = () => frontOf(stages, world, hint, searchOf(view, ns));
    const { limit, rest, ...query } = yield* readInTurns(context.args, world.meter, front);
    const run = yield* reading(rest);
    return yield* run(yield* taking(collectionSource(view, collection, query), limit));
  }
  const match = matchOf(first);
  const filter = yield* readInTurns(context.args, world.meter, () =>
    compile(match ?? EMPTY_DOCUMENT, world.filterVariables, collator, searchOf(view, ns)),
  );
  const rest = match ? stages.slice(1) : stages;
  const counted = countGroup(rest);
  if (counted) {
    const run = yield* reading(rest.slice(1));
    const n = yield* inPlan(plan, countMatches(context, ns, filter));
    return yield* run(n > 0 ? [counted(n)] : []);
  }
  const source = yield* namespaceSource(context, ns, filter, hint);
  const run = yield* reading(rest);
  return yield* run(source ? yield* taking(source) : []);
}

/** What a `$match` asks for. */
function matchOf(stage: Stage | undefined): Uint8Array | undefined {
  return stage?.name === '$match' ? documentOf(stage) : undefined;
}

/** Whether an order or a limit belongs to the query at the front, which an index may then serve. */
function isQuery([first, second]: readonly Stage[]): boolean {
  const stage = first?.name === '$match' ? second : first;
  return stage !== undefined && ['$sort', '$skip', '$limit'].includes(stage.name);
}

/**
 * `{ $group: { _id: CONSTANT, NAME: { $sum: 1 } } }` as the first of these stages, which is what countDocuments sends:
 * makes its one document from a number. Undefined for any other stage.
 */
function countGroup([stage]: readonly Stage[]): ((n: number) => Uint8Array) | undefined {
  if (stage?.name !== '$group' || stage.spec.type !== BsonType.object) return undefined;
  const cursor = new ElementCursor(documentOf(stage));
  if (!cursor.next() || cursor.name !== '_id') return undefined;
  const id = cursor.value();
  const isConstant = isNumeric(id.type) || id.type === BsonType.null;
  if (!isConstant || !cursor.next() || cursor.type !== BsonType.object) return undefined;
  const { name } = cursor;
  const isOne = isSumOfOnes(cursor.value()) && !name.includes('.') && !name.startsWith('$');
  if (!isOne || cursor.next()) return undefined;
  return (n) => {
    const writer = new BsonWriter();
    writer.rawValue('_id', id);
    writer.int32(name, n);
    return writer.finish();
  };
}
