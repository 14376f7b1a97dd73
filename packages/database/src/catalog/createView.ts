import { type Operation, spend } from '@replsim/operations';
import {
  atOnce,
  checkCollectionName,
  checkStagesSince,
  completeCollation,
  documentValue,
  GEO_NEAR,
  isSource,
  notSupported,
  parseStages,
  type Reply,
  runStages,
  splitNs,
  type ViewDefinition,
  viewsNs,
  type Work,
} from '@replsim/pipeline';
import { type BsonValue, BsonWriter, CommandError, indexName } from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import type { CommandContext } from '../definition.ts';
import { checkGeoNear } from '../reading/geoNear.ts';
import { worldOf } from '../reading/namespaceSource.ts';
import { anySearch } from '../reading/textSearch.ts';
import { createdBefore } from './createdBefore.ts';
import { checkReadsOnly, checkViewGraph } from './viewGraph.ts';

/** Options of collections, which no view has. */
// biome-ignore format: a list
const ofCollections = ['capped', 'size', 'max', 'autoIndexId', 'storageEngine', 'validator', 'validationLevel', 'validationAction',
  'indexOptionDefaults', 'clusteredIndex', 'timeseries', 'expireAfterSeconds', 'changeStreamPreAndPostImages', 'encryptedFields', 'idIndex'];

/**
 * `{ create, viewOn, pipeline?, collation? }`: a document of `system.views`, whose insert is what the oplog holds.
 * Errors: InvalidOptions 72, NamespaceExists 48, and those of `parseViewDefinition`.
 * Upstream: create_collection.cpp, _createView; view_catalog_helpers.cpp, validatePipeline.
 */
export function* createView(context: CommandContext): Operation<Reply> {
  const { args, member } = context;
  const { ns, db } = args;
  for (const name of ofCollections) {
    if (args.value(name)) throw new CommandError('InvalidOptions', `a view has no option '${name}'`);
  }
  if (!args.has('viewOn')) {
    throw new CommandError('InvalidOptions', "a 'pipeline' needs a 'viewOn'");
  }
  const sent = args.document('collation');
  const collation = sent && completeCollation(sent);
  const definition = { ...parseViewDefinition(context), collation };
  yield* spend(member.costs.commitMicros);
  if (createdBefore(context, ns, { type: 'view', definition })) return {};
  checkViewGraph(context.data, ns, definition);
  context.writes.insert(viewsNs(db), [new StoredDocument(encodeView(ns, definition))]);
  return {};
}

/**
 * Reads `viewOn` and `pipeline`, and tries the stages on nothing.
 * Errors: BadValue 2 and InvalidNamespace 73 for `viewOn`, OptionNotSupportedOnView 167 for stages that write, those of the
 * stages themselves, CommandNotSupported 115 for stages that make documents of their own.
 */
export function parseViewDefinition(context: CommandContext): Omit<ViewDefinition, 'collation'> {
  const { args } = context;
  const viewOn = args.requiredString('viewOn');
  if (viewOn === '') throw new CommandError('BadValue', "'viewOn' cannot be empty");
  checkCollectionName(args.db, viewOn);
  if (viewOn.includes('$')) throw new CommandError('InvalidNamespace', `'viewOn' has a '$': ${viewOn}`);
  const pipeline = args.documents('pipeline') ?? [];
  checkStages(pipeline.map(documentValue), context);
  return { viewOn: `${args.db}.${viewOn}`, pipeline };
}

function checkStages(pipeline: readonly BsonValue[], context: CommandContext): void {
  checkReadsOnly(pipeline);
  checkStagesSince(pipeline, context.member.traits);
  const stages = parseStages(pipeline);
  if (stages[0] && isSource(stages[0])) throw notSupported(`${stages[0].name} in a view`);
  const [first, ...behind] = stages;
  // Nothing is read of what the stages join: views on views would be, way by way.
  const world = { ...worldOf(context), collection: nothing };
  if (first?.name === GEO_NEAR) {
    checkGeoNear(first, world, context.member.traits);
    atOnce(runStages(behind, [], world));
  } else atOnce(runStages(stages, [], { ...world, search: anySearch }));
}

function* nothing(): Work<readonly Uint8Array[]> {
  return [];
}

/** As `system.views` holds it. */
export function encodeView(ns: string, { viewOn, pipeline, collation }: ViewDefinition): Uint8Array {
  const writer = new BsonWriter();
  writer.string('_id', ns);
  writer.string('viewOn', splitNs(viewOn)[1]);
  writer.beginArray('pipeline');
  for (const [i, stage] of pipeline.entries()) writer.rawDocument(indexName(i), stage);
  writer.endArray();
  if (collation) writer.rawDocument('collation', collation);
  return writer.finish();
}
