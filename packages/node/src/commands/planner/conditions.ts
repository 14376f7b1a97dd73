import { BsonType, type BsonValue, ElementCursor, readDouble, readUtf8 } from '@replsim/protocol';

/** What a filter demands of one path, as far as an index can help: points, or one range within a type. */
export interface Condition {
  /** The path equals one of these. */
  points?: readonly BsonValue[];
  lower?: Limit;
  upper?: Limit;
}

export interface Limit {
  readonly value: BsonValue;
  readonly inclusive: boolean;
}

/**
 * Types whose values lie together in an index and are matched by nothing else there. Null is not among them (it stands
 * for missing too), nor arrays (an index holds their elements), nor MinKey and MaxKey (which ranges of every type meet).
 */
const rangeTypes: ReadonlySet<number> = new Set([
  BsonType.int,
  BsonType.long,
  BsonType.double,
  BsonType.decimal,
  BsonType.string,
  BsonType.objectId,
  BsonType.bool,
  BsonType.date,
  BsonType.timestamp,
  BsonType.binData,
]);

/**
 * The conditions that every match of a filter fulfils, by path; what cannot be used is left out, so the documents that an
 * index finds by them still have to be matched. `$and` is looked into.
 */
export function conditionsOf(filter: Uint8Array): ReadonlyMap<string, Condition> {
  const conditions = new Map<string, Condition>();
  collect(filter, 0, conditions);
  return conditions;
}

function collect(bytes: Uint8Array, start: number, into: Map<string, Condition>): void {
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    const { name } = cursor;
    if (name === '$and' && cursor.type === BsonType.array) {
      const clauses = new ElementCursor(bytes, cursor.offset);
      while (clauses.next()) if (clauses.type === BsonType.object) collect(bytes, clauses.offset, into);
    } else if (!name.startsWith('$')) {
      const condition = conditionIn(cursor.value());
      // The first usable condition on a path is kept; a second one could only narrow it.
      if (condition && !into.has(name)) into.set(name, condition);
    }
  }
}

function conditionIn(value: BsonValue): Condition | undefined {
  if (value.type !== BsonType.object) return isUsable(value) ? { points: [value] } : undefined;
  const condition: Condition = {};
  const operators = new ElementCursor(value.bytes, value.offset);
  while (operators.next()) {
    // An embedded document to be equal to, and no operators.
    if (!operators.name.startsWith('$')) return { points: [value] };
    addOperator(condition, operators.name, operators.value());
  }
  return condition.points || condition.lower || condition.upper ? condition : undefined;
}

function addOperator(condition: Condition, operator: string, operand: BsonValue): void {
  switch (operator) {
    case '$eq':
      if (isUsable(operand)) condition.points = [operand];
      break;
    case '$in': {
      const points = pointsIn(operand);
      if (points && !condition.points) condition.points = points;
      break;
    }
    case '$gt':
    case '$gte':
      if (isUsable(operand)) condition.lower = { value: operand, inclusive: operator === '$gte' };
      break;
    case '$lt':
    case '$lte':
      if (isUsable(operand)) condition.upper = { value: operand, inclusive: operator === '$lte' };
      break;
  }
}

function pointsIn(operand: BsonValue): BsonValue[] | undefined {
  if (operand.type !== BsonType.array) return undefined;
  const points: BsonValue[] = [];
  const cursor = new ElementCursor(operand.bytes, operand.offset);
  while (cursor.next()) {
    if (!isUsable(cursor)) return undefined;
    points.push(cursor.value());
  }
  return points;
}

function isUsable(value: BsonValue): boolean {
  if (!rangeTypes.has(value.type)) return false;
  if (value.type === BsonType.double) return !Number.isNaN(readDouble(value.bytes, value.offset));
  // A decimal NaN; see IEEE 754-2008, 3.5.2.
  return value.type !== BsonType.decimal || (value.bytes[value.offset + 15]! & 0x7c) !== 0x7c;
}

/** The name of the first operator or field, `$natural` for one. */
export function firstNameOf(document: Uint8Array): string | undefined {
  const cursor = new ElementCursor(document);
  return cursor.next() ? readUtf8(document, cursor.nameStart, cursor.nameEnd) : undefined;
}
