import { type Needed, NOTHING, namespace, on, viewNeeds } from '@replsim/access';
import { type Operation, spend } from '@replsim/operations';
import {
  checkCreatableName,
  checkKinds,
  checkMayExpire,
  checkWritableName,
  collectionOptions,
  fieldSet,
  isBucketsName,
  oldIdIndex,
  type Reply,
} from '@replsim/pipeline';
import { CommandError, type VersionTraits } from '@replsim/protocol';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { Asking } from '../needs.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { createdBefore } from './createdBefore.ts';
import { createTimeseries } from './createTimeseries.ts';
import { createView } from './createView.ts';
import { checkNotSystem, checkReadConcernOfDdl } from './transactionalDdl.ts';

// biome-ignore format: a list
const fields = fieldSet('create', 'autoIndexId', 'capped', 'size', 'max', 'storageEngine', 'validator', 'validationLevel',
  'validationAction', 'indexOptionDefaults', 'viewOn', 'pipeline', 'collation', 'encryptedFields', 'clusteredIndex',
  'changeStreamPreAndPostImages', 'timeseries', 'expireAfterSeconds', 'temp', 'flags', 'idIndex', 'recordIdsReplicated');

/** Options that a release may not know yet. */
const LATER: Readonly<Record<string, (traits: VersionTraits) => boolean>> = {
  clusteredIndex: ({ clusteredCollections }) => clusteredCollections,
  timeseries: ({ timeseries }) => timeseries,
  expireAfterSeconds: ({ timeseries }) => timeseries,
  changeStreamPreAndPostImages: ({ preImages }) => preImages,
  encryptedFields: ({ maxWireVersion }) => maxWireVersion >= 17,
};

/**
 * `{ create, capped?, size?, max? }`, `{ create, clusteredIndex: { key: { _id: 1 }, unique: true }, expireAfterSeconds? }`,
 * `{ create, timeseries }`, `{ create, viewOn, pipeline }`. Errors: NamespaceExists 48, InvalidNamespace 73, InvalidOptions
 * 72, CommandNotSupported 115, 40415 for options that the release does not know, and those of each kind. Upstream: create_command.cpp, CmdCreate.
 */
export const create: CommandDefinition = {
  name: 'create',
  help: 'creates a collection or a view',
  auth: createNeeds,
  api: 'v1',
  ...ON_PRIMARY,
  run,
};

/** Whoever may insert may create what is inserted into. Upstream: authorization_checks.cpp, checkAuthForCreate. */
function createNeeds(asking: Asking): readonly Needed[] {
  const { args, mayDo } = asking;
  const { ns } = args;
  if (args.has('viewOn')) return [...on(ns, 'createCollection'), ...viewNeeds(asking)];
  const target = namespace(ns);
  const capped = args.bool('capped') ? on(ns, 'convertToCapped') : NOTHING;
  const inserts = !mayDo('createCollection', target) && mayDo('insert', target);
  return [...on(ns, inserts ? 'insert' : 'createCollection'), ...capped];
}

function* run(context: CommandContext): Operation<Reply> {
  const { args, member } = context;
  args.allow(fieldsOf(member.traits));
  if (context.transaction) checkNotSystem(args);
  const isProfile = args.collection === 'system.profile' && !['viewOn', 'timeseries'].some((name) => args.has(name));
  if (!isProfile) checkWritableName(args.db, args.collection);
  checkCreatableName(args.db, args.collection);
  checkMayExpire(args, member.traits);
  const isOfBuckets = args.has('timeseries') && isBucketsName(args.collection);
  if (!isOfBuckets) checkKinds(args, member.traits);
  if (context.transaction) checkInTransaction(context);
  const asksForView = args.has('viewOn') || args.has('pipeline');
  if (asksForView && member.traits.views) return yield* createView(context);
  if (args.has('timeseries') && member.traits.timeseries) return yield* createTimeseries(context);
  return yield* createCollection(context);
}

/** 3.2 passes over what it does not know. */
function fieldsOf(traits: VersionTraits): ReadonlySet<string> {
  if (!traits.createIsStrict) return fields;
  const unknown = Object.keys(LATER).filter((name) => !LATER[name]!(traits));
  return unknown.length === 0 ? fields : new Set([...fields].filter((name) => !unknown.includes(name)));
}

/** Errors: OperationNotSupportedInTransaction 263, InvalidOptions 72. Upstream: create_collection.cpp; transaction_validation. */
function checkInTransaction({ args, data, transaction }: CommandContext): void {
  const what = args.has('viewOn') ? 'a view' : args.has('timeseries') ? 'a time-series collection' : undefined;
  if (what !== undefined) {
    throw new CommandError(
      'OperationNotSupportedInTransaction',
      `Cannot create ${what} in a multi-document transaction.`,
    );
  }
  checkReadConcernOfDdl(args, transaction);
  // Inside, even just the same options are no reason to look away.
  if (data.collection(args.ns)) throw new CommandError('NamespaceExists', `Collection already exists. NS: ${args.ns}`);
}

/** Whatever holds documents of its own: plain, capped, clustered. */
function* createCollection(context: CommandContext): Operation<Reply> {
  const { args, member, writes } = context;
  const { ns } = args;
  const options = collectionOptions(args, member.now.wallMs, member.traits);
  yield* spend(member.costs.commitMicros);
  if (createdBefore(context, ns, { type: 'collection', options })) return {};
  // A larger one is made so. Nobody else hears of it. Upstream: namespace_string.h, isReplicated.
  if (args.collection === 'system.profile') member.profiler.prepare(args.db, options);
  else writes.createCollection(ns, options, context.collectionUuid, oldIdIndex(args, member.traits));
  return {};
}
