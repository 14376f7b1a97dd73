import { decodeDocument, OplogEntry, type OpTime, type Timestamp, type TraceEvent, toHex } from '@replsim/protocol';
import { EJSON } from 'bson';

/**
 * An event as one line of JSON, without the newline. The first line of a trace, `runStarted`, says the version.
 * Fields are those of `TraceEvent`, time and member first; what is undefined is left out. An opTime is
 * `{ts: {$timestamp: {t, i}}, t: TERM}`, wherever it stands; its term is -1 if it has none. An oplog entry is canonical
 * Extended JSON of its BSON but for its own opTimes, which are written like all others; bytes are hex.
 */
export function traceLine(event: TraceEvent): string {
  const { atMicros, type, ...rest } = event;
  const { member, ...fields } = rest as { member?: string };
  return JSON.stringify({ atMicros, ...(member !== undefined && { member }), type, ...(written(fields) as object) });
}

function written(value: unknown): unknown {
  if (typeof value === 'bigint') return { $numberLong: String(value) };
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(written);
  if (value instanceof OplogEntry) return writtenEntry(value);
  if (value instanceof Uint8Array) return toHex(value);
  if (value instanceof Date) return EJSON.serialize(value, { relaxed: false });
  if (value instanceof Map) return written(Object.fromEntries(value));
  if ('_bsontype' in value) return EJSON.serialize(value as never, { relaxed: false });
  if (isTimestamp(value)) return { $timestamp: value };
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, written(inner)]));
}

/** The first entries of a set have no term, and mongod then leaves `t` out of them: readers get one notation for all. */
function writtenEntry({ bytes, opTime, prevOpTime }: OplogEntry): object {
  const { ts: _ts, t: _t, ...fields } = EJSON.serialize(decodeDocument(bytes), { relaxed: false });
  return { ...(written(opTime) as OpTime), ...fields, ...(prevOpTime && { prevOpTime: written(prevOpTime) }) };
}

/** By its shape: `{ t, i }`. */
function isTimestamp(value: object): value is Timestamp {
  const [t, i, ...more] = Object.entries(value);
  return t?.[0] === 't' && typeof t[1] === 'number' && i?.[0] === 'i' && more.length === 0;
}
