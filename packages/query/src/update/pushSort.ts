/** `$sort` in `$push`: elements as whole values, or documents by their fields. Upstream: pattern_cmp.cpp. */
import { BsonType, type BsonValue } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { compareValues } from '../compare.ts';
import { MISSING, parsePath, valueAtPath } from '../paths.ts';
import { fieldsOf, isNumeric, readInteger } from '../values.ts';
import { badValue } from './operator.ts';

export type ValueOrder = (a: BsonValue, b: BsonValue) => number;

/** Throws CommandError BadValue. Unlike in a query's sort an array is compared as a whole here. */
export function parsePushSort(sort: BsonValue, collator?: Collator): ValueOrder {
  if (isNumeric(sort.type)) {
    const direction = parseDirection('$sort', sort);
    return (a, b) => compareValues(a, b, collator) * direction;
  }
  if (sort.type !== BsonType.object)
    throw badValue('The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields');
  const keys = fieldsOf(sort.bytes, sort.offset).map(([name, value]) => {
    if (name.split('.').includes(''))
      throw badValue(`The $sort field is a dotted field but has an empty part: ${name}`);
    return { path: parsePath(name), direction: parseDirection(name, value) };
  });
  if (keys.length === 0) throw badValue('The $sort pattern is empty when it should be a set of fields.');
  return (a, b) => {
    for (const { path, direction } of keys) {
      const order = compareValues(fieldOf(a, path), fieldOf(b, path), collator);
      if (order !== 0) return order * direction;
    }
    return 0;
  };
}

function parseDirection(name: string, value: BsonValue): 1 | -1 {
  const direction = isNumeric(value.type) ? Number(readInteger(value)) : 0;
  if (direction === 1 || direction === -1) return direction;
  throw badValue(`The $sort element value must be either 1 or -1: ${name}`);
}

function fieldOf(element: BsonValue, path: ReturnType<typeof parsePath>): BsonValue {
  return element.type === BsonType.object ? (valueAtPath(element.bytes, path, element.offset) ?? MISSING) : MISSING;
}
