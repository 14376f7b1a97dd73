/** JS values as BSON: which type each is written as. The rules are those of the `bson` package's `serialize`. */
import type { Binary, BSONRegExp, BSONSymbol, Code, DBRef, Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import { BsonType, type BsonValue } from './element.ts';
import { BsonWriter, indexName } from './writer.ts';

/** A document that is encoded already; it is spliced in as it is, wherever a value may stand. */
export class RawBson {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** One value where it lies, spliced in as it is; an array of raw values is an array of these. */
export class RawValue {
  readonly value: BsonValue;

  constructor(value: BsonValue) {
    this.value = value;
  }
}

/** The values of the bson package know their class by name, so that two copies of the package can meet. */
interface Tagged {
  readonly _bsontype?: string;
  readonly toBSON?: () => unknown;
}

/**
 * Writes one element. A number is an int32 if it is an integer in that range and not -0, else a double; a bigint is an
 * int64; Uint8Array is Binary of subtype 0; functions are left out, and so is undefined unless in an array (null).
 * Throws TypeError on an unknown class of the bson package.
 */
export function writeJsValue(writer: BsonWriter, name: string, value: unknown, inArray = false): void {
  switch (typeof value) {
    case 'number':
      if ((value | 0) === value && !(value === 0 && 1 / value < 0)) writer.int32(name, value);
      else writer.double(name, value);
      return;
    case 'string':
      writer.string(name, value);
      return;
    case 'boolean':
      writer.bool(name, value);
      return;
    case 'bigint':
      writer.int64(name, value);
      return;
    case 'object':
      if (value === null) writer.null(name);
      else writeObject(writer, name, value, inArray);
      return;
    case 'undefined':
      if (inArray) writer.null(name);
      return;
    default:
      return;
  }
}

function writeObject(writer: BsonWriter, name: string, value: object, inArray: boolean): void {
  const { _bsontype, toBSON } = value as Tagged;
  if (_bsontype !== undefined) {
    writeTagged(writer, name, value, _bsontype);
  } else if (typeof toBSON === 'function') {
    const replaced = toBSON.call(value);
    if (replaced !== value) writeJsValue(writer, name, replaced, inArray);
    else writePlain(writer, name, value);
  } else {
    writePlain(writer, name, value);
  }
}

function writePlain(writer: BsonWriter, name: string, value: object): void {
  if (Array.isArray(value)) {
    writer.beginArray(name);
    for (let i = 0; i < value.length; i++) writeJsValue(writer, indexName(i), value[i], true);
    writer.endArray();
  } else if (value instanceof RawBson) writer.rawDocument(name, value.bytes);
  else if (value instanceof RawValue) writer.rawValue(name, value.value);
  else if (value instanceof Date) writer.date(name, value.getTime());
  else if (value instanceof Uint8Array) writer.binary(name, 0, value);
  else if (value instanceof RegExp) writer.regex(name, value.source, regexOptions(value));
  else {
    writer.beginDocument(name);
    writeFields(writer, value);
    writer.endDocument();
  }
}

/** Writes an object's own enumerable fields, or a Map's entries, into the document that is open. */
export function writeFields(writer: BsonWriter, value: object): void {
  if (value instanceof Map) {
    for (const [key, item] of value) writeJsValue(writer, String(key), item, false);
    return;
  }
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) writeJsValue(writer, key, fields[key], false);
}

function writeTagged(writer: BsonWriter, name: string, value: object, tag: string): void {
  switch (tag) {
    case 'Long': {
      const long = value as Long;
      writer.int64Bits(name, long.low, long.high);
      return;
    }
    case 'Timestamp': {
      const timestamp = value as Long;
      writer.timestamp(name, { t: timestamp.high, i: timestamp.low });
      return;
    }
    case 'Int32':
      writer.int32(name, (value as Int32).value);
      return;
    case 'Double':
      writer.double(name, (value as Double).value);
      return;
    case 'ObjectId':
      writer.objectId(name, (value as ObjectId).id);
      return;
    case 'Decimal128': {
      const { bytes } = value as Decimal128;
      writer.rawValue(name, { type: BsonType.decimal, bytes, offset: 0, size: 16 });
      return;
    }
    case 'Binary': {
      const binary = value as Binary;
      writer.binary(name, binary.sub_type, binary.buffer.subarray(0, binary.position));
      return;
    }
    case 'BSONRegExp':
      writer.regex(name, (value as BSONRegExp).pattern, (value as BSONRegExp).options);
      return;
    case 'BSONSymbol':
      writer.symbol(name, (value as BSONSymbol).value);
      return;
    case 'Code':
      writeCode(writer, name, value as Code);
      return;
    case 'DBRef':
      writeDbRef(writer, name, value as DBRef);
      return;
    case 'MinKey':
      writer.minKey(name);
      return;
    case 'MaxKey':
      writer.maxKey(name);
      return;
    default:
      throw new TypeError(`unknown BSON class: ${tag}`);
  }
}

function writeCode(writer: BsonWriter, name: string, { code, scope }: Code): void {
  if (!scope) writer.javascript(name, code);
  else writer.javascriptWithScope(name, code, encodeWith(new BsonWriter(), scope));
}

function writeDbRef(writer: BsonWriter, name: string, ref: DBRef): void {
  writer.beginDocument(name);
  const fields = { $ref: ref.collection, $id: ref.oid, ...(ref.db != null ? { $db: ref.db } : null), ...ref.fields };
  writeFields(writer, fields);
  writer.endDocument();
}

/** Encodes a whole document with a writer that is fresh or reset. */
function encodeWith(writer: BsonWriter, value: object): Uint8Array {
  writeFields(writer, value);
  return writer.finish();
}

function regexOptions(value: RegExp): string {
  // The bson package writes JavaScript's `g` as `s`; dotAll itself is not written.
  return `${value.ignoreCase ? 'i' : ''}${value.multiline ? 'm' : ''}${value.global ? 's' : ''}`;
}
