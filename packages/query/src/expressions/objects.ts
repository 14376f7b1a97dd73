/** Documents and their fields. Upstream: evaluate_bson.cpp, evaluate_array.cpp, accumulator_merge_objects.cpp. */
import { BsonType, type BsonValue, BsonWriter, CommandError, readString, required } from '@replsim/protocol';
import { formatValue } from '../format.ts';
import type { Slices } from '../turns/parts.ts';
import { documentValue, elementsOf, fieldsOf, firstName, fromJs } from '../values.ts';
import { ArrayBuilder, isNullish, listOf, NULL, refused, textOf } from './operands.ts';
import type { Control, Operand, Operator, Operators } from './operator.ts';

const setField = (name: string): Operator => ({
  check: (fields) => checkName(name, required(fields.get('field'), 'field')),
  named: ({ field, input, value }) => {
    if (isNullish(input)) return NULL;
    const wanted = readString(required(field, 'field'));
    let place = value;
    const set = fieldsIn(input, 4161105, `the input of ${name}`).flatMap(([each, given]): [string, BsonValue][] => {
      if (each !== wanted) return [[each, given]];
      const here = place;
      place = undefined;
      return here ? [[each, here]] : [];
    });
    return objectValue(place ? [...set, [wanted, place]] : set);
  },
});

export const objectOperators: Operators = {
  $mergeObjects: {
    positional: (args) => {
      const [only] = args;
      return mergedDocuments(args.length === 1 && only?.type === BsonType.array ? elementsOf(only) : args);
    },
  },
  $objectToArray: {
    *positionalInParts([value]) {
      if (isNullish(value)) return NULL;
      const pairs = new ArrayBuilder();
      for (const [k, v] of fieldsIn(value, 40390, '$objectToArray requires a document input, found: ')) {
        pairs.push(
          objectValue([
            ['k', fromJs(k)],
            ['v', v],
          ]),
        );
        yield 1;
      }
      return pairs.finish();
    },
  },
  $arrayToObject: {
    *positionalInParts([value]) {
      return isNullish(value) ? NULL : yield* arrayToObject(value);
    },
  },
  $setField: setField('$setField'),
  $unsetField: setField('$unsetField'),
};

/**
 * One document of the fields of several: a field keeps the place where it was first met and has its last value. Missing and
 * null ones count nothing. Errors: Location40400 for what is no document.
 */
export function mergedDocuments(documents: readonly Operand[]): BsonValue {
  const given = documents.filter((value) => !isNullish(value));
  const words = (value: BsonValue) =>
    `$mergeObjects requires object inputs, but input ${formatValue(value)} is of type `;
  return objectValue(new Map(given.flatMap((value) => fieldsIn(value, 40400, words(value)))));
}

/** A field of a document by its very name, dots, dollars and all. Errors: Location3041701 to 3041704. */
export const getField: Control = (operand, compile) => {
  const isNamed = operand.type === BsonType.object && !firstName(operand)?.startsWith('$');
  const fields = new Map(isNamed ? fieldsOf(operand.bytes, operand.offset) : [['field', operand]]);
  for (const name of fields.keys()) {
    if (name !== 'field' && name !== 'input')
      throw new CommandError(3041701, `Unrecognized argument of $getField: ${name}`);
  }
  const [field, input] = [fields.get('field'), isNamed ? fields.get('input') : fromJs('$$CURRENT')];
  if (!field) throw new CommandError(3041702, "Missing 'field' argument of $getField");
  if (!input) throw new CommandError(3041703, "Missing 'input' argument of $getField");
  const [nameOf, from] = [compile(field), compile(input)];
  return (document) => {
    const name = textOf(nameOf(document), 3041704, "$getField requires 'field' to evaluate to type String, but got ");
    const value = from(document);
    if (value?.type !== BsonType.object) return value && isNullish(value) ? NULL : undefined;
    return fieldsOf(value.bytes, value.offset).find(([each]) => each === name)?.[1];
  };
};

function fieldsIn(value: Operand, code: number, words: string): [name: string, value: BsonValue][] {
  if (value?.type === BsonType.object) return fieldsOf(value.bytes, value.offset);
  throw refused(code, words, value);
}

function objectValue(fields: Iterable<readonly [name: string, value: BsonValue]>): BsonValue {
  const writer = new BsonWriter();
  for (const [name, value] of fields) writer.rawValue(name, value);
  return documentValue(writer.finish());
}

/** A name is a constant. Errors: Location4161106 to 4161108, 9534700. */
function checkName(name: string, field: BsonValue): void {
  const isCall = field.type === BsonType.object && ['$literal', '$const'].includes(firstName(field) ?? '');
  const constant = isCall ? fieldsOf(field.bytes, field.offset)[0]?.[1] : field;
  const what = `the field of ${name}`;
  if (!isCall && field.type === BsonType.string && readString(field).startsWith('$')) {
    const path = readString(field);
    throw new CommandError(4161108, `${what} cannot be the path '${path}'. Did you mean {$literal: '${path}'}?`);
  }
  if (!isCall && (field.type === BsonType.object || field.type === BsonType.array)) {
    throw new CommandError(4161106, `${what} must be a constant`);
  }
  if (textOf(constant, 4161107, `${what} must be a string, but is of type `).includes('\0'))
    throw new CommandError(9534700, `${what} cannot contain a null byte`);
}

/** The first element says how all of them are written: as `[name, value]` or as `{ k: name, v: value }`. */
function* arrayToObject(value: BsonValue): Slices<BsonValue> {
  const list = yield* listOf(value, 40386, '$arrayToObject requires an array input, found: ');
  const first = list[0]?.type;
  if (first !== undefined && first !== BsonType.array && first !== BsonType.object) {
    throw refused(40398, 'Unrecognised input type format for $arrayToObject: ', list[0]);
  }
  const pairOf = first === BsonType.array ? pairOfArray : pairOfObject;
  // A name that comes again keeps its place.
  const fields = new Map<string, BsonValue>();
  for (const element of list) {
    fields.set(...pairOf(element));
    yield 1;
  }
  return objectValue(fields);
}

/** The first element decided how all are written. */
const ALIKE = '$arrayToObject requires a consistent input format. Expected all input elements to be';

function pairOfArray(element: BsonValue): [name: string, value: BsonValue] {
  if (element.type !== BsonType.array) throw refused(40396, `${ALIKE} arrays. Found element of type: `, element);
  const [name, value, ...more] = elementsOf(element);
  if (!value || more.length > 0) throw new CommandError(40397, '$arrayToObject requires arrays of two elements');
  return [keyOf(name, 40395, 4940400), value];
}

function pairOfObject(element: BsonValue): [name: string, value: BsonValue] {
  const fields = fieldsIn(element, 40391, `${ALIKE} objects. Found element of type: `);
  if (fields.length !== 2)
    throw new CommandError(40392, "$arrayToObject requires objects of the two fields 'k' and 'v'");
  const [k, v] = ['k', 'v'].map((name) => fields.find(([each]) => each === name)?.[1]);
  if (!k || !v) throw new CommandError(40393, "$arrayToObject requires objects with the fields 'k' and 'v'");
  return [keyOf(k, 40394, 4940401), v];
}

function keyOf(value: Operand, noText: number, holdsNul: number): string {
  const key = textOf(value, noText, '$arrayToObject requires keys to be strings, found one of type: ');
  if (key.includes('\0')) throw new CommandError(holdsNul, 'a key of $arrayToObject cannot contain a null byte');
  return key;
}
