import { decodeDocument } from './bson/encode.ts';
import { RawBson } from './bson/jsValue.ts';
import type { LogLine } from './trace.ts';

/** Fields are padded, so that logs are columns to the eye. Upstream: json_formatter.cpp. */
const WIDTHS = { s: 5, c: 11, id: 8, svc: 4 } as const;

/**
 * A line as mongod writes it to its log file and `getLog` shows it, without the newline: JSON with the fields
 * `t s c id svc ctx msg attr tags`, each there if there is something in it.
 * @param wallMs the member's own clock; times are written in the zone UTC. Upstream: logv2/json_formatter.cpp.
 */
export function formatLogLine({ severity, component, id, svc, ctx, msg, attr, tags }: LogLine, wallMs: number): string {
  const date = new Date(wallMs).toISOString().replace('Z', '+00:00');
  let text = `{"t":{"$date":"${date}"},`;
  text += padded('s', JSON.stringify(severity));
  text += padded('c', JSON.stringify(component));
  text += padded('id', String(id));
  if (svc !== undefined) text += padded('svc', JSON.stringify(svc));
  text += `"ctx":${JSON.stringify(ctx)},"msg":${JSON.stringify(msg)}`;
  if (Object.keys(attr).length > 0) text += `,"attr":${JSON.stringify(extended(attr))}`;
  if (tags) text += `,"tags":${JSON.stringify(tags)}`;
  return `${text}}`;
}

/** The padding goes behind the comma. */
function padded(name: keyof typeof WIDTHS, value: string): string {
  return `"${name}":${value},${' '.repeat(Math.max(WIDTHS[name] - value.length, 0))}`;
}

/** Relaxed Extended JSON of an attribute's value; a timestamp is known by its shape, `{ t, i }`. */
function extended(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return { $numberDouble: String(value) };
  if (typeof value !== 'object' || value === null) return value;
  // A client's date may lie beyond JavaScript's.
  if (value instanceof Date) return { $date: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  if (Array.isArray(value)) return value.map(extended);
  if (value instanceof RawBson) return extended(decodeDocument(value.bytes));
  if ('_bsontype' in value) return extendedBson(value);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  if (isTimestamp(entries)) return { $timestamp: value };
  return Object.fromEntries(entries.map(([name, inner]) => [name, extended(inner)]));
}

function isTimestamp(entries: readonly (readonly [string, unknown])[]): boolean {
  const [t, i] = entries;
  return entries.length === 2 && t?.[0] === 't' && i?.[0] === 'i' && typeof t[1] === 'number';
}

/** A value of the bson package; each class knows its own Extended JSON. */
function extendedBson(value: object): unknown {
  const { toExtendedJSON } = value as { toExtendedJSON?: (options: { relaxed: boolean }) => unknown };
  return toExtendedJSON ? toExtendedJSON.call(value, { relaxed: true }) : value;
}
