/** Dates out of strings and parts, and as strings. Upstream: expression.cpp, evaluate_date.cpp. */
import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import { typeName } from '../../typeNames.ts';
import { fieldsOf, fromJs } from '../../values.ts';
import { isNullish } from '../operands.ts';
import type { CompileInner, Control, Expression, Operand } from '../operator.ts';
import { DAY, dayOf, isoDay } from './calendar.ts';
import { type Args, dateFor, dateValue, longIn, zoneOf } from './dateArguments.ts';
import { checkFormat, formatted, READABLE, WRITABLE } from './formats.ts';
import { parseByFormat } from './parseByFormat.ts';
import { unreadable } from './parsed.ts';
import { parseFreely } from './parseFreely.ts';
import { instantOf, localOf, UTC, type Zone } from './zones.ts';

const NULL = fromJs(null);
const CONVERSION_FAILURE = 241;

type Expressions = ReadonlyMap<string, Expression>;

function compiled(operand: BsonValue, compile: CompileInner): Expressions {
  return new Map(fieldsOf(operand.bytes, operand.offset).map(([name, value]) => [name, compile(value)]));
}

/** What those of these names make of a document. */
function computed(expressions: Expressions, document: Uint8Array, ...names: string[]): Args {
  const given = names.flatMap((name) => {
    const expression = expressions.get(name);
    return expression ? [[name, expression(document)] as const] : [];
  });
  return Object.fromEntries(given);
}

/** Undefined where none was given, null for null. Errors: those of `checkFormat`, and `refusal` for no string. */
function formatIn(name: string, args: Args, known: string, refusal: number): string | null | undefined {
  if (!Object.hasOwn(args, 'format')) return undefined;
  const { format } = args;
  if (isNullish(format)) return null;
  if (format.type !== BsonType.string) {
    throw new CommandError(refusal, `${name} requires that 'format' be a string, found: ${typeName(format.type)}`);
  }
  const text = readString(format);
  checkFormat(text, known);
  return text;
}

const dateToString: Control = (operand, compile) => {
  const expressions = compiled(operand, compile);
  const onNull = expressions.get('onNull');
  return (document) => {
    const args = computed(expressions, document, 'date', 'format', 'timezone');
    const format = formatIn('$dateToString', args, WRITABLE, 18533);
    const zone = zoneOf(args);
    if (isNullish(args.date)) return onNull ? onNull(document) : NULL;
    if (!zone || format === null) return NULL;
    const instant = dateFor('$dateToString', args.date);
    const byDefault = zone.isUtc ? '%Y-%m-%dT%H:%M:%S.%LZ' : '%Y-%m-%dT%H:%M:%S.%L';
    return fromJs(formatted(format ?? byDefault, localOf(zone, instant), zone.offsetAt(instant)));
  };
};

/** Errors: Location40684, and ConversionFailure 241 for what it cannot read, unless there is an `onError`. */
const dateFromString: Control = (operand, compile) => {
  const expressions = compiled(operand, compile);
  const [onNull, onError] = [expressions.get('onNull'), expressions.get('onError')];
  return (document) => {
    const args = computed(expressions, document, 'dateString', 'format', 'timezone');
    const format = formatIn('$dateFromString', args, READABLE, 40684);
    const zone = zoneOf(args);
    if (isNullish(args.dateString)) return onNull ? onNull(document) : NULL;
    try {
      return dateRead(args.dateString, format, zone);
    } catch (error) {
      if (!onError || !(error instanceof CommandError) || error.code !== CONVERSION_FAILURE) throw error;
    }
    return onError(document);
  };
};

function dateRead(value: BsonValue, format: string | null | undefined, zone: Zone | undefined): BsonValue {
  if (value.type !== BsonType.string) {
    const reason = `$dateFromString requires that 'dateString' be a string, found: ${typeName(value.type)}`;
    throw new CommandError('ConversionFailure', reason);
  }
  if (!zone || format === null) return NULL;
  const text = readString(value);
  const instant = format === undefined ? parseFreely(text, zone) : parseByFormat(text, format, zone);
  if (BigInt.asIntN(64, instant) !== instant) throw unreadable(text, 'Number out of range');
  return dateValue(instant);
}

const SMALL = 2n ** 15n;
/** Those that may be any number of 64 bits; the others are within 16. */
const LARGE: ReadonlySet<string> = new Set(['second', 'millisecond', 'year', 'isoWeekYear']);

/** Errors: Location40516, 40489 and 40525 for parts that do not go together, 40515 and 31034 for no such number, 40523 and 31095. */
const dateFromParts: Control = (operand, compile) => {
  const expressions = compiled(operand, compile);
  const isIso = !expressions.has('year');
  checkParts(expressions, isIso);
  const [year, ...others] = isIso ? ['isoWeekYear', 'isoWeek', 'isoDayOfWeek'] : ['year', 'month', 'day'];
  return (document) => {
    const ofDay = ['hour', 'minute', 'second', 'millisecond'].map((name) => partOf(name, 0n, expressions, document));
    const zone = zoneOf(computed(expressions, document, 'timezone'));
    if (ofDay.includes(undefined) || !zone) return NULL;
    const ofDate = [year, ...others].map((name = '') => partOf(name, 1n, expressions, document));
    if (ofDate.includes(undefined)) return NULL;
    const [years = 0, months = 0, days = 0] = ofDate.map(Number);
    if (years < 1 || years > 9999) {
      const message = `'${year}' must evaluate to an integer in the range 1 to 9999, found ${years}`;
      throw new CommandError(isIso ? 31095 : 40523, message);
    }
    const day = isIso ? isoDay(years, months, days) : dayOf(years, months, days);
    return dateValue(withTime(zone, day, ofDay as bigint[]));
  };
};

function checkParts(given: Expressions, isIso: boolean): void {
  const refuse = (code: number, why: string) => {
    throw new CommandError(code, `$dateFromParts ${why}`);
  };
  const hasAny = (...names: string[]) => names.some((name) => given.has(name));
  if (!hasAny('year', 'isoWeekYear')) refuse(40516, "requires either 'year' or 'isoWeekYear' to be present");
  if (!isIso && hasAny('isoWeekYear', 'isoWeek', 'isoDayOfWeek')) {
    refuse(40489, 'does not allow mixing natural dates with ISO dates');
  }
  if (isIso && hasAny('month', 'day')) refuse(40525, 'does not allow mixing ISO dates with natural dates');
}

/** Undefined for null. */
function partOf(name: string, byDefault: bigint, given: Expressions, document: Uint8Array): bigint | undefined {
  const expression = given.get(name);
  if (!expression) return byDefault;
  const value: Operand = expression(document);
  if (isNullish(value)) return undefined;
  const whole = longIn(value);
  if (whole === undefined) {
    throw new CommandError(40515, `'${name}' must evaluate to an integer, found ${typeName(value.type)}`);
  }
  if (LARGE.has(name) || (whole >= -SMALL && whole < SMALL)) return whole;
  const range = `[${-SMALL}, ${SMALL - 1n}]; value ${whole} is not in range`;
  throw new CommandError(31034, `'${name}' must evaluate to a value in the range ${range}`);
}

/** All of them are what the clock of the zone shows. Errors: DurationOverflow 159. */
function withTime(zone: Zone, day: number, [hours = 0n, minutes = 0n, seconds = 0n, millis = 0n]: bigint[]): bigint {
  const sinceMidnight = ((hours * 60n + minutes) * 60n + seconds) * 1000n + millis;
  const date = instantOf(zone, localOf(UTC, BigInt(day * DAY) + sinceMidnight));
  if ([millis * 1000n, date].some((value) => BigInt.asIntN(64, value) !== value)) {
    throw new CommandError(159, 'Overflow casting from a lower-precision duration to a higher-precision duration');
  }
  return date;
}

export const dateStringControls: Readonly<Record<string, Control>> = {
  $dateToString: dateToString,
  $dateFromString: dateFromString,
  $dateFromParts: dateFromParts,
};
