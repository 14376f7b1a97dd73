import { BsonType, cStringEnd, encodeDocument, readInt32, readUtf8 } from '@replsim/protocol';
import { documentEnd, type ElementBounds, elementsOf } from './bsonBounds.ts';
import type { ClientRequest } from './clientRequest.ts';
import { HEADER_BYTES, readHeader, writeInt32 } from './messageHeader.ts';
import { ProtocolError } from './protocolError.ts';

const SECONDARY_OK = 1 << 2;
const COMMANDS = '.$cmd';
const UPGRADE = 'use a driver that speaks OP_MSG';

/** What still may come as OP_QUERY. Upstream: check_allowed_op_query_cmd.cpp. */
const ALLOWED = [
  'hello',
  'isMaster',
  'ismaster',
  '_isSelf',
  'authenticate',
  'buildinfo',
  'buildInfo',
  'saslContinue',
  'saslStart',
];

/** A document's elements without its frame. */
const SECONDARY_PREFERRED = encodeElements({ $readPreference: { mode: 'secondaryPreferred' } });

/**
 * Reads an OP_QUERY on `DB.$cmd`, as which the first message of a connection comes, into the form that all other commands have:
 * `$db`, and `$readPreference` for the secondaryOk bit. Upstream: legacy_request.cpp, opMsgRequestFromLegacyRequest.
 * @throws ProtocolError
 */
export function readOpQuery(message: Uint8Array): ClientRequest {
  const request = {
    requestId: readHeader(message).requestId,
    kind: 'query' as const,
    exhaustAllowed: false,
    checksummed: false,
    moreToCome: false,
  };
  try {
    return { ...request, command: readCommand(message) };
  } catch (error) {
    throw error instanceof ProtocolError ? error.inReplyTo(request) : error;
  }
}

function readCommand(message: Uint8Array): Uint8Array {
  const nsStart = HEADER_BYTES + 4;
  const nsEnd = cStringEnd(message, nsStart);
  // Behind the name: skip, and how many to return.
  const start = nsEnd + 1 + 8;
  if (start > message.length) throw new ProtocolError('an OP_QUERY is cut off');
  const db = databaseOf(readUtf8(message, nsStart, nsEnd));
  const numberToReturn = readInt32(message, start - 4);
  if (Math.abs(numberToReturn) !== 1) {
    throw new ProtocolError(
      `an OP_QUERY with a command must have numberToReturn 1 or -1, not ${numberToReturn}`,
      16979,
    );
  }
  const end = documentEnd(message, start, message.length);
  // A projection may follow, and means nothing to a command.
  if (end < message.length && documentEnd(message, end, message.length) < message.length) {
    throw new ProtocolError('bytes follow the end of an OP_QUERY');
  }
  const secondaryOk = (readInt32(message, HEADER_BYTES) & SECONDARY_OK) !== 0;
  return inOneDocument(commandParts(message, start, end, db, secondaryOk));
}

function databaseOf(ns: string): string {
  if (ns.endsWith(COMMANDS) && ns.length > COMMANDS.length) return ns.slice(0, -COMMANDS.length);
  throw new ProtocolError(`an OP_QUERY cannot read a collection any more: ${UPGRADE}`, 5739101);
}

/** Runs of elements that make up the command together. */
function commandParts(message: Uint8Array, start: number, end: number, db: string, secondaryOk: boolean): Uint8Array[] {
  const fields = [...elementsOf(message, start, end)];
  const wrapped = wrappedIn(message, fields[0]);
  const elements = wrapped ? [...elementsOf(message, wrapped.valueStart, wrapped.valueEnd)] : fields;
  const names = elements.map((field) => nameOf(message, field));
  checkAllowed(names[0] ?? '');
  if (names.includes('$db')) throw new ProtocolError('a command in an OP_QUERY may not have a field $db', 40621);
  const command = wrapped
    ? message.subarray(wrapped.valueStart + 4, wrapped.valueEnd - 1)
    : message.subarray(start + 4, end - 1);
  const parts = [command, encodeElements({ $db: db })];
  if (names.includes('$readPreference')) return parts;
  const outer = wrapped && fields.find((field) => nameOf(message, field) === '$readPreference');
  if (outer) parts.push(message.subarray(outer.nameStart - 1, outer.valueEnd));
  else if (secondaryOk) parts.push(SECONDARY_PREFERRED);
  return parts;
}

/** The command in the form `{ $query: COMMAND, $readPreference: … }`, which some clients give it. */
function wrappedIn(message: Uint8Array, first: ElementBounds | undefined): ElementBounds | undefined {
  if (first?.type !== BsonType.object || !['$query', 'query'].includes(nameOf(message, first))) return undefined;
  documentEnd(message, first.valueStart, first.valueEnd);
  return first;
}

function checkAllowed(name: string): void {
  if (ALLOWED.includes(name)) return;
  throw new ProtocolError(`${name} may not come as an OP_QUERY: ${UPGRADE}`, 'UnsupportedOpQueryCommand');
}

function nameOf(message: Uint8Array, { nameStart, nameEnd }: ElementBounds): string {
  return readUtf8(message, nameStart, nameEnd);
}

function encodeElements(document: Record<string, unknown>): Uint8Array {
  return encodeDocument(document).subarray(4, -1);
}

function inOneDocument(parts: readonly Uint8Array[]): Uint8Array {
  const document = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 5));
  writeInt32(document, 0, document.length);
  let at = 4;
  for (const part of parts) {
    document.set(part, at);
    at += part.length;
  }
  return document;
}
