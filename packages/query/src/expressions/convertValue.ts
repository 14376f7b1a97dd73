/** What becomes of a value of each type that is made one of another. Upstream: evaluate_convert.cpp, ConversionTable. */
import {
  BsonType,
  type BsonValue,
  CommandError,
  decimalText,
  readDecimal,
  readString,
  readTimestamp,
  toHex,
} from '@replsim/protocol';
import { decimalValue, doubleValue, forDecimal, intValue, longValue } from '../arithmetic.ts';
import { exactOfBigInt } from '../decimal.ts';
import { typeName } from '../typeNames.ts';
import { buildValue, fromJs, isTruthy, readInteger, readTruncated } from '../values.ts';
import { binaryOf, binaryText, ofHex } from './binaryText.ts';
import { isoText, parseDate } from './dateText.ts';
import { doubleText, LEAST_NORMAL_DOUBLE, type Parsed, parseDecimal, parseDouble, parseWhole } from './numberText.ts';
import { millis, toDouble } from './operands.ts';

/** Of what a value is made, and how. */
export interface Target {
  readonly type: number;
  /** Of binary data. */
  readonly subtype: number;
  /** Between binary data and text, one of `binaryFormats`. */
  readonly format: string | undefined;
}

/** Undefined where there is no way from the one type to the other. */
type Conversion = (value: BsonValue, target: Target) => BsonValue | undefined;

/**
 * Makes a value, which is neither missing nor null, one of another type. Errors: ConversionFailure 241; Location4341115 for
 * binary data and text without a format; Location18537.
 */
export function convertValue(value: BsonValue, target: Target): BsonValue {
  const made = conversions.get(target.type)?.(value, target);
  if (made) return made;
  throw failure(`Unsupported conversion from ${typeName(value.type)} to ${typeName(target.type)}`);
}

const conversions: ReadonlyMap<number, Conversion> = new Map<number, Conversion>([
  [BsonType.double, double],
  [BsonType.string, string],
  [BsonType.binData, binary],
  [BsonType.objectId, objectId],
  [BsonType.bool, (value) => fromJs(isTruthy(value))],
  [BsonType.date, date],
  [BsonType.int, (value) => whole(value, 32)],
  [BsonType.long, (value) => whole(value, 64)],
  [BsonType.decimal, decimal],
]);

function failure(what: string): CommandError {
  return new CommandError('ConversionFailure', `${what} in $convert with no onError value`);
}

function double(value: BsonValue): BsonValue | undefined {
  switch (value.type) {
    case BsonType.double:
      return value;
    case BsonType.int:
    case BsonType.long:
      return doubleValue(toDouble(value));
    case BsonType.decimal:
      return doubleOfDecimal(value);
    case BsonType.string:
      return doubleValue(parsed(value, parseDouble));
    case BsonType.bool:
      return doubleValue(isTruthy(value) ? 1 : 0);
    case BsonType.date:
      return doubleValue(Number(millis(value)));
    default:
      return undefined;
  }
}

function doubleOfDecimal(value: BsonValue): BsonValue {
  const exact = readDecimal(value.bytes, value.offset);
  const number = toDouble(value);
  // What is below the normal doubles has lost digits.
  const isLost = exact.coefficient > 0n && (Math.abs(number) < LEAST_NORMAL_DOUBLE || !Number.isFinite(number));
  if (isLost) throw overflow(decimalText(exact));
  return doubleValue(number);
}

function string(value: BsonValue, { format }: Target): BsonValue | undefined {
  const { type, bytes, offset, size } = value;
  switch (type) {
    case BsonType.string:
      return value;
    case BsonType.double:
      return fromJs(doubleText(toDouble(value)));
    case BsonType.int:
    case BsonType.long:
      return fromJs(String(readInteger(value)));
    case BsonType.decimal:
      return fromJs(decimalText(readDecimal(bytes, offset)));
    case BsonType.bool:
      return fromJs(String(isTruthy(value)));
    case BsonType.date:
      return fromJs(isoText(millis(value)));
    case BsonType.objectId:
      return fromJs(toHex(bytes.subarray(offset, offset + size)));
    case BsonType.binData: {
      const text = binaryText(
        bytes.subarray(offset + 5, offset + size),
        subtypeOf(value),
        formatOf(format, value, type),
      );
      if (text === undefined) throw failure(`Failed to convert binData to string by the format ${format}`);
      return fromJs(text);
    }
    default:
      return undefined;
  }
}

function binary(value: BsonValue, { subtype, format }: Target): BsonValue | undefined {
  if (value.type === BsonType.binData) {
    if (subtypeOf(value) === subtype) return value;
    throw new CommandError('ConversionFailure', 'Conversions between different BinData subtypes are not supported');
  }
  if (value.type !== BsonType.string) return undefined;
  const name = formatOf(format, value, BsonType.binData);
  // A UUID has a format, and the format has a subtype.
  const isFitting = (name === 'uuid') === (subtype === UUID_SUBTYPE);
  const raw = value.bytes.subarray(value.offset + 4, value.offset + value.size - 1);
  const data = isFitting ? binaryOf(readString(value), raw, name) : undefined;
  if (!data) throw failure(`Failed to parse BinData '${readString(value)}' by the format ${name}, subtype ${subtype},`);
  return buildValue((writer, field) => writer.binary(field, subtype, data));
}

const UUID_SUBTYPE = 4;

function subtypeOf({ bytes, offset }: BsonValue): number {
  return bytes[offset + 4] ?? 0;
}

function formatOf(format: string | undefined, value: BsonValue, target: number): string {
  if (format !== undefined) return format;
  const to = target === value.type ? BsonType.string : target;
  throw new CommandError(
    4341115,
    `Format must be specified when converting from '${typeName(value.type)}' to '${typeName(to)}'`,
  );
}

function objectId(value: BsonValue): BsonValue | undefined {
  if (value.type === BsonType.objectId) return value;
  if (value.type !== BsonType.string) return undefined;
  const text = readString(value);
  const id = ofHex(text);
  if (id?.length !== 12) throw failure(`Failed to parse objectId '${text}'`);
  return buildValue((writer, name) => writer.objectId(name, id));
}

/** An int is none: it is too small to be one by intention. */
function date(value: BsonValue): BsonValue | undefined {
  switch (value.type) {
    case BsonType.date:
      return value;
    case BsonType.double:
    case BsonType.long:
    case BsonType.decimal:
      return dateAt(truncated(value, 64));
    case BsonType.string:
      return dateAt(parseDate(readString(value)));
    case BsonType.timestamp:
      return dateAt(BigInt(readTimestamp(value).t) * 1000n);
    case BsonType.objectId: {
      const { bytes, offset } = value;
      return dateAt(BigInt(new DataView(bytes.buffer, bytes.byteOffset + offset).getInt32(0)) * 1000n);
    }
    default:
      return undefined;
  }
}

function dateAt(ms: bigint): BsonValue {
  return buildValue((writer, name) => writer.date(name, ms));
}

function whole(value: BsonValue, bits: 32 | 64): BsonValue | undefined {
  const made = wholeOf(value, bits);
  if (made === undefined) return undefined;
  return bits === 32 ? intValue(Number(made)) : longValue(made);
}

function wholeOf(value: BsonValue, bits: 32 | 64): bigint | undefined {
  switch (value.type) {
    case BsonType.int:
    case BsonType.double:
    case BsonType.long:
    case BsonType.decimal:
      return truncated(value, bits);
    case BsonType.string:
      return parsed(value, (text) => parseWhole(text, bits));
    case BsonType.bool:
      return isTruthy(value) ? 1n : 0n;
    case BsonType.date:
      return bits === 64 ? millis(value) : undefined;
    default:
      return undefined;
  }
}

function truncated(value: BsonValue, bits: 32 | 64): bigint {
  const number = readTruncated(value);
  if (number === undefined) {
    const name = Number.isNaN(toDouble(value)) ? 'NaN' : 'infinity';
    throw failure(`Attempt to convert ${name} value to integer type`);
  }
  // A double is compared with the greatest int before its fraction is cut off, a decimal behind that.
  const isBeyond = value.type === BsonType.double && bits === 32 && Math.abs(toDouble(value) + 0.5) > 2 ** 31 - 0.5;
  if (BigInt.asIntN(bits, number) !== number || isBeyond) throw overflow(String(number));
  return number;
}

function overflow(what: string): CommandError {
  return new CommandError(
    'ConversionFailure',
    `Conversion would overflow target type in $convert with no onError value: ${what}`,
  );
}

function decimal(value: BsonValue): BsonValue | undefined {
  switch (value.type) {
    case BsonType.decimal:
      return value;
    case BsonType.int:
    case BsonType.long:
    case BsonType.double:
      return decimalValue(forDecimal(value));
    case BsonType.string:
      return decimalValue(parsed(value, parseDecimal));
    case BsonType.bool:
      return decimalValue(exactOfBigInt(isTruthy(value) ? 1n : 0n));
    case BsonType.date:
      return decimalValue(exactOfBigInt(millis(value)));
    default:
      return undefined;
  }
}

function parsed<T>(value: BsonValue, parse: (text: string) => Parsed<T>): T {
  const text = readString(value);
  if (/^0x/i.test(text)) {
    throw new CommandError('ConversionFailure', `Illegal hexadecimal input in $convert with no onError value: ${text}`);
  }
  const result = parse(text);
  if ('value' in result) return result.value;
  throw new CommandError(
    'ConversionFailure',
    `Failed to parse number '${text}' in $convert with no onError value: ${result.reason}`,
  );
}
