import type { Request } from '@replsim/database';
import { lastWriteOf, type RunningOperation } from '@replsim/operations';
import { partsOfKey, sessionIdOf } from '@replsim/pipeline';
import {
  BsonType,
  ElementCursor,
  encodeName,
  findField,
  isNullOpTime,
  type MemberTrace,
  type OplogEntry,
  type OpTime,
  readDouble,
  readInt32,
} from '@replsim/protocol';
import type { Core } from './core/core.ts';

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

/** So many entries of one command are kept. */
const KEPT_ENTRIES = 100;

type ClientWrote = Extract<MemberTrace, { type: 'clientWrote' }>;
/** What a client's command wrote. */
type Written = Pick<ClientWrote, 'opTime' | 'writtenMicros' | 'entries'>;

/** Where a retry finds what an earlier attempt wrote. */
export interface WrittenHost {
  readonly core: Pick<Core, 'engine' | 'now'>;
  findEntry(opTime: OpTime): OplogEntry | undefined;
}

/** An operation has written entries. */
export function noteWritten(operation: RunningOperation, entries: readonly OplogEntry[], newestMicros: number): void {
  const { written } = operation;
  if (!written) operation.written = { entries: entries.slice(0, KEPT_ENTRIES), newestMicros };
  else {
    written.newestMicros = newestMicros;
    if (written.entries.length < KEPT_ENTRIES) written.entries.push(...entries.slice(0, KEPT_ENTRIES));
  }
}

/** What a reply tells its client of a write that has its write concern; undefined if it tells nothing of the kind. */
export function clientWroteTrace(
  host: WrittenHost,
  request: Request,
  operation: RunningOperation,
  reply: Uint8Array,
): ClientWrote | undefined {
  const { metConcern: w, connection } = operation;
  // A client that asks for `w: 0` has been promised nothing, even if it reads the reply.
  if (w === undefined || w === 0 || !isGood(reply)) return undefined;
  const { name, ns, session, txnNumber } = request;
  const written = writtenBy(host, request, operation, reply);
  if (!written) return undefined;
  const documents = documentsOf(name, reply);
  const appName = connection?.metadata?.appName;
  const event: Writable<ClientWrote> = { type: 'clientWrote', name, ns, w, ...written };
  if (documents !== undefined) event.documents = documents;
  if (session !== undefined && txnNumber !== undefined) {
    event.lsid = session;
    event.txnNumber = Number(txnNumber);
  }
  if (appName !== undefined) event.appName = appName;
  return event;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function writtenBy(
  host: WrittenHost,
  { name, session, txnNumber }: Request,
  { lastOpTime: opTime, written }: RunningOperation,
  reply: Uint8Array,
): Written | undefined {
  const now = host.core.now.monotonicMicros;
  const isNew = opTime !== undefined && !written?.entries.every(isNoop);
  // What a retry finds done hangs on what it does itself.
  if (
    session !== undefined &&
    txnNumber !== undefined &&
    (isRetried(reply) || (name === 'commitTransaction' && !isNew))
  )
    return earlier(host, session, txnNumber) ?? (isNew ? { opTime, writtenMicros: now, entries: [] } : undefined);
  if (!isNew) return undefined;
  return { opTime, writtenMicros: written?.newestMicros ?? now, entries: written?.entries ?? [] };
}

function isNoop({ operation: { op } }: OplogEntry): boolean {
  return op === 'n';
}

/** What a retryable write or a transaction has written so far, here or on an earlier primary. */
function earlier(host: WrittenHost, session: string, txnNumber: bigint): Written | undefined {
  const { engine, now } = host.core;
  const { id, uid } = partsOfKey(session);
  const newest = lastWriteOf(engine, { lsid: sessionIdOf(id, uid).bytes, txnNumber });
  if (isNullOpTime(newest)) return undefined;
  const entries: OplogEntry[] = [];
  for (let at: OpTime | undefined = newest; at && !isNullOpTime(at); ) {
    const entry = host.findEntry(at);
    if (!entry) break;
    entries.push(entry);
    at = entry.prevOpTime;
  }
  const ageMs = now.wallMs - (entries[0]?.wallMs ?? now.wallMs);
  const writtenMicros = now.monotonicMicros - 1000 * Math.max(ageMs, 0);
  return { opTime: newest, writtenMicros, entries: entries.reverse().slice(0, KEPT_ENTRIES) };
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
