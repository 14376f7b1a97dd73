import { BsonType, type BsonValue, BsonWriter, CommandError, ElementCursor } from '@replsim/protocol';
import { compileExpression, type Expression } from '@replsim/query';
import { elementsOf } from '../fields/fields.ts';
import { arrayValue, documentValue, NULL } from './builtValues.ts';
import type { MingoWorld } from './mingoSpec.ts';
import { mingoExpression } from './mingoStages.ts';

/**
 * Compiles an expression. Paths, constants and what `@replsim/query` knows are computed on BSON and keep their types; a call
 * of any other operator goes to mingo. Errors: InvalidPipelineOperator 168 for an unknown operator, those of both.
 */
export function compileComputed(value: BsonValue, world: MingoWorld): Expression {
  if (value.type === BsonType.array) {
    const items = elementsOf(value).map((item) => compileComputed(item, world));
    return (document) => arrayValue(items.map((item) => item(document) ?? NULL));
  }
  if (value.type === BsonType.object && !isCall(value)) return objectOf(value, world);
  try {
    return compileExpression(value, world.filterVariables, world.collator);
  } catch (error) {
    if (!(error instanceof CommandError) || error.codeName !== 'InvalidPipelineOperator') throw error;
    return toDateCall(value, world) ?? mingoExpression(value, world);
  }
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

function objectOf({ bytes, offset }: BsonValue, world: MingoWorld): Expression {
  const fields: [string, Expression][] = [];
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) fields.push([cursor.name, compileComputed(cursor.value(), world)]);
  return (document) => {
    const writer = new BsonWriter();
    for (const [name, expression] of fields) {
      const computed = expression(document);
      if (computed) writer.rawValue(name, computed);
    }
    return documentValue(writer.finish());
  };
}
