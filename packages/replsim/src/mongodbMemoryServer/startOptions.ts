import { sortArguments } from '@replsim/cli';
import type { MemberOptions, ReplicaSetOptions } from '../index.ts';
import { InvalidOptions } from '../index.ts';
import { authDefault } from './authDefault.ts';
import { debugLine } from './debugLine.ts';
import { readSurroundings } from './environment.ts';
import { memberConfig } from './memberConfig.ts';
import type {
  AutomaticAuth,
  BinaryOpts,
  InstanceOptsBase,
  MemoryServerInstanceOpts,
  MongoMemoryServerOpts,
  ReplSetOpts,
} from './memoryOptions.ts';
import { type Judged, judgeOptions, REPL_SET_FATES, SERVER_FATES } from './optionFates.ts';
import { isPathInMemory } from './pathInMemory.ts';
import { DEFAULT_RELEASE, releaseOf } from './release.ts';
import { saidOf } from './saidOf.ts';
import type { Who } from './underTheirNames.ts';

/** mongodb-memory-server's options, translated to those of `ReplicaSet.start`. */
export interface Start {
  readonly who: Who;
  /** Everything but the ports, which the members get later. */
  readonly options: Omit<ReplicaSetOptions, 'members'> & { readonly members: readonly MemberOptions[] };
  /** The port to try first for each member; 0 for any. */
  readonly ports: readonly number[];
}

/** Options of a set, with all of mongodb-memory-server's defaults filled in. */
export interface SetOptions {
  readonly replSet: ReplSetOpts & { readonly name: string; readonly count: number };
  readonly instanceOpts: readonly InstanceOptsBase[];
  readonly binary: BinaryOpts;
  /** Unknown options. */
  readonly others: object;
}

/**
 * Translates the options of a `MongoMemoryServer`, which is a standalone, or a member of a set that has not been initiated. Logs the
 * options that have no effect in one debug line.
 * @throws InvalidOptions, AuthNotObjectError, UnknownVersionError
 */
export function serverStart(opts: MongoMemoryServerOpts): Start {
  const who = 'MongoMemoryServer';
  const judged = judgeOptions(who, opts, SERVER_FATES);
  const instance = saidOf(opts.instance);
  const { version, said } = versionOf(saidOf(opts.binary));
  const args = sortArguments(instance.args ?? [], 'instance.args');
  refuse(who, [...args.mistakes, ...mistakenPath(instance.dbPath, 'instance.dbPath')]);
  tell(who, judged, [...said, ...args.ignored]);
  const { replSet, ip, dbPath } = instance;
  const member = { name: 'n1', ...args.process, ...(replSet === undefined && { standalone: true }) };
  return {
    who,
    options: {
      members: [member],
      initiate: false,
      version,
      invariants: false,
      ...authIn(saidOf(opts).auth),
      ...(replSet !== undefined && { name: replSet }),
      ...(ip !== undefined && { ip }),
      ...(dbPath !== undefined && { dbpath: dbPath }),
    },
    ports: [instance.port ?? 0],
  };
}

/**
 * Translates the options of a `MongoMemoryReplSet`, and logs those without effect in the same way.
 * @throws InvalidOptions, AuthNotObjectError, UnknownVersionError
 */
export function replSetStart({ replSet, instanceOpts, binary, others }: SetOptions): Start {
  const who = 'MongoMemoryReplSet';
  const judged = judgeOptions(who, { replSet: given(replSet), instanceOpts, binary, ...others }, REPL_SET_FATES);
  const { version, delayField, said } = versionOf(saidOf(binary));
  const count = Math.max(replSet.count, instanceOpts.length);
  const ofAll = sortArguments(replSet.args ?? [], 'replSet.args');
  const instances = Array.from({ length: count }, (_, i) => saidOf(instanceOpts[i]));
  const each = instances.map(({ args = [] }, i) => sortArguments(args, `instanceOpts.${i}.args`));
  const configs = instances.map(({ replicaMemberConfig }, i) =>
    memberConfig(replicaMemberConfig, delayField, `instanceOpts.${i}.replicaMemberConfig`),
  );
  refuse(who, [
    ...[ofAll, ...each, ...configs].flatMap(({ mistakes }) => mistakes),
    ...instances.flatMap(({ dbPath }, i) => mistakenPath(dbPath, `instanceOpts.${i}.dbPath`)),
  ]);
  tell(who, judged, [...said, ...ofAll.ignored, ...each.flatMap(({ ignored }) => ignored)]);
  const members = configs.map(({ config }, i) => ({
    // `ReplicaSet.start` checks these fields.
    ...(config as Partial<MemberOptions>),
    name: `n${i + 1}`,
    ...ofAll.process,
    ...each[i]?.process,
    parameters: { ...ofAll.process.parameters, ...each[i]?.process.parameters },
  }));
  const dbpath = dbpathOf(instances);
  return {
    who,
    options: {
      members,
      name: replSet.name,
      version,
      invariants: false,
      // Upstream: MongoMemoryReplSet.ts, _initReplSet.
      settings: { electionTimeoutMillis: 5000, ...replSet.configSettings },
      ...authIn(replSet.auth),
      ...(replSet.ip !== undefined && { ip: replSet.ip }),
      ...(dbpath !== undefined && { dbpath }),
    },
    ports: instances.map(({ port }) => port ?? 0),
  };
}

function authIn(given: AutomaticAuth | undefined): Pick<ReplicaSetOptions, 'auth'> {
  const auth = authDefault(given);
  if (auth === undefined) return {};
  const { force: _, ...others } = auth;
  return { auth: others };
}

/** Removes values that are only defaults. */
function given({ spawn, dbName, auth, ...others }: ReplSetOpts): ReplSetOpts {
  return {
    ...others,
    ...(spawn !== undefined && Object.keys(spawn).length > 0 && { spawn }),
    ...(dbName !== undefined && dbName !== '' && { dbName }),
    ...(auth !== undefined && { auth }),
  };
}

/** A set keeps the data of all members in subfolders of one folder, so a member's own `dbPath` works only if it is the sole member. */
function dbpathOf(instances: readonly InstanceOptsBase[]): string | undefined {
  const i = instances.findIndex(({ dbPath }) => dbPath !== undefined);
  if (i === -1) return undefined;
  if (instances.length === 1) return instances[0]?.dbPath;
  throw new InvalidOptions(
    [
      `instanceOpts.${i}.dbPath: a set of several members keeps its data in one folder; start it with ReplicaSet.start({ dbpath }) from 'replsim'`,
    ],
    'MongoMemoryReplSet',
  );
}

function mistakenPath(dbPath: string | undefined, where: string): string[] {
  if (typeof dbPath !== 'string' || !isPathInMemory(dbPath)) return [];
  return [
    `${where}: there is nothing at ${dbPath}, because that server kept its data in memory; give both servers a folder of your own`,
  ];
}

function versionOf({ version }: BinaryOpts) {
  const surroundings = readSurroundings();
  const said = surroundings.ignored.map((name) => `${name} (there is no mongod to download or to run)`);
  const wanted = version ?? surroundings.version ?? DEFAULT_RELEASE;
  const { release, exact, delayField } = releaseOf(wanted);
  return {
    version: release,
    delayField,
    said: exact ? said : [`version ${wanted} (${release} is imitated)`, ...said],
  };
}

function refuse(who: Who, mistakes: readonly string[]): void {
  if (mistakes.length > 0) throw new InvalidOptions(mistakes, who);
}

/** Known options without effect are logged under `DEBUG`. Unknown ones are probably typos, so everybody is warned. */
function tell(who: Who, { ignored, unknown }: Judged, others: readonly string[]): void {
  const without = [...ignored, ...others];
  if (without.length > 0) debugLine(`${who}: without meaning here, and ignored: ${without.join('; ')}`);
  for (const each of unknown) warnOnce(`${who} has no option ${each}`);
}

const warned = new Set<string>();

/** A test suite starts the same server many times, so warn only once. */
function warnOnce(text: string): void {
  if (warned.has(text)) return;
  warned.add(text);
  process.emitWarning(text, { code: 'REPLSIM_UNKNOWN_OPTION' });
}

/** Whether a server insists on its port. @param forced the argument of `start` */
export function keepsItsPort(instance: MemoryServerInstanceOpts | undefined, forced: boolean | undefined): boolean {
  return forced ?? !(instance?.portGeneration ?? true);
}
