import { decodeDocument, OplogEntry, type Timestamp, type TraceEvent, toHex } from '@replsim/protocol';
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
  return objectText({ atMicros, member, type, ...fields });
}

/** As `JSON.stringify` has it, which knows no text for what is undefined. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'bigint') return `{"$numberLong":"${value}"}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => textOf(each) ?? 'null').join(',')}]`;
  if (value instanceof OplogEntry) return recentTextOf(value);
  if (value instanceof Uint8Array) return `"${toHex(value)}"`;
  if (value instanceof Date || '_bsontype' in value) return canonicalText(value);
  if (value instanceof Map) return objectText(Object.fromEntries(value));
  if (isTimestamp(value)) return `{"$timestamp":{"t":${value.t},"i":${value.i}}}`;
  return objectText(value);
}

function objectText(value: object): string {
  const fields: string[] = [];
  for (const [name, inner] of Object.entries(value)) {
    const text = textOf(inner);
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join(',')}}`;
}

/** The first entries of a set have no term, and mongod then leaves `t` out of them: readers get one notation for all. */
function entryText({ bytes, opTime, prevOpTime }: OplogEntry): string {
  const { ts: _ts, t: _t, ...fields } = decodeDocument(bytes);
  const texts = Object.entries(fields).map(([name, value]) =>
    name === 'prevOpTime' && prevOpTime
      ? `"prevOpTime":${objectText(prevOpTime)}`
      : `${JSON.stringify(name)}:${canonicalText(value)}`,
  );
  return `{${[objectText(opTime).slice(1, -1), ...texts].join(',')}}`;
}

function canonicalText(value: unknown): string {
  return EJSON.stringify(value, { relaxed: false });
}

/** By its shape: `{ t, i }`. */
function isTimestamp(value: object): value is Timestamp {
  const [first, second, ...more] = Object.keys(value);
  if (first !== 't' || second !== 'i' || more.length > 0) return false;
  const { t, i } = value as { t: unknown; i: unknown };
  return typeof t === 'number' && typeof i === 'number';
}

// An entry is told of when it is written and when it is applied, on every member, and within moments: its text is worked out once.
const RECENT_MAX_CHARS = 2 ** 26;
const recentTexts = new Map<OplogEntry, string>();
let recentChars = 0;

function recentTextOf(entry: OplogEntry): string {
  const known = recentTexts.get(entry);
  if (known !== undefined) return known;
  const text = entryText(entry);
  recentTexts.set(entry, text);
  recentChars += text.length;
  for (const [oldest, itsText] of recentTexts) {
    if (recentChars <= RECENT_MAX_CHARS) break;
    recentTexts.delete(oldest);
    recentChars -= itsText.length;
  }
  return text;
}
