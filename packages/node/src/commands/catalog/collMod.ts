import { CommandError } from '@replsim/protocol';
import { collectionExpireAfterSeconds } from '@replsim/ttl';
import type { Operation } from '../../operations/operation.ts';
import { spend } from '../../operations/operation.ts';
import { type CommandArguments, fieldSet } from '../arguments.ts';
import type { CommandContext, CommandDefinition, Reply } from '../command.ts';
import { changeIndex, parseIndexChange } from './collModIndex.ts';
import { notSupported } from './notSupported.ts';

// biome-ignore format: a list
const fields = fieldSet('collMod', 'index', 'expireAfterSeconds', 'validator', 'validationLevel', 'validationAction', 'viewOn',
  'pipeline', 'changeStreamPreAndPostImages', 'cappedSize', 'cappedMax', 'timeseries', 'dryRun', 'prepareUnique');
/** What a mongod can change and this program cannot. */
const unsupported = ['validator', 'validationLevel', 'validationAction', 'viewOn', 'pipeline', 'changeStreamPreAndPostImages', 'cappedSize', 'cappedMax', 'timeseries', 'prepareUnique']; // biome-ignore format: a list

/**
 * `{ collMod, index: { name | keyPattern, expireAfterSeconds?, hidden? } }` → old and new values, int64. Checks in the order
 * of ttl.md §1.8. Errors: TypeMismatch 14, NamespaceNotFound 26, InvalidOptions 72, IndexNotFound 27,
 * AmbiguousIndexKeyPattern 181. Upstream: coll_mod.cpp, parseCollModRequest.
 */
export const collMod: CommandDefinition = {
  name: 'collMod',
  secondaries: 'never',
  maintenanceOk: false,
  isWrite: true,
  run,
};

function* run({ args, member }: CommandContext): Operation<Reply> {
  args.allow(fields);
  const { ns } = args;
  const change = parseIndexChange(args);
  yield* spend(member.costs.commitMicros);
  const collection = member.engine.collection(ns);
  if (!collection) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
  checkRest(args, member.now.wallMs);
  return change ? changeIndex(member, collection, change) : {};
}

/** Options of the collection itself. */
function checkRest(args: CommandArguments, wallMs: number): void {
  for (const name of unsupported) if (args.has(name)) throw notSupported(`collMod of '${name}'`);
  const value = args.value('expireAfterSeconds');
  if (!value) return;
  collectionExpireAfterSeconds(value, wallMs);
  throw new CommandError(
    'InvalidOptions',
    "'expireAfterSeconds' option is only supported on collections clustered by _id",
  );
}
