/** When two partial filters mean the same. Upstream: index_descriptor.cpp, IndexDescriptor::compareIndexOptions. */
import { BsonType, type BsonValue, ElementCursor } from '@replsim/protocol';
import { parseTypes } from '@replsim/query';
import { isTrue } from './bsonScalars.ts';
import { encodeKey } from './keys.ts';

/** A condition on one path as a text, or several conditions of which all or any have to hold. */
type Clause = string | { readonly join: Join; readonly of: readonly Clause[] };
type Join = 'and' | 'or';

/**
 * A text that is equal for filters which say the same in other words: `$and` spelled out or not, `{a: 1}` or
 * `{a: {$eq: 1.0}}`, clauses in another order or twice, `$in` of one value, types by name or by number. It knows what a
 * partial filter may hold; anything else is taken as it stands.
 * @param filter a document
 */
export function filterIdentity(filter: BsonValue): string {
  return textOf(clauseOf(filter));
}

function clauseOf({ bytes, offset }: BsonValue): Clause {
  const clauses: Clause[] = [];
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) {
    const { name, type } = cursor;
    if (name === '$and' && type === BsonType.array) clauses.push(joined('and', branchesOf(cursor)));
    else if (name === '$or' && type === BsonType.array) clauses.push(joined('or', branchesOf(cursor)));
    else for (const condition of conditionsOn(name, cursor.value())) clauses.push(condition);
  }
  return joined('and', clauses);
}

function branchesOf({ bytes, offset }: BsonValue): Clause[] {
  const branches: Clause[] = [];
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) if (cursor.type === BsonType.object) branches.push(clauseOf(cursor.value()));
  return branches;
}

/** Clauses of one kind inside each other are one, equal ones count once, and one alone needs no joining. */
function joined(join: Join, clauses: readonly Clause[]): Clause {
  const flat = clauses.flatMap((clause) => (typeof clause !== 'string' && clause.join === join ? clause.of : [clause]));
  const different = [...new Map(flat.map((clause) => [textOf(clause), clause])).values()];
  const [first, ...more] = different;
  return first !== undefined && more.length === 0 ? first : { join, of: different };
}

function textOf(clause: Clause): string {
  return typeof clause === 'string' ? clause : JSON.stringify([clause.join, clause.of.map(textOf).sort()]);
}

/** The operators on one path, or the value that it has to equal. */
function conditionsOn(path: string, value: BsonValue): string[] {
  if (value.type !== BsonType.object) return [condition(path, '$eq', encodeKey(value))];
  const operators: string[] = [];
  const cursor = new ElementCursor(value.bytes, value.offset);
  while (cursor.next()) {
    // An embedded document to be equal to, and no operators.
    if (!cursor.name.startsWith('$')) break;
    operators.push(conditionOf(path, cursor.name, cursor.value()));
  }
  return operators.length > 0 ? operators : [condition(path, '$eq', encodeKey(value))];
}

function conditionOf(path: string, operator: string, operand: BsonValue): string {
  if (operator === '$exists') return condition(path, operator, isTrue(operand));
  if (operator === '$type') return condition(path, operator, [...parseTypes(operand)].sort());
  if (operator !== '$in' || operand.type !== BsonType.array) return condition(path, operator, encodeKey(operand));
  const keys = new Set<string>();
  const cursor = new ElementCursor(operand.bytes, operand.offset);
  while (cursor.next()) keys.add(encodeKey(cursor));
  const [first] = keys;
  return keys.size === 1 ? condition(path, '$eq', first) : condition(path, operator, [...keys].sort());
}

function condition(path: string, operator: string, operand: unknown): string {
  return JSON.stringify([path, operator, operand]);
}
