/** Accumulators over the arguments of an expression, and bits. Upstream: expression.cpp. */
import { BsonType, type BsonValue, CommandError, required } from '@replsim/protocol';
import { intValue, longValue } from '../arithmetic.ts';
import type { Collator } from '../collation/collator.ts';
import { typeName } from '../typeNames.ts';
import { fromJs, isNumeric, readInteger } from '../values.ts';
import { deviationOf, extremeOf, meanOf, sumOf } from './accumulate.ts';
import { elementsInParts, isNullish } from './operands.ts';
import type { Operand, Operator, Operators } from './operator.ts';

const NULL = fromJs(null);

/** Of one argument that is an array, its elements are meant. */
const accumulated = (compute: (values: readonly Operand[], collator: Collator | undefined) => BsonValue): Operator => ({
  *positionalInParts(args, collator) {
    const [only] = args;
    return compute(args.length === 1 && only?.type === BsonType.array ? yield* elementsInParts(only) : args, collator);
  },
});

const bitwise = (name: string, identity: bigint, combine: (a: bigint, b: bigint) => bigint): Operator => ({
  positional: (args) => {
    let bits = identity;
    let isLong = false;
    for (const arg of args) {
      if (arg === undefined || isNullish(arg)) return NULL;
      bits = combine(bits, bitsOf(name, arg));
      isLong ||= arg.type === BsonType.long;
    }
    return isLong ? longValue(bits) : intValue(Number(bits));
  },
});

export const sumOperators: Operators = {
  $sum: accumulated(sumOf),
  $avg: accumulated(meanOf),
  $min: accumulated((values, collator) => extremeOf(values, -1, collator)),
  $max: accumulated((values, collator) => extremeOf(values, 1, collator)),
  $stdDevPop: accumulated((values) => deviationOf(values, 0)),
  $stdDevSamp: accumulated((values) => deviationOf(values, 1)),
  $bitAnd: bitwise('$bitAnd', -1n, (a, b) => a & b),
  $bitOr: bitwise('$bitOr', 0n, (a, b) => a | b),
  $bitXor: bitwise('$bitXor', 0n, (a, b) => a ^ b),
  $bitNot: { positional: ([value]) => bitNot(value) },
};

function bitsOf(name: string, value: BsonValue): bigint {
  if (value.type === BsonType.int || value.type === BsonType.long) return required(readInteger(value), 'integer');
  throw new CommandError('TypeMismatch', `${name} only supports int and long, not: ${typeName(value.type)}.`);
}

function bitNot(value: Operand): BsonValue {
  if (value === undefined || isNullish(value)) return NULL;
  if (!isNumeric(value.type)) {
    throw new CommandError(28765, `$bitNot only supports numeric types, not ${typeName(value.type)}`);
  }
  const bits = ~bitsOf('$bitNot', value);
  return value.type === BsonType.long ? longValue(bits) : intValue(Number(bits));
}
