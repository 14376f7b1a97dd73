import { fileURLToPath } from 'node:url';
import { type Dump, noFolderAt, readScenario, sortArguments } from '@replsim/cli';
import { InvalidScenario, parseScenario, type Scenario, withScenarioCosts } from '@replsim/scenario';
import {
  checkedTls,
  compressorNames,
  durationMicros,
  loopbackAddress,
  type ProcessArguments,
  type ServeOptions,
  type TlsOptions,
} from '@replsim/server';
import { accessOf, authOf } from './auth.ts';
import { dumpIn } from './loading.ts';
import { checkOptions, type GivenOptions } from './optionSchema.ts';
import { type AutomaticAuth, InvalidOptions, type ReplicaSetOptions } from './options.ts';
import { checkRecordable } from './recording.ts';

/** Options that a scenario file already determines. */
const SAID_BY_SCENARIO = [
  'members',
  'count',
  'spares',
  'instanceOpts',
  'initiate',
  'settings',
  'network',
  'costs',
] as const;

/** The options of `ReplicaSet.start`, checked and in a single form. */
export interface Wanted {
  readonly serve: ServeOptions;
  /** The scenario whose steps to run. */
  readonly scenario: Scenario | undefined;
  /** The file to which to record. */
  readonly record: string | undefined;
  /** What a new set begins with. */
  readonly dump: Dump | undefined;
  /** The users to create. */
  readonly auth: Required<AutomaticAuth> | undefined;
  /** Whether to check the invariants; undefined leaves it to the environment. */
  readonly invariants: boolean | undefined;
  /** The database that `getUri()` names. */
  readonly database: string | undefined;
}

/**
 * Checks the options of `ReplicaSet.start` and brings them into one form.
 * @throws InvalidOptions
 * @throws InvalidScenario for a scenario file with mistakes
 */
export function readOptions(options: ReplicaSetOptions): Wanted {
  if (saysHowMany(options)) return { serve: options, ...NOTHING_ELSE };
  const given = checkOptions(options);
  const replSet = typeof given.replSet === 'string' ? { name: given.replSet } : (given.replSet ?? {});
  const ip = agreed({ ip: given.ip, 'replSet.ip': replSet.ip });
  if (ip !== undefined) checkAddress(ip);
  checkDoors(given);
  const dbpath = agreed({ dbpath: given.dbpath, dbPath: given.dbPath });
  const noFolder = dbpath === undefined ? undefined : noFolderAt(dbpath);
  if (noFolder !== undefined) throw new InvalidOptions([`dbpath: ${noFolder}`]);
  const dump = dumpOf(given);
  const scenario = given.scenario === undefined ? undefined : scenarioOf(given);
  const { options: described, seed } = scenario ?? setOf(given);
  const set = scenario === undefined ? described : withScenarioCosts(described);
  const ports = scenario === undefined ? portsOf(given) : [];
  if (given.port !== undefined) checkPorts(given.port, set);
  const auth = authOf(given.auth as AutomaticAuth | undefined);
  checkAuth(given, auth !== undefined);
  const serve = {
    ...set,
    ...(auth !== undefined && { access: accessOf(auth) }),
    ...((given.seed ?? seed) !== undefined && { seed: given.seed ?? seed }),
    ...(ip !== undefined && { ip }),
    ...(dbpath !== undefined && { dbpath }),
    ...(given.acceptEmpty && { acceptEmpty: true }),
    ...(given.ledger === false && { ledger: false }),
    ...(given.tls !== undefined && { tls: given.tls as boolean | TlsOptions }),
    ...(given.maxIncomingConnections !== undefined && { maxIncomingConnections: given.maxIncomingConnections }),
    ...(given.networkMessageCompressors !== undefined && {
      networkMessageCompressors: given.networkMessageCompressors,
    }),
    ...(given.port !== undefined && { port: given.port }),
    ...(ports.length > 0 && { ports }),
    ...(given.speed !== undefined && { speed: given.speed }),
    ...(given.maxLead !== undefined && { maxLeadMs: leadMs(given.maxLead) }),
  };
  const { invariants } = given;
  return { serve, scenario, record: recordOf(given, dbpath), dump, auth, invariants, database: replSet.dbName };
}

function checkAuth({ anyUser, scenario }: GivenOptions, isOn: boolean): void {
  if (isOn && anyUser !== undefined)
    throw new InvalidOptions(['anyUser: everybody may log in with it; with "auth", leave it out']);
  if (isOn && scenario !== undefined)
    throw new InvalidOptions(['auth: a scenario says itself who its users are, with "users"; leave one of them out']);
}

function checkDoors({ networkMessageCompressors, tls }: GivenOptions): void {
  try {
    checkedTls(tls as boolean | TlsOptions);
    compressorNames(networkMessageCompressors);
  } catch (error) {
    throw error instanceof RangeError ? new InvalidOptions([error.message]) : error;
  }
}

/** The config's limit of voting members: larger sets must say who votes. */
const MAX_VOTERS = 7;
const NOTHING_ELSE = {
  scenario: undefined,
  record: undefined,
  dump: undefined,
  auth: undefined,
  invariants: undefined,
  database: undefined,
};

/** Most calls give at most a number of members. This shortcut spares every file of a test suite the cost of loading the option readers. */
function saysHowMany(options: ReplicaSetOptions): options is { readonly members?: number } {
  if (typeof options !== 'object' || options === null) return false;
  const { members = 3, ...rest } = options;
  if (typeof members !== 'number' || Object.keys(rest).length > 0) return false;
  return Number.isInteger(members) && members >= 1 && members <= MAX_VOTERS;
}

function leadMs(maxLead: string | number): number {
  try {
    return durationMicros('maxLead', maxLead) / 1000;
  } catch (error) {
    throw new InvalidOptions([(error as Error).message]);
  }
}

function recordOf({ record, scenario }: GivenOptions, dbpath: string | undefined): string | undefined {
  if (record === undefined) return undefined;
  if (scenario !== undefined)
    throw new InvalidOptions(['record: the steps of a scenario cannot be recorded; leave one of them out']);
  checkRecordable(dbpath);
  return pathOf(record);
}

function dumpOf({ load, scenario, initiate }: GivenOptions): Dump | undefined {
  if (load === undefined) return undefined;
  if (scenario !== undefined)
    throw new InvalidOptions([
      'load: a scenario inserts its own documents, with "insert: { into: app.orders, file: orders.bson }"; leave one of them out',
    ]);
  if (initiate === false) throw new InvalidOptions(['load: it needs a primary; leave out "initiate: false"']);
  return dumpIn(pathOf(load));
}

function pathOf(file: string | URL): string {
  return file instanceof URL ? fileURLToPath(file) : file;
}

function checkAddress(ip: string): void {
  try {
    loopbackAddress(ip);
  } catch (error) {
    throw new InvalidOptions([`ip: ${(error as Error).message}`]);
  }
}

/** The members use consecutive ports. */
function checkPorts(port: number, { members = 3 }: Omit<ServeOptions, 'ip'>): void {
  const count = typeof members === 'number' ? members : members.length;
  if (port + count - 1 > 65535)
    throw new InvalidOptions([
      `port: ${count} members need ports from ${port} to ${port + count - 1}, and 65535 is the last`,
    ]);
}

/** The set of the scenario file, with the options that may be given beside it. */
function scenarioOf(given: GivenOptions): Scenario {
  const twice = SAID_BY_SCENARIO.filter((key) => given[key] !== undefined);
  if (twice.length > 0) throw new InvalidOptions(twice.map((key) => `${key}: the scenario file says that`));
  const file = pathOf(given.scenario!);
  const scenario = parseScenario(textOf(file), file);
  const { version, epochMs, parameters, setName } = setOf(given).options;
  const said = {
    ...(versionOf(given) !== undefined && { version }),
    ...(given.epoch !== undefined && { epochMs }),
    ...(nameOf(given) !== undefined && { setName }),
    parameters: { ...scenario.options.parameters, ...parameters },
  };
  return { ...scenario, options: { ...scenario.options, ...said } as Scenario['options'] };
}

function textOf(file: string): string {
  try {
    return readScenario(file);
  } catch (error) {
    const { message, cause } = error as { message: string; cause?: NodeJS.ErrnoException };
    const isMissing = cause?.code === 'ENOENT';
    const why = isMissing ? `cannot read ${file}: there is no such file, seen from ${process.cwd()}` : message;
    throw new InvalidOptions([`scenario: ${why}`]);
  }
}

/** A set as the options describe it. */
interface Described {
  readonly options: Omit<ServeOptions, 'ip'>;
  readonly seed?: number;
}

/** Reads the set that the options describe as the head of a scenario, so that the same rules apply to both. */
function setOf(given: GivenOptions): Described {
  const replSet = typeof given.replSet === 'object' ? given.replSet : {};
  const head = {
    name: 'options',
    version: versionOf(given),
    epoch: epochOf(given),
    replicaSet: {
      name: nameOf(given),
      members: membersOf(given),
      spares: sparesOf(given),
      settings: agreed({ settings: given.settings, 'replSet.configSettings': replSet.configSettings }),
      initiate: given.initiate,
    },
    parameters: parametersOf(given),
    network: given.network,
    costs: given.costs,
    // A check, as without one the reader warns that there is none.
    steps: [{ expect: { primary: 'any' } }],
  };
  // Most calls set none of these, and this spares every file of a test suite the cost of loading the scenario reader.
  if (!isSaid(given) && saysNothing(head)) return { options: {} };
  const text = JSON.stringify(head, undefined, 1);
  try {
    const { options, seed, warnings } = parseScenario(text, 'options');
    for (const { message, line } of warnings) warnOnce(`${optionAt(text, line)}: ${message}`);
    // If no option says anything about members, the data under dbpath decides.
    const { members: _members, ...rest } = options;
    return { seed, options: isSaid(given) ? options : rest };
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    const mistakes = error.mistakes.map(({ message, suggestion, line }) => {
      const said = suggestion === undefined ? message : `${message}; ${suggestion}`;
      return `${optionAt(text, line)}: ${said}`;
    });
    throw new InvalidOptions(mistakes);
  }
}

const warned = new Set<string>();

/** A test suite starts the same set many times. */
function warnOnce(text: string): void {
  if (warned.has(text)) return;
  warned.add(text);
  process.emitWarning(text, { code: 'REPLSIM_NO_EFFECT' });
}

/** Whether the head holds only what every head has: a name, members and a step. */
function saysNothing({
  name: _name,
  steps: _steps,
  replicaSet,
  ...rest
}: { readonly replicaSet: object } & Record<string, unknown>): boolean {
  const { members: _members, ...ofSet } = replicaSet as Record<string, unknown>;
  return [...Object.values(rest), ...Object.values(ofSet)].every((each) => each === undefined);
}

/** The option on a line of the head, which has one key per line, indented by one space per level. */
function optionAt(text: string, line: number): string {
  const path: string[] = [];
  let depth = Number.POSITIVE_INFINITY;
  for (const each of text.split('\n').slice(0, line).reverse()) {
    const indent = each.search(/\S/);
    if (indent >= depth) continue;
    depth = indent;
    const key = /^ *"(\w+)":/.exec(each)?.[1];
    if (key !== undefined && key !== 'replicaSet') path.unshift(key);
  }
  return path.join('.');
}

function parametersOf({ parameters, anyUser }: GivenOptions): GivenOptions['parameters'] {
  return anyUser === undefined ? parameters : { ...parameters, anyUserPasswords: anyUser };
}

function isSaid({ members, count, spares, instanceOpts, replSet }: GivenOptions): boolean {
  const inReplSet = typeof replSet === 'object' && (replSet.count ?? replSet.args) !== undefined;
  return [members, count, spares, instanceOpts].some((each) => each !== undefined) || inReplSet;
}

type Entry = Record<string, unknown> & { readonly name: string };

/** Each member as a scenario lists it, with its `port`. */
function entriesOf(given: GivenOptions): Entry[] {
  const replSet = typeof given.replSet === 'object' ? given.replSet : {};
  const { members, instanceOpts = [] } = given;
  const listed = Array.isArray(members) ? members : undefined;
  const number = agreed({
    members: typeof members === 'number' ? members : listed?.length,
    count: given.count,
    'replSet.count': replSet.count,
  });
  const wanted = number ?? (instanceOpts.length || 3);
  if (instanceOpts.length > wanted)
    throw new InvalidOptions([`instanceOpts: ${instanceOpts.length} entries for ${wanted} members`]);
  if (wanted < 1) throw new InvalidOptions([`members: expected 1 or more`]);
  const ofAll = processArguments(replSet.args ?? [], 'replSet.args');
  return Array.from({ length: wanted }, (_, i) => ({
    ...entryOf(listed?.[i] ?? `n${i + 1}`),
    ...withOwn(ofAll, processArguments(instanceOpts[i]?.args ?? [], `instanceOpts.${i}.args`)),
    ...instanceOpts[i]?.replicaMemberConfig,
    ...(instanceOpts[i]?.port !== undefined && { port: instanceOpts[i].port }),
  }));
}

/** What is said of one member counts more than what is said of all. */
function withOwn(ofAll: ProcessArguments, own: ProcessArguments): ProcessArguments {
  const parameters = { ...ofAll.parameters, ...own.parameters };
  return { ...ofAll, ...own, ...(Object.keys(parameters).length > 0 && { parameters }) };
}

function membersOf(given: GivenOptions): Omit<Entry, 'port'>[] {
  return entriesOf(given).map(withoutPort);
}

function sparesOf({ spares, ...given }: GivenOptions): Entry[] | undefined {
  if (spares === undefined) return undefined;
  const taken = entriesOf(given as GivenOptions).length;
  const listed = typeof spares === 'number' ? Array.from({ length: spares }, (_, i) => `n${taken + i + 1}`) : spares;
  return listed.map((spare) => withoutPort(entryOf(spare)) as Entry);
}

function portsOf(given: GivenOptions): number[] {
  const spares = Array.isArray(given.spares) ? given.spares.map(entryOf) : [];
  const ports = [...entriesOf(given), ...spares].map(({ port }) => Number(port ?? 0));
  return ports.some((port) => port !== 0) ? ports : [];
}

function entryOf(member: string | { readonly name: string }): Entry {
  return typeof member === 'string' ? { name: member } : { ...member };
}

function withoutPort({ port: _, ...entry }: Entry): Omit<Entry, 'port'> {
  return entry;
}

function nameOf({ name, replSet }: GivenOptions): string | undefined {
  const other = typeof replSet === 'string' ? { replSet } : { 'replSet.name': replSet?.name };
  return agreed({ name, ...other });
}

/** `8.0` for `8.0.4` and for `v8.0.4`. */
function versionOf({ version, binary }: GivenOptions): string | undefined {
  const full = agreed({ version, 'binary.version': binary?.version });
  return full === undefined ? undefined : (/^v?(\d+\.\d+)/.exec(full)?.[1] ?? full);
}

function epochOf({ epoch }: GivenOptions): string | undefined {
  if (epoch === undefined) return undefined;
  const date = new Date(epoch);
  return Number.isNaN(date.getTime()) ? String(epoch) : date.toISOString();
}

/** The value of an option that has several names, which must not contradict each other. */
function agreed<Value>(said: Readonly<Record<string, Value | undefined>>): Value | undefined {
  const [first, ...others] = Object.entries(said).filter(([, value]) => value !== undefined);
  if (first === undefined) return undefined;
  const [firstName, agreedOn] = first;
  for (const [name, value] of others)
    if (JSON.stringify(value) !== JSON.stringify(agreedOn))
      throw new InvalidOptions([
        `${firstName} says ${JSON.stringify(agreedOn)}, and ${name} ${JSON.stringify(value)}; leave one of them out`,
      ]);
  return agreedOn;
}

/**
 * Reads command-line arguments of mongod. Those without effect cause a warning, and others that replsim does not support are errors.
 * @param where what messages name
 * @throws InvalidOptions
 */
function processArguments(args: readonly string[], where: string): ProcessArguments {
  const { process, ignored, mistakes } = sortArguments(args, where);
  if (mistakes.length > 0) throw new InvalidOptions(mistakes);
  for (const each of ignored) warnOnce(`without effect: ${each}`);
  return process;
}
