/** Operators that choose which of their arguments they compute, and those that bind variables. Upstream: expression.cpp. */
import { BsonType, type BsonValue, CommandError, readString, required } from '@replsim/protocol';
import { formatValue } from '../format.ts';
import { loop } from '../turns/evaluation.ts';
import { interruptible, type Meter } from '../turns/meter.ts';
import { atOnce, finished, more, type Parts } from '../turns/parts.ts';
import { firstOf, lookThrough, readEach, type Written, writtenIn } from '../turns/written.ts';
import { typeName } from '../typeNames.ts';
import { elementsOf, fieldsOf, fromJs, isNumeric, isTruthy, readInteger } from '../values.ts';
import { convert } from './conversion.ts';
import { dateControls } from './dates.ts';
import { Elements } from './elements.ts';
import { growthOf } from './growing.ts';
import { getField } from './objects.ts';
import { ArrayBuilder, isNullish, NULL } from './operands.ts';
import type { Cell, CompileInner, Control, Expression, Operand } from './operator.ts';
import { quantileControls } from './quantiles.ts';
import { regexControls } from './regexes.ts';
import { sigmoid } from './sigmoid.ts';

/** The one argument, or each of a list. */
function itemsOf(operand: BsonValue, compile: CompileInner, meter: Meter | undefined): Written<Expression> {
  const item = (each: BsonValue) => compile(each);
  const isList = operand.type === BsonType.array;
  return writtenIn(operand, isList ? readEach(operand, interruptible(meter), item) : [item(operand)]);
}

/** The same cell if a call is compiled again in turns: expressions that are kept from the first attempt hold it already. */
function newCell(meter: Meter | undefined): Cell {
  const make = (): Cell => ({ value: undefined });
  return meter?.evaluation?.once(make) ?? make();
}

function named(operand: BsonValue): ReadonlyMap<string, BsonValue> {
  return new Map(fieldsOf(operand.bytes, operand.offset));
}

const and: Control = (operand, compile, meter) => {
  const all = itemsOf(operand, compile, meter);
  return (document) => fromJs(firstOf(all, meter, (each) => !isTruthy(each(document))) === undefined);
};

const or: Control = (operand, compile, meter) => {
  const all = itemsOf(operand, compile, meter);
  return (document) => fromJs(firstOf(all, meter, (each) => isTruthy(each(document))) !== undefined);
};

const ifNull: Control = (operand, compile, meter) => {
  const all = itemsOf(operand, compile, meter);
  return (document) =>
    lookThrough(all, meter, () => {
      let last: BsonValue | undefined;
      return {
        each(item) {
          last = item(document);
          return !isNullish(last);
        },
        end: () => last,
      };
    });
};

const cond: Control = (operand, compile) => {
  const fields = named(operand);
  const parts =
    operand.type === BsonType.array
      ? elementsOf(operand)
      : ['if', 'then', 'else'].map((name) => required(fields.get(name), name));
  const [condition, yes, no] = parts.map((part) => compile(part)) as [Expression, Expression, Expression];
  return (document) => (isTruthy(condition(document)) ? yes(document) : no(document));
};

/** Errors: Location40066 where no branch fits and there is no default; Location40069 for a constant of which that is certain. */
const choose: Control = (operand, compile, meter) => {
  const fields = named(operand);
  const list = required(fields.get('branches'), 'branches');
  const given = readEach(list, interruptible(meter), (branch) => {
    const parts = named(branch);
    return [compile(required(parts.get('case'), 'case')), compile(required(parts.get('then'), 'then'))] as const;
  });
  const branches = writtenIn(operand, given);
  const byDefault = fields.get('default');
  const otherwise = byDefault && compile(byDefault);
  if (!otherwise && elementsOf(list).every(neverApplies)) {
    throw new CommandError(
      40069,
      'One cannot execute a switch statement where all the cases evaluate to false without a default.',
    );
  }
  return (document) => {
    const branch = firstOf(branches, meter, ([condition]) => isTruthy(condition(document)));
    if (branch) return branch[1](document);
    if (otherwise) return otherwise(document);
    throw new CommandError(
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    );
  };
};

/** Of a branch's `case`: null, false and zero, written out. */
function neverApplies(branch: BsonValue): boolean {
  const condition = required(named(branch).get('case'), 'case');
  const isLiteral = condition.type === BsonType.bool || condition.type === BsonType.null || isNumeric(condition.type);
  return isLiteral && !isTruthy(condition);
}

const bind: Control = (operand, compile, meter) => {
  const fields = named(operand);
  const vars = fieldsOf(...within(required(fields.get('vars'), 'vars')));
  const values = vars.map(([name, value]) => ({ name, value: compile(value), cell: newCell(meter) }));
  const cells = Object.fromEntries(values.map(({ name, cell }) => [name, cell]));
  const inner = compile(required(fields.get('in'), 'in'), cells);
  return (document) => {
    // All are computed before one of them is bound.
    const computed = values.map(({ value }) => value(document));
    values.forEach(({ cell }, i) => {
      cell.value = computed[i];
    });
    return inner(document);
  };
};

const map: Control = (operand, compile, meter) => {
  const fields = named(operand);
  const input = compile(required(fields.get('input'), 'input'));
  const cell = newCell(meter);
  const inner = compile(required(fields.get('in'), 'in'), { [nameIn(fields)]: cell });
  const rounds = (document: Uint8Array): Parts<BsonValue> => {
    const elements = arrayOf(input(document), 16883, 'input to $map must be an array not ');
    if (!elements) return atOnce(NULL);
    const made = new ArrayBuilder();
    return {
      next() {
        const element = elements.current();
        if (!element) return finished(made.finish());
        cell.value = element;
        made.push(inner(document) ?? NULL);
        elements.pass();
        return more();
      },
    };
  };
  return (document) => loop(meter, () => rounds(document));
};

/** Errors: Location28651 for no array, 327391 and 327392 for a limit that is no int above 0. */
const filter: Control = (operand, compile, meter) => {
  const fields = named(operand);
  const input = compile(required(fields.get('input'), 'input'));
  const given = fields.get('limit');
  const limit = given && compile(given);
  const cell = newCell(meter);
  const condition = compile(required(fields.get('cond'), 'cond'), { [nameIn(fields)]: cell });
  const rounds = (document: Uint8Array): Parts<BsonValue> => {
    const elements = arrayOf(input(document), 28651, 'input to $filter must be an array not ');
    if (!elements) return atOnce(NULL);
    const most = limitOf(limit?.(document));
    const kept = new ArrayBuilder();
    return {
      next() {
        const element = kept.length >= most ? undefined : elements.current();
        if (!element) return finished(kept.finish());
        cell.value = element;
        if (isTruthy(condition(document))) kept.push(element);
        elements.pass();
        return more();
      },
    };
  };
  return (document) => loop(meter, () => rounds(document));
};

function limitOf(limit: BsonValue | undefined): number {
  if (limit === undefined || isNullish(limit)) return Number.POSITIVE_INFINITY;
  const whole = readInteger(limit);
  if (whole === undefined || BigInt.asIntN(32, whole) !== whole)
    throw new CommandError(327391, '$filter: limit must be represented as a 32-bit integral value');
  if (whole <= 0n) throw new CommandError(327392, '$filter: limit must be greater than 0');
  return Number(whole);
}

const reduce: Control = (operand, compile, meter) => {
  const fields = named(operand);
  const input = compile(required(fields.get('input'), 'input'));
  const initial = compile(required(fields.get('initialValue'), 'initialValue'));
  const [element, sum] = [newCell(meter), newCell(meter)];
  const cells = { this: element, value: sum };
  const step = required(fields.get('in'), 'in');
  const inner = compile(step, cells);
  const growth = growthOf(step);
  const added = growth?.added.map((item) => compile(item, cells)) ?? [];
  const rounds = (document: Uint8Array): Parts<Operand> => {
    const words = "$reduce requires that 'input' be an array, found: ";
    const elements = arrayOf(input(document), 40080, words, true);
    if (!elements) return atOnce(NULL);
    let value = initial(document);
    let growing = growth?.begin(value);
    return {
      next() {
        const each = elements.current();
        if (!each) return finished(growing ? growing.value() : value);
        if (growing) {
          element.value = each;
          const computed = added.map((item) => item(document));
          if (growing.add(computed)) {
            elements.pass();
            return more(1 + (sizeOf(computed) >>> 6));
          }
          // The operator says what comes of it, and goes on.
          value = growing.value();
          growing = undefined;
          return more();
        }
        // What is inside may be a $reduce of the same names, with cells of its own.
        element.value = each;
        sum.value = value;
        value = inner(document);
        elements.pass();
        return more();
      },
    };
  };
  return (document) => loop(meter, () => rounds(document));
};

function sizeOf(values: readonly Operand[]): number {
  return values.reduce((sum, value) => sum + (value?.size ?? 0), 0);
}

function nameIn(fields: ReadonlyMap<string, BsonValue>): string {
  const as = fields.get('as');
  return as === undefined ? 'this' : readString(as);
}

function within({ bytes, offset }: BsonValue): [bytes: Uint8Array, start: number] {
  return [bytes, offset];
}

/** Undefined for null and what is missing. @param showsValue the words end with the value, and not with its type */
function arrayOf(value: BsonValue | undefined, code: number, words: string, showsValue = false): Elements | undefined {
  if (value === undefined || isNullish(value)) return undefined;
  if (value.type !== BsonType.array)
    throw new CommandError(code, words + (showsValue ? formatValue(value) : typeName(value.type)));
  return new Elements(value);
}

export const controls: Readonly<Record<string, Control>> = {
  $and: and,
  $or: or,
  $ifNull: ifNull,
  $cond: cond,
  $switch: choose,
  $let: bind,
  $map: map,
  $filter: filter,
  $reduce: reduce,
  $getField: getField,
  $convert: convert,
  $sigmoid: sigmoid,
  ...dateControls,
  ...quantileControls,
  ...regexControls,
};
