import {
  BsonType,
  BsonWriter,
  CommandError,
  ElementCursor,
  readInt32,
  readString,
  type Timestamp,
} from '@replsim/protocol';
import { KeyReader } from './keyReader.ts';
import { type KeyString, KeyStringWriter } from './keyString.ts';

/** 0 is that of 3.6 and 4.0, 1 that of 4.2 to 6.0, 2 that of 7.0 and later. */
export type TokenVersion = 0 | 1 | 2;
export const CURRENT_TOKEN_VERSION: TokenVersion = 2;

/** Upstream: ResumeTokenData::TokenType. */
const HIGH_WATER_MARK = 0;
const EVENT = 128;

/**
 * The place of an event in a stream. Tokens of one version compare as their events follow each other.
 * Upstream: resume_token.h, ResumeTokenData.
 */
export interface EventPlace {
  readonly clusterTime: Timestamp;
  /** Among the operations of one `applyOps`, those that the stream does not show included; 0 outside of one. */
  readonly txnOpIndex: number;
  /** Of the invalidation that the event brings. */
  readonly fromInvalidate: boolean;
  /** Of the collection, 16 bytes; none for what is no collection's. */
  readonly uuid: Uint8Array | undefined;
  /** What tells it from other events of its place: `{ operationType, documentKey | operationDescription }`, BSON. */
  readonly identifier: EventIdentifier;
  /** Which part of an event that was split. */
  readonly fragmentNum?: number;
}

/** What tells an event from others of the same time and collection, by parts: older tokens have the key alone. */
export interface EventIdentifier {
  readonly operationType: string;
  /** BSON. */
  readonly documentKey: Uint8Array | undefined;
  /** BSON; there whether or not the client sees it. */
  readonly operationDescription: Uint8Array | undefined;
}

/** A token as clients hold it: `{ _data, _typeBits? }`. Two are equal if their `data` are. */
export interface EncodedToken {
  /** Upper-case hexadecimal digits. */
  readonly data: string;
  /** The document, BSON. */
  readonly document: Uint8Array;
}

/** The token of an event. */
export function eventToken(place: EventPlace, version: TokenVersion = CURRENT_TOKEN_VERSION): EncodedToken {
  const key = begin(place.clusterTime, version);
  if (version > 0) key.int32(EVENT);
  key.int32(place.txnOpIndex);
  if (version > 0) key.bool(place.fromInvalidate);
  if (place.uuid) key.uuid(place.uuid);
  else if (version === 2) key.null();
  const identifier = identifierOf(place.identifier, version);
  if (identifier) key.document(identifier);
  if (place.fragmentNum !== undefined) key.int32(place.fragmentNum);
  return encoded(key.finish());
}

/** The token that says that before `clusterTime` nothing is left to show. */
export function highWaterMark(clusterTime: Timestamp, version: TokenVersion = CURRENT_TOKEN_VERSION): EncodedToken {
  const key = begin(clusterTime, version);
  if (version > 0) key.int32(HIGH_WATER_MARK);
  key.int32(0);
  if (version > 0) key.bool(false);
  if (version === 2) key.null();
  return encoded(key.finish());
}

function begin(clusterTime: Timestamp, version: TokenVersion): KeyStringWriter {
  const key = new KeyStringWriter();
  key.timestamp(clusterTime);
  key.int32(version);
  return key;
}

function identifierOf(identifier: EventIdentifier, version: TokenVersion): Uint8Array | undefined {
  const { operationType, documentKey, operationDescription } = identifier;
  if (version < 2 && !operationDescription) return documentKey;
  const writer = new BsonWriter(128);
  writer.string('operationType', operationType);
  if (documentKey) writer.rawDocument('documentKey', documentKey);
  else if (operationDescription) writer.rawDocument('operationDescription', operationDescription);
  return writer.finish();
}

function encoded({ hex, typeBits }: KeyString): EncodedToken {
  const writer = new BsonWriter(hex.length + 48);
  writer.string('_data', hex);
  if (typeBits) writer.binary('_typeBits', 0, typeBits);
  return { data: hex, document: writer.finish() };
}

/** A client's token, read as far as a stream needs to. */
export interface ClientToken extends EncodedToken {
  readonly clusterTime: Timestamp;
  readonly version: TokenVersion;
  readonly isHighWaterMark: boolean;
  readonly txnOpIndex: number;
  readonly fromInvalidate: boolean;
  readonly hasUuid: boolean;
  readonly fragmentNum: number | undefined;
  /** `data` of the whole event, where the token is that of a part of it. */
  readonly eventData: string;
}

/**
 * Reads a client's token. Errors: Location40647, 40648, 40649, FailedToParse 9 for digits that are none, Overflow 15, 50811 and
 * 50816 for bytes that are no key, and the codes of `readKey`. Upstream: resume_token.cpp, ResumeToken::parse and getData.
 */
export function parseToken(document: Uint8Array): ClientToken {
  let data: string | undefined;
  const cursor = new ElementCursor(document);
  while (cursor.next()) {
    if (cursor.name === '_data' && cursor.type === BsonType.string) data = readString(cursor);
    else if (cursor.name === '_typeBits') checkTypeBits(cursor);
  }
  if (data === undefined)
    throw new CommandError(40647, 'Bad resume token: _data of missing or of wrong type, which has to be a string');
  if (data === '') throw new CommandError(40649, 'the _data of a resume token is empty');
  if (data.length % 2 === 1 || !/^[0-9a-fA-F]*$/.test(data)) {
    throw new CommandError('FailedToParse', 'resume token string was not a valid hex string');
  }
  const upper = data.toUpperCase();
  return { data: upper, document, ...readKey(upper) };
}

function checkTypeBits({ type, bytes, offset }: ElementCursor): void {
  if (type === BsonType.binData && bytes[offset + 4] === 0 && readInt32(bytes, offset) >= 0) return;
  throw new CommandError(40648, 'the _typeBits of a resume token are binary data of subtype 0');
}

/** Upstream: ResumeToken::getData, whose codes these are. */
function readKey(hex: string): Omit<ClientToken, 'data' | 'document'> {
  const reader = new KeyReader(Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16)));
  const first = reader.next();
  if (first?.type !== 'timestamp') throw new CommandError(40649, 'a resume token begins with a timestamp');
  const version = integer(reader, 50796, 50854, 'version');
  if (version !== 0 && version !== 1 && version !== 2) {
    throw new CommandError(50795, `no release knows resume tokens of version ${version}`);
  }
  const tokenType = version > 0 ? integer(reader, 51055, 51056, 'tokenType') : EVENT;
  if (tokenType !== HIGH_WATER_MARK && tokenType !== EVENT) {
    throw new CommandError(51057, `a resume token has the tokenType 0 or 128, not ${tokenType}`);
  }
  const txnOpIndex = integer(reader, 50793, 50855, 'txnOpIndex');
  if (txnOpIndex < 0) throw new CommandError(50794, 'the txnOpIndex of a resume token is not negative');
  const fromInvalidate = version > 0 && flag(reader);
  const isHighWaterMark = tokenType === HIGH_WATER_MARK;
  const rest = readEvent(reader, version, isHighWaterMark);
  const { hasUuid, eventEnd, fragmentNum } = rest;
  const eventData = `${hex.slice(0, eventEnd * 2)}04`;
  const common = { clusterTime: first.value, version, txnOpIndex, fromInvalidate } as const;
  return { ...common, isHighWaterMark, hasUuid, fragmentNum, eventData };
}

interface EventPart {
  readonly hasUuid: boolean;
  /** Behind which byte the number of the part begins. */
  readonly eventEnd: number;
  readonly fragmentNum: number | undefined;
}

/** UUID, identifier, number of the part. */
function readEvent(reader: KeyReader, version: TokenVersion, isHighWaterMark: boolean): EventPart {
  const uuid = reader.next();
  if (version === 2 && uuid?.type !== 'uuid' && uuid?.type !== 'null') {
    throw new CommandError(6189500, 'a resume token of version 2 has a UUID or null');
  }
  const hasUuid = uuid?.type === 'uuid';
  const identifier = uuid && reader.next();
  if (identifier && isHighWaterMark) {
    throw new CommandError(6189504, 'the resume token of a high-water mark identifies no event');
  }
  if (!identifier && version === 2 && !isHighWaterMark) {
    throw new CommandError(6189501, 'the resume token of an event identifies it');
  }
  if (identifier && identifier.type !== 'object') {
    throw new CommandError(6189503, 'what identifies the event of a resume token is a document');
  }
  const eventEnd = reader.position;
  const fragment = identifier && reader.next();
  if (!fragment) return { hasUuid, eventEnd, fragmentNum: undefined };
  if (version < 2) throw tooLong();
  if (fragment.type !== 'integer' || fragment.value < 0) {
    throw new CommandError(7182501, 'the fragmentNum of a resume token is a number from 0 on');
  }
  if (reader.next()) throw tooLong();
  return { hasUuid, eventEnd, fragmentNum: fragment.value };
}

function tooLong(): CommandError {
  return new CommandError(40646, 'a resume token has more fields than there are');
}

function integer(reader: KeyReader, ifMissing: number, ifWrong: number, name: string): number {
  const value = reader.next();
  if (!value) throw new CommandError(ifMissing, `a resume token lacks its ${name}`);
  if (value.type !== 'integer') throw new CommandError(ifWrong, `the ${name} of a resume token is an integer`);
  return value.value;
}

function flag(reader: KeyReader): boolean {
  const value = reader.next();
  if (!value) throw new CommandError(50872, 'a resume token lacks its fromInvalidate');
  if (value.type !== 'bool') throw new CommandError(50870, 'the fromInvalidate of a resume token is a boolean');
  return value.value;
}
