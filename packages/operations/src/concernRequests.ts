import {
  bytesOf,
  Fields,
  INT32_MAX,
  isNumeric,
  numberOf,
  RecentBytes,
  type Reply,
  typeName,
  wholeNumberOf,
} from '@replsim/pipeline';
import {
  BsonType,
  type BsonValue,
  CommandError,
  type OpTime,
  type Provenance,
  readString,
  readTimestamp,
  type Timestamp,
  toBsonTimestamp,
  type WriteConcernW,
} from '@replsim/protocol';
import { Timestamp as BsonTimestamp } from 'bson';

/** A client's write concern as it was sent; what is absent is for the member to fill in. */
export interface WriteConcernRequest {
  /** 1 if absent: only a command without any write concern gets the default. */
  readonly w?: WriteConcernW;
  readonly j?: boolean;
  /** 0 is no limit, a negative one is over at once. */
  readonly wtimeoutMS: number;
  readonly provenance?: Provenance;
}

/** Upstream: read_concern_level.idl. */
export type ReadConcernLevel = 'local' | 'available' | 'majority' | 'linearizable' | 'snapshot';

/** A client's read concern; `level` is there even if only a time was given. */
export interface ReadConcernRequest {
  readonly level: ReadConcernLevel;
  /** The client has named the level. */
  readonly hasLevel?: true;
  /** Whose it is: the client's if it said anything of it; undefined for the implicit default. */
  readonly provenance?: 'clientSupplied' | 'customDefault';
  readonly afterClusterTime?: Timestamp;
  readonly atClusterTime?: Timestamp;
  /** Internal. */
  readonly afterOpTime?: OpTime;
}

/** Upstream: repl_set_config.h, kMaxMembers. */
const MAX_W = 50;

const writeConcernFields = new Set([
  'w',
  'j',
  'fsync',
  'wtimeout',
  'provenance',
  'wElectionId',
  'wOpTime',
  'getLastError',
]);
const readConcernFields = new Set([
  'level',
  'afterClusterTime',
  'atClusterTime',
  'afterOpTime',
  'provenance',
  '$waitLastStable',
]);
const levels: ReadonlySet<string> = new Set(['local', 'available', 'majority', 'linearizable', 'snapshot']);

/**
 * Reads `writeConcern`. Undefined if the command has none or an empty one, so that the default applies.
 * Errors: TypeMismatch 14, FailedToParse 9. Upstream: write_concern_options.cpp, WriteConcernOptions::parse.
 */
export function parseWriteConcern(command: Fields, name = 'writeConcern'): WriteConcernRequest | undefined {
  const bytes = command.document(name);
  if (!bytes) return undefined;
  return recent.get(bytes, () => ({ request: readWriteConcern(bytes, name) })).request;
}

const recent = new RecentBytes<{ readonly request: WriteConcernRequest | undefined }>();

function readWriteConcern(bytes: Uint8Array, name: string): WriteConcernRequest | undefined {
  const fields = new Fields(bytes, name);
  fields.allow(writeConcernFields);
  const w = fields.value('w');
  const j = fields.has('j') ? fields.bool('j') : undefined;
  const fsync = fields.bool('fsync');
  if (j && fsync) throw new CommandError('FailedToParse', 'fsync and j options cannot be used together');
  const wtimeoutMS = wtimeoutOf(fields);
  const provenance = provenanceOf(fields);
  const durable = fsync ? true : j;
  if (!w && durable === undefined && wtimeoutMS === 0) return undefined;
  return {
    ...(w && { w: parseW(w) }),
    ...(durable !== undefined && { j: durable }),
    wtimeoutMS,
    ...(provenance && { provenance }),
  };
}

/** What is no number is taken for 0. Upstream: parseWTimeoutFromBSON. */
function wtimeoutOf(fields: Fields): number {
  const value = fields.value('wtimeout');
  const wtimeoutMS = value && isNumeric(value.type) ? wholeNumberOf(value) : 0;
  if (wtimeoutMS > INT32_MAX) throw new CommandError('FailedToParse', 'wtimeout must be a 32-bit integer');
  return wtimeoutMS;
}

const provenances: ReadonlySet<string> = new Set<Provenance>([
  'clientSupplied',
  'implicitDefault',
  'customDefault',
  'getLastErrorDefaults',
  'internalWriteDefault',
]);

function provenanceOf(fields: Fields): Provenance | undefined {
  const source = fields.string('provenance');
  if (source === undefined || provenances.has(source)) return source as Provenance | undefined;
  throw new CommandError(
    'BadValue',
    `Enumeration value '${source}' for field '${fields.path}.provenance' is not a valid value.`,
  );
}

function parseW(w: BsonValue): WriteConcernW {
  if (isNumeric(w.type)) {
    if (Number.isNaN(numberOf(w))) throw new CommandError('FailedToParse', 'w cannot be NaN');
    const number = wholeNumberOf(w);
    if (number >= 0 && number <= MAX_W) return number;
    throw new CommandError(
      'FailedToParse',
      `w has to be a non-negative number and not greater than ${MAX_W}; found: ${number}`,
    );
  }
  if (w.type === BsonType.string) return readString(w);
  if (w.type !== BsonType.object) {
    throw new CommandError('FailedToParse', `w has to be a number, string, or object; found: ${typeName(w.type)}`);
  }
  const fields = new Fields(bytesOf(w), 'writeConcern.w');
  const tags: Record<string, number> = {};
  for (const tag of fields.names) {
    const value = fields.presentValue(tag);
    if (!isNumeric(value.type)) {
      throw new CommandError(
        'FailedToParse',
        `tags must be a single level document with only number values; found: ${tag}`,
      );
    }
    tags[tag] = wholeNumberOf(value);
  }
  if (Object.keys(tags).length === 0) throw new CommandError('FailedToParse', 'tagged write concern requires tags');
  return tags;
}

/**
 * A standalone can wait for nobody. Errors: BadValue 2. Upstream: write_concern.cpp, extractWriteConcern.
 */
export function checkStandaloneWriteConcern(request: WriteConcernRequest | undefined): void {
  const w = request?.w;
  if (typeof w === 'number' && w > 1) {
    throw new CommandError('BadValue', "cannot use 'w' > 1 when a host is not replicated");
  }
  if ((typeof w === 'string' && w !== 'majority') || typeof w === 'object') {
    const mode = typeof w === 'string' ? w : JSON.stringify(w);
    throw new CommandError(
      'BadValue',
      `cannot use non-majority 'w' mode ${mode} when a host is not a member of a replica set`,
    );
  }
}

/**
 * Reads `readConcern`.
 * @param absent what applies where the command has none
 * Errors: TypeMismatch 14, FailedToParse 9, InvalidOptions 72. Upstream: read_concern_args.cpp, ReadConcernArgs::parse.
 */
export function parseReadConcern(
  command: Fields,
  absent: ReadConcernRequest = { level: 'local' },
  name = 'readConcern',
): ReadConcernRequest {
  const value = command.value(name);
  if (!value) return absent;
  if (value.type !== BsonType.object)
    throw new CommandError('TypeMismatch', `"${name}" had the wrong type. Expected object`);
  const fields = new Fields(bytesOf(value), name);
  // An empty one asks for nothing, and so for the default.
  if (fields.value('level') === undefined && fields.names.length === 0) return absent;
  for (const field of fields.names) {
    if (!readConcernFields.has(field))
      throw new CommandError('InvalidOptions', `Unrecognized option in readConcern: ${field}`);
  }
  provenanceOf(fields);
  const sent = fields.string('level');
  const level = sent ?? 'local';
  if (!levels.has(level)) {
    throw new CommandError(
      'FailedToParse',
      `readConcern.level must be one of ${[...levels].join(', ')}; found: ${level}`,
    );
  }
  const afterClusterTime = timestampOf(fields, 'afterClusterTime');
  const atClusterTime = timestampOf(fields, 'atClusterTime');
  const afterOpTime = opTimeOf(fields, 'afterOpTime');
  checkCombination(level, afterClusterTime, atClusterTime, afterOpTime);
  return {
    level: level as ReadConcernLevel,
    ...(sent !== undefined && { hasLevel: true }),
    provenance: 'clientSupplied',
    ...(afterClusterTime && { afterClusterTime }),
    ...(atClusterTime && { atClusterTime }),
    ...(afterOpTime && { afterOpTime }),
  };
}

/** As the log and `currentOp` show it. Upstream: read_concern_args.cpp, ReadConcernArgs::toBSONInner. */
export function shownReadConcern(request: ReadConcernRequest): Reply {
  const { level, afterClusterTime, atClusterTime, provenance } = request;
  return {
    level,
    ...(afterClusterTime && { afterClusterTime: toBsonTimestamp(afterClusterTime, BsonTimestamp) }),
    ...(atClusterTime && { atClusterTime: toBsonTimestamp(atClusterTime, BsonTimestamp) }),
    provenance: provenance ?? 'implicitDefault',
  };
}

function checkCombination(
  level: string,
  after: Timestamp | undefined,
  at: Timestamp | undefined,
  opTime: OpTime | undefined,
): void {
  if (after && opTime) {
    throw new CommandError('InvalidOptions', 'Can not specify both afterClusterTime and afterOpTime');
  }
  if (after && at) {
    throw new CommandError(
      'InvalidOptions',
      'Specifying a timestamp for readConcern snapshot in a causally consistent session is not allowed',
    );
  }
  if (opTime && (level === 'linearizable' || level === 'snapshot')) {
    throw new CommandError('FailedToParse', `afterOpTime not compatible with ${level} read concern`);
  }
  if (after && (level === 'linearizable' || level === 'available')) {
    throw new CommandError(
      'InvalidOptions',
      'afterClusterTime field can be set only if level is equal to majority, local, or snapshot',
    );
  }
  if (at && level !== 'snapshot') {
    throw new CommandError('InvalidOptions', 'atClusterTime field can be set only if level is equal to snapshot');
  }
}

/** Errors: TypeMismatch 14, IDLFailedToParse 40414. */
function opTimeOf(fields: Fields, name: string): OpTime | undefined {
  const bytes = fields.document(name);
  if (!bytes) return undefined;
  const inner = new Fields(bytes, `readConcern.${name}`);
  const ts = inner.timestamp('ts') ?? inner.missing('ts');
  return { ts: readTimestamp(ts), t: inner.number('t') ?? inner.missing('t') };
}

function timestampOf(fields: Fields, name: string): Timestamp | undefined {
  const value = fields.timestamp(name);
  if (!value) return undefined;
  const timestamp = readTimestamp(value);
  if (timestamp.t === 0 && timestamp.i === 0)
    throw new CommandError('InvalidOptions', `${name} cannot be a null timestamp`);
  return timestamp;
}
