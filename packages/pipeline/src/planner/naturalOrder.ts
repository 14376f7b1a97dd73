import { BsonType, type BsonValue, CommandError, ElementCursor } from '@replsim/protocol';
import { isNumeric, numberOf } from '../fields/values.ts';

/** The direction of `{ $natural: ±1 }`, undefined for another sort or hint. */
export function naturalDirection(order: Uint8Array | BsonValue | undefined): 1 | -1 | undefined {
  if (!order) return undefined;
  const cursor = order instanceof Uint8Array ? new ElementCursor(order) : fieldsOf(order);
  if (!cursor?.next() || cursor.name !== '$natural') return undefined;
  return numberOf(cursor) < 0 ? -1 : 1;
}

function fieldsOf(hint: BsonValue): ElementCursor | undefined {
  return hint.type === BsonType.object ? new ElementCursor(hint.bytes, hint.offset) : undefined;
}

/** A sort in natural order as the hint that it is on a view. */
export function naturalHint(sort: Uint8Array | undefined): BsonValue | undefined {
  if (!sort || !naturalDirection(sort)) return undefined;
  return { type: BsonType.object, bytes: sort, offset: 0, size: sort.length };
}

/** Throws BadValue 2 for `$natural` beside other fields, or in another order than -1 and 1. Upstream: hasInvalidNaturalParam. */
export function checkNatural(order: Uint8Array, what: 'sort' | 'hint'): void {
  let isNatural = false;
  let isValid = true;
  let count = 0;
  for (const cursor = new ElementCursor(order); cursor.next(); count++) {
    if (cursor.name !== '$natural') continue;
    isNatural = true;
    isValid = isNumeric(cursor.type) && Math.abs(numberOf(cursor)) === 1;
  }
  if (!isNatural || (isValid && count === 1)) return;
  throw new CommandError('BadValue', `$natural ${what} cannot be set to a value other than -1 or 1.`);
}

/** Throws BadValue 2 for a sort in natural order beside a hint that says something else. Upstream: parsed_find_command.cpp. */
export function checkNaturalHint(sort: Uint8Array | undefined, hint: BsonValue | undefined): void {
  const direction = naturalDirection(sort);
  if (!direction || !hint) return;
  const hinted = naturalDirection(hint);
  if (!hinted) throw new CommandError('BadValue', 'index hint not allowed with $natural sort order');
  if (hinted !== direction) {
    throw new CommandError('BadValue', '$natural hint must be in the same direction as $natural sort order');
  }
}
