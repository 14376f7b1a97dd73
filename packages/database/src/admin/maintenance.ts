import { type Operation, spend } from '@replsim/operations';
import {
  type CommandArguments,
  checkNotView,
  fieldSet,
  listedSpec,
  type Reply,
  timeseriesCollection,
} from '@replsim/pipeline';
import { CommandError, RawBson } from '@replsim/protocol';
import type { CollectionView, ReadView } from '@replsim/storage';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { MemberFacts } from '../member.ts';

const compactFields = fieldSet('compact', 'force', 'freeSpaceTargetMB', 'dryRun');
/** The release that first checks the type of `force`, by its wire version. Upstream: compact.idl. */
const TYPES_CHECKED_SINCE = 25;
const reIndexFields = fieldSet('reIndex');

/**
 * `{ compact, force?, freeSpaceTargetMB?, dryRun? }` → `{ bytesFreed }`; of a time series its buckets. Simplification: there is never
 * anything to free.
 * Errors: IllegalOperation 20 on a primary without `force`, NamespaceNotFound 26, CommandNotSupportedOnView 166.
 * Upstream: compact.cpp, CompactCmd.
 */
const compact: CommandDefinition = {
  name: 'compact',
  help: 'gives back room that a collection and its indexes do not need',
  auth: { action: 'compact', resource: 'collection' },
  api: 'none',
  kind: 'other',
  secondaries: 'always',
  maintenanceOk: true,
  run: runCompact,
};

/**
 * `{ reIndex }` on a standalone → `{ nIndexesWas, nIndexes, indexes }`: all indexes but that on `_id` are built anew.
 * Errors: IllegalOperation 20 on a member of a set, NamespaceNotFound 26, CommandNotSupportedOnView 166.
 * Upstream: drop_indexes.cpp, CmdReIndex.
 */
const reIndex: CommandDefinition = {
  name: 'reIndex',
  help: 'builds all indexes of a collection anew, on a standalone',
  auth: { action: 'reIndex', resource: 'collection' },
  api: 'none',
  kind: 'other',
  secondaries: 'never',
  maintenanceOk: false,
  run: runReIndex,
};

export const maintenanceCommands: readonly CommandDefinition[] = [compact, reIndex];

function* runCompact({ args, data, member }: CommandContext<MemberFacts>): Operation<Reply> {
  args.allow(compactFields);
  const dryRun = args.strictBool('dryRun') ?? false;
  const force = member.traits.maxWireVersion < TYPES_CHECKED_SINCE ? args.truth('force') : args.strictBool('force');
  const target = args.number('freeSpaceTargetMB');
  if (target !== undefined && target < 1) {
    throw new CommandError('BadValue', `freeSpaceTargetMB must be 1 or more, not ${target}`);
  }
  if (member.memberState === 'PRIMARY' && !force) {
    throw new CommandError(
      'IllegalOperation',
      'will not run compact on an active replica set primary as this slows other operations; use force: true to run it',
    );
  }
  const { count } = timeseriesCollection(data, args.ns)?.buckets ?? existing(args, data);
  yield* spend(count * member.costs.scanKeyMicros);
  return dryRun ? { estimatedBytesFreed: 0n } : { bytesFreed: 0n };
}

function* runReIndex({ args, data, member, writes }: CommandContext<MemberFacts>): Operation<Reply> {
  args.allow(reIndexFields);
  const { ns } = args;
  if (member.memberState !== 'STANDALONE') {
    throw new CommandError('IllegalOperation', `reIndex of ${ns} needs a standalone; this is a member of a set`);
  }
  const { count, indexes } = existing(args, data);
  yield* spend(count * indexes.length * member.costs.indexBuildMicrosPerDocument);
  const specs = existing(args, data).indexes.map(({ spec }) => spec);
  for (const { name } of specs) if (name !== '_id_') writes.dropIndex(ns, name);
  for (const { name, bytes } of specs) if (name !== '_id_') writes.createIndex(ns, bytes);
  const listed = specs.map((spec) => new RawBson(listedSpec(spec, member.traits)));
  return { nIndexesWas: specs.length, nIndexes: specs.length, indexes: listed };
}

function existing({ ns }: CommandArguments, data: ReadView): CollectionView {
  checkNotView(data, ns);
  const collection = data.collection(ns);
  if (!collection) throw new CommandError('NamespaceNotFound', 'there is no such collection');
  return collection;
}
