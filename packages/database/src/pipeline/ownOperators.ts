/** Operators of `@replsim/query` inside of what mingo computes: mingo calls them as functions of their arguments' values. */
import { type BsonValue, encodeDocument, encodeName, findField, requiredField } from '@replsim/protocol';
import { type Collator, operators } from '@replsim/query';
import { jsValueOf } from '../fields/values.ts';

/**
 * `{ $name: argument }` as such a call; undefined for an operator that is mingo's.
 * @param argument with the calls inside it put so already
 */
export function ownCall(name: string, argument: unknown, collator: Collator | undefined): object | undefined {
  const operator = operators.get(name);
  if (!operator) return undefined;
  if ('positional' in operator) {
    const body = (...values: unknown[]) => jsOf(operator.positional(values.map(bsonOf), collator));
    return { $function: { body, args: Array.isArray(argument) ? argument : [argument], lang: 'js' } };
  }
  const fields = Object.entries(argument as Record<string, unknown>);
  const args = fields.map(([field, given]) => (operator.constants?.includes(field) ? { $literal: given } : given));
  const body = (...values: unknown[]) =>
    jsOf(operator.named(Object.fromEntries(fields.map(([field], i) => [field, bsonOf(values[i])])), collator));
  return { $function: { body, args, lang: 'js' } };
}

/** Looks at a call's fields as the operator does, which `checkCall` has looked at. Errors: those of the operator. */
export function checkOwn(name: string, argument: unknown): void {
  const operator = operators.get(name);
  if (!operator || !('check' in operator)) return;
  const spec = encodeDocument(argument as object);
  operator.check?.(
    new Map(Object.keys(argument as object).map((field) => [field, requiredField(spec, encodeName(field))])),
  );
}

const V = encodeName('v');

function bsonOf(value: unknown): BsonValue | undefined {
  return findField(encodeDocument({ v: value }), V);
}

function jsOf(value: BsonValue | undefined): unknown {
  return value && jsValueOf(value);
}
