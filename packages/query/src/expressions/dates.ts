/** Operators of dates: parts of one, and sums and differences. Upstream: expression.cpp, evaluate_date.cpp. */
import { BsonType, type BsonValue, CommandError, readString, readTimestamp } from '@replsim/protocol';
import { intValue, longValue } from '../arithmetic.ts';
import { typeName } from '../typeNames.ts';
import { buildValue, elementsOf, fieldsOf, firstName, fromJs } from '../values.ts';
import { dateOf, dayOfYear, isoDayOfWeek, isoWeekOf, type Local, weekOf } from './dates/calendar.ts';
import { type Args, dateFor, dateValue, instantIn, longIn, zoneOf } from './dates/dateArguments.ts';
import { addTo, difference, truncate, UNITS } from './dates/dateArithmetic.ts';
import { dateStringControls } from './dates/dateStrings.ts';
import { localOf, UTC } from './dates/zones.ts';
import { isNullish } from './operands.ts';
import type { Control, Operand, Operator, Operators } from './operator.ts';

const NULL = fromJs(null);

const PARTS: Readonly<Record<string, (local: Local) => number>> = {
  $year: ({ day }) => dateOf(day).year,
  $month: ({ day }) => dateOf(day).month,
  $dayOfMonth: ({ day }) => dateOf(day).dayOfMonth,
  $dayOfWeek: ({ day }) => (isoDayOfWeek(day) % 7) + 1,
  $dayOfYear: ({ day }) => dayOfYear(day),
  $hour: ({ ms }) => Math.floor(ms / 3_600_000),
  $minute: ({ ms }) => Math.floor(ms / 60_000) % 60,
  $second: ({ ms }) => Math.floor(ms / 1000) % 60,
  $millisecond: ({ ms }) => ms % 1000,
  $week: ({ day }) => weekOf(day),
  $isoDayOfWeek: ({ day }) => isoDayOfWeek(day),
  $isoWeek: ({ day }) => isoWeekOf(day).week,
  $isoWeekYear: ({ day }) => isoWeekOf(day).year,
};

/** One part, of a date, of one in brackets, or of `{ date, timezone }`. */
const datePart =
  (name: string): Control =>
  (operand, compile) => {
    const [given, zone] = partArguments(name, operand);
    const date = compile(given);
    const timezone = zone && compile(zone);
    const part = PARTS[name] ?? (() => 0);
    return (document) => {
      const value = date(document);
      if (isNullish(value)) return NULL;
      const instant = dateFor(name, value);
      const at = timezone ? zoneOf({ timezone: timezone(document) }) : UTC;
      if (!at) return NULL;
      const number = part(localOf(at, instant));
      return name === '$isoWeekYear' ? longValue(BigInt(number)) : intValue(number);
    };
  };

/** Errors: Location40535, 40536 and 40539. */
function partArguments(name: string, operand: BsonValue): [date: BsonValue, timezone?: BsonValue | undefined] {
  if (operand.type === BsonType.array) {
    const [only, ...more] = elementsOf(operand);
    if (only && more.length === 0) return [only];
    const count = only ? more.length + 1 : 0;
    throw new CommandError(40536, `${name} accepts exactly one argument if given an array, but was given ${count}`);
  }
  if (operand.type !== BsonType.object || firstName(operand)?.startsWith('$')) return [operand];
  const fields = new Map(fieldsOf(operand.bytes, operand.offset));
  const unknown = [...fields.keys()].find((field) => field !== 'date' && field !== 'timezone');
  if (unknown !== undefined) throw new CommandError(40535, `unrecognized option to ${name}: "${unknown}"`);
  const date = fields.get('date');
  if (!date) throw new CommandError(40539, `missing 'date' argument to ${name}`);
  return [date, fields.get('timezone')];
}

/** Errors: Location40521. */
function dateToParts(args: Args): BsonValue {
  const zone = zoneOf(args);
  const { date, iso8601 } = args;
  if (!zone || (Object.hasOwn(args, 'iso8601') && isNullish(iso8601))) return NULL;
  if (iso8601 && iso8601.type !== BsonType.bool) {
    throw new CommandError(40521, `iso8601 must evaluate to a bool, found ${typeName(iso8601.type)}`);
  }
  if (isNullish(date)) return NULL;
  const local = localOf(zone, dateFor('$dateToParts', date));
  const isIso = iso8601?.bytes[iso8601.offset] === 1;
  const parts = isIso ? ['isoWeekYear', 'isoWeek', 'isoDayOfWeek'] : ['year', 'month', 'day'];
  return buildValue((writer, name) => {
    writer.beginDocument(name);
    for (const part of [...parts, 'hour', 'minute', 'second', 'millisecond']) {
      writer.int32(part, PARTS[part === 'day' ? '$dayOfMonth' : `$${part}`]?.(local) ?? 0);
    }
    writer.endDocument();
  });
}

/** Errors: Location5439013, FailedToParse 9. */
function unitIn(name: string, value: BsonValue): string {
  if (value.type !== BsonType.string) {
    throw new CommandError(5439013, `${name} requires 'unit' to be a string, but got ${typeName(value.type)}`);
  }
  const unit = readString(value);
  if (UNITS.has(unit)) return unit;
  const reason = `unknown time unit value: ${unit}`;
  throw new CommandError('FailedToParse', `${name} parameter 'unit' value parsing failed :: caused by :: ${reason}`);
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const SUNDAY = 7;

/** By its name, 1 for Monday; it counts for weeks alone. Undefined for null. Errors: Location5439015 and 5439016. */
function startOfWeekIn(name: string, unit: string, args: Args): number | undefined {
  if (unit !== 'week' || !Object.hasOwn(args, 'startOfWeek')) return SUNDAY;
  const { startOfWeek } = args;
  if (isNullish(startOfWeek)) return undefined;
  if (startOfWeek.type !== BsonType.string) {
    const type = typeName(startOfWeek.type);
    throw new CommandError(5439015, `${name} requires 'startOfWeek' to be a string, but got ${type}`);
  }
  const text = readString(startOfWeek);
  const day = WEEKDAYS.findIndex((weekday) => [weekday, weekday.slice(0, 3)].includes(text.toLowerCase()));
  if (day >= 0) return day + 1;
  throw new CommandError(5439016, `${name} parameter 'startOfWeek' value cannot be recognized as a day of a week: ${text}`); // biome-ignore format: one line
}

/** Errors: Location5166403, 5166405, 6045000. */
function dateArithmetic(name: string, sign: bigint): Operator {
  return {
    named(args) {
      const { startDate, amount } = args;
      if (isNullish(startDate) || isNullish(args.unit)) return NULL;
      const unit = unitIn(name, args.unit);
      if (isNullish(amount)) return NULL;
      const zone = zoneOf(args);
      if (!zone) return NULL;
      const instant = instantIn(startDate);
      if (instant === undefined) {
        throw new CommandError(5166403, `${name} requires startDate to be convertible to a date`);
      }
      const units = longIn(amount);
      if (units === undefined) throw new CommandError(5166405, `${name} expects integer amount of time units`);
      if (sign < 0n && units === -(2n ** 63n)) {
        throw new CommandError(6045000, `invalid ${name} 'amount' parameter value: ${units}`);
      }
      return dateValue(addTo(instant, unit, sign * units, zone));
    },
  };
}

/** Errors: Location5166307. */
function dateDiff(args: Args): Operand {
  const { startDate, endDate } = args;
  if (isNullish(startDate) || isNullish(endDate) || isNullish(args.unit)) return NULL;
  // What is missing comes before what is wrong.
  const isByWeek = args.unit.type === BsonType.string && readString(args.unit) === 'week';
  if (isByWeek && Object.hasOwn(args, 'startOfWeek') && isNullish(args.startOfWeek)) return NULL;
  const zone = zoneOf(args);
  if (!zone) return NULL;
  const [start, end] = [startDate, endDate].map((value, i) => {
    const instant = instantIn(value);
    if (instant !== undefined) return instant;
    const [which, type] = [i === 0 ? 'startDate' : 'endDate', typeName(value.type)];
    throw new CommandError(5166307, `$dateDiff requires '${which}' to be a date, but got ${type}`);
  }) as [bigint, bigint];
  const unit = unitIn('$dateDiff', args.unit);
  return longValue(difference(start, end, unit, zone, startOfWeekIn('$dateDiff', unit, args) ?? SUNDAY));
}

/** Errors: Location5439012, 5439017 and 5439018. */
function dateTrunc(args: Args): Operand {
  const { date, binSize = intValue(1) } = args;
  if (isNullish(date) || (Object.hasOwn(args, 'binSize') && isNullish(args.binSize))) return NULL;
  const size = longIn(binSize);
  if (size === undefined) {
    throw new CommandError(5439017, `$dateTrunc requires 'binSize' to be a 64-bit integer, but got a value of type ${typeName(binSize.type)}`); // biome-ignore format: one line
  }
  if (size <= 0n) {
    throw new CommandError(5439018, `$dateTrunc requires 'binSize' to be greater than 0, but got value ${size}`);
  }
  if (isNullish(args.unit)) return NULL;
  const unit = unitIn('$dateTrunc', args.unit);
  const startOfWeek = startOfWeekIn('$dateTrunc', unit, args);
  const zone = startOfWeek && zoneOf(args);
  if (!zone) return NULL;
  const instant = instantIn(date);
  if (instant !== undefined) return dateValue(truncate(instant, unit, size, zone, startOfWeek));
  throw new CommandError(5439012, `$dateTrunc requires 'date' to be a date, but got ${typeName(date.type)}`);
}

/** A half of a timestamp, as a long. */
function timestampPart(name: string, refusal: number, half: 't' | 'i'): Operator {
  return {
    positional([value]) {
      if (isNullish(value)) return NULL;
      if (value.type === BsonType.timestamp) return longValue(BigInt(readTimestamp(value)[half]));
      throw new CommandError(refusal, `Argument to ${name} must be a timestamp, but is ${typeName(value.type)}`);
    },
  };
}

export const dateOperators: Operators = {
  $dateAdd: dateArithmetic('$dateAdd', 1n),
  $dateSubtract: dateArithmetic('$dateSubtract', -1n),
  $dateDiff: { named: dateDiff },
  $dateTrunc: { named: dateTrunc },
  $dateToParts: { named: dateToParts },
  $tsSecond: timestampPart('$tsSecond', 5687301, 't'),
  $tsIncrement: timestampPart('$tsIncrement', 5687302, 'i'),
};

/** Those whose arguments have shapes of their own, and those that compute some of them only where they must. */
export const dateControls: Readonly<Record<string, Control>> = {
  ...dateStringControls,
  ...Object.fromEntries(Object.keys(PARTS).map((name) => [name, datePart(name)])),
};
