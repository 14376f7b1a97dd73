/** An update made of operators: reading it, checking that its paths do not meet, and carrying it out in order. */
import { BsonType, type BsonValue, CommandError, ElementCursor, readString, required } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { typeName } from '../filter/typeNames.ts';
import { formatField, formatValue } from '../format.ts';
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
import { type MutableNode, nodeAt, putAt, removeAt } from './mutable.ts';
import { badValue, type Modify, type OperatorContext, type OperatorFactory } from './operator.ts';
import { concretePaths, type Positions } from './positions.ts';
import { type ConcretePath, compareUpdatePaths, PathSet, parseUpdatePath, type UpdatePath } from './updatePath.ts';

type Action =
  | { readonly kind: 'modify'; readonly path: UpdatePath; readonly modify: Modify }
  | { readonly kind: 'unset'; readonly path: UpdatePath }
  /** At the place of its target; the source goes when it is carried out. */
  | { readonly kind: 'rename'; readonly path: UpdatePath; readonly source: ConcretePath };

export interface OperatorUpdate {
  /** In the order in which they are carried out. */
  readonly actions: readonly Action[];
  readonly isPositional: boolean;
  readonly arrayFilters: ReadonlyMap<string, ElementFilter>;
}

/** What the operators may know, and which element `$` is. */
export type RunContext = Omit<OperatorContext, 'path'> & Pick<Positions, 'matched'>;

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
  const actions: Action[] = [];
  const taken = new PathSet();
  const operators = new ElementCursor(update.bytes, update.offset);
  while (operators.next()) {
    const { name } = operators;
    checkOperator(name, operators.value());
    const fields = new ElementCursor(update.bytes, operators.offset);
    while (fields.next()) {
      const action = parseAction(name, fields.name, fields.value(), collator);
      if (action.kind === 'rename') taken.add(action.source.join('.'));
      taken.add(action.path.text);
      actions.push(action);
    }
  }
  checkFiltersUsed(actions, arrayFilters, update);
  actions.sort((a, b) => compareUpdatePaths(a.path, b.path));
  return { actions, isPositional: actions.some(({ path }) => path.isPositional), arrayFilters };
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

function parseAction(operator: string, field: string, operand: BsonValue, collator: Collator | undefined): Action {
  const path = parseUpdatePath(field);
  if (operator === '$unset') return { kind: 'unset', path };
  if (operator === '$rename') return parseRename(path, operand);
  const factory = required(factories.get(operator), 'factory of an operator that was checked');
  return { kind: 'modify', path, modify: factory(operand, field, collator) };
}

function parseRename(source: UpdatePath, operand: BsonValue): Action {
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
  return { kind: 'rename', path: target, source: source.text.split('.') };
}

function checkFiltersUsed(
  actions: readonly Action[],
  arrayFilters: ReadonlyMap<string, ElementFilter>,
  update: BsonValue,
): void {
  const used = new Set(
    actions.flatMap(({ path }) => path.segments).map((part) => (part.kind === 'filtered' ? part.identifier : '')),
  );
  for (const identifier of arrayFilters.keys()) {
    if (used.has(identifier)) continue;
    const message = `The array filter for identifier '${identifier}' was not used in the update ${formatValue(update)}`;
    throw new CommandError('FailedToParse', message);
  }
}

/** Carries the actions out on a document. */
export function runOperators(update: OperatorUpdate, root: MutableNode, context: RunContext): void {
  const positions: Positions = { matched: context.matched, arrayFilters: update.arrayFilters };
  // Positional paths may turn out to meet others only now that their indexes are known.
  const taken = update.isPositional ? new PathSet() : undefined;
  for (const action of update.actions) {
    for (const path of concretePaths(action.path, root, positions)) {
      const text = path.join('.');
      taken?.add(text);
      if (action.kind === 'unset') removeAt(root, path);
      else if (action.kind === 'rename') rename(root, action.source, path);
      else modify(root, path, action.modify, { ...context, path: text });
    }
  }
}

function modify(root: MutableNode, path: ConcretePath, operator: Modify, context: OperatorContext): void {
  const value = operator(nodeAt(root, path)?.value(), context);
  if (value !== undefined) putAt(root, path, value);
}

function rename(root: MutableNode, source: ConcretePath, target: ConcretePath): void {
  const value = nodeAt(root, source)?.value();
  rejectArrayElement(root, source, 'source');
  if (value === undefined) return;
  rejectArrayElement(root, target, 'destination');
  putAt(root, target, value);
  removeAt(root, source);
}

function rejectArrayElement(root: MutableNode, path: ConcretePath, role: 'source' | 'destination'): void {
  for (let depth = 1; depth < path.length; depth++) {
    if (nodeAt(root, path.slice(0, depth))?.type !== BsonType.array) continue;
    const text = path.join('.');
    throw badValue(
      `The ${role} field cannot be an array element, '${text}' in doc has an array field called '${path[depth - 1]}'`,
    );
  }
}
