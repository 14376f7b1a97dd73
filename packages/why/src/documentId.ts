import { decodePromoted, formatUuid, toHex } from '@replsim/protocol';

/** A document's `_id` as a reader writes it: `7`, `"a"`, `ObjectId("…")`. Numbers of all types look alike, as they are the same `_id`. */
export function idOf(document: Uint8Array): string {
  return idText((decodePromoted(document) as { readonly _id?: unknown })._id);
}

/** A value of BSON as it stands in sentences. */
export function idText(value: unknown): string {
  if (value instanceof Date) return `ISODate(${JSON.stringify(value.toISOString())})`;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value));
  if (Array.isArray(value)) return `[${value.map(idText).join(', ')}]`;
  const { _bsontype: type } = value as { readonly _bsontype?: string };
  if (type === 'Int32' || type === 'Long' || type === 'Double' || type === 'Decimal128')
    return numberText(String(value));
  if (type === 'Binary') return binaryText(value as { readonly sub_type: number; readonly buffer: Uint8Array });
  if (type !== undefined) return `${type}(${JSON.stringify(String(value))})`;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return `{${entries.map(([name, each]) => `${name}: ${idText(each)}`).join(', ')}}`;
}

/** As far as a double holds it. */
function numberText(text: string): string {
  const number = Number(text);
  return Number.isSafeInteger(number) || !Number.isInteger(number) ? String(number) : text;
}

function binaryText({ sub_type: subtype, buffer }: { readonly sub_type: number; readonly buffer: Uint8Array }): string {
  return subtype === 4 && buffer.length === 16
    ? `UUID("${formatUuid(buffer)}")`
    : `BinData(${subtype}, "${toHex(buffer)}")`;
}
