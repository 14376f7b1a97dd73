import { BsonType, encodeDocument, encodeName, findField, RawValue, required } from '@replsim/protocol';
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { isScalar, type Node, type YAMLMap } from 'yaml';
import type { Source } from './source.ts';

type Entry = [key: string, value: Node | null, keyNode: Node];

/** How a type wrapper reads; undefined when the value is wrong. `example` says how it is written. */
interface EjsonType {
  readonly example: string;
  readonly read: (value: unknown) => unknown;
}

const INT64 = (text: string) => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
const ISO_DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/;

/**
 * The type wrappers of MongoDB Extended JSON (v2, canonical and relaxed), but for `$dbPointer`.
 * `$regex` is left alone: in a filter it is an operator, and there it means the same.
 */
const TYPES: Readonly<Record<string, EjsonType>> = {
  $oid: {
    example: '{ $oid: "0123456789abcdef01234567" }',
    read: (value) => (/^[0-9a-f]{24}$/i.test(String(value)) ? ObjectId.createFromHexString(String(value)) : undefined),
  },
  $date: { example: '{ $date: "2025-01-01T00:00:00Z" }', read: readDate },
  $numberInt: {
    example: '{ $numberInt: "5" }',
    read: (value) =>
      /^-?\d+$/.test(String(value)) && (Number(value) | 0) === Number(value) ? new Int32(Number(value)) : undefined,
  },
  $numberLong: {
    example: '{ $numberLong: "5" }',
    read: (value) => (INT64(String(value)) ? Long.fromBigInt(BigInt(String(value))) : undefined),
  },
  $numberDouble: {
    example: '{ $numberDouble: "5.0" }',
    read: (value) => {
      const text = String(value).trim();
      return text !== '' && (text === 'NaN' || !Number.isNaN(Number(text))) ? new Double(Number(text)) : undefined;
    },
  },
  $numberDecimal: {
    example: '{ $numberDecimal: "5.0" }',
    read: (value) => attempt(() => Decimal128.fromString(String(value))),
  },
  $binary: { example: '{ $binary: { base64: "AQID", subType: "00" } }', read: readBinary },
  $uuid: { example: '{ $uuid: "c8edabc3-f738-4ca3-b68d-ab92a91478a3" }', read: readUuid },
  $timestamp: { example: '{ $timestamp: { t: 1735689600, i: 1 } }', read: readTimestamp },
  $regularExpression: { example: '{ $regularExpression: { pattern: "^a", options: "i" } }', read: readRegex },
  $symbol: {
    example: '{ $symbol: "a" }',
    read: (value) => (typeof value === 'string' ? new BSONSymbol(value) : undefined),
  },
  $code: {
    example: '{ $code: "function() {}" }',
    read: (value) => (typeof value === 'string' ? new Code(value) : undefined),
  },
  $minKey: { example: '{ $minKey: 1 }', read: (value) => (value === 1 ? new MinKey() : undefined) },
  $maxKey: { example: '{ $maxKey: 1 }', read: (value) => (value === 1 ? new MaxKey() : undefined) },
  $undefined: {
    example: '{ $undefined: true }',
    read: (value) =>
      value === true ? new RawValue({ type: 0x06, bytes: encodeDocument({}), offset: 0, size: 0 }) : undefined,
  },
};

/** The keys that make a map one value of a BSON type. */
export const EJSON_TYPES: ReadonlySet<string> = new Set(Object.keys(TYPES));

function typeOf(key: string): EjsonType {
  return required(TYPES[key], 'type wrapper of that key');
}

/** Reads a map whose entry `[key, value]` has one of these keys; a wrong value or a further key is a mistake. */
export function readEjson(source: Source, map: YAMLMap, [key, value]: Entry, entries: readonly Entry[]): unknown {
  const type = typeOf(key);
  const other = entries.find(([name]) => name !== key);
  if (other) {
    source.mistakeAt(
      other[2],
      `"${other[0]}" cannot be combined with ${key}, which is a value by itself`,
      `write ${type.example}`,
    );
    return null;
  }
  const result = type.read(source.toPlain(value));
  if (result === undefined) {
    const at = value ?? map;
    const text = isScalar(at) ? `"${String(at.value)}"` : 'this';
    source.mistakeAt(at, `${text} is not a value for ${key}`, `write ${type.example}`);
    return null;
  }
  return result;
}

/**
 * What `JSON.parse` gave, or a tree of Maps that keeps the types of numbers, with its type wrappers read: documents as Maps, numbers as in
 * YAML.
 * @throws TypeError on a wrong value in a wrapper, and on an integer that JSON cannot hold
 */
export function fromExtendedJson(value: unknown): unknown {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'object' || value === null || value instanceof Double) return value;
  if (Array.isArray(value)) return value.map(fromExtendedJson);
  const entries = value instanceof Map ? [...(value as ReadonlyMap<string, unknown>)] : Object.entries(value);
  const wrapper = entries.find(([key]) => EJSON_TYPES.has(key));
  if (!wrapper) return new Map(entries.map(([key, each]) => [key, fromExtendedJson(each)]));
  const { read, example } = typeOf(wrapper[0]);
  const result = entries.length === 1 ? read(plainOf(wrapper[1])) : undefined;
  if (result === undefined) throw new TypeError(`${JSON.stringify(plainOf(value))} is not a value, write ${example}`);
  return result;
}

/** As `JSON.parse` would have given it. */
function plainOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Double) return value.value;
  if (Array.isArray(value)) return value.map(plainOf);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, each]) => [key, plainOf(each)]));
}

function fromNumber(value: number): unknown {
  if (!Number.isInteger(value)) return new Double(value);
  if ((value | 0) === value) return value;
  if (Number.isSafeInteger(value)) return BigInt(value);
  throw new TypeError(`${value} is beyond what JSON holds exactly, write { $numberLong: "…" }`);
}

function readDate(value: unknown): Date | RawValue | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) <= 8.64e15 ? new Date(value) : undefined;
  if (typeof value === 'string') return ISO_DATE.test(value) ? valid(new Date(value)) : undefined;
  const { $numberLong: ms } = fields(value);
  if (ms === undefined || !INT64(String(ms))) return undefined;
  return valid(new Date(Number(ms))) ?? farDate(BigInt(String(ms)));
}

/** A date that JavaScript has not: BSON's are any int64 of milliseconds. */
function farDate(ms: bigint): RawValue {
  const bytes = encodeDocument({ v: Long.fromBigInt(ms) });
  return new RawValue({
    ...required(findField(bytes, encodeName('v')), 'field of this document'),
    type: BsonType.date,
  });
}

function valid(date: Date): Date | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function readBinary(value: unknown): Binary | undefined {
  const { base64, subType } = fields(value);
  if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  const subtype = typeof subType === 'number' ? subType : Number.parseInt(String(subType ?? '0'), 16);
  return subtype >= 0 && subtype <= 255 ? attempt(() => Binary.createFromBase64(base64, subtype)) : undefined;
}

function readUuid(value: unknown): Binary | undefined {
  const hex = String(value).replaceAll('-', '');
  return /^[0-9a-f]{32}$/i.test(hex) ? Binary.createFromHexString(hex, 4) : undefined;
}

function readTimestamp(value: unknown): Timestamp | undefined {
  const { t, i } = fields(value);
  const isUint32 = (n: unknown): n is number => typeof n === 'number' && n >>> 0 === n;
  return isUint32(t) && isUint32(i) ? new Timestamp({ t, i }) : undefined;
}

function readRegex(value: unknown): BSONRegExp | undefined {
  const { pattern, options } = fields(value);
  if (typeof pattern !== 'string') return undefined;
  return attempt(() => new BSONRegExp(pattern, typeof options === 'string' ? options : ''));
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The bson package throws on text that is not a value of its type. Here that is a mistake in the file. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
