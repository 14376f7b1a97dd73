import { fromBase64, toBase64 } from '../file/extendedJson.ts';
import { mapped, type PackedEntry, type PackedTrace } from './packedTrace.ts';

/**
 * A part of a trace as JSON in one line, for those whom only text reaches. What JSON has no word for stands in an object of one field
 * with one of these names, which no field of a document can have: BSON ends a name with a zero byte.
 */
const BYTES = '\0bytes';
const VALUE = '\0value';
const DATE = '\0date';
const LONG = '\0long';

/** One line; see `packedOf`. Only entries and log lines hold what JSON cannot say: the rest, most of a trace, is not looked through. */
export function packedText({ events, entries }: PackedTrace): string {
  return JSON.stringify({ events: events.map(writtenEvent), entries: entries.map((entry) => mapped(entry, written)) });
}

/** What `packedText` has made a line of. */
export function packedOf(text: string): PackedTrace {
  const { events, entries } = JSON.parse(text) as PackedTrace;
  return { events: events.map(readEvent), entries: entries.map((entry) => mapped(entry, read) as PackedEntry) };
}

const isLog = (event: unknown) => (event as { readonly type: string }).type === 'log';
const writtenEvent = (event: unknown) => (isLog(event) ? mapped(event, written) : event);
const readEvent = (event: unknown) => (isLog(event) ? mapped(event, read) : event);

function written(value: object | bigint): unknown {
  if (typeof value === 'bigint') return { [LONG]: String(value) };
  if (value instanceof Uint8Array) return { [BYTES]: toBase64(value) };
  if (value instanceof DataView)
    return { [VALUE]: toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) };
  if (value instanceof Date) return { [DATE]: value.getTime() };
  return undefined;
}

function read(value: object | bigint): unknown {
  const [key, ...more] = Object.keys(value);
  if (key === undefined || more.length > 0 || !key.startsWith('\0')) return undefined;
  const given = (value as Readonly<Record<string, unknown>>)[key];
  switch (key) {
    case BYTES:
      return fromBase64(String(given));
    case VALUE: {
      const { buffer, byteOffset, byteLength } = fromBase64(String(given))!;
      return new DataView(buffer, byteOffset, byteLength);
    }
    case DATE:
      return new Date(Number(given));
    case LONG:
      return BigInt(String(given));
    default:
      return undefined;
  }
}
