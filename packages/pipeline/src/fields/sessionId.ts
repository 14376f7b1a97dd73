import { BsonType, type BsonValue, BsonWriter, CommandError, readInt32, toHex } from '@replsim/protocol';
import { Fields } from './fields.ts';
import { RecentBytes } from './recentBytes.ts';

/** A client's logical session. Upstream: logical_session_id.idl, LogicalSessionId. */
export interface SessionId {
  /** The UUID in hex, by which sessions are told apart. */
  readonly key: string;
  /** `{ id, uid }` as the oplog and `config.transactions` hold it, BSON. */
  readonly bytes: Uint8Array;
}

/** The user behind every session where nobody logs in: the SHA-256 of the empty name. */
// biome-ignore format: 32 bytes
export const NOBODY = Uint8Array.of(
  0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24,
  0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
);

const UUID_SUBTYPE = 4;
const sessionFields = new Set(['id', 'uid', 'txnNumber', 'txnUUID']);

const recent = new RecentBytes<SessionId>();

/**
 * Reads `{ id: UUID }`. Errors: 40414 without `id`, IDLUnknownField 40415 for another field, TypeMismatch 14, InvalidUUID 207,
 * Unauthorized 13 for the session of somebody else, InvalidOptions 72 for one within another.
 * @param path how messages call the document
 */
export function parseSessionId(document: Uint8Array, path: string): SessionId {
  return recent.get(document, (bytes) => readSessionId(bytes, path));
}

/** What was read of such a document lately, if it was. */
export function knownSession(document: Uint8Array): SessionId | undefined {
  return recent.find(document);
}

function readSessionId(document: Uint8Array, path: string): SessionId {
  const fields = new Fields(document, path);
  fields.allow(sessionFields);
  const uid = fields.value('uid');
  if (uid && !isNobody(uid, `${path}.uid`)) {
    throw new CommandError('Unauthorized', 'Unauthorized to set user digest in LogicalSessionId');
  }
  if (fields.has('txnNumber') || fields.has('txnUUID')) {
    throw new CommandError('InvalidOptions', 'Internal sessions are only allowed for internal clients');
  }
  const id = fields.value('id') ?? fields.missing('id');
  return sessionIdOf(uuidOf(id, `${path}.id`));
}

/** Whether a digest is that of who has not logged in. Errors: TypeMismatch 14. */
export function isNobody({ type, bytes, offset, size }: BsonValue, path: string): boolean {
  if (type !== BsonType.binData || size - 5 !== NOBODY.length) {
    throw new CommandError('TypeMismatch', `BSON field '${path}' is no digest, expected type 'binData' of 32 bytes`);
  }
  return NOBODY.every((byte, i) => byte === bytes[offset + 5 + i]);
}

/** The session with these 16 bytes. */
export function sessionIdOf(uuid: Uint8Array): SessionId {
  const writer = new BsonWriter(96);
  writer.binary('id', UUID_SUBTYPE, uuid);
  writer.binary('uid', 0, NOBODY);
  return { key: toHex(uuid), bytes: writer.finish() };
}

/** The bytes of a UUID. A binary value is its length, its subtype and its bytes. @param path as messages call it */
export function uuidOf({ type, bytes, offset, size }: BsonValue, path: string): Uint8Array {
  if (type !== BsonType.binData) {
    throw new CommandError('TypeMismatch', `BSON field '${path}' is the wrong type, expected type 'binData'`);
  }
  const subtype = bytes[offset + 4];
  if (subtype !== UUID_SUBTYPE) {
    throw new CommandError('TypeMismatch', `BSON field '${path}' is the wrong binData type, expected type 'UUID'`);
  }
  if (readInt32(bytes, offset) !== 16) throw new CommandError('InvalidUUID', `the UUID in ${path} must have 16 bytes`);
  return bytes.slice(offset + 5, offset + size);
}
