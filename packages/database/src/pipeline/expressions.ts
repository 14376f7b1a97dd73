import { BsonType, type BsonValue, ElementCursor } from '@replsim/protocol';
import { compileExpression, type Expression } from '@replsim/query';
import type { MingoWorld } from './mingoSpec.ts';
import { mingoExpression } from './mingoStages.ts';

/**
 * Compiles an expression. Paths, constants and what `@replsim/query` knows are computed on BSON and keep their types; a call
 * of any other operator goes to mingo. Errors: InvalidPipelineOperator 168 for an unknown operator, those of both.
 */
export function compileComputed(value: BsonValue, world: MingoWorld): Expression {
  return compileExpression(value, world.filterVariables, world.collator, (call) => mingoExpression(call, world));
}

/** Whether an object is an operator with its arguments, and not an object of expressions. */
export function isCall({ type, bytes, offset }: BsonValue): boolean {
  if (type !== BsonType.object) return false;
  const cursor = new ElementCursor(bytes, offset);
  return cursor.next() && cursor.name.startsWith('$');
}
