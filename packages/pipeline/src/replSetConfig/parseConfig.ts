import {
  BsonType,
  CommandError,
  DEFAULT_MEMBER_CONFIG,
  DEFAULT_SETTINGS,
  GET_LAST_ERROR_DEFAULTS,
  type MemberConfig,
  type ReplSetConfig,
  type ReplSetSettings,
  type Term,
  toHex,
  UNINITIALIZED_TERM,
  type VersionTraits,
} from '@replsim/protocol';
import { Fields } from '../fields/fields.ts';
import { bytesOf, INT32_MAX, numberOf, typeName } from '../fields/values.ts';
import { countsOf, doubleField, hostAndPort, intField, stringsOf } from './configFields.ts';
import { checkMember, checkModes } from './memberRules.ts';

/** What a config's document says besides the config itself, which one command or the other refuses. */
export interface ParsedConfig {
  readonly config: ReplSetConfig;
  /** `settings.replicaSetId` was given. */
  readonly hasReplicaSetId: boolean;
  /** `settings.getLastErrorDefaults` is other than the one value allowed since 5.0. */
  readonly customGetLastErrorDefaults: boolean;
}

export interface ParseOptions {
  /** What to use where the document has none, hex. */
  readonly replicaSetId: string;
  /** Replaces the document's term: only the server sets it. */
  readonly term?: Term;
  /** For initiate, where the version may be left out. */
  readonly isFirst?: boolean;
  readonly traits: Pick<VersionTraits, 'memberDelayField'>;
}

/** Upstream: member_config.idl; 366 days. */
const MAX_DELAY_SECS = 31_622_400;

const TOP_FIELDS = new Set([
  '_id',
  'version',
  'term',
  'members',
  'configsvr',
  'protocolVersion',
  'writeConcernMajorityJournalDefault',
  'settings',
]);
const MEMBER_FIELDS = new Set([
  '_id',
  'host',
  'arbiterOnly',
  'newlyAdded',
  'buildIndexes',
  'hidden',
  'priority',
  'tags',
  'horizons',
  'votes',
]);
const SETTINGS_FIELDS = new Set([...Object.keys(DEFAULT_SETTINGS), 'getLastErrorDefaults', 'replicaSetId']);

/**
 * Reads a config as a client sends it or as `local.system.replset` holds it, defaults filled in; checks types, bounds and
 * what one member can break by itself. Throws the inner error: TypeMismatch 14, BadValue 2, NoSuchKey 4, FailedToParse 9,
 * 40413 … 40415; the commands wrap it in InvalidReplicaSetConfig 93. Upstream: repl_set_config.cpp, ReplSetConfig::parse.
 */
export function parseReplSetConfig(bytes: Uint8Array, options: ParseOptions): ParsedConfig {
  const fields = new Fields(bytes, 'ReplSetConfig');
  fields.allow(TOP_FIELDS);
  const _id = fields.requiredString('_id');
  if (_id === '') throw new CommandError('BadValue', 'Replica set configuration must have non-empty _id field');
  const members = fields.requiredDocuments('members').map((member) => parseMember(member, options));
  if (!options.isFirst && !fields.has('version')) fields.missing('version');
  const protocolVersion = fields.number('protocolVersion') ?? 1;
  if (protocolVersion !== 1) {
    throw new CommandError('BadValue', `protocolVersion must be 1, the only one supported, but is ${protocolVersion}`);
  }
  const term = intField(fields, 'term', UNINITIALIZED_TERM, { from: -1, to: Number.MAX_SAFE_INTEGER });
  const { settings, ...facts } = parseSettings(fields.document('settings'), options.replicaSetId);
  checkModes(settings.getLastErrorModes, members);
  const config: ReplSetConfig = {
    _id,
    version: intField(fields, 'version', 1, { from: 1 }),
    term: options.term ?? term,
    members,
    ...(fields.strictBool('configsvr') && { configsvr: true }),
    writeConcernMajorityJournalDefault: fields.bool('writeConcernMajorityJournalDefault', true),
    settings,
  };
  return { config, ...facts };
}

function parseMember(bytes: Uint8Array, { traits }: ParseOptions): MemberConfig {
  const fields = new Fields(bytes, 'ReplSetConfig.members');
  fields.allow(MEMBER_FIELDS, traits.memberDelayField);
  if (!fields.value('_id')) fields.missing('_id');
  const arbiterOnly = fields.bool('arbiterOnly');
  const priority = doubleField(fields, 'priority', arbiterOnly ? 0 : DEFAULT_MEMBER_CONFIG.priority, 0, 1000);
  const tags = fields.document('tags');
  const horizons = parseHorizons(fields.document('horizons'));
  const member: MemberConfig = {
    _id: intField(fields, '_id', 0, { from: 0 }),
    host: hostAndPort(fields.requiredString('host').trim()),
    arbiterOnly,
    buildIndexes: fields.bool('buildIndexes', true),
    hidden: fields.bool('hidden'),
    // Whoever turns a member into an arbiter in a copied config leaves its priority 1 there.
    priority: arbiterOnly && priority === 1 ? 0 : priority,
    tags: tags ? stringsOf(new Fields(tags, 'tags')) : {},
    ...(horizons && { horizons }),
    secondaryDelaySecs: intField(fields, traits.memberDelayField, 0, { from: 0, to: MAX_DELAY_SECS }),
    votes: intField(fields, 'votes', 1, { from: 0, to: 1 }) as 0 | 1,
  };
  checkMember(member);
  if (!fields.value('newlyAdded')) return member;
  if (!fields.strictBool('newlyAdded')) {
    throw new CommandError('BadValue', 'newlyAdded may only be true or absent');
  }
  return asNewlyAdded(member);
}

/** The member as it counts until its initial sync is over. Upstream: MemberConfig::isVoter, getPriority. */
export function asNewlyAdded(member: MemberConfig): MemberConfig {
  const { priority, votes } = member.newlyAdded ?? member;
  return { ...member, newlyAdded: { priority, votes }, priority: 0, votes: 0 };
}

/** Upstream: split_horizon.cpp. */
function parseHorizons(bytes: Uint8Array | undefined): Record<string, string> | undefined {
  if (!bytes) return undefined;
  const horizons = stringsOf(new Fields(bytes, 'horizons'));
  const names = Object.keys(horizons);
  if (names.length === 0) throw new CommandError('BadValue', 'horizons field cannot be empty, if present');
  for (const name of names) {
    if (name === '') throw new CommandError('BadValue', 'Horizons cannot have empty names');
    if (name === '__default') throw new CommandError('BadValue', `Horizon name "${name}" is reserved`);
    horizons[name] = hostAndPort(horizons[name]!);
  }
  return horizons;
}

function parseSettings(
  bytes: Uint8Array | undefined,
  replicaSetId: string,
): { settings: ReplSetSettings } & Omit<ParsedConfig, 'config'> {
  const fields = new Fields(bytes ?? EMPTY, 'ReplSetConfig.settings');
  fields.allow(SETTINGS_FIELDS);
  const millis = (name: keyof typeof DEFAULT_SETTINGS, from: number) =>
    intField(fields, name, DEFAULT_SETTINGS[name] as number, { from, to: INT32_MAX });
  const own = parseReplicaSetId(fields);
  const settings = {
    chainingAllowed: fields.bool('chainingAllowed', DEFAULT_SETTINGS.chainingAllowed),
    heartbeatIntervalMillis: millis('heartbeatIntervalMillis', 1),
    heartbeatTimeoutSecs: millis('heartbeatTimeoutSecs', 1),
    electionTimeoutMillis: millis('electionTimeoutMillis', 1),
    catchUpTimeoutMillis: millis('catchUpTimeoutMillis', -1),
    catchUpTakeoverDelayMillis: millis('catchUpTakeoverDelayMillis', -1),
    getLastErrorModes: parseModes(fields.document('getLastErrorModes')),
    replicaSetId: own ?? replicaSetId,
  };
  const customGetLastErrorDefaults = isCustom(fields.document('getLastErrorDefaults'));
  return { settings, hasReplicaSetId: own !== undefined, customGetLastErrorDefaults };
}

const EMPTY = new Uint8Array([5, 0, 0, 0, 0]);

function parseReplicaSetId(fields: Fields): string | undefined {
  const value = fields.value('replicaSetId');
  if (!value) return undefined;
  if (value.type !== BsonType.objectId) {
    throw new CommandError(
      'TypeMismatch',
      `BSON field 'settings.replicaSetId' is the wrong type '${typeName(value.type)}', expected type 'objectId'`,
    );
  }
  const id = toHex(bytesOf(value));
  if (/^0+$/.test(id)) throw new CommandError('BadValue', 'replicaSetId field value cannot be all zeros');
  return id;
}

function parseModes(bytes: Uint8Array | undefined): Record<string, Record<string, number>> {
  const modes: Record<string, Record<string, number>> = {};
  if (!bytes) return modes;
  const fields = new Fields(bytes, 'getLastErrorModes');
  for (const name of fields.names) {
    modes[name] = countsOf(new Fields(fields.requiredDocument(name), `getLastErrorModes.${name}`));
  }
  return modes;
}

function isCustom(bytes: Uint8Array | undefined): boolean {
  if (!bytes) return false;
  const fields = new Fields(bytes, 'getLastErrorDefaults');
  const w = fields.value('w');
  const isPlainW = !w || numberOf(w) === GET_LAST_ERROR_DEFAULTS.w;
  return !isPlainW || (fields.number('wtimeout') ?? 0) !== 0 || fields.bool('j') || fields.bool('fsync');
}
