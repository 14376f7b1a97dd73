import {
  CommandError,
  type ComponentLevels,
  LogVerbosity,
  MAX_DEBUG_LEVEL,
  type Owner,
  parseComponentLevels,
  sayIfKnown,
  VERSIONS,
  type VersionTraits,
} from '@replsim/protocol';
import { ttlParametersOf } from '@replsim/ttl';
import { whyElsewhere } from '../upstream/failPointNames.ts';
import { PARAMETER_NAMES } from '../upstream/parameterNames.ts';
import { type FailPointSetting, failPointSettingOf } from './failPointSetting.ts';
import { FAIL_POINT_NAMES, type FailPoints } from './failPoints.ts';

export type ParameterValue = boolean | number | string | readonly string[] | ComponentLevels | FailPointSetting;

/**
 * By which door a value comes. A command line has texts alone, which have to be whole; a command has BSON, of which a text is no number.
 * Upstream: server_parameter_with_storage.h, IDLServerParameterWithStorage, setFromString and parseElement.
 */
export type ParameterMoment = 'startup' | 'runtime';

/** A server parameter: `--setParameter` at startup, and `setParameter` at run time unless it is for startup only. */
export interface ParameterDefinition {
  readonly name: string;
  readonly type: 'bool' | 'int' | 'long' | 'double' | 'string' | 'strings' | 'document';
  readonly default: ParameterValue;
  readonly startupOnly?: boolean;
  /**
   * The value as it is kept. Throws CommandError BadValue 2 for a wrong type or one out of bounds.
   * @param moment startup, if absent: whatever is given came as the text of a command line
   */
  readonly parse: (value: unknown, moment?: ParameterMoment) => ParameterValue;
  /** Where the value lives if not in the store, and how a reply shows it. */
  readonly bound?: { readonly get: () => unknown; readonly set: (value: ParameterValue) => void };
}

/** Upstream: sasl_options.h, kDefaultAuthenticationMechanisms. Who has no certificate, as nobody here has, cannot use the first. */
const MECHANISMS: readonly string[] = ['MONGODB-X509', 'SCRAM-SHA-1', 'SCRAM-SHA-256'];

/** What members can do, in mongod's order: `noop` is for whoever names it. Upstream: message_compressor_registry.cpp, message_compressor_options_server.idl. */
const COMPRESSORS = ['snappy', 'zstd', 'zlib'];
const KNOWN_COMPRESSORS: ReadonlySet<unknown> = new Set([...COMPRESSORS, 'noop']);

/** It stands for 2^63 - 1: no double is nearer. */
const LARGEST_LONG = 2 ** 63;

/** Replication's parameters. Upstream: repl_server_parameters.idl and others. */
const replicationParameters: readonly ParameterDefinition[] = [
  numeric('maxAcceptableLogicalClockDriftSecs', 'int', 31_536_000, { from: 1 }, true),
  numeric('periodicNoopIntervalSecs', 'int', 10, { from: 1, to: 10 }, true),
  flag('writePeriodicNoops', true, true),
  numeric('maxSyncSourceLagSecs', 'int', 30, { from: 1 }, true),
  numeric('rollbackTimeLimitSecs', 'int', 86_400, { from: 1 }),
  flag('createRollbackDataFiles', true),
  numeric('numInitialSyncAttempts', 'int', 10, { from: 1 }),
  numeric('numInitialSyncConnectAttempts', 'int', 10, { from: 1 }),
  numeric('initialSyncTransientErrorRetryPeriodSeconds', 'int', 86_400, { from: 0 }),
  oneOf('initialSyncSourceReadPreference', '', [
    '',
    'primary',
    'primaryPreferred',
    'secondary',
    'secondaryPreferred',
    'nearest',
  ]),
  // Documents of a reply while a collection is copied; 0: as many as 16 MB hold.
  numeric('collectionClonerBatchSize', 'int', 0, { from: 0 }),
  flag('enableOverrideClusterChainingSetting', false),
  numeric('changeSyncSourceThresholdMillis', 'int', 5, { from: 0 }),
  numeric('maxNumSyncSourceChangesPerHour', 'int', 3, { from: 1 }),
  numeric('replBatchLimitOperations', 'int', 5000, { from: 1, to: 1_000_000 }),
  numeric('replBatchLimitBytes', 'int', 104_857_600, { from: 16 * 1024 * 1024, to: 104_857_600 }),
  numeric('priorityTakeoverFreshnessWindowSeconds', 'int', 2, { from: 0 }),
  numeric('replElectionTimeoutOffsetLimitFraction', 'double', 0.15, { above: 0.01 }),
  flag('enableElectionHandoff', true),
  numeric('shutdownTimeoutMillisForSignaledShutdown', 'int', 15_000, { from: 0 }),
  numeric('journalCommitInterval', 'int', 100, { from: 1, to: 500 }),
  numeric('syncdelay', 'double', 60, { from: 0, to: 9_000_000 }),
  flag('allowMultipleArbiters', false, true),
  flag('skipShardingConfigurationChecks', false, true),
  // Not mongod's: counts config commitment as upstream's tag pattern does, see configCommitmentCount.
  flag('configCommitmentCountQuirk', false, true),
  flag('recoverFromOplogAsStandalone', false, true),
  // Fail points and the like; on here, as this is for tests.
  flag('enableTestCommands', true, true),
  flag('acceptApiVersion2', false, true),
  // Not mongod's: whoever shows to know one of them is authenticated as the user that it says it is. A set that does not
  // know a client's password could not answer it, for SCRAM has the server prove that it knows it, too.
  { name: 'anyUserPasswords', type: 'strings', default: [], startupOnly: true, parse: passwords },
  // By which of them clients may show who they are. Upstream: sasl_options.idl; clients' suites ask it what a server can do.
  { name: 'authenticationMechanisms', type: 'strings', default: MECHANISMS, startupOnly: true, parse: mechanisms },
  // Not mongod's: there it is an option of the command line.
  { name: 'networkMessageCompressors', type: 'strings', default: COMPRESSORS, startupOnly: true, parse: compressors },
  // How often a new user's password is hashed. Upstream: sasl_options.idl.
  numeric('scramIterationCount', 'int', 10_000, { from: 5000 }),
  numeric('scramSHA256IterationCount', 'int', 15_000, { from: 5000 }),
  // How long a failed login takes. Upstream: authentication_commands.idl.
  numeric('authFailedDelayMs', 'int', 0, { from: 0, to: 5000 }),
  // A client on this machine may create the first user. Upstream: enable_localhost_auth_bypass.idl.
  flag('enableLocalhostAuthBypass', true, true),
  flag('quiet', false),
  // Not mongod's: lines of one id that clients may cause in a second; 0 is no limit.
  numeric('clientLogLinesPerSecond', 'int', 500, { from: 0 }),
  // Queries that would read a whole collection fail. Upstream: storage_parameters.idl.
  flag('notablescan', false),
  // Nobody gathers such data here, so that it can be switched off alone. Upstream: ftdc.idl.
  { name: 'diagnosticDataCollectionEnabled', type: 'bool', default: false, parse: diagnosticData },
  // How often images are looked for that have expired. Upstream: change_stream_options.idl and its neighbours.
  numeric('expiredChangeStreamPreImageRemovalJobSleepSecs', 'int', 10, { from: 1 }, true),
  // How far behind the stable optime a snapshot read may go. Upstream: snapshot_window_options.idl.
  numeric('minSnapshotHistoryWindowInSeconds', 'int', 300, { from: 0 }),
  numeric('cursorTimeoutMillis', 'int', 600_000, { from: 1 }),
  flag('enableTimeoutOfInactiveSessionCursors', false),
  // Not mongod's: how many cursors one user may have open; 0 is no limit.
  numeric('maxCursorsPerUser', 'int', 10_000, { from: 0 }),
  // How many sessions there may be. Upstream: logical_session_cache.idl.
  numeric('maxSessions', 'int', 1_000_000, { from: 1 }, true),
  // Not mongod's: how many of them one user may have, so that there are some left for others; 0 is no limit.
  numeric('maxSessionsPerUser', 'int', 100_000, { from: 0 }),
  // How long a session lasts without being used.
  numeric('localLogicalSessionTimeoutMinutes', 'int', 30, { from: 1 }, true),
  // When members write down which sessions are in use, and how long what a session wrote is kept at least.
  numeric('logicalSessionRefreshMillis', 'int', 300_000, { from: 1 }, true),
  flag('disableLogicalSessionCacheRefresh', false, true),
  numeric('TransactionRecordMinimumLifetimeMinutes', 'int', 30, { from: 1 }, true),
  // How long a transaction may last, and how much one of its entries holds. Upstream: transaction_participant.idl.
  numeric('transactionLifetimeLimitSeconds', 'int', 60, { from: 1 }),
  // How long a transaction waits for a collection that somebody wants for himself; a negative number is no limit.
  numeric('maxTransactionLockRequestTimeoutMillis', 'int', 5, {}),
  // Of a transaction's operations, and of the images before them that are kept.
  numeric('transactionSizeLimitBytes', 'long', LARGEST_LONG, {}),
  numeric('maxNumberOfTransactionOperationsInSingleOplogEntry', 'int', 2_147_483_647, { from: 1 }, true),
  // Builds beyond these wait for one of them to end. Upstream: two_phase_index_build_knobs.idl.
  numeric('maxNumActiveUserIndexBuilds', 'int', 3, { from: 0 }),
];

/** Two views of one thing: `logLevel` is the root's verbosity. Upstream: parameters.idl, LogLevelServerParameter. */
function logParameters(verbosity: LogVerbosity): readonly ParameterDefinition[] {
  const setRoot = (level: ParameterValue): void => verbosity.change(new Map([['-', level as number]]));
  return [
    {
      ...numeric('logLevel', 'int', 0, { from: 0, to: MAX_DEBUG_LEVEL }),
      bound: { get: () => verbosity.of('-'), set: setRoot },
    },
    {
      name: 'logComponentVerbosity',
      type: 'document',
      default: verbosity.levels,
      parse: parseComponentLevels,
      bound: { get: () => verbosity.toDocument(), set: (levels) => verbosity.change(levels as ComponentLevels) },
    },
  ];
}

/** Every parameter that a release knows. @param verbosity where the log's levels live */
export function parametersOf(
  traits: VersionTraits,
  verbosity: LogVerbosity = new LogVerbosity(),
): readonly ParameterDefinition[] {
  const ttl = ttlParametersOf(traits).map(({ name, type, default: initial, bounds = {} }) =>
    type === 'bool' ? flag(name, initial === true) : numeric(name, type, Number(initial), bounds),
  );
  return [...ttl, ...replicationParameters, ...logParameters(verbosity)];
}

const OF_FAIL_POINTS = 'failpoint.';

/**
 * What switches fail points as a process starts: `failpoint.NAME`, where test commands are known.
 * @param startup what else is given to it @param failPoints the process's, where there is one
 * Upstream: fail_point.cpp, FailPointRegistry::registerAllFailPointsAsServerParameters; server_options_helpers.cpp.
 */
export function failPointParameters(
  startup: Readonly<Record<string, unknown>> = {},
  failPoints?: FailPoints,
): readonly ParameterDefinition[] {
  const { enableTestCommands = true } = startup;
  if (!booleanOf('enableTestCommands', enableTestCommands)) return [];
  return FAIL_POINT_NAMES.map((name) => ({
    name: `${OF_FAIL_POINTS}${name}`,
    type: 'document',
    default: { mode: 'off', data: {} },
    startupOnly: true,
    parse: (value) => failPointSettingOf(name, value),
    ...(failPoints && {
      bound: {
        get: () => failPoints.shown(name),
        set: (value: ParameterValue) => {
          const { mode, data } = value as FailPointSetting;
          failPoints.configure(name, mode, data);
        },
      },
    }),
  }));
}

const HERE: ReadonlySet<string> = new Set(
  Object.values(VERSIONS).flatMap((traits) => parametersOf(traits).map(({ name }) => name)),
);

/** Who upstream has a parameter that replsim has in no release; one that merely came later than a release is unknown to it. */
export function ownerElsewhere(name: string): Owner | undefined {
  if (name.startsWith(OF_FAIL_POINTS))
    return whyElsewhere(name.slice(OF_FAIL_POINTS.length)) === undefined ? undefined : 'mongod';
  return HERE.has(name) ? undefined : PARAMETER_NAMES.ownerOf(name);
}

const ELSEWHERE = { has: (name: string) => ownerElsewhere(name) !== undefined, ownerOf: ownerElsewhere };

/** InvalidOptions 72 or another, with a word about what upstream has. */
export function unknownParameter(codeName: 'InvalidOptions' | 'BadValue', errmsg: string, name: string): CommandError {
  return new CommandError(codeName, sayIfKnown(errmsg, name, ELSEWHERE));
}

/** The parameters of one process; none outlives it. Upstream: server_parameter.h, ServerParameterSet. */
export class ParameterStore {
  readonly #definitions = new Map<string, ParameterDefinition>();
  readonly #values = new Map<string, ParameterValue>();

  /** @param startup what `--setParameter` said. Throws CommandError for what a mongod would refuse to start with. */
  constructor(definitions: Iterable<ParameterDefinition>, startup: Readonly<Record<string, unknown>> = {}) {
    for (const definition of definitions) {
      this.#definitions.set(definition.name, definition);
      this.#values.set(definition.name, definition.default);
    }
    for (const [name, value] of Object.entries(startup)) {
      const definition = this.#definitions.get(name);
      if (!definition) throw unknownParameter('BadValue', `Unknown --setParameter '${name}'`, name);
      this.set(name, definition.parse(value));
    }
  }

  get names(): Iterable<string> {
    return this.#definitions.keys();
  }

  has(name: string): boolean {
    return this.#definitions.has(name);
  }

  isStartupOnly(name: string): boolean {
    return this.#definitions.get(name)?.startupOnly === true;
  }

  get(name: string): ParameterValue | undefined {
    return this.#values.get(name);
  }

  /** A parameter that is known to be a number. */
  number(name: string): number {
    return Number(this.#values.get(name));
  }

  /** A parameter that is known to be a text. */
  text(name: string): string {
    return String(this.get(name) ?? '');
  }

  /** A parameter that is known to be a list of texts. */
  texts(name: string): readonly string[] {
    const value = this.get(name);
    return Array.isArray(value) ? value : [];
  }

  bool(name: string): boolean {
    return this.#values.get(name) === true;
  }

  /** The value as a reply shows it: longs as int64. */
  shown(name: string): unknown {
    const definition = this.#definitions.get(name);
    if (definition?.bound) return definition.bound.get();
    const value = this.#values.get(name);
    return definition?.type === 'long' ? longOf(value as number) : value;
  }

  /** The value to set, once it is known to be good. Throws InvalidOptions 72 for an unknown parameter, else BadValue 2. */
  parse(name: string, value: unknown): ParameterValue {
    const definition = this.#definitions.get(name);
    if (!definition) {
      const errmsg = `attempted to set unrecognized parameter [${name}], use help:true to see options `;
      throw unknownParameter('InvalidOptions', errmsg, name);
    }
    if (definition.startupOnly) {
      throw new CommandError('IllegalOperation', `not allowed to change [${name}] at runtime`);
    }
    return definition.parse(value, 'runtime');
  }

  /** @param value from `parse` */
  set(name: string, value: ParameterValue): void {
    const bound = this.#definitions.get(name)?.bound;
    if (bound) bound.set(value);
    else this.#values.set(name, value);
  }
}

function flag(name: string, initial: boolean, startupOnly = false): ParameterDefinition {
  return {
    name,
    type: 'bool',
    default: initial,
    startupOnly,
    parse: (value, moment) => booleanOf(name, value, moment),
  };
}

/** A parameter with a few words as its values. */
function oneOf(name: string, initial: string, values: readonly string[]): ParameterDefinition {
  const parse = (value: unknown) => {
    if (typeof value === 'string' && values.includes(value)) return value;
    throw badValue(name, value, `is none of ${values.filter((word) => word !== '').join(', ')}`);
  };
  return { name, type: 'string', default: initial, startupOnly: true, parse };
}

/** Throws CommandNotSupported 115 for true. */
function diagnosticData(value: unknown): boolean {
  if (!booleanOf('diagnosticDataCollectionEnabled', value)) return false;
  throw new CommandError(
    'CommandNotSupported',
    'diagnosticDataCollectionEnabled cannot be true: replsim gathers no diagnostic data',
  );
}

/** One, or a list. What is not printable ASCII would have to be prepared as clients do it (RFC 4013). */
function passwords(value: unknown): readonly string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  for (const password of list) {
    if (typeof password !== 'string' || !/^[\x20-\x7e]+$/.test(password)) {
      throw badValue('anyUserPasswords', password, 'is no password: some printable ASCII characters');
    }
  }
  return list as string[];
}

/** A list, or one text with commas between them. */
function mechanisms(value: unknown): readonly string[] {
  const list: unknown[] = Array.isArray(value) ? value : String(value).split(',');
  for (const each of list) {
    if (!MECHANISMS.includes(each as string))
      throw badValue('authenticationMechanisms', each, `is none of ${MECHANISMS.join(', ')}`);
  }
  return list as string[];
}

/** A list, or one text with commas between them; `disabled` alone is none. */
function compressors(value: unknown): readonly string[] {
  const list: unknown[] = Array.isArray(value) ? value : String(value).split(',');
  if (list.length === 1 && list[0] === 'disabled') return [];
  for (const each of list) {
    if (!KNOWN_COMPRESSORS.has(each))
      throw badValue(
        'networkMessageCompressors',
        each,
        `is none of ${[...KNOWN_COMPRESSORS].join(', ')}, nor disabled`,
      );
  }
  return [...new Set(list as string[])];
}

interface Bounds {
  readonly from?: number;
  readonly to?: number;
  readonly above?: number;
}

/** The numbers that a parameter may hold, and what one is called that is none of them. */
const NUMBERS = {
  int: { text: /^[+-]?\d+$/, fits: (value: number) => (value | 0) === value, what: 'a 32-bit integer' },
  // Longs above 2^53 are refused, which is simpler than mongod, but for the largest.
  long: {
    text: /^[+-]?\d+$/,
    fits: (value: number) => Number.isSafeInteger(value) || value === LARGEST_LONG,
    what: 'an integer',
  },
  double: { text: /^[+-]?\d+(\.\d+)?$/, fits: Number.isFinite, what: 'a number' },
} as const;

function numeric(
  name: string,
  type: keyof typeof NUMBERS,
  initial: number,
  { from = -Infinity, to = Infinity, above = -Infinity }: Bounds,
  startupOnly = false,
): ParameterDefinition {
  const parse = (value: unknown, moment?: ParameterMoment) => {
    const number = numberOf(name, type, value, moment);
    if (number < from) throw badValue(name, number, `is not greater than or equal to ${from}`);
    if (number <= above) throw badValue(name, number, `is not greater than ${above}`);
    if (number > to) throw badValue(name, number, `is not less than or equal to ${to}`);
    return number;
  };
  return { name, type, default: initial, startupOnly, parse };
}

/** Of a command, any value is true but false, 0, null and undefined. Upstream: bsonelement.h, coerce and trueValue. */
function booleanOf(name: string, value: unknown, moment: ParameterMoment = 'startup'): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) !== 0;
  if (moment === 'runtime') return value !== null && value !== undefined;
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw badValue(name, value, 'is not a boolean');
}

/** A command's fraction is dropped where whole numbers are kept, and its true is 1 there. Upstream: bsonelement.h, tryCoerce. */
function numberOf(
  name: string,
  type: keyof typeof NUMBERS,
  given: unknown,
  moment: ParameterMoment = 'startup',
): number {
  const { text, fits, what } = NUMBERS[type];
  const isWhole = type !== 'double';
  const value = moment === 'runtime' && isWhole && typeof given === 'boolean' ? Number(given) : given;
  const isText = moment === 'startup' && typeof value === 'string' && text.test(value);
  const number = isText || typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN;
  const kept = isWhole && moment === 'runtime' ? Math.trunc(number) + 0 : number;
  if (fits(kept)) return kept;
  throw badValue(name, given, `is not ${what}${typeof given === 'string' && text.test(given) ? '; it is a text' : ''}`);
}

function longOf(value: number): bigint {
  return value === LARGEST_LONG ? 2n ** 63n - 1n : BigInt(value);
}

function badValue(name: string, value: unknown, problem: string): CommandError {
  const shown = typeof value === 'object' && value !== null ? 'an object' : String(value);
  return new CommandError('BadValue', `Invalid value for parameter ${name}: ${shown} ${problem}`);
}
