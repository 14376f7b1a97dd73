/** `$sort` in `$push` and `sortBy` in `$sortArray`: elements as whole values, or documents by their fields. Upstream: pattern_cmp.cpp. */
import { BsonType, type BsonValue, type CommandError } from '@replsim/protocol';
import type { Collator } from './collation/collator.ts';
import { compareValues } from './compare.ts';
import { MISSING, parsePath, valueAtPath } from './paths.ts';
import { fieldsOf, isNumeric, readInteger } from './values.ts';

export type ValueOrder = (a: BsonValue, b: BsonValue) => number;

/** Unlike in a query's sort an array is compared as a whole here. @param refusal the error for what is malformed */
export function elementOrder(
  sort: BsonValue,
  refusal: (reason: string) => CommandError,
  collator?: Collator,
): ValueOrder {
  if (isNumeric(sort.type)) {
    const direction = parseDirection('$sort', sort, refusal);
    return (a, b) => compareValues(a, b, collator) * direction;
  }
  if (sort.type !== BsonType.object)
    throw refusal('The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields');
  const keys = fieldsOf(sort.bytes, sort.offset).map(([name, value]) => {
    if (name.split('.').includes('')) throw refusal(`The $sort field is a dotted field but has an empty part: ${name}`);
    return { path: parsePath(name), direction: parseDirection(name, value, refusal) };
  });
  if (keys.length === 0) throw refusal('The $sort pattern is empty when it should be a set of fields.');
  return (a, b) => {
    for (const { path, direction } of keys) {
      const order = compareValues(fieldOf(a, path), fieldOf(b, path), collator);
      if (order !== 0) return order * direction;
    }
    return 0;
  };
}

function parseDirection(name: string, value: BsonValue, refusal: (reason: string) => CommandError): 1 | -1 {
  const direction = isNumeric(value.type) ? Number(readInteger(value)) : 0;
  if (direction === 1 || direction === -1) return direction;
  throw refusal(`The $sort element value must be either 1 or -1: ${name}`);
}

function fieldOf(element: BsonValue, path: ReturnType<typeof parsePath>): BsonValue {
  return element.type === BsonType.object ? (valueAtPath(element.bytes, path, element.offset) ?? MISSING) : MISSING;
}
