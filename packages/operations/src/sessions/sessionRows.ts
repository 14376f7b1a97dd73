import { anySessionId, type SessionId } from '@replsim/pipeline';
import { BsonType, encodeName, findField, readInt64AsNumber, subdocument } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { SESSIONS_NS } from './logicalSessions.ts';
import { rowOf, TRANSACTIONS_NS } from './transactionTable.ts';

const ID = encodeName('_id');
const LAST_USE = encodeName('lastUse');
const LAST_WRITE_DATE = encodeName('lastWriteDate');

/** When some member last wrote down that a session is in use. Unit: ms since 1970. */
export function recordedUseMs(view: ReadView, lsid: Uint8Array): number | undefined {
  const row = rowOf(view, SESSIONS_NS, lsid);
  const lastUse = row && findField(row.bytes, LAST_USE);
  return lastUse && readInt64AsNumber(lastUse.bytes, lastUse.offset);
}

/**
 * Sessions whose newest write lies before a time and which nobody has used lately on any member.
 * Upstream: session_catalog_mongod.cpp, removeExpiredTransactionSessionsFromDisk.
 * @param wallMs ms since 1970
 */
export function abandonedSessions(view: ReadView, wallMs: number): SessionId[] {
  const found: SessionId[] = [];
  const rows = view.collection(TRANSACTIONS_NS)?.records();
  while (rows?.next()) {
    const { bytes } = rows.document;
    const date = findField(bytes, LAST_WRITE_DATE);
    // What a client has written there by hand is no row, and stays.
    if (date?.type !== BsonType.date || readInt64AsNumber(bytes, date.offset) >= wallMs) continue;
    const lsid = subdocument(bytes, ID);
    if (!rowOf(view, SESSIONS_NS, lsid)) found.push({ key: anySessionId(lsid, '_id').key, bytes: lsid });
  }
  return found;
}
