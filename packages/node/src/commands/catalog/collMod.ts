import { CommandError } from '@replsim/protocol';
import type { CollectionView, IndexSpec, IndexView } from '@replsim/storage';
import {
  checkCollModIndex,
  checkCollModSeconds,
  collectionExpireAfterSeconds,
  collModReply,
  collModSeconds,
  type TtlIndexSpec,
} from '@replsim/ttl';
import type { Operation } from '../../operations/operation.ts';
import { spend } from '../../operations/operation.ts';
import { type CommandArguments, fieldSet } from '../arguments.ts';
import type { CommandContext, CommandDefinition, Reply } from '../command.ts';
import { Fields } from '../fields.ts';
import { jsValueOf } from '../values.ts';
import { cappedLimits, notSupported } from './collectionOptions.ts';
import { indexByKey } from './dropIndexes.ts';

// biome-ignore format: a list
const fields = fieldSet('collMod', 'index', 'expireAfterSeconds', 'validator', 'validationLevel', 'validationAction', 'viewOn',
  'pipeline', 'changeStreamPreAndPostImages', 'cappedSize', 'cappedMax', 'timeseries', 'dryRun', 'prepareUnique');
const indexFields = new Set([
  'name',
  'keyPattern',
  'expireAfterSeconds',
  'hidden',
  'unique',
  'prepareUnique',
  'forceNonUnique',
]);
/** What a mongod can change and this program cannot. */
const unsupported = ['validator', 'validationLevel', 'validationAction', 'viewOn', 'pipeline', 'changeStreamPreAndPostImages', 'cappedSize', 'cappedMax', 'timeseries', 'prepareUnique']; // biome-ignore format: a list

/** What is to change of an index, checked by the parser alone. */
interface IndexChange {
  readonly name: string | undefined;
  readonly request: Fields;
  /** Unit: seconds; may still be negative. */
  readonly seconds: number | undefined;
  readonly hidden: boolean | undefined;
}

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
  if (!change) return {};
  checkPresence(change);
  if (change.seconds !== undefined) checkCollModSeconds(change.seconds);
  const { spec } = findIndex(collection, change);
  const { seconds, hidden } = change;
  if (seconds !== undefined) {
    const capped = cappedLimits(collection) !== undefined;
    checkCollModIndex({ ...ttlView(spec), capped }, member.traits);
  }
  if (hidden !== undefined && spec.name === '_id_') throw new CommandError('BadValue', "can't hide _id index");
  member.writes.collModIndex(ns, spec.name, {
    ...(seconds !== undefined && { expireAfterSeconds: seconds }),
    ...(hidden !== undefined && { hidden }),
  });
  return {
    ...(seconds !== undefined && collModReply(spec.expireAfterSeconds, seconds)),
    ...(hidden !== undefined && { hidden_old: spec.hidden, hidden_new: hidden }),
  };
}

function parseIndexChange(args: CommandArguments): IndexChange | undefined {
  const index = args.document('index');
  if (!index) return undefined;
  const request = new Fields(index, 'collMod.index');
  request.allow(indexFields);
  for (const name of ['unique', 'prepareUnique', 'forceNonUnique']) {
    if (request.has(name)) throw notSupported(`collMod of '${name}'`);
  }
  const value = request.value('expireAfterSeconds');
  request.document('keyPattern');
  return {
    name: request.string('name'),
    request,
    seconds: value && collModSeconds(value),
    hidden: request.has('hidden') ? request.bool('hidden') : undefined,
  };
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

function checkPresence({ name, request, seconds, hidden }: IndexChange): void {
  const byKey = request.has('keyPattern');
  if ((name !== undefined) === byKey) {
    const which = byKey ? 'Cannot specify both' : 'Must specify either';
    throw new CommandError('InvalidOptions', `${which} key pattern ${byKey ? 'and' : 'or'} name.`);
  }
  if (seconds === undefined && hidden === undefined) {
    throw new CommandError('InvalidOptions', 'no expireAfterSeconds, hidden, unique, or prepareUnique field');
  }
}

function findIndex(collection: CollectionView, { name, request }: IndexChange): IndexView {
  if (name === undefined) return indexByKey(collection, request.value('keyPattern')!);
  const index = collection.index(name);
  if (!index) throw new CommandError('IndexNotFound', `cannot find index ${name} for ns ${collection.ns}`);
  return index;
}

/** An index as the TTL rules look at it. */
function ttlView(spec: IndexSpec): TtlIndexSpec {
  const key = new Fields(spec.keyPattern, 'key');
  return {
    key: [...key.names].map((path) => [path, jsValueOf(key.rawValue(path)!)] as const),
    expireAfterSeconds: spec.expireAfterSeconds,
    special: spec.kind === 'special',
  };
}
