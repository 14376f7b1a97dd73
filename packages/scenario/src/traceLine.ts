import { decodeDocument, OplogEntry, type TraceEvent, toHex } from '@replsim/protocol';
import { EJSON } from 'bson';

/**
 * An event as one line of JSON, without the newline. The first line of a trace, `runStarted`, says the version.
 * Fields are those of `TraceEvent`, time and member first; an oplog entry is canonical Extended JSON of its BSON, bytes are
 * hex, what is undefined is left out.
 */
export function traceLine(event: TraceEvent): string {
  const { atMicros, type, ...rest } = event;
  const { member, ...fields } = rest as { member?: string };
  return JSON.stringify({ atMicros, ...(member !== undefined && { member }), type, ...fields }, replace);
}

function replace(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { $numberLong: String(value) };
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof OplogEntry) return EJSON.serialize(decodeDocument(value.bytes), { relaxed: false });
  if (value instanceof Uint8Array) return toHex(value);
  if (value instanceof Map) return Object.fromEntries(value);
  return '_bsontype' in value ? EJSON.serialize(value as never, { relaxed: false }) : value;
}
