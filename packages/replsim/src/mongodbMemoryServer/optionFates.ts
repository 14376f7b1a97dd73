import { didYouMean } from '@replsim/scenario';
import { InvalidOptions } from '../index.ts';
import { AuthNotObjectError } from './errors.ts';
import type {
  BinaryOpts,
  Cleanup,
  DisposeOptions,
  InstanceOptsBase,
  MemoryServerInstanceOpts,
  MongoMemoryReplSetOpts,
  MongoMemoryServerOpts,
  ReplSetOpts,
} from './memoryOptions.ts';

/** What happens to an option: it is honoured, it is ignored for a reason that is logged, or it is rejected. */
type Fate =
  | 'honoured'
  /** Why it has no effect here. */
  | { readonly ignored: string }
  /** Says why this value is rejected, or why it has no effect; undefined if it is fine. */
  | { readonly judge: (value: unknown) => { readonly ignored: string } | { readonly refused: string } | undefined }
  | { readonly inside: Fates }
  | { readonly each: Fates };

type Fates = Readonly<Record<string, Fate>>;

/** A fate for each option of the type. */
type FatesOf<Options> = Readonly<Record<keyof Options, Fate>>;

const ignored = (why: string): Fate => ({ ignored: why });

const NOT_IN_THE_URI = 'it appears only in instanceInfo; getUri(NAME) names a database, as in mongodb-memory-server';
const NO_PROCESS = 'no process is spawned';
const NO_DOWNLOAD = 'nothing is downloaded';

/** Only `{ enable: true }` asks for access control. */
const AUTH: Fate = {
  judge: (auth) => {
    if (typeof auth !== 'object' || auth === null || Array.isArray(auth)) throw new AuthNotObjectError();
    if ('enable' in auth && auth.enable === true) return undefined;
    return Object.keys(auth).some((key) => key !== 'enable')
      ? { ignored: 'without enable: true it does nothing' }
      : undefined;
  },
};

const STORAGE_ENGINE: Fate = {
  judge: (engine) => {
    if (engine === 'wiredTiger') return undefined;
    if (engine === 'ephemeralForTest') return { ignored: 'wiredTiger is imitated, as since MongoDB 7.0' };
    return { refused: 'expected "wiredTiger" or "ephemeralForTest"' };
  },
};

const OBJECT: Fate = {
  judge: (value) =>
    typeof value === 'object' && !Array.isArray(value) ? undefined : { refused: 'expected an object' },
};

const ARGUMENTS: Fate = {
  judge: (args) =>
    Array.isArray(args) && args.every((each) => typeof each === 'string')
      ? undefined
      : { refused: 'expected a list of arguments' },
};

const COUNT: Fate = {
  judge: (count) => (Number.isInteger(Number(count)) ? undefined : { refused: 'expected a whole number' }),
};

const DISPOSE: FatesOf<DisposeOptions> = {
  enabled: 'honoured',
  cleanup: { inside: { doCleanup: 'honoured', force: 'honoured' } satisfies FatesOf<Cleanup> },
};

const BINARY: FatesOf<BinaryOpts> = {
  version: 'honoured',
  downloadDir: ignored(NO_DOWNLOAD),
  os: ignored(NO_DOWNLOAD),
  arch: ignored(NO_DOWNLOAD),
  platform: ignored(NO_DOWNLOAD),
  systemBinary: ignored('there is no mongod to run'),
  checkMD5: ignored(NO_DOWNLOAD),
};

const INSTANCE: FatesOf<InstanceOptsBase> = {
  args: ARGUMENTS,
  port: 'honoured',
  dbPath: 'honoured',
  storageEngine: STORAGE_ENGINE,
  replicaMemberConfig: OBJECT,
  launchTimeout: ignored('nothing is launched'),
};

const SERVER_INSTANCE: FatesOf<MemoryServerInstanceOpts> = {
  ...INSTANCE,
  replicaMemberConfig: ignored('it is for members of a MongoMemoryReplSet'),
  auth: ignored('"auth" beside "instance" decides, as in mongodb-memory-server'),
  dbName: ignored(NOT_IN_THE_URI),
  ip: 'honoured',
  replSet: 'honoured',
  keyfileLocation: ignored('it is for members with access control'),
  portGeneration: 'honoured',
};

export const SERVER_FATES: FatesOf<MongoMemoryServerOpts> = {
  instance: { inside: SERVER_INSTANCE },
  binary: { inside: BINARY },
  spawn: ignored(NO_PROCESS),
  auth: AUTH,
  dispose: { inside: DISPOSE },
};

const REPL_SET: FatesOf<ReplSetOpts> = {
  auth: AUTH,
  args: ARGUMENTS,
  count: COUNT,
  dbName: ignored(NOT_IN_THE_URI),
  ip: 'honoured',
  name: 'honoured',
  spawn: ignored(NO_PROCESS),
  storageEngine: STORAGE_ENGINE,
  configSettings: OBJECT,
  dispose: { inside: DISPOSE },
};

export const REPL_SET_FATES: FatesOf<MongoMemoryReplSetOpts> = {
  replSet: { inside: REPL_SET },
  instanceOpts: { each: INSTANCE },
  binary: { inside: BINARY },
};

/** The given options that have no effect. */
export interface Judged {
  /** Options that have no effect here, each with the reason. */
  readonly ignored: readonly string[];
  /** Names that mongodb-memory-server lacks too, each with a suggestion. */
  readonly unknown: readonly string[];
}

/**
 * Checks all given options.
 * @throws InvalidOptions for options that would change how a server behaves but are not supported
 * @throws AuthNotObjectError
 */
export function judgeOptions(who: string, options: object, fates: Fates): Judged {
  const verdict: Verdict = { ignored: [], unknown: [], refused: [] };
  judge(options, fates, '', verdict);
  if (verdict.refused.length > 0) throw new InvalidOptions(verdict.refused, who);
  return verdict;
}

type Verdict = Record<keyof Judged | 'refused', string[]>;

function judge(options: object, fates: Fates, path: string, verdict: Verdict): void {
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || value === null) continue;
    const name = `${path}${key}`;
    const fate = fates[key];
    if (fate === undefined) verdict.unknown.push(`${name}${suggestion(key, fates)}`);
    else judgeOne(name, value, fate, verdict);
  }
}

function judgeOne(name: string, value: unknown, fate: Fate, verdict: Verdict): void {
  if (fate === 'honoured') return;
  if ('ignored' in fate) {
    verdict.ignored.push(`${name} (${fate.ignored})`);
  } else if ('judge' in fate) {
    const judged = fate.judge(value);
    if (judged === undefined) return;
    if ('ignored' in judged) verdict.ignored.push(`${name} (${judged.ignored})`);
    else verdict.refused.push(`${name}: ${judged.refused}`);
  } else if ('each' in fate && Array.isArray(value)) {
    for (const [i, each] of value.entries()) judge(each ?? {}, fate.each, `${name}.${i}.`, verdict);
  } else if ('inside' in fate && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    judge(value, fate.inside, `${name}.`, verdict);
  } else {
    verdict.refused.push(`${name}: expected ${'each' in fate ? 'a list of objects' : 'an object'}`);
  }
}

function suggestion(key: string, fates: Fates): string {
  const near = didYouMean(key, Object.keys(fates));
  return near === undefined ? '' : `: ${near}`;
}
