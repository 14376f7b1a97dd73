/** What operators of dates are given. Upstream: evaluate_date.cpp. */
import { BsonType, type BsonValue, CommandError, readInt64, readString } from '@replsim/protocol';
import { typeName } from '../../typeNames.ts';
import { buildValue, readInteger } from '../../values.ts';
import { isNullish } from '../operands.ts';
import type { Operand } from '../operator.ts';
import { UTC, type Zone, zoneNamed } from './zones.ts';

/** Arguments by name; those that were not given are not there. */
export type Args = Readonly<Record<string, Operand>>;

/** When a date, a timestamp or an ObjectId is; undefined for any other value. Unit: ms since 1970. */
export function instantIn({ type, bytes, offset }: BsonValue): bigint | undefined {
  if (type === BsonType.date) return readInt64(bytes, offset);
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
  if (type === BsonType.timestamp) return BigInt(view.getUint32(4, true)) * 1000n;
  return type === BsonType.objectId ? BigInt(view.getInt32(0)) * 1000n : undefined;
}

/** Errors: Location16006. */
export function dateFor(name: string, value: BsonValue): bigint {
  const instant = instantIn(value);
  if (instant !== undefined) return instant;
  throw new CommandError(16006, `${name}: can't convert from BSON type ${typeName(value.type)} to Date`);
}

export function dateValue(instant: bigint): BsonValue {
  return buildValue((writer, name) => writer.date(name, instant));
}

/** UTC where none was given, undefined for null. Errors: Location40517 and 40485. */
export function zoneOf(args: Args): Zone | undefined {
  if (!Object.hasOwn(args, 'timezone')) return UTC;
  const { timezone } = args;
  if (isNullish(timezone)) return undefined;
  if (timezone.type === BsonType.string) return zoneNamed(readString(timezone));
  throw new CommandError(40517, `timezone must evaluate to a string, found ${typeName(timezone.type)}`);
}

/** A whole number of 64 bits, of whatever type; undefined for anything else. */
export function longIn(value: BsonValue): bigint | undefined {
  const whole = readInteger(value);
  return whole !== undefined && BigInt.asIntN(64, whole) === whole ? whole : undefined;
}
