/**
 * Filters as the planner sees them: a tree in a normal form, which `explain` shows as `parsedQuery`.
 * Upstream: expression_parser.cpp, MatchExpression::optimize and sortMatchExpressionTree.
 */
import { nearOperators } from '@replsim/geo';
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  cStringEnd,
  ElementCursor,
  readString,
  readUtf8,
} from '@replsim/protocol';
import { eachOf, interruptible, type Meter, manyOf, readEach } from '@replsim/query';
import { elementsOf } from '../fields/fields.ts';
import { truthOf } from '../fields/values.ts';
import { newValue } from './newValue.ts';

/** What a filter demands. */
export type FilterTree =
  | { readonly kind: '$and' | '$or' | '$nor'; readonly of: readonly FilterTree[] }
  | Leaf
  /** `$expr` and what else stands at the top with a dollar. */
  | { readonly kind: 'other'; readonly name: string; readonly value: BsonValue };

/** One operator on one path. */
export interface Leaf {
  readonly kind: 'leaf';
  readonly path: string;
  readonly operator: string;
  /** Of `$near` and its like the whole object, as its distances stand beside it. */
  readonly operand: BsonValue;
  /** It stands under `$not`. */
  readonly negated: boolean;
}

/**
 * Parses a well-formed filter: whoever compiled it has found what is wrong with it.
 * @param meter of who reads a long one in turns with others
 */
export function parseFilterTree(bytes: Uint8Array, meter?: Meter): FilterTree {
  const reading = interruptible(meter);
  return ordered({ kind: '$and', of: nodesOf(bytes, 0, reading) }, reading);
}

/** What every match fulfils, one by one: the filter itself, unless it is an `$and`. */
export function conjunctsOf(tree: FilterTree): readonly FilterTree[] {
  return tree.kind === '$and' ? tree.of : [tree];
}

/** The filter's document in its normal form; empty for no demand at all. */
export function filterDocument(tree: FilterTree): Uint8Array {
  const writer = new BsonWriter(128);
  write(writer, tree);
  return writer.finish();
}

/** The conjunct that asks for what is near, and so for an order. */
export function nearLeafOf(conjuncts: readonly FilterTree[]): Leaf | undefined {
  return conjuncts.find(
    (conjunct): conjunct is Leaf => conjunct.kind === 'leaf' && nearOperators.has(conjunct.operator),
  );
}

/** The filter that asks for all of these. */
export function allOf(conjuncts: readonly FilterTree[]): FilterTree {
  const [only] = conjuncts;
  return only && conjuncts.length === 1 ? only : { kind: '$and', of: conjuncts };
}

function nodesOf(bytes: Uint8Array, start: number, meter: Meter | undefined): FilterTree[] {
  const nodes: FilterTree[] = [];
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    const { name } = cursor;
    const value = cursor.value();
    if (!name.startsWith('$')) for (const leaf of leavesOf(name, value)) nodes.push(leaf);
    else if (name === '$and' || name === '$or' || name === '$nor') {
      const of = readEach(
        value,
        meter,
        (branch): FilterTree => ({ kind: '$and', of: nodesOf(branch.bytes, branch.offset, meter) }),
      );
      nodes.push({ kind: name, of });
    } else if (name !== '$comment') nodes.push({ kind: 'other', name, value });
  }
  return nodes;
}

function leavesOf(path: string, value: BsonValue): FilterTree[] {
  const leaf = (operator: string, operand: BsonValue, negated = false): Leaf => ({
    kind: 'leaf',
    path,
    operator,
    operand,
    negated,
  });
  if (value.type === BsonType.regex) return [leaf('$regex', value)];
  const operators = operatorsOf(value);
  if (!operators) return [leaf('$eq', value)];
  // It takes its distances from beside it.
  const near = operators.find(([name]) => nearOperators.has(name))?.[0];
  if (near !== undefined) return [leaf(near, value)];
  const options = operators.find(([name]) => name === '$options')?.[1];
  return operators.flatMap(([name, operand]): FilterTree[] => {
    switch (name) {
      case '$options':
      case '$comment':
        return [];
      case '$ne':
        return [leaf('$eq', operand, true)];
      case '$nin':
        return [inLeaf(leaf('$in', operand, true))];
      case '$in':
        return [inLeaf(leaf('$in', operand))];
      case '$exists':
        return [leaf('$exists', TRUE, !truthOf(operand))];
      case '$regex':
        return [leaf('$regex', regexOf(operand, options))];
      case '$all':
        return operatorsOf(elementsOf(operand)[0]) ? [leaf('$all', operand)] : allLeaves(path, operand);
      case '$not':
        return [negation(leavesOf(path, operand))];
      default:
        return [leaf(name, operand)];
    }
  });
}

const TRUE = newValue((writer, name) => writer.bool(name, true));

/** `{ $in: [5] }` is `{ $eq: 5 }`. */
function inLeaf(leaf: Leaf): Leaf {
  const [only, ...more] = elementsOf(leaf.operand);
  if (!only || more.length > 0) return leaf;
  return { ...leaf, operator: only.type === BsonType.regex ? '$regex' : '$eq', operand: only };
}

/** Each of the values has to be there. */
function allLeaves(path: string, operand: BsonValue): FilterTree[] {
  const values = elementsOf(operand);
  // Nothing has all of nothing.
  if (values.length === 0) return [{ kind: 'leaf', path, operator: '$in', operand, negated: false }];
  return values.map((value) => ({
    kind: 'leaf',
    path,
    operator: value.type === BsonType.regex ? '$regex' : '$eq',
    operand: value,
    negated: false,
  }));
}

function negation(of: readonly FilterTree[]): FilterTree {
  const [only, ...more] = of;
  if (only?.kind === 'leaf' && more.length === 0) return { ...only, negated: !only.negated };
  return { kind: '$nor', of: [{ kind: '$and', of }] };
}

/** `{ $gt: 5 }` by name; undefined for a value to be equal to. `$ref` and its like make a DBRef, which is such a value. */
function operatorsOf(value: BsonValue | undefined): [name: string, operand: BsonValue][] | undefined {
  if (value?.type !== BsonType.object) return undefined;
  const operators: [string, BsonValue][] = [];
  const cursor = new ElementCursor(value.bytes, value.offset);
  while (cursor.next()) operators.push([cursor.name, cursor.value()]);
  const first = operators[0]?.[0];
  return first?.startsWith('$') && !['$ref', '$id', '$db'].includes(first) ? operators : undefined;
}

/** The pattern and its options as one value. */
function regexOf(operand: BsonValue, options: BsonValue | undefined): BsonValue {
  if (operand.type === BsonType.regex && !options) return operand;
  const pattern = operand.type === BsonType.regex ? regexTexts(operand).pattern : readString(operand);
  return newValue((writer, name) => writer.regex(name, pattern, options ? readString(options) : ''));
}

/** The pattern and the options of a regular expression. */
export function regexTexts({ bytes, offset, size }: BsonValue): { readonly pattern: string; readonly options: string } {
  const end = cStringEnd(bytes, offset);
  return { pattern: readUtf8(bytes, offset, end), options: readUtf8(bytes, end + 1, offset + size - 1) };
}

/** In this order stand the parts of an `$and`; further operators follow, then negations. Upstream: MatchExpression::MatchType. */
const RANKS = [
  '$and',
  '$or',
  '$elemMatch',
  '$size',
  '$eq',
  '$lte',
  '$lt',
  '$gt',
  '$gte',
  '$regex',
  '$mod',
  '$exists',
  '$in',
];

/** Flattens `$and` in `$and` and puts the parts in order. */
function ordered(tree: FilterTree, meter: Meter | undefined): FilterTree {
  if (tree.kind === 'leaf' || tree.kind === 'other') return tree;
  const parts = eachOf(manyOf(tree.of), meter, (part) => ordered(part, meter));
  const flat = tree.kind === '$nor' ? parts : parts.flatMap((part) => (part.kind === tree.kind ? part.of : [part]));
  const [only] = flat;
  if (only && flat.length === 1 && tree.kind !== '$nor') return only;
  return { kind: tree.kind, of: flat.sort(byRank) };
}

function byRank(a: FilterTree, b: FilterTree): number {
  const order = rankOf(a) - rankOf(b);
  if (order !== 0 || a.kind !== 'leaf' || b.kind !== 'leaf') return order;
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

function rankOf(tree: FilterTree): number {
  if (tree.kind === 'leaf' && tree.negated) return RANKS.length + 1;
  if (tree.kind === '$nor') return RANKS.length + 2;
  const rank = RANKS.indexOf(tree.kind === 'leaf' ? tree.operator : tree.kind);
  return rank < 0 ? RANKS.length : rank;
}

function write(writer: BsonWriter, tree: FilterTree): void {
  if (tree.kind === 'other') return writer.rawValue(tree.name, tree.value);
  if (tree.kind === 'leaf') return writeLeaf(writer, tree);
  if (tree.kind === '$and' && tree.of.length === 0) return;
  writer.beginArray(tree.kind);
  for (const [index, part] of tree.of.entries()) {
    writer.beginDocument(String(index));
    write(writer, part);
    writer.endDocument();
  }
  writer.endArray();
}

function writeLeaf(writer: BsonWriter, { path, operator, operand, negated }: Leaf): void {
  if (nearOperators.has(operator)) return writer.rawValue(path, operand);
  writer.beginDocument(path);
  if (negated) writer.beginDocument('$not');
  if (operator === '$regex') {
    const { pattern, options } = regexTexts(operand);
    writer.string('$regex', pattern);
    if (options !== '') writer.string('$options', options);
  } else writer.rawValue(operator, operand);
  if (negated) writer.endDocument();
  writer.endDocument();
}
