/** Projections parsed to trees. Upstream: projection_parser.cpp, whose codes these are. */
import { BsonType, type BsonValue, CommandError } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { compileExpression, type Expression, isExpressionName, type Variables } from '../expression.ts';
import { unknownExpression } from '../expressions/checkCall.ts';
import { checkFieldPath } from '../fieldPath.ts';
import { interruptible } from '../turns/meter.ts';
import { readEach, readThrough } from '../turns/written.ts';
import { documentValue, elementsOf, fieldsOf, isNumeric, isTruthy } from '../values.ts';
import { elemMatchExpression } from './elemMatch.ts';
import { parseSlice } from './slice.ts';
import { newProjectionTree, type ProjectionNode, type ProjectionTree, plantNode } from './tree.ts';

export interface ParsedProjection {
  readonly root: ProjectionTree;
  /** An inclusion drops the fields that it does not name, an exclusion keeps them. */
  readonly inclusion: boolean;
  /** The path in front of `.$`. */
  readonly positionalPath: string | undefined;
}

/** What computed fields are compiled with. */
export interface ExpressionContext {
  /** What `$$name` stands for in computed fields; the name without its dollars. */
  readonly variables?: Variables | undefined;
  /** Compares strings. */
  readonly collator?: Collator | undefined;
}

/** Whether there may be positional `a.$`, `$elemMatch`, and a `$slice` that is no expression. Upstream: FindOnlyFeaturesPolicy. */
export type FindFeatures = 'allowed' | 'refused';

interface Parser {
  readonly root: ProjectionTree;
  readonly context: ExpressionContext;
  readonly findFeatures: FindFeatures;
  /** What the first plain field made of the projection; `_id` alone decides only if nothing else does. */
  inclusion: boolean | undefined;
  includesId: boolean | undefined;
  positionalPath: string | undefined;
  hasElemMatch: boolean;
  hasSlice: boolean;
  hasMeta: boolean;
}

/** Throws CommandError with upstream's location codes if the projection is malformed. */
export function parseProjection(
  projection: Uint8Array,
  findFeatures: FindFeatures,
  { variables, collator }: ExpressionContext,
): ParsedProjection {
  const parser = readThrough(documentValue(projection), interruptible(variables?.meter), () => {
    const parser: Parser = {
      root: newProjectionTree(),
      context: { variables, collator },
      findFeatures,
      inclusion: undefined,
      includesId: undefined,
      positionalPath: undefined,
      hasElemMatch: false,
      hasSlice: false,
      hasMeta: false,
    };
    return { read: (value, name) => parseField(parser, name, value), end: () => parser };
  });
  const inclusion = parser.inclusion ?? isInclusionByDefault(parser);
  const { children } = parser.root;
  if (inclusion && !children.has('_id')) children.set('_id', { kind: 'include' });
  return { root: parser.root, inclusion, positionalPath: parser.positionalPath };
}

/** What a projection without a plain field is, but for `_id`. Upstream: computeProjectionType. */
function isInclusionByDefault({ hasSlice, hasElemMatch, hasMeta, includesId, findFeatures }: Parser): boolean {
  if (hasSlice) return includesId === true;
  if (hasElemMatch) return true;
  if (hasMeta && findFeatures === 'refused') return true;
  return includesId === true;
}

/** @param path its last name may have dots of its own */
function parseField(parser: Parser, path: string, value: BsonValue): void {
  const isPositional = path.endsWith('.$');
  if (isPositional && parser.findFeatures === 'refused') {
    throw new CommandError(31324, `Cannot use positional projection in aggregation projection: ${path}`);
  }
  if (path.includes('.$.')) {
    const errmsg = `Positional projection may only be used at the end, for example: a.b.$, unlike '${path}'`;
    throw new CommandError(31394, errmsg);
  }
  if (value.type === BsonType.object) {
    if (isPositional) {
      throw new CommandError(31271, `positional projection cannot be used with an expression or sub object: ${path}`);
    }
    parseObject(parser, path, value);
  } else if (value.type === BsonType.bool || isNumeric(value.type)) {
    const included = isTruthy(value);
    if (isPositional) parsePositional(parser, path.slice(0, -2), included);
    else parsePlain(parser, path, included);
  } else {
    if (isPositional) throw new CommandError(31308, `positional projection cannot be used with a literal: ${path}`);
    parseLiteral(parser, path, value);
  }
}

function parseObject(parser: Parser, path: string, value: BsonValue): void {
  const [first, ...more] = fieldsOf(value.bytes, value.offset);
  if (first === undefined) {
    throw new CommandError(51270, `An empty sub-projection is not a valid value. Found empty object at path: ${path}`);
  }
  const [name, operand] = first;
  if (more.length === 0 && name.startsWith('$') && parseCall(parser, path, value, name, operand)) return;
  readEach(value, interruptible(parser.context.variables?.meter), (below, inner) =>
    parseField(parser, `${path}.${inner}`, below),
  );
}

/** An object of one field with a dollar. @returns false if it is a field for all that, such as `$id` */
function parseCall(parser: Parser, path: string, call: BsonValue, name: string, operand: BsonValue): boolean {
  const forFind = parser.findFeatures === 'allowed';
  if (name === '$elemMatch') {
    if (!forFind) throw new CommandError('InvalidPipelineOperator', 'Cannot use $elemMatch in this context');
    parseElemMatch(parser, path, call, operand);
  } else if (name === '$slice' && forFind && !isSliceOfValue(operand)) {
    parser.hasSlice = true;
    plantNode(parser.root, path, { kind: 'slice', slice: parseSlice(operand) });
  } else if (isExpressionName(name)) {
    const isMeta = name === '$meta';
    if (parser.inclusion === false && !isMeta) {
      throw new CommandError(31252, `Cannot use an expression in an exclusion projection: ${path}`);
    }
    // How well a document fits a search goes with either kind.
    if (isMeta) parser.hasMeta = true;
    else parser.inclusion = true;
    plantNode(parser.root, path, computed(parser, call));
  } else {
    checkFieldName(name);
    return false;
  }
  return true;
}

/** Tells the expression `{ $slice: ['$tags', 2] }` from the projection of that name, which has a number first. */
function isSliceOfValue(operand: BsonValue): boolean {
  const [first] = operand.type === BsonType.array ? elementsOf(operand) : [];
  return first !== undefined && !isNumeric(first.type);
}

/** Location31325 for what is neither an operator nor a field. */
function checkFieldName(name: string): void {
  try {
    checkFieldPath(name);
  } catch {
    throw new CommandError(31325, unknownExpression(name).message);
  }
}

function computed({ context }: Parser, value: BsonValue): ProjectionNode {
  const expression: Expression = compileExpression(value, context.variables, context.collator);
  return { kind: 'compute', expression };
}

function parseLiteral(parser: Parser, path: string, value: BsonValue): void {
  plantNode(parser.root, path, computed(parser, value));
  if (parser.inclusion === false) {
    throw new CommandError(31310, `Cannot use an expression in an exclusion projection: ${path}`);
  }
  parser.inclusion = true;
}

function parsePlain(parser: Parser, path: string, included: boolean): void {
  plantNode(parser.root, path, { kind: included ? 'include' : 'exclude' });
  if (path === '_id') parser.includesId = included;
  else setKind(parser, path, included);
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
  if (path === '') throw new CommandError(5392900, 'Projection on field .$ is invalid');
  parser.positionalPath = path;
  plantNode(parser.root, path, { kind: 'include' });
  setKind(parser, path, true);
}

function parseElemMatch(parser: Parser, path: string, call: BsonValue, operand: BsonValue): void {
  if (operand.type !== BsonType.object) {
    throw new CommandError(31274, 'elemMatch: Invalid argument, object required');
  }
  if (parser.positionalPath !== undefined) {
    throw new CommandError(31255, 'Cannot specify positional operator and $elemMatch.');
  }
  if (path.includes('.')) throw new CommandError(31275, 'Cannot use $elemMatch projection on a nested field.');
  parser.hasElemMatch = true;
  plantNode(parser.root, path, { kind: 'compute', expression: elemMatchExpression(path, call, parser.context) });
}
