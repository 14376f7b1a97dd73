/** `$median` and `$percentile`, as expressions and as accumulators. Upstream: accumulator_percentile.cpp. */
import { BsonType, type BsonValue, CommandError, readString, required } from '@replsim/protocol';
import { doubleValue } from '../arithmetic.ts';
import { typeName } from '../typeNames.ts';
import { elementsOf, fieldsOf, isNumeric } from '../values.ts';
import { arrayValue, NULL, toDouble } from './operands.ts';
import type { Control, Expression } from './operator.ts';
import { digestQuantiles, discreteQuantiles, MovingNumbers } from './percentiles.ts';
import { looksAtDocument } from './variableNames.ts';

/** A call of one of the two, read. */
export interface Quantiles {
  readonly input: Expression;
  /** What the numbers of a group come to: doubles, by a digest. */
  readonly ofGroup: (values: readonly (BsonValue | undefined)[]) => BsonValue;
  /** The same of numbers that come and go, as in a window that moves. */
  readonly moving: () => {
    add(value: BsonValue | undefined): void;
    remove(value: BsonValue | undefined): void;
    readonly result: BsonValue;
  };
  /** The same of an array, whose numbers are all looked at. */
  readonly ofArray: (values: readonly BsonValue[]) => BsonValue;
}

/**
 * Reads `{ input, method, p? }`, of which the names have been looked at. Errors: TypeMismatch 14 and BadValue 2 for the method,
 * Location7750300 for a `p` that is not constant, 7750301 for no array or an empty one, 7750302 and 7750303 for what is in it.
 */
export function readQuantiles(name: string, operand: BsonValue, compile: (value: BsonValue) => Expression): Quantiles {
  const fields = new Map(fieldsOf(operand.bytes, operand.offset));
  checkMethod(name, required(fields.get('method'), 'method'));
  const input = compile(required(fields.get('input'), 'input'));
  const p = fields.get('p');
  const isMany = name === '$percentile';
  const ps = isMany ? percentilesIn(required(p, 'p'), compile) : [0.5];
  const asValue = (found: readonly number[] | undefined): BsonValue => {
    const values = ps.map((_, i) => (found ? doubleValue(found[i]!) : NULL));
    return isMany ? arrayValue(values) : values[0]!;
  };
  return {
    input,
    ofGroup: (values) => asValue(digestQuantiles(values, ps)),
    moving: () => {
      const numbers = new MovingNumbers();
      return {
        add: (value: BsonValue | undefined) => numbers.add(value),
        remove: (value: BsonValue | undefined) => numbers.remove(value),
        get result() {
          return asValue(numbers.quantiles(ps));
        },
      };
    },
    ofArray: (values) => asValue(discreteQuantiles(values, ps)),
  };
}

function checkMethod(name: string, method: BsonValue): void {
  if (method.type !== BsonType.string) {
    const type = typeName(method.type);
    throw new CommandError('TypeMismatch', `BSON field '${name}.method' is the wrong type '${type}', expected type 'string'`); // biome-ignore format: one line
  }
  if (readString(method) === 'approximate') return;
  throw new CommandError('BadValue', "Currently only 'approximate' can be used as percentile 'method'.");
}

const NO_DOCUMENT = new Uint8Array([5, 0, 0, 0, 0]);

function percentilesIn(p: BsonValue, compile: (value: BsonValue) => Expression): number[] {
  const constant = compile(p);
  if (looksAtDocument(p)) {
    throw new CommandError(7750300, "The $percentile 'p' field must be an array of constant values");
  }
  const wrong = (code: number) =>
    new CommandError(code, "The $percentile 'p' field must be an array of numbers from [0.0, 1.0]");
  const list = constant(NO_DOCUMENT);
  const items = list?.type === BsonType.array ? elementsOf(list) : [];
  if (items.length === 0) throw wrong(7750301);
  return items.map((item) => {
    if (!isNumeric(item.type)) throw wrong(7750302);
    const share = toDouble(item);
    if (share < 0 || share > 1) throw wrong(7750303);
    return share;
  });
}

const quantiles =
  (name: string): Control =>
  (operand, compile) => {
    const { input, ofArray } = readQuantiles(name, operand, (value) => compile(value));
    return (document) => {
      const value = input(document);
      if (value?.type === BsonType.array) return ofArray(elementsOf(value));
      // Of one number, every percentile is that number.
      return ofArray(value ? [value] : []);
    };
  };

export const quantileControls: Readonly<Record<string, Control>> = {
  $median: quantiles('$median'),
  $percentile: quantiles('$percentile'),
};
