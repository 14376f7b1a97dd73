import {
  BsonWriter,
  decodePromoted,
  GET_LAST_ERROR_DEFAULTS,
  type MemberConfig,
  type ReplSetConfig,
  type ReplSetSettings,
  type VersionTraits,
  writeJsValue,
} from '@replsim/protocol';

/** Who reads the document. */
export interface EncodeOptions {
  /** `newlyAdded` is internal: on disk it stands, `replSetGetConfig` leaves it out. */
  readonly hideNewlyAdded?: boolean;
  readonly traits: Pick<VersionTraits, 'memberDelayField'>;
}

/**
 * A config as `replSetGetConfig` and `local.system.replset` show it, fields in upstream's order and types.
 * Upstream: repl_set_config.idl, member_config.idl.
 */
export function encodeReplSetConfig(config: ReplSetConfig, options: EncodeOptions): Uint8Array {
  const writer = new BsonWriter();
  writer.string('_id', config._id);
  writer.int32('version', config.version);
  if (config.term !== -1) writer.int64('term', config.term);
  writer.beginArray('members');
  config.members.forEach((member, index) => {
    writer.beginDocument(String(index));
    encodeMember(writer, member, options);
    writer.endDocument();
  });
  writer.endArray();
  if (config.configsvr) writer.bool('configsvr', true);
  writer.int64('protocolVersion', 1);
  writer.bool('writeConcernMajorityJournalDefault', config.writeConcernMajorityJournalDefault);
  writer.beginDocument('settings');
  encodeSettings(writer, config.settings);
  writer.endDocument();
  return writer.finish();
}

function encodeMember(writer: BsonWriter, member: MemberConfig, { hideNewlyAdded, traits }: EncodeOptions): void {
  // What was configured, not what counts for the time being.
  const { priority, votes } = member.newlyAdded ?? member;
  writer.int32('_id', member._id);
  writer.string('host', member.host);
  writer.bool('arbiterOnly', member.arbiterOnly);
  if (member.newlyAdded && !hideNewlyAdded) writer.bool('newlyAdded', true);
  writer.bool('buildIndexes', member.buildIndexes);
  writer.bool('hidden', member.hidden);
  writer.double('priority', priority);
  writeJsValue(writer, 'tags', member.tags);
  if (member.horizons) writeJsValue(writer, 'horizons', member.horizons);
  writer.int64(traits.memberDelayField, member.secondaryDelaySecs);
  writer.int32('votes', votes);
}

function encodeSettings(writer: BsonWriter, settings: ReplSetSettings): void {
  writer.bool('chainingAllowed', settings.chainingAllowed);
  writer.int32('heartbeatIntervalMillis', settings.heartbeatIntervalMillis);
  writer.int32('heartbeatTimeoutSecs', settings.heartbeatTimeoutSecs);
  writer.int32('electionTimeoutMillis', settings.electionTimeoutMillis);
  writer.int32('catchUpTimeoutMillis', settings.catchUpTimeoutMillis);
  writer.int32('catchUpTakeoverDelayMillis', settings.catchUpTakeoverDelayMillis);
  writeJsValue(writer, 'getLastErrorModes', settings.getLastErrorModes);
  writeJsValue(writer, 'getLastErrorDefaults', GET_LAST_ERROR_DEFAULTS);
  const id = settings.replicaSetId;
  writer.objectId(
    'replicaSetId',
    Uint8Array.from({ length: 12 }, (_, i) => Number.parseInt(id.slice(2 * i, 2 * i + 2), 16)),
  );
}

const shownConfigs = { secondaryDelaySecs: new WeakMap(), slaveDelay: new WeakMap() } satisfies Record<
  VersionTraits['memberDelayField'],
  WeakMap<ReplSetConfig, object>
>;

/**
 * A config as a log line shows it. A config that travels by heartbeat is one object in all of a set's members, and so is
 * what they log of it: a set of fifty would keep fifty copies of fifty members otherwise.
 */
export function shownConfig(config: ReplSetConfig, traits: EncodeOptions['traits']): object {
  const shown = shownConfigs[traits.memberDelayField];
  const known = shown.get(config);
  if (known) return known;
  const document = decodePromoted(encodeReplSetConfig(config, { traits })) as object;
  shown.set(config, document);
  return document;
}

/** Whether two configs say the same but for version and term. Upstream: sameConfigContents. */
export function sameConfigContents(a: ReplSetConfig, b: ReplSetConfig): boolean {
  if (a === b) return true;
  const bytesOf = (config: ReplSetConfig) =>
    encodeReplSetConfig({ ...config, version: 1, term: -1 }, { traits: { memberDelayField: 'secondaryDelaySecs' } });
  const [left, right] = [bytesOf(a), bytesOf(b)];
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
