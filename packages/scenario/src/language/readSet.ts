import { didYouMeanOneOf } from '@replsim/kernel';
import { MAX_MEMBERS, MAX_VOTING_MEMBERS, type MongodVersion } from '@replsim/protocol';
import {
  checkLatency,
  DEFAULT_EPOCH_MS,
  defaultHost,
  isOnClock,
  type MemberSpec,
  type ReplSetOptions,
} from '@replsim/replset';
import type { Path, Source } from '../file/source.ts';
import { judgeParameters } from '../judging/judgeParameters.ts';
import { Reader } from '../reading/reader.ts';
import { withoutUndefined } from '../schema/parts.ts';
import { parametersOf } from '../stage/parameters.ts';
import type { MemberInput, ScenarioInput } from './scenarioSchema.ts';

/** Words that targets and checks use; a member of that name could not be told from them. */
const RESERVED = new Set(['primary', 'secondaries', 'all', 'any', 'none']);
/** Where a word was chosen that means something. */
const FREE_NAME = 'for example n1';
const DEFAULT_MEMBERS = 3;
/** Of every member, where nothing is said. */
export const DEFAULT_VERSION: MongodVersion = '8.0';
const CONFIG_FIELDS = [
  'priority',
  'votes',
  'hidden',
  'arbiterOnly',
  'buildIndexes',
  'secondaryDelaySecs',
  'tags',
] as const;

type Modes = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** A member's entry with where it stands. */
interface Entry {
  readonly input: MemberInput;
  readonly path: Path;
  readonly spare: boolean;
}

/** The names of all processes that a file declares, as far as they can be read, and their hosts. */
export function declaredMembers(input: Partial<ScenarioInput>): Map<string, string> {
  return new Map(entriesOf(input).map(({ input: member }) => [member.name, hostOf(member)]));
}

/** Reads how the set is made; what mongod's config rules would refuse is a mistake. */
export function readSet(source: Source, input: ScenarioInput): ReplSetOptions {
  const reader = new Reader(source, new Map());
  const entries = entriesOf(input);
  checkNames(source, entries);
  checkConfig(source, entries, input.parameters?.allowMultipleArbiters === true);
  checkModes(source, entries, input.replicaSet?.settings?.getLastErrorModes ?? {});
  checkKeyFiles(source, entries, input.replicaSet);
  checkLatency(input.network?.latencyMs, ['network', 'latencyMs'], {
    mistake: (at, message, suggestion) => source.mistakeAtPath(at, message, suggestion),
  });
  checkParameters(source, entries, input);
  const { replicaSet = {} } = input;
  const epochMs = readEpoch(source, input.epoch);
  const specs = entries.map((entry) => readMember(reader, entry));
  // Of an epoch that is no time itself nothing more can be said.
  if (!Number.isNaN(epochMs)) checkOffsets(source, entries, specs, epochMs ?? DEFAULT_EPOCH_MS);
  return withoutUndefined({
    members: specs,
    setName: replicaSet.name,
    version: input.version,
    machineNames: replicaSet.machineNames,
    access: replicaSet.access ? withoutUndefined(replicaSet.access) : accessOf(replicaSet.keyFile, replicaSet.auth),
    settings: replicaSet.settings && withoutUndefined(replicaSet.settings),
    writeConcernMajorityJournalDefault: replicaSet.writeConcernMajorityJournalDefault,
    initiate: replicaSet.initiate,
    parameters: input.parameters && parametersOf(reader.template(['parameters'])),
    network: input.network && withoutUndefined({ ...input.network }),
    costs: input.costs && withoutUndefined(input.costs),
    epochMs,
  });
}

/** What each clock shows at first. */
function checkOffsets(source: Source, entries: readonly Entry[], specs: readonly MemberSpec[], epochMs: number): void {
  for (const [index, { clock }] of specs.entries())
    if (!isOnClock(epochMs + (clock?.offsetMs ?? 0)))
      source.mistakeAtPath(
        [...entries[index]!.path, 'clock', 'offset'],
        'with this the clock is not between 1970 and 2106',
        'choose a smaller offset, or another "epoch"',
      );
}

/** The release of each of these processes. */
export function declaredVersions(input: Partial<ScenarioInput>): Map<string, MongodVersion> {
  const version = (given: MongodVersion | undefined) => given ?? input.version ?? DEFAULT_VERSION;
  return new Map(entriesOf(input).map(({ input: member }) => [member.name, version(member.version)]));
}

function entriesOf(input: Partial<ScenarioInput>): Entry[] {
  const { members = DEFAULT_MEMBERS, spares = [], config } = input.replicaSet ?? {};
  const listed =
    typeof members === 'number'
      ? Array.from({ length: Math.min(members, MAX_MEMBERS + 1) }, (_, index) => `n${index + 1}`)
      : members;
  const entry =
    (list: Path, spare: boolean) =>
    (member: string | MemberInput, index: number): Entry => ({
      input: typeof member === 'string' ? { name: member } : member,
      path: ['replicaSet', ...list, index],
      spare,
    });
  // What the schema has refused has no name by which it could be meant.
  return [
    ...(Array.isArray(listed) ? listed : []).map(
      entry(config === undefined ? ['members'] : ['config', 'members'], false),
    ),
    ...(Array.isArray(spares) ? spares : []).map(entry(['spares'], true)),
  ].filter(({ input: member }) => typeof member?.name === 'string');
}

function hostOf({ name, host }: MemberInput): string {
  return host ?? defaultHost(name);
}

/** What a process would not start with. Each gets those of the head, too. */
function checkParameters(source: Source, entries: readonly Entry[], input: ScenarioInput): void {
  const versions = declaredVersions(input);
  for (const version of new Set(versions.values()))
    judgeParameters(source, ['parameters'], input.parameters, [version], 'startup');
  for (const { input: member, path } of entries) {
    const version = versions.get(member.name);
    if (version) judgeParameters(source, [...path, 'parameters'], member.parameters, [version], 'startup');
  }
}

function checkNames(source: Source, entries: readonly Entry[]): void {
  const seen = new Set<string>();
  const hosts = new Set<string>();
  for (const { input, path } of entries) {
    const at = [...path, 'name'];
    if (RESERVED.has(input.name))
      source.mistakeAtPath(at, `a member cannot be called "${input.name}": targets use that word`, FREE_NAME);
    const host = hostOf(input);
    if (seen.has(input.name))
      source.mistakeAtPath(at, `two members are called "${input.name}"`, 'give one of them another name');
    else if (hosts.has(host))
      source.mistakeAtPath(
        input.host === undefined ? at : [...path, 'host'],
        `two members have the host "${host}"`,
        'give one of them another host',
      );
    seen.add(input.name);
    hosts.add(host);
  }
}

/** Upstream: repl_set_config.cpp, ReplSetConfig::_validate; member_config.cpp, MemberConfig::validate. */
function checkConfig(source: Source, entries: readonly Entry[], arbitersAllowed: boolean): void {
  const members = entries.filter(({ input, spare }) => !spare && input.standalone !== true);
  for (const { input, path } of entries) checkMember(source, input, path);
  if (members.length > MAX_MEMBERS)
    source.mistakeAtPath(['replicaSet', 'members'], `a replica set has at most ${MAX_MEMBERS} members`);
  const voters = members.filter(({ input }) => input.votes !== 0);
  const beyond = voters[MAX_VOTING_MEMBERS];
  if (beyond !== undefined)
    source.mistakeAtPath(
      members.length > MAX_MEMBERS ? ['replicaSet', 'members'] : beyond.path,
      `a replica set has at most ${MAX_VOTING_MEMBERS} voting members, and this one has ${voters.length}`,
      'give the others { votes: 0, priority: 0 }',
    );
  const arbiters = members.filter(({ input }) => input.arbiterOnly);
  const [, second] = arbiters;
  if (second !== undefined && !arbitersAllowed)
    source.mistakeAtPath(
      second.path,
      `a replica set has at most one arbiter, and this one has ${arbiters.length}`,
      'add parameters: { allowMultipleArbiters: true }',
    );
  const electable = members.some(({ input }) => !input.arbiterOnly && input.priority !== 0);
  if (members.length > 0 && !electable)
    source.mistakeAtPath(['replicaSet', 'members'], 'no member can become primary', 'give one a priority above 0');
}

/** A mode may only ask for tags that some member has. Upstream: repl_set_tag.cpp, addTagCountConstraintToPattern. */
function checkModes(source: Source, entries: readonly Entry[], modes: Modes): void {
  const tags = new Set(
    entries
      .filter(({ spare }) => !spare)
      .flatMap(({ input }) => (input.standalone ? [] : Object.keys(input.tags ?? {}))),
  );
  for (const [mode, counts] of Object.entries(modes))
    for (const tag of Object.keys(counts).filter((tag) => !tags.has(tag)))
      source.mistakeAtKey(
        ['replicaSet', 'settings', 'getLastErrorModes', mode],
        tag,
        `no member has the tag "${tag}"`,
        didYouMeanOneOf(tag, [...tags]) ?? `give a member tags: { ${tag}: … }`,
      );
}

/** A mongod does not start without: it could not show the others who it is. Upstream: mongod_options.cpp, storeMongodOptions. */
function checkKeyFiles(source: Source, entries: readonly Entry[], set: ScenarioInput['replicaSet'] = {}): void {
  if (!set.auth || set.keyFile !== undefined) return;
  const without = entries.find(({ input }) => !input.standalone && input.keyFile === undefined);
  if (!without) return;
  source.mistakeAtPath(
    ['replicaSet', 'auth'],
    `a mongod does not start: security.keyFile is required when authorization is enabled with replica sets (${without.input.name} has none)`,
    'add "keyFile: theSharedKey" beside it, which turns access control on by itself',
  );
}

function checkMember(source: Source, input: MemberInput, path: Path): void {
  const priority = input.priority ?? (input.arbiterOnly ? 0 : 1);
  const refuse = (key: string, message: string, suggestion?: string) =>
    source.mistakeAtKey(path, key, message, suggestion);
  if (priority > 0) {
    if (input.votes === 0) refuse('votes', 'a member without a vote needs priority 0', 'add priority: 0');
    if (input.hidden) refuse('hidden', 'a hidden member needs priority 0', 'add priority: 0');
    if ((input.secondaryDelaySecs ?? 0) > 0)
      refuse('secondaryDelaySecs', 'a delayed member needs priority 0', 'add priority: 0');
    if (input.buildIndexes === false)
      refuse('buildIndexes', 'a member without indexes needs priority 0', 'add priority: 0');
  }
  if (input.arbiterOnly) {
    if (priority > 1 || (priority > 0 && priority < 1))
      refuse('priority', "an arbiter's priority is 0 or 1", 'leave "priority" out');
    if (input.votes === 0) refuse('votes', 'an arbiter must vote', 'leave "votes" out');
    if (input.tags && Object.keys(input.tags).length > 0)
      refuse('tags', 'an arbiter cannot have tags', 'leave "tags" out');
  }
  if (input.standalone)
    for (const key of CONFIG_FIELDS)
      if (input[key] !== undefined)
        refuse(key, `a standalone has no place in the config, and so no "${key}"`, `leave "${key}" out`);
}

function readMember(reader: Reader, { input, path, spare }: Entry): MemberSpec {
  const config = Object.fromEntries(
    CONFIG_FIELDS.filter((key) => input[key] !== undefined).map((key) => [key, input[key]]),
  );
  const { offset, drift } = input.clock ?? {};
  return withoutUndefined({
    name: input.name,
    host: input.host,
    config: Object.keys(config).length > 0 ? config : undefined,
    spare: spare || undefined,
    standalone: input.standalone,
    version: input.version,
    parameters: input.parameters && parametersOf(reader.template([...path, 'parameters'])),
    clock:
      input.clock &&
      withoutUndefined({
        offsetMs: offset === undefined ? undefined : reader.wallMs([...path, 'clock', 'offset'], offset),
        driftPpm: drift,
      }),
    access: input.access ? withoutUndefined(input.access) : accessOf(input.keyFile),
    oplogSizeMB: input.oplogSizeMB,
    oplogMinRetentionHours: input.oplogMinRetentionHours,
  });
}

/** Undefined where nobody says anything of it. */
function accessOf(keyFile: MemberInput['keyFile'], auth?: boolean): MemberSpec['access'] {
  if (keyFile === undefined && !auth) return undefined;
  return { ...(auth && { authorization: true }), ...(keyFile !== undefined && { keys: [keyFile].flat() }) };
}

function readEpoch(source: Source, epoch: string | undefined): number | undefined {
  if (epoch === undefined) return undefined;
  const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?Z)?$/.test(epoch) ? Date.parse(epoch) : Number.NaN;
  // Timestamps hold unsigned 32-bit seconds.
  if (!(ms >= 0 && ms < 2 ** 32 * 1000))
    source.mistakeAtPath(['epoch'], `"${epoch}" is not a time between 1970 and 2106`, 'write 2025-01-01T00:00:00Z');
  return ms;
}
