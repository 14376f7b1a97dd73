import { BsonType, type BsonValue, CommandError, readInt32, type Timestamp } from '@replsim/protocol';
import { Fields } from './fields.ts';
import { bytesOf, isNumeric, stringOf, typeName, wholeNumberOf } from './values.ts';

/** A client's write concern as it was sent; what is absent is for the member to fill in. */
export interface WriteConcernRequest {
  /** A number of members, a mode, or members by tag. */
  readonly w?: number | string | Readonly<Record<string, number>>;
  readonly j?: boolean;
  /** 0 is no limit. */
  readonly wtimeoutMS: number;
}

/** Upstream: read_concern_level.idl. */
export type ReadConcernLevel = 'local' | 'available' | 'majority' | 'linearizable' | 'snapshot';

/** A client's read concern; `level` is there even if only a time was given. */
export interface ReadConcernRequest {
  readonly level: ReadConcernLevel;
  readonly afterClusterTime?: Timestamp;
  readonly atClusterTime?: Timestamp;
}

/** Upstream: repl_set_config.h, kMaxMembers. */
const MAX_W = 50;
const INT32_MAX = 2147483647;

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
export function parseWriteConcern(command: Fields): WriteConcernRequest | undefined {
  const bytes = command.document('writeConcern');
  if (!bytes) return undefined;
  const fields = new Fields(bytes, 'writeConcern');
  fields.allow(writeConcernFields);
  const w = fields.value('w');
  const j = fields.has('j') ? fields.bool('j') : undefined;
  const fsync = fields.bool('fsync');
  if (j && fsync) throw new CommandError('FailedToParse', 'fsync and j options cannot be used together');
  const wtimeoutMS = Math.max(fields.number('wtimeout') ?? 0, 0);
  if (wtimeoutMS > INT32_MAX) throw new CommandError('FailedToParse', 'wtimeout must be less than 2^31');
  const durable = fsync ? true : j;
  if (!w && durable === undefined && wtimeoutMS === 0) return undefined;
  return {
    ...(w && { w: parseW(w) }),
    ...(durable !== undefined && { j: durable }),
    wtimeoutMS,
  };
}

function parseW(w: BsonValue): number | string | Record<string, number> {
  if (isNumeric(w.type)) {
    const number = wholeNumberOf(w);
    if (number >= 0 && number <= MAX_W) return number;
    throw new CommandError(
      'FailedToParse',
      `w has to be a non-negative number and not greater than ${MAX_W}; found: ${number}`,
    );
  }
  if (w.type === BsonType.string) return stringOf(w);
  if (w.type !== BsonType.object) {
    throw new CommandError('FailedToParse', `w has to be a number, string, or object; found: ${typeName(w.type)}`);
  }
  const fields = new Fields(bytesOf(w), 'writeConcern.w');
  const tags: Record<string, number> = {};
  for (const tag of fields.names) {
    const value = fields.rawValue(tag)!;
    if (!isNumeric(value.type)) throw new CommandError('FailedToParse', `tags must be numbers; tag '${tag}' is not`);
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
 * Reads `readConcern`; `local` if the command has none.
 * Errors: TypeMismatch 14, FailedToParse 9, InvalidOptions 72. Upstream: read_concern_args.cpp, ReadConcernArgs::parse.
 */
export function parseReadConcern(command: Fields): ReadConcernRequest {
  const value = command.value('readConcern');
  if (!value) return { level: 'local' };
  if (value.type !== BsonType.object)
    throw new CommandError('TypeMismatch', '"readConcern" had the wrong type. Expected object');
  const fields = new Fields(bytesOf(value), 'readConcern');
  for (const name of fields.names) {
    if (!readConcernFields.has(name))
      throw new CommandError('InvalidOptions', `Unrecognized option in readConcern: ${name}`);
  }
  const level = fields.string('level') ?? 'local';
  if (!levels.has(level)) {
    throw new CommandError(
      'FailedToParse',
      `readConcern.level must be one of ${[...levels].join(', ')}; found: ${level}`,
    );
  }
  const afterClusterTime = timestampOf(fields, 'afterClusterTime');
  const atClusterTime = timestampOf(fields, 'atClusterTime');
  checkCombination(level, afterClusterTime, atClusterTime);
  return {
    level: level as ReadConcernLevel,
    ...(afterClusterTime && { afterClusterTime }),
    ...(atClusterTime && { atClusterTime }),
  };
}

function checkCombination(level: string, after: Timestamp | undefined, at: Timestamp | undefined): void {
  if (after && at) {
    throw new CommandError('InvalidOptions', 'Can not specify both atClusterTime and afterClusterTime');
  }
  if (after && (level === 'linearizable' || level === 'available')) {
    throw new CommandError('InvalidOptions', `afterClusterTime is not allowed with readConcern level ${level}`);
  }
  if (at && level !== 'snapshot') {
    throw new CommandError('InvalidOptions', 'atClusterTime is only allowed with readConcern level snapshot');
  }
}

function timestampOf(fields: Fields, name: string): Timestamp | undefined {
  const value = fields.timestamp(name);
  if (!value) return undefined;
  const timestamp = {
    t: readInt32(value.bytes, value.offset + 4) >>> 0,
    i: readInt32(value.bytes, value.offset) >>> 0,
  };
  if (timestamp.t === 0 && timestamp.i === 0)
    throw new CommandError('InvalidOptions', `${name} cannot be a null timestamp`);
  return timestamp;
}
