import {
  BsonType,
  type BsonValue,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
  readString,
} from '@replsim/protocol';
import { elementsOf } from '../values.ts';

/** What follows the first character; whatever is no ASCII is a letter. */
const rest = /^[A-Za-z0-9_\u0080-\uffff]*$/;

/**
 * A user's variable begins with a small letter, as the others are the server's own; `CURRENT` alone may be given another value.
 * Errors: FailedToParse 9. Upstream: variable_validation.cpp, isValidNameForUserWrite.
 */
export function checkVariableName(name: string): void {
  if (name !== 'CURRENT') checkName(name, /^[a-z\u0080-\uffff]/);
}

/** The name of a variable that is read: it may begin with a capital letter as well. Errors: FailedToParse 9. Upstream: isValidNameForUserRead. */
export function checkVariableRead(name: string): void {
  checkName(name, /^[A-Za-z\u0080-\uffff]/);
}

function checkName(name: string, start: RegExp): void {
  if (name === '') throw new CommandError('FailedToParse', 'empty variable names are not allowed');
  if (!start.test(name)) {
    throw new CommandError('FailedToParse', `'${name}' starts with an invalid character for a user variable name`);
  }
  if (rest.test(name)) return;
  throw new CommandError('FailedToParse', `'${name}' contains an invalid character for a variable name`);
}

const INPUT = encodeName('input');

/** Whether an expression looks at the document: at a field, at all of it, or at how well it fits a search. */
export function looksAtDocument(value: BsonValue): boolean {
  const { type, bytes, offset } = value;
  if (type === BsonType.string) return /^\$(?!\$)|^\$\$(?:ROOT|CURRENT)(?:\.|$)/.test(readString(value));
  if (type === BsonType.array) return elementsOf(value).some(looksAtDocument);
  if (type !== BsonType.object) return false;
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) {
    const { name } = cursor;
    if (name === '$literal') return false;
    if (name === '$meta') return true;
    const argument = cursor.value();
    if (name === '$getField' && !isFieldOf(argument)) return true;
    if (looksAtDocument(argument)) return true;
  }
  return false;
}

/** Whether a `$getField` says of what; else it is of the document. */
function isFieldOf({ type, bytes, offset }: BsonValue): boolean {
  return type === BsonType.object && findField(bytes, INPUT, offset) !== undefined;
}
