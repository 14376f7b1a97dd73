/** Comparisons, sums and the like. Upstream: expression.cpp. */
import { BsonType, type BsonValue, CommandError, ElementCursor, readString } from '@replsim/protocol';
import { combineNumbers, doubleValue, intValue, longValue } from '../arithmetic.ts';
import { ELEMENTS_AT_ONCE, ELEMENTS_STEPS, type Slices } from '../turns/parts.ts';
import { typeName } from '../typeNames.ts';
import { buildValue, fromJs, isNumeric, isTruthy, readInteger } from '../values.ts';
import { areThere, compareOperands, isNullish, millis, refused, toDouble } from './operands.ts';
import type { Operand, Operator, Operators } from './operator.ts';

const comparison = (holds: (order: number) => boolean): Operator => ({
  positional: ([a, b], collator) => fromJs(holds(compareOperands(a, b, collator))),
});

export const basicOperators: Operators = {
  $eq: comparison((order) => order === 0),
  $ne: comparison((order) => order !== 0),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $cmp: { positional: ([a, b], collator) => fromJs(Math.sign(compareOperands(a, b, collator))) },
  $not: { positional: ([a]) => fromJs(!isTruthy(a)) },
  $add: { positional: add },
  $subtract: { positional: ([a, b]) => subtract(a, b) },
  $multiply: { positional: multiply },
  $concat: { positional: concat },
  $size: { positionalInParts: ([a]) => sizeOf(a) },
};

function add(args: readonly Operand[]): Operand {
  if (!areThere(args)) return fromJs(null);
  const date = args.find(({ type }) => type === BsonType.date);
  const numbers = args.filter((arg) => arg !== date);
  for (const { type } of numbers) {
    if (type === BsonType.date) throw new CommandError(16612, 'only one date allowed in an $add expression');
    if (!isNumeric(type))
      throw new CommandError('TypeMismatch', `$add only supports numeric or date types, not ${typeName(type)}`);
  }
  const sum = numbers.reduce(sumOf, intValue(0));
  return date === undefined ? sum : shiftDate(date, sum, 1n);
}

function subtract(a: Operand, b: Operand): Operand {
  if (a === undefined || b === undefined || isNullish(a) || isNullish(b)) return fromJs(null);
  if (a.type === BsonType.date && b.type === BsonType.date) return longValue(millis(a) - millis(b));
  if (a.type === BsonType.date && isNumeric(b.type)) return shiftDate(a, b, -1n);
  if (isNumeric(a.type) && isNumeric(b.type)) {
    const negated = combineNumbers('multiply', b, intValue(-1));
    return negated === undefined ? doubleValue(toDouble(a) - toDouble(b)) : sumOf(a, negated);
  }
  throw new CommandError('TypeMismatch', `can't $subtract ${typeName(b.type)} from ${typeName(a.type)}`);
}

// In an aggregation a long that overflows goes on as a double; in an update it is an error.
function sumOf(a: BsonValue, b: BsonValue): BsonValue {
  return combineNumbers('add', a, b) ?? doubleValue(toDouble(a) + toDouble(b));
}

function multiply(args: readonly Operand[]): Operand {
  if (!areThere(args)) return fromJs(null);
  return args.reduce((product, arg) => {
    if (!isNumeric(arg.type)) {
      throw new CommandError('TypeMismatch', `$multiply only supports numeric types, not ${typeName(arg.type)}`);
    }
    return combineNumbers('multiply', product, arg) ?? doubleValue(toDouble(product) * toDouble(arg));
  }, intValue(1));
}

function concat(args: readonly Operand[]): Operand {
  if (!areThere(args)) return fromJs(null);
  for (const { type } of args) {
    if (type !== BsonType.string) throw new CommandError(16702, `$concat only supports strings, not ${typeName(type)}`);
  }
  return fromJs(args.map(readString).join(''));
}

function* sizeOf(value: Operand): Slices<BsonValue> {
  if (value?.type !== BsonType.array) {
    throw refused(17124, 'The argument to $size must be an array, but was of type: ', value);
  }
  let size = 0;
  for (const cursor = new ElementCursor(value.bytes, value.offset); cursor.next(); ) {
    if (++size % ELEMENTS_AT_ONCE === 0) yield ELEMENTS_STEPS;
  }
  return intValue(size);
}

function shiftDate(date: BsonValue, by: BsonValue, sign: bigint): BsonValue {
  const shift = readInteger(by) ?? BigInt(Math.round(toDouble(by)));
  return buildValue((writer, name) => writer.date(name, millis(date) + sign * shift));
}
