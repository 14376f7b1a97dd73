import type { Request, RunningOperation } from '@replsim/database';
import {
  BsonType,
  ElementCursor,
  encodeName,
  findField,
  type MemberTrace,
  readDouble,
  readInt32,
} from '@replsim/protocol';

const OK = encodeName('ok');
const WRITE_CONCERN_ERROR = encodeName('writeConcernError');
const RETRIED_MANY = encodeName('retriedStmtIds');
const RETRIED_ONE = encodeName('retriedStmtId');
const N = encodeName('n');
const N_MODIFIED = encodeName('nModified');
const UPSERTED = encodeName('upserted');
const LAST_ERROR_OBJECT = encodeName('lastErrorObject');
/** What a client's `bulkWrite` has written. */
const BULK_COUNTS = ['nInserted', 'nModified', 'nUpserted', 'nDeleted'].map(encodeName);

type ClientWrote = Extract<MemberTrace, { type: 'clientWrote' }>;

/** What a reply tells its client of a write that has its write concern; undefined if it tells nothing of the kind. */
export function clientWroteTrace(
  { name, ns, session, txnNumber }: Request,
  { lastOpTime: opTime, metConcern: w, connection }: RunningOperation,
  reply: Uint8Array,
): ClientWrote | undefined {
  // Whoever asks for `w: 0` has not been promised anything, even where the reply is read.
  if (w === undefined || w === 0 || !isGood(reply)) return undefined;
  const found = name === 'commitTransaction' || isRetried(reply);
  if (opTime === undefined && !found) return undefined;
  const documents = documentsOf(name, reply);
  const appName = connection?.metadata?.appName;
  return {
    type: 'clientWrote',
    name,
    ns,
    w,
    ...(opTime && { opTime }),
    ...(documents !== undefined && { documents }),
    ...(session !== undefined && txnNumber !== undefined && { lsid: session, txnNumber: Number(txnNumber) }),
    ...(appName !== undefined && { appName }),
  };
}

/** Errors of single statements do not matter: the others are done, and the reply says so. */
function isGood(reply: Uint8Array): boolean {
  return numberIn(reply, OK) === 1 && !findField(reply, WRITE_CONCERN_ERROR);
}

function isRetried(reply: Uint8Array): boolean {
  return !!(findField(reply, RETRIED_MANY) ?? findField(reply, RETRIED_ONE));
}

function documentsOf(name: string, reply: Uint8Array): number | undefined {
  switch (name) {
    case 'insert':
    case 'delete':
      return numberIn(reply, N);
    case 'update':
      return (numberIn(reply, N_MODIFIED) ?? 0) + upserts(reply);
    case 'findAndModify':
    case 'findandmodify': {
      const last = findField(reply, LAST_ERROR_OBJECT);
      return last && numberIn(reply, N, last.offset);
    }
    case 'bulkWrite':
      return BULK_COUNTS.reduce((sum, count) => sum + (numberIn(reply, count) ?? 0), 0);
    default:
      return undefined;
  }
}

function upserts(reply: Uint8Array): number {
  const upserted = findField(reply, UPSERTED);
  if (!upserted) return 0;
  const cursor = new ElementCursor(upserted.bytes, upserted.offset);
  let count = 0;
  while (cursor.next()) count += 1;
  return count;
}

/** A field that is an int32 or a double, as all of these are. */
function numberIn(bytes: Uint8Array, name: Uint8Array, start = 0): number | undefined {
  const value = findField(bytes, name, start);
  if (value?.type === BsonType.int) return readInt32(bytes, value.offset);
  return value?.type === BsonType.double ? readDouble(bytes, value.offset) : undefined;
}
