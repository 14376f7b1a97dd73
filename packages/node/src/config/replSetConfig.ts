import {
  BsonWriter,
  CommandError,
  DEFAULT_MEMBER_CONFIG,
  DEFAULT_SETTINGS,
  decodePromoted,
  type MemberConfig,
  type ReplSetConfig,
  type ReplSetSettings,
} from '@replsim/protocol';

/** The limits of a set. Upstream: repl_set_config.h, kMaxMembers and kMaxVotingMembers. */
export const MAX_MEMBERS = 50;
export const MAX_VOTING_MEMBERS = 7;
const MAX_DELAY_SECS = 31_622_400;

type Fields = Readonly<Record<string, unknown>>;

function bad(reason: string): never {
  throw new CommandError('InvalidReplicaSetConfig', reason);
}

function number(fields: Fields, name: string, fallback: number, low: number, high: number): number {
  const value = fields[name];
  if (value === undefined) return fallback;
  const asNumber = typeof value === 'bigint' ? Number(value) : value;
  if (typeof asNumber !== 'number' || Number.isNaN(asNumber)) bad(`BSON field '${name}' must be a number`);
  if (asNumber < low || asNumber > high) bad(`${name} field value of ${asNumber} is out of range`);
  return name === 'priority' ? asNumber : Math.trunc(asNumber);
}

function bool(fields: Fields, name: string, fallback: boolean): boolean {
  const value = fields[name];
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean' && typeof value !== 'number') bad(`BSON field '${name}' must be a bool`);
  return Boolean(value);
}

const MEMBER_FIELDS = new Set(['_id', 'host', 'horizons', 'slaveDelay', ...Object.keys(DEFAULT_MEMBER_CONFIG)]);
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

/**
 * Reads a config as a client sends it or as `local.system.replset` holds it, and checks what one config can break.
 * Upstream: repl_set_config.cpp, _initialize and _validate. Throws InvalidReplicaSetConfig 93.
 * @param replicaSetId what to use where the document has none, hex
 */
export function parseReplSetConfig(bytes: Uint8Array, replicaSetId: string): ReplSetConfig {
  const fields = decodePromoted(bytes) as Fields;
  for (const name of Object.keys(fields)) if (!TOP_FIELDS.has(name)) bad(`BSON field '${name}' is an unknown field.`);
  if (typeof fields._id !== 'string' || fields._id === '') bad('Replica set configuration must have a non-empty _id');
  if (!Array.isArray(fields.members)) bad("BSON field 'members' is missing but a required field");
  if (number(fields, 'protocolVersion', 1, 0, 9) !== 1) bad('Support for replication protocol version 0 was removed');
  const config: ReplSetConfig = {
    _id: fields._id,
    version: number(fields, 'version', 1, 1, 2_147_483_647),
    term: number(fields, 'term', -1, -1, Number.MAX_SAFE_INTEGER),
    members: fields.members.map((member: Fields) => parseMember(member)),
    writeConcernMajorityJournalDefault: bool(fields, 'writeConcernMajorityJournalDefault', true),
    settings: parseSettings((fields.settings ?? {}) as Fields, replicaSetId),
  };
  validate(config);
  return config;
}

function parseMember(fields: Fields): MemberConfig {
  for (const name of Object.keys(fields)) {
    if (!MEMBER_FIELDS.has(name)) bad(`BSON field 'members.${name}' is an unknown field.`);
  }
  if (fields._id === undefined) bad("BSON field 'members._id' is missing but a required field");
  if (typeof fields.host !== 'string' || fields.host === '') bad("BSON field 'members.host' is missing or empty");
  const arbiterOnly = bool(fields, 'arbiterOnly', false);
  const priority = number(fields, 'priority', arbiterOnly ? 0 : 1, 0, 1000);
  if (arbiterOnly && priority !== 0 && priority !== 1) bad('Arbiters must have a priority of 0');
  return {
    _id: number(fields, '_id', 0, 0, 2_147_483_647),
    host: fields.host.includes(':') ? fields.host : `${fields.host}:27017`,
    arbiterOnly,
    buildIndexes: bool(fields, 'buildIndexes', true),
    hidden: bool(fields, 'hidden', false),
    priority: arbiterOnly ? 0 : priority,
    tags: (fields.tags ?? {}) as Record<string, string>,
    secondaryDelaySecs: number(fields, 'secondaryDelaySecs', 0, 0, MAX_DELAY_SECS),
    votes: number(fields, 'votes', 1, 0, 1) as 0 | 1,
  };
}

function parseSettings(fields: Fields, replicaSetId: string): ReplSetSettings {
  const own = fields.replicaSetId as { toHexString?: () => string } | undefined;
  const big = 2_147_483_647;
  return {
    chainingAllowed: bool(fields, 'chainingAllowed', DEFAULT_SETTINGS.chainingAllowed),
    heartbeatIntervalMillis: number(
      fields,
      'heartbeatIntervalMillis',
      DEFAULT_SETTINGS.heartbeatIntervalMillis,
      1,
      big,
    ),
    heartbeatTimeoutSecs: number(fields, 'heartbeatTimeoutSecs', DEFAULT_SETTINGS.heartbeatTimeoutSecs, 1, big),
    electionTimeoutMillis: number(fields, 'electionTimeoutMillis', DEFAULT_SETTINGS.electionTimeoutMillis, 1, big),
    catchUpTimeoutMillis: number(fields, 'catchUpTimeoutMillis', DEFAULT_SETTINGS.catchUpTimeoutMillis, -1, big),
    catchUpTakeoverDelayMillis: number(
      fields,
      'catchUpTakeoverDelayMillis',
      DEFAULT_SETTINGS.catchUpTakeoverDelayMillis,
      -1,
      big,
    ),
    getLastErrorModes: (fields.getLastErrorModes ?? {}) as ReplSetSettings['getLastErrorModes'],
    replicaSetId: own?.toHexString?.() ?? replicaSetId,
  };
}

function validate({ members }: ReplSetConfig): void {
  const count = members.length;
  if (count === 0 || count > MAX_MEMBERS)
    bad(`Replica set configuration contains ${count} members, but must have 1 to ${MAX_MEMBERS}`);
  const seenIds = new Set<number>();
  const seenHosts = new Set<string>();
  for (const member of members) {
    if (seenIds.has(member._id)) bad(`Found two member configurations with same _id field, ${member._id}`);
    if (seenHosts.has(member.host)) bad(`Found two member configurations with same host field, ${member.host}`);
    seenIds.add(member._id);
    seenHosts.add(member.host);
    validateMember(member);
  }
  const voters = members.filter(({ votes }) => votes === 1);
  if (voters.length === 0 || voters.length > MAX_VOTING_MEMBERS) {
    bad(`Replica set configuration contains ${voters.length} voting members, but must have 1 to ${MAX_VOTING_MEMBERS}`);
  }
  if (!members.some(({ priority }) => priority > 0)) {
    bad('Replica set configuration must contain at least one non-arbiter member with priority > 0');
  }
  if (members.filter(({ arbiterOnly }) => arbiterOnly).length > 1) bad('Multiple arbiters are not allowed');
}

function validateMember(member: MemberConfig): void {
  const { host, priority } = member;
  if (member.arbiterOnly && member.votes !== 1) bad(`Arbiter must vote: ${host}`);
  if (member.arbiterOnly && Object.keys(member.tags).length > 0) bad(`Cannot set tags on arbiters: ${host}`);
  if (priority === 0) return;
  if (member.votes === 0) bad(`priority must be 0 when non-voting (votes:0): ${host}`);
  if (member.secondaryDelaySecs > 0) bad(`priority must be 0 when secondaryDelaySecs is used: ${host}`);
  if (member.hidden) bad(`priority must be 0 when hidden=true: ${host}`);
  if (!member.buildIndexes) bad(`priority must be 0 when buildIndexes=false: ${host}`);
}

/** A config as `replSetGetConfig` and `local.system.replset` show it, fields in upstream's order and types. */
export function encodeReplSetConfig(config: ReplSetConfig): Uint8Array {
  const writer = new BsonWriter();
  writer.string('_id', config._id);
  writer.int32('version', config.version);
  if (config.term !== -1) writer.int64('term', config.term);
  writer.beginArray('members');
  config.members.forEach((member, index) => {
    writer.beginDocument(String(index));
    encodeMember(writer, member);
    writer.endDocument();
  });
  writer.endArray();
  writer.int64('protocolVersion', 1);
  writer.bool('writeConcernMajorityJournalDefault', config.writeConcernMajorityJournalDefault);
  writer.beginDocument('settings');
  encodeSettings(writer, config.settings);
  writer.endDocument();
  return writer.finish();
}

function encodeMember(writer: BsonWriter, member: MemberConfig): void {
  writer.int32('_id', member._id);
  writer.string('host', member.host);
  writer.bool('arbiterOnly', member.arbiterOnly);
  writer.bool('buildIndexes', member.buildIndexes);
  writer.bool('hidden', member.hidden);
  writer.double('priority', member.priority);
  writer.any('tags', member.tags);
  writer.int64('secondaryDelaySecs', member.secondaryDelaySecs);
  writer.int32('votes', member.votes);
}

function encodeSettings(writer: BsonWriter, settings: ReplSetSettings): void {
  writer.bool('chainingAllowed', settings.chainingAllowed);
  writer.int32('heartbeatIntervalMillis', settings.heartbeatIntervalMillis);
  writer.int32('heartbeatTimeoutSecs', settings.heartbeatTimeoutSecs);
  writer.int32('electionTimeoutMillis', settings.electionTimeoutMillis);
  writer.int32('catchUpTimeoutMillis', settings.catchUpTimeoutMillis);
  writer.int32('catchUpTakeoverDelayMillis', settings.catchUpTakeoverDelayMillis);
  writer.any('getLastErrorModes', settings.getLastErrorModes);
  const id = settings.replicaSetId;
  writer.objectId(
    'replicaSetId',
    Uint8Array.from({ length: 12 }, (_, i) => Number.parseInt(id.slice(2 * i, 2 * i + 2), 16)),
  );
}
