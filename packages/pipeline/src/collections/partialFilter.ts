import { BsonType, CommandError, ElementCursor } from '@replsim/protocol';
import { truthOf } from '../fields/values.ts';

const operators: ReadonlySet<string> = new Set(['$eq', '$in', '$gt', '$gte', '$lt', '$lte', '$type']);

/**
 * Throws CannotCreateIndex 67 for a filter that a partial index cannot have: only comparisons, `$exists: true`, `$type`,
 * `$and` and `$or` are allowed. Upstream: index_catalog_impl.cpp, checkValidFilterExpressions.
 */
export function checkPartialFilter(filter: Uint8Array, start = 0): void {
  const cursor = new ElementCursor(filter, start);
  while (cursor.next()) {
    const { name } = cursor;
    if (name === '$and' || name === '$or') {
      if (cursor.type !== BsonType.array) continue;
      const branches = new ElementCursor(filter, cursor.offset);
      while (branches.next()) if (branches.type === BsonType.object) checkPartialFilter(filter, branches.offset);
    } else if (name.startsWith('$')) {
      throw refused(name);
    } else if (cursor.type === BsonType.object) {
      checkOperators(filter, cursor.offset);
    } else if (cursor.type === BsonType.regex) {
      throw refused('$regex');
    }
  }
}

function checkOperators(filter: Uint8Array, start: number): void {
  const cursor = new ElementCursor(filter, start);
  while (cursor.next()) {
    const { name } = cursor;
    if (!name.startsWith('$')) return;
    const allowed = name === '$exists' ? truthOf(cursor) : operators.has(name);
    if (!allowed) throw refused(name);
  }
}

function refused(operator: string): CommandError {
  return new CommandError('CannotCreateIndex', `Expression not supported in partial index: ${operator}`);
}
