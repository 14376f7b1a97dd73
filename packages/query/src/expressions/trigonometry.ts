/** Functions of angles. Upstream: expression_trigonometric.h. */
import { BsonType, type BsonValue, CommandError } from '@replsim/protocol';
import { decimalValue, doubleValue } from '../arithmetic.ts';
import { exactOfDouble } from '../decimal.ts';
import { roundTo } from '../decimalMath.ts';
import { typeName } from '../typeNames.ts';
import { fromJs, isNumeric } from '../values.ts';
import { isNullish, toDouble } from './operands.ts';
import type { Operator, Operators } from './operator.ts';

const NULL = fromJs(null);
const DEGREE = Math.PI / 180;

interface Bounds {
  readonly from: number;
  readonly to: number;
  /** Whether the bounds themselves are allowed. */
  readonly closed: boolean;
}

const FINITE: Bounds = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, closed: false };
const UNIT: Bounds = { from: -1, to: 1, closed: true };
const FROM_ONE: Bounds = { from: 1, to: Number.POSITIVE_INFINITY, closed: true };

/** Errors: Location28765 for what is no number, 50989 for one out of bounds. NaN is within all. */
function angular(name: string, compute: (value: number) => number, bounds?: Bounds): [name: string, Operator] {
  return [
    name,
    {
      positional: ([value]) => {
        if (value === undefined || isNullish(value)) return NULL;
        if (!isNumeric(value.type)) {
          throw new CommandError(28765, `${name} only supports numeric types, not ${typeName(value.type)}`);
        }
        const number = toDouble(value);
        if (bounds) checkBounds(name, number, bounds);
        return resultOf(compute(number), value.type === BsonType.decimal);
      },
    },
  ];
}

function checkBounds(name: string, value: number, { from, to, closed }: Bounds): void {
  const isOut = closed ? value < from || value > to : value <= from || value >= to;
  if (!isOut) return;
  const shown = [from, to].map((bound) => (Number.isFinite(bound) ? `${bound}` : bound > 0 ? 'inf' : '-inf')).join(',');
  const range = closed ? `[${shown}]` : `(${shown})`;
  const given = Number.isFinite(value) ? `${value}` : value > 0 ? 'inf' : '-inf';
  throw new CommandError(50989, `cannot apply ${name} to ${given}, value must be in ${range}`);
}

/** Simplified: of a decimal it is what a double knows, to 15 places. */
function resultOf(value: number, isDecimal: boolean): BsonValue {
  if (!isDecimal) return doubleValue(value);
  return decimalValue(Number.isFinite(value) ? roundTo(exactOfDouble(value), 15, 'halfEven') : exactOfDouble(value));
}

/** Errors: Location51044 where one is no number. */
const atan2: Operator = {
  positional: ([y, x]) => {
    if (y === undefined || x === undefined || isNullish(y) || isNullish(x)) return NULL;
    if (!isNumeric(y.type) || !isNumeric(x.type)) {
      const errmsg = `$atan2 only supports numeric types, not ${typeName(y.type)} and ${typeName(x.type)}`;
      throw new CommandError(51044, errmsg);
    }
    const isDecimal = y.type === BsonType.decimal || x.type === BsonType.decimal;
    return resultOf(Math.atan2(toDouble(y), toDouble(x)), isDecimal);
  },
};

export const trigonometryOperators: Operators = Object.fromEntries<Operator>([
  angular('$sin', Math.sin, FINITE),
  angular('$cos', Math.cos, FINITE),
  angular('$tan', Math.tan, FINITE),
  angular('$asin', Math.asin, UNIT),
  angular('$acos', Math.acos, UNIT),
  angular('$atan', Math.atan),
  angular('$sinh', Math.sinh),
  angular('$cosh', Math.cosh),
  angular('$tanh', Math.tanh),
  angular('$asinh', Math.asinh),
  angular('$acosh', Math.acosh, FROM_ONE),
  angular('$atanh', Math.atanh, UNIT),
  angular('$degreesToRadians', (value) => value * DEGREE),
  angular('$radiansToDegrees', (value) => value * (180 / Math.PI)),
  ['$atan2', atan2],
]);
