/** Projections parsed to trees. Upstream: projection_parser.cpp, whose codes these are. */
import { BsonType, type BsonValue, CommandError, required } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { compileExpression, type Expression, type Variables } from '../expression.ts';
import { checkFieldPath } from '../fieldPath.ts';
import { fieldsOf, firstName, isNumeric, isTruthy } from '../values.ts';
import { elemMatchExpression } from './elemMatch.ts';
import { parseSlice, type Slice } from './slice.ts';

/** What becomes of a field, or of the fields below it. */
export type ProjectionNode =
  | ProjectionTree
  | { readonly kind: 'include' | 'exclude' }
  | { readonly kind: 'slice'; readonly slice: Slice }
  | ExpressionNode;

/** A field whose value is made of the whole document. */
export interface ExpressionNode {
  readonly kind: 'compute' | 'elemMatch';
  readonly expression: Expression;
}

export interface ProjectionTree {
  readonly kind: 'tree';
  /** In the order of the specification. */
  readonly children: Map<string, ProjectionNode>;
  /** True if a field below is computed, so that even a scalar here becomes a document. */
  computes: boolean;
}

export interface ParsedProjection {
  readonly root: ProjectionTree;
  /** An inclusion drops the fields that it does not name, an exclusion keeps them. */
  readonly inclusion: boolean;
  /** The path in front of `.$`. */
  readonly positionalPath: string | undefined;
}

/** What computed fields are compiled with. */
interface ExpressionContext {
  readonly variables?: Variables | undefined;
  readonly collator?: Collator | undefined;
}

interface Parser {
  readonly root: ProjectionTree;
  readonly variables: Variables | undefined;
  readonly collator: Collator | undefined;
  /** What the first plain field made of the projection; `_id` alone decides only if nothing else does. */
  inclusion: boolean | undefined;
  includesId: boolean | undefined;
  positionalPath: string | undefined;
  hasElemMatch: boolean;
  hasSlice: boolean;
  hasMeta: boolean;
}

/** Throws CommandError with upstream's location codes if the projection is malformed. */
export function parseProjection(projection: Uint8Array, { variables, collator }: ExpressionContext): ParsedProjection {
  const parser: Parser = {
    root: newTree(),
    variables,
    collator,
    inclusion: undefined,
    includesId: undefined,
    positionalPath: undefined,
    hasElemMatch: false,
    hasSlice: false,
    hasMeta: false,
  };
  for (const [name, value] of fieldsOf(projection)) parseField(parser, name, value);
  const inclusion =
    parser.inclusion ?? parser.includesId ?? (parser.hasElemMatch || !(parser.hasSlice || parser.hasMeta));
  // `_id: 0` goes with either kind; beside `$elemMatch` it still leaves an inclusion.
  const isInclusion = parser.inclusion === undefined && parser.hasElemMatch ? true : inclusion;
  if (isInclusion && parser.includesId === undefined && !parser.root.children.has('_id')) {
    parser.root.children.set('_id', { kind: 'include' });
  }
  return { root: parser.root, inclusion: isInclusion, positionalPath: parser.positionalPath };
}

function newTree(): ProjectionTree {
  return { kind: 'tree', children: new Map(), computes: false };
}

function parseField(parser: Parser, path: string, value: BsonValue): void {
  if (value.type === BsonType.bool || isNumeric(value.type)) {
    parsePlain(parser, path, isTruthy(value));
    return;
  }
  const operator = value.type === BsonType.object ? firstName(value) : '$';
  if (operator === undefined) {
    throw new CommandError(51270, `An empty sub-projection is not a valid value. Found empty object at path: ${path}`);
  }
  if (!operator.startsWith('$')) {
    for (const [name, inner] of fieldsOf(value.bytes, value.offset)) {
      if (name.includes('.')) throw new CommandError(40181, `cannot use dotted field name '${name}' in a sub object`);
      parseField(parser, `${path}.${name}`, inner);
    }
  } else if (operator === '$slice') {
    parser.hasSlice = true;
    addNode(parser.root, path, { kind: 'slice', slice: parseSlice(onlyOperand(value)) });
  } else if (operator === '$elemMatch') {
    parseElemMatch(parser, path, value);
  } else if (operator === '$meta') {
    // It goes with either kind.
    parser.hasMeta = true;
    addNode(parser.root, path, { kind: 'compute', expression: expressionOf(parser, value) });
  } else {
    if (parser.inclusion === false) {
      throw new CommandError(31252, `Cannot use an expression in an exclusion projection: ${path}`);
    }
    parser.inclusion = true;
    addNode(parser.root, path, { kind: 'compute', expression: expressionOf(parser, value) });
  }
}

function expressionOf({ variables, collator }: Parser, value: BsonValue): Expression {
  return compileExpression(value, variables, collator);
}

function parsePlain(parser: Parser, path: string, included: boolean): void {
  if (path.endsWith('.$')) {
    parsePositional(parser, path.slice(0, -2), included);
    return;
  }
  if (path === '_id') parser.includesId = included;
  else setKind(parser, path, included);
  addNode(parser.root, path, { kind: included ? 'include' : 'exclude' });
}

function setKind(parser: Parser, path: string, included: boolean): void {
  parser.inclusion ??= included;
  if (parser.inclusion === included) return;
  throw included
    ? new CommandError(31253, `Cannot do inclusion on field ${path} in exclusion projection`)
    : new CommandError(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
}

function parsePositional(parser: Parser, path: string, included: boolean): void {
  if (!included) throw new CommandError(31395, `positional projection cannot be used with exclusion: ${path}.$`);
  if (parser.positionalPath !== undefined) {
    throw new CommandError(31276, 'Cannot specify more than one positional projection per query.');
  }
  if (parser.hasElemMatch) throw new CommandError(31256, 'Cannot specify positional operator and $elemMatch.');
  setKind(parser, path, true);
  parser.positionalPath = path;
  addNode(parser.root, path, { kind: 'include' });
}

function parseElemMatch(parser: Parser, path: string, value: BsonValue): void {
  const operand = onlyOperand(value);
  if (operand.type !== BsonType.object) {
    throw new CommandError(31274, 'elemMatch: Invalid argument, object required');
  }
  if (parser.positionalPath !== undefined) {
    throw new CommandError(31255, 'Cannot specify positional operator and $elemMatch.');
  }
  if (path.includes('.')) throw new CommandError(31275, 'Cannot use $elemMatch projection on a nested field.');
  parser.hasElemMatch = true;
  const expression = elemMatchExpression(path, value, { variables: parser.variables, collator: parser.collator });
  addNode(parser.root, path, { kind: 'elemMatch', expression });
}

function onlyOperand(value: BsonValue): BsonValue {
  const [first, second] = fieldsOf(value.bytes, value.offset);
  const [name, operand] = required(first, 'operator in a projection');
  if (second === undefined) return operand;
  throw new CommandError(31325, `A projection operator must stand alone, but beside ${name} is ${second[0]}`);
}

function addNode(root: ProjectionTree, path: string, node: ProjectionNode): void {
  const names = path.split('.');
  checkNames(names, path);
  const last = required(names.pop(), 'name on a path');
  const computes = node.kind === 'compute';
  let tree = root;
  names.forEach((name) => {
    tree.computes ||= computes;
    let child = tree.children.get(name);
    if (child === undefined) {
      child = newTree();
      tree.children.set(name, child);
    } else if (child.kind !== 'tree') {
      throw new CommandError(31249, `Path collision at ${path}`);
    }
    tree = child;
  });
  tree.computes ||= computes;
  if (tree.children.has(last)) throw new CommandError(31250, `Path collision at ${path}`);
  tree.children.set(last, node);
}

function checkNames(names: readonly string[], path: string): void {
  if (names.includes('$')) {
    throw new CommandError(
      31394,
      `Positional projection may only be used at the end, for example: a.b.$, unlike '${path}'`,
    );
  }
  checkFieldPath(path);
}
