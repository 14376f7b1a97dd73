/** Reading an update that is made of operators, and checking that its paths do not meet. */
import { BsonType, type BsonValue, CommandError, readString, required } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { formatField, formatValue } from '../format.ts';
import { interruptible, type Meter } from '../turns/meter.ts';
import { readEach, readThrough } from '../turns/written.ts';
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

/** Upstream: modifier_node.h, allowCreation and allowNonViablePath. */
const removing: ReadonlySet<string> = new Set(['$pull', '$pullAll', '$pop']);

/** What the operators are read with. */
interface Reading {
  readonly arrayFilters: ReadonlyMap<string, ElementFilter>;
  readonly collator: Collator | undefined;
  /** Lets others have their turn between fields. */
  readonly meter: Meter | undefined;
}

/** What was read so far. */
interface Read {
  readonly tree: FieldsNode;
  /** Of the array filters that paths name. */
  readonly identifiers: Set<string>;
  isPositional: boolean;
}

/**
 * Reads all operators, in turns with others where the caller attempts it.
 * Throws CommandError: FailedToParse, ConflictingUpdateOperators, and what the operators object to.
 */
export function parseOperators(
  update: BsonValue,
  arrayFilters: ReadonlyMap<string, ElementFilter>,
  collator?: Collator,
  meter?: Meter,
): OperatorUpdate {
  const reading = { arrayFilters, collator, meter: interruptible(meter) };
  const { tree, identifiers, isPositional } = readOperators(update, reading);
  checkFiltersUsed(identifiers, arrayFilters, update);
  return { tree: sortedTree(tree, reading.meter), isPositional };
}

function readOperators(update: BsonValue, reading: Reading): Read {
  return readThrough(update, reading.meter, () => {
    const read: Read = { tree: emptyTree(), identifiers: new Set(), isPositional: false };
    return {
      read(fields, operator) {
        checkOperator(operator, fields);
        readFields(operator, fields, reading, read);
      },
      end: () => read,
    };
  });
}

function readFields(operator: string, fields: BsonValue, reading: Reading, read: Read): void {
  readEach(fields, reading.meter, (operand, field) => {
    for (const { path, leaf } of parseLeaves(operator, field, operand, reading.collator)) {
      checkIdentifiers(path, reading.arrayFilters, read.identifiers);
      addLeaf(read.tree, path, leaf);
      read.isPositional ||= path.isPositional;
    }
  });
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
  return [
    { path, leaf: { kind: 'modify', modify: factory(operand, field, collator), removes: removing.has(operator) } },
  ];
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

function checkIdentifiers(path: UpdatePath, arrayFilters: ReadonlyMap<string, ElementFilter>, used: Set<string>): void {
  for (const segment of path.segments) {
    if (segment.kind !== 'filtered') continue;
    used.add(segment.identifier);
    if (arrayFilters.has(segment.identifier)) continue;
    throw badValue(`No array filter found for identifier '${segment.identifier}' in path '${path.text}'`);
  }
}

function checkFiltersUsed(
  used: ReadonlySet<string>,
  arrayFilters: ReadonlyMap<string, ElementFilter>,
  update: BsonValue,
): void {
  for (const identifier of arrayFilters.keys()) {
    if (used.has(identifier)) continue;
    const message = `The array filter for identifier '${identifier}' was not used in the update ${formatValue(update)}`;
    throw new CommandError('FailedToParse', message);
  }
}
