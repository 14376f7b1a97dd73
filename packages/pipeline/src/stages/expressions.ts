import { BsonType, type BsonValue, ElementCursor, invariant, required } from '@replsim/protocol';
import { type Collator, compileExpression, type Expression, operators, type Variables } from '@replsim/query';

/** What the expressions of a stage see beside the document. */
export interface ExpressionWorld {
  /** What `$$` names stand for: constants of `let`, `NOW`, `CLUSTER_TIME`; and the chance of `$rand`. */
  readonly filterVariables: Variables;
  /** By which strings are compared. */
  readonly collator: Collator | undefined;
}

/** Compiles an expression of a stage. Errors: those of `compileExpression`. */
export function compileComputed(value: BsonValue, world: ExpressionWorld): Expression {
  return compileExpression(value, world.filterVariables, world.collator);
}

/** What an operator makes of values, such as `$subtract` of two. Errors: those of the operator. */
export function applyOperator(name: string, ...args: readonly BsonValue[]): BsonValue {
  const operator = required(operators.get(name), name);
  invariant('positional' in operator, `${name} takes its arguments by their places`);
  return required(operator.positional(args, undefined), name);
}

/** Whether an object is an operator with its arguments, and not an object of expressions. */
export function isCall({ type, bytes, offset }: BsonValue): boolean {
  if (type !== BsonType.object) return false;
  const cursor = new ElementCursor(bytes, offset);
  return cursor.next() && cursor.name.startsWith('$');
}
