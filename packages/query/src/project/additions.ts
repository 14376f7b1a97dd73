/** What `$addFields` asks for, parsed to a tree. Upstream: add_fields_projection_executor.cpp, whose codes these are. */
import { BsonType, type BsonValue, CommandError } from '@replsim/protocol';
import { compileExpression } from '../expression.ts';
import { interruptible } from '../turns/meter.ts';
import { readEach, readThrough } from '../turns/written.ts';
import { documentValue, fieldsOf } from '../values.ts';
import type { ExpressionContext } from './parse.ts';
import { COLLISION_ABOVE, COLLISION_AT, newProjectionTree, type ProjectionTree, plantNode } from './tree.ts';

interface Parser {
  readonly tree: ProjectionTree;
  readonly context: ExpressionContext;
}

/**
 * Every field is computed; an object that is no call says more of the fields below, and an empty one is itself the value.
 * Errors: Location40176 for paths that collide, 40181 for an operator beside other fields, 40183 for a dotted name in an object,
 * those of expressions and paths.
 */
export function parseAdditions(additions: Uint8Array, context: ExpressionContext): ProjectionTree {
  return readThrough(documentValue(additions), interruptible(context.variables?.meter), () => {
    const parser: Parser = { tree: newProjectionTree(), context };
    return { read: (value, name) => parseField(parser, name, value), end: () => parser.tree };
  });
}

function parseField(parser: Parser, path: string, value: BsonValue): void {
  const fields = value.type === BsonType.object ? fieldsOf(value.bytes, value.offset) : [];
  const isCall = fields.some(([name]) => name.startsWith('$'));
  if (isCall && fields.length > 1) {
    const errmsg = 'an expression specification must contain exactly one field, the name of the expression';
    throw new CommandError(40181, `${errmsg}. Found ${fields.length} fields at path ${path}`);
  }
  if (isCall || fields.length === 0) {
    addField(parser, path, value);
    return;
  }
  readEach(value, interruptible(parser.context.variables?.meter), (below, name) => {
    if (name.includes('.')) throw new CommandError(40183, `cannot use dotted field name '${name}' in a sub object`);
    parseField(parser, `${path}.${name}`, below);
  });
}

function addField({ tree, context }: Parser, path: string, value: BsonValue): void {
  const expression = compileExpression(value, context.variables, context.collator);
  try {
    plantNode(tree, path, { kind: 'compute', expression });
  } catch (error) {
    if (!(error instanceof CommandError) || ![COLLISION_ABOVE, COLLISION_AT].includes(error.code)) throw error;
    throw new CommandError(40176, `specification contains two conflicting paths. One of them is '${path}'`);
  }
}
