/** Reading an update that is made of operators, and checking that its paths do not meet. */
import { BsonType, type BsonValue, CommandError, ElementCursor, readString, required } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { formatField, formatValue } from '../format.ts';
import { typeName } from '../typeNames.ts';
import type { ElementFilter } from './arrayFilters.ts';
import { addToSetOperator, popOperator, pullAllOperator, pullOperator, pushOperator } from './arrayOperators.ts';
import {
  bitOperator,
  currentDateOperator,
  incOperator,
  maxOperator,
  minOperator,
  mulOperator,
  setOnInsertOperator,
  setOperator,
} from './fieldOperators.ts';
import { badValue, type OperatorFactory } from './operator.ts';
import { parseUpdatePath, type UpdatePath } from './updatePath.ts';
import { addLeaf, emptyTree, type FieldsNode, sortedTree, type UpdateLeaf } from './updateTree.ts';

export interface OperatorUpdate {
  readonly tree: FieldsNode;
  readonly isPositional: boolean;
}

const factories = new Map<string, OperatorFactory>([
  ['$set', setOperator],
  ['$setOnInsert', setOnInsertOperator],
  ['$inc', incOperator],
  ['$mul', mulOperator],
  ['$min', minOperator],
  ['$max', maxOperator],
  ['$currentDate', currentDateOperator],
  ['$bit', bitOperator],
  ['$push', pushOperator],
  ['$addToSet', addToSetOperator],
  ['$pull', pullOperator],
  ['$pullAll', pullAllOperator],
  ['$pop', popOperator],
]);

/** Throws CommandError: FailedToParse, ConflictingUpdateOperators, and what the operators object to. */
export function parseOperators(
  update: BsonValue,
  arrayFilters: ReadonlyMap<string, ElementFilter>,
  collator?: Collator,
): OperatorUpdate {
  const tree = emptyTree();
  const paths: UpdatePath[] = [];
  const operators = new ElementCursor(update.bytes, update.offset);
  while (operators.next()) {
    const { name } = operators;
    checkOperator(name, operators.value());
    const fields = new ElementCursor(update.bytes, operators.offset);
    while (fields.next()) {
      for (const { path, leaf } of parseLeaves(name, fields.name, fields.value(), collator)) {
        checkIdentifiers(path, arrayFilters);
        addLeaf(tree, path, leaf);
        paths.push(path);
      }
    }
  }
  checkFiltersUsed(paths, arrayFilters, update);
  return { tree: sortedTree(tree), isPositional: paths.some(({ isPositional }) => isPositional) };
}

function checkOperator(name: string, fields: BsonValue): void {
  if (!factories.has(name) && name !== '$unset' && name !== '$rename') {
    const expected = 'Expected a valid update modifier or pipeline-style update specified as an array';
    throw new CommandError('FailedToParse', `Unknown modifier: ${name}. ${expected}`);
  }
  if (fields.type === BsonType.object) return;
  const example = `For example: {$mod: {<field>: ...}} not {${formatField(name, fields)}}`;
  const message = `Modifiers operate on fields but we found type ${typeName(fields.type)} instead. ${example}`;
  throw new CommandError('FailedToParse', message);
}

interface PathLeaf {
  readonly path: UpdatePath;
  readonly leaf: UpdateLeaf;
}

function parseLeaves(operator: string, field: string, operand: BsonValue, collator: Collator | undefined): PathLeaf[] {
  const path = parseUpdatePath(field);
  if (operator === '$unset') return [{ path, leaf: { kind: 'unset' } }];
  if (operator === '$rename') return parseRename(path, operand);
  const factory = required(factories.get(operator), 'factory of an operator that was checked');
  return [{ path, leaf: { kind: 'modify', modify: factory(operand, field, collator) } }];
}

function parseRename(source: UpdatePath, operand: BsonValue): PathLeaf[] {
  if (operand.type !== BsonType.string) {
    throw badValue(`The 'to' field for $rename must be a string: ${formatField(source.text, operand)}`);
  }
  const target = parseUpdatePath(readString(operand));
  if (source.isPositional) throw badValue(`The source field for $rename may not be dynamic: ${source.text}`);
  if (target.isPositional) throw badValue(`The destination field for $rename may not be dynamic: ${target.text}`);
  const pair = formatField(source.text, operand);
  if (source.text === target.text) throw badValue(`The source and target field for $rename must differ: ${pair}`);
  if (`${target.text}.`.startsWith(`${source.text}.`) || `${source.text}.`.startsWith(`${target.text}.`)) {
    throw badValue(`The source and target field for $rename must not be on the same path: ${pair}`);
  }
  return [
    { path: source, leaf: { kind: 'renameSource' } },
    { path: target, leaf: { kind: 'rename', source: source.text.split('.') } },
  ];
}

function checkIdentifiers(path: UpdatePath, arrayFilters: ReadonlyMap<string, ElementFilter>): void {
  for (const segment of path.segments) {
    if (segment.kind !== 'filtered' || arrayFilters.has(segment.identifier)) continue;
    throw badValue(`No array filter found for identifier '${segment.identifier}' in path '${path.text}'`);
  }
}

function checkFiltersUsed(
  paths: readonly UpdatePath[],
  arrayFilters: ReadonlyMap<string, ElementFilter>,
  update: BsonValue,
): void {
  const used = new Set(
    paths.flatMap(({ segments }) => segments).map((part) => (part.kind === 'filtered' ? part.identifier : '')),
  );
  for (const identifier of arrayFilters.keys()) {
    if (used.has(identifier)) continue;
    const message = `The array filter for identifier '${identifier}' was not used in the update ${formatValue(update)}`;
    throw new CommandError('FailedToParse', message);
  }
}
