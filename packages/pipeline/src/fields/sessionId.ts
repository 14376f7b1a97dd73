import { BsonType, type BsonValue, BsonWriter, CommandError, readInt32, toHex } from '@replsim/protocol';
import { Fields } from './fields.ts';
import { RecentBytes } from './recentBytes.ts';

/** A client's logical session. Upstream: logical_session_id.idl, LogicalSessionId. */
export interface SessionId {
  /** The UUID in hex, and behind it the digest of its user, if it has one: by these sessions are told apart. */
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

/** By the digest of the user whose they are. */
const recent = new WeakMap<Uint8Array, RecentBytes<SessionId>>();

function recentOf(uid: Uint8Array): RecentBytes<SessionId> {
  let known = recent.get(uid);
  if (!known) {
    known = new RecentBytes();
    recent.set(uid, known);
  }
  return known;
}

/**
 * Reads `{ id: UUID }`. Errors: 40414 without `id`, IDLUnknownField 40415 for another field, TypeMismatch 14, InvalidUUID 207,
 * Unauthorized 13 for the session of somebody else, InvalidOptions 72 for one within another.
 * @param path how messages call the document
 * @param uid the digest of who sends it, always the same array for the same user
 */
export function parseSessionId(document: Uint8Array, path: string, uid: Uint8Array = NOBODY): SessionId {
  return recentOf(uid).get(document, (bytes) => readSessionId(bytes, path, uid));
}

/** What was read of such a document lately, if it was. */
export function knownSession(document: Uint8Array, uid: Uint8Array): SessionId | undefined {
  return recentOf(uid).find(document);
}

/** Reads `{ id, uid }` of whoever it is, as it is stored or named by those who may kill it. Errors: those of `parseSessionId`. */
export function anySessionId(document: Uint8Array, path: string): SessionId {
  const uid = new Fields(document, path).value('uid');
  const digest = uid && digestOf(uid, `${path}.uid`);
  return readSessionId(document, path, digest ?? NOBODY);
}

function readSessionId(document: Uint8Array, path: string, own: Uint8Array): SessionId {
  const fields = new Fields(document, path);
  fields.allow(sessionFields);
  const uid = fields.value('uid');
  if (uid && !sameBytes(digestOf(uid, `${path}.uid`), own)) {
    throw new CommandError('Unauthorized', 'Unauthorized to set user digest in LogicalSessionId');
  }
  if (fields.has('txnNumber') || fields.has('txnUUID')) {
    throw new CommandError('InvalidOptions', 'Internal sessions are only allowed for internal clients');
  }
  const id = fields.value('id') ?? fields.missing('id');
  return sessionIdOf(uuidOf(id, `${path}.id`), own);
}

/** The 32 bytes that stand for a user. Errors: TypeMismatch 14. */
export function digestOf({ type, bytes, offset, size }: BsonValue, path: string): Uint8Array {
  if (type !== BsonType.binData || size - 5 !== NOBODY.length) {
    throw new CommandError('TypeMismatch', `BSON field '${path}' is no digest, expected type 'binData' of 32 bytes`);
  }
  return bytes.slice(offset + 5, offset + size);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a === b || a.every((byte, i) => byte === b[i]);
}

/** The session with these 16 bytes, of the user with this digest. */
export function sessionIdOf(uuid: Uint8Array, uid: Uint8Array = NOBODY): SessionId {
  const writer = new BsonWriter(96);
  writer.binary('id', UUID_SUBTYPE, uuid);
  writer.binary('uid', 0, uid);
  return { key: `${toHex(uuid)}${userPart(uid)}`, bytes: writer.finish() };
}

function userPart(uid: Uint8Array): string {
  return sameBytes(uid, NOBODY) ? '' : toHex(uid);
}

/** How many digits of a key are its UUID's; those behind are of its user's digest. */
const UUID_DIGITS = 32;

/** What all sessions of one user have in their keys; empty for those of nobody. */
export function userDigits(key: string): string {
  return key.slice(UUID_DIGITS);
}

/** Whether a session of this key is one of the user with this digest. */
export function isSessionOf(key: string, uid: Uint8Array): boolean {
  return userDigits(key) === userPart(uid);
}

/** The 16 bytes of the UUID, and the digest, of a key. */
export function partsOfKey(key: string): { readonly id: Uint8Array; readonly uid: Uint8Array } {
  const uid = userDigits(key);
  return { id: fromHex(key.slice(0, UUID_DIGITS)), uid: uid === '' ? NOBODY : fromHex(uid) };
}

function fromHex(digits: string): Uint8Array {
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
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
