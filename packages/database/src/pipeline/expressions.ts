import { BsonType, type BsonValue, ElementCursor } from '@replsim/protocol';
import { compileExpression, type Expression } from '@replsim/query';
import { elementsOf } from '../fields/fields.ts';
import type { MingoWorld } from './mingoSpec.ts';
import { mingoExpression } from './mingoStages.ts';

/**
 * Compiles an expression. Paths, constants and what `@replsim/query` knows are computed on BSON and keep their types; a call
 * of any other operator goes to mingo. Errors: InvalidPipelineOperator 168 for an unknown operator, those of both.
 */
export function compileComputed(value: BsonValue, world: MingoWorld): Expression {
  return compileExpression(
    value,
    world.filterVariables,
    world.collator,
    (call) => toDateCall(call, world) ?? mingoExpression(call, world),
  );
}

/**
 * `$toDate` of a long is that long: JavaScript's dates end long before those of BSON, so that mingo is asked of other types
 * alone. Undefined for another operator. Upstream: expression.cpp, ExpressionConvert.
 */
function toDateCall(value: BsonValue, world: MingoWorld): Expression | undefined {
  const cursor = new ElementCursor(value.bytes, value.offset);
  if (!cursor.next() || cursor.name !== '$toDate') return undefined;
  const others = mingoExpression(value, world);
  const given = cursor.value();
  const [only, ...more] = given.type === BsonType.array ? elementsOf(given) : [given];
  if (!only || more.length > 0) return others;
  const input = compileComputed(only, world);
  return (document) => {
    const from = input(document);
    const isWhole = from?.type === BsonType.long || from?.type === BsonType.date;
    return isWhole ? { ...from, type: BsonType.date } : others(document);
  };
}

/** Whether an object is an operator with its arguments, and not an object of expressions. */
export function isCall({ type, bytes, offset }: BsonValue): boolean {
  if (type !== BsonType.object) return false;
  const cursor = new ElementCursor(bytes, offset);
  return cursor.next() && cursor.name.startsWith('$');
}
