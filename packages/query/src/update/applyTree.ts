/** Carrying out the operators of an update on one document. Upstream: update_object_node.cpp, update_array_node.cpp. */
import { BsonType, type BsonValue, CommandError, required } from '@replsim/protocol';
import { formatField } from '../format.ts';
import { loop } from '../turns/evaluation.ts';
import type { Meter } from '../turns/meter.ts';
import { ELEMENTS_AT_ONCE, finished, more, type Slices } from '../turns/parts.ts';
import type { ElementFilter } from './arrayFilters.ts';
import type { DeltaLog } from './deltaLog.ts';
import { checkDollarName } from './dollarNames.ts';
import { type MutableNode, NULL, nodeAt, putAt, removeAt } from './mutable.ts';
import { badValue, type OperatorContext } from './operator.ts';
import type { ConcretePath } from './updatePath.ts';
import { type FieldsNode, mergeTrees, type UpdateNode, withMatched } from './updateTree.ts';

/** What the operators may know, and which elements the positional names mean. */
export interface RunContext extends Omit<OperatorContext, 'path'> {
  /** The index that `$` stands for in the array at a path. */
  readonly matched: (arrayPath: string) => number | undefined;
  readonly arrayFilters: ReadonlyMap<string, ElementFilter>;
  /** Lets others have their turn between fields and elements, where there may be many. */
  readonly meter: Meter | undefined;
}

/**
 * Changes the document, and writes into `log`, if there is one, what was changed.
 * @returns false if no operator had anything to do
 * Throws CommandError BadValue, PathNotViable, ConflictingUpdateOperators, and what the operators object to.
 */
export function applyTree(
  tree: FieldsNode,
  root: MutableNode,
  context: RunContext,
  log: DeltaLog | undefined,
): boolean {
  return applyNode(tree, [], root, { root, context, log });
}

interface Run {
  readonly root: MutableNode;
  readonly context: RunContext;
  readonly log: DeltaLog | undefined;
}

function applyNode(update: UpdateNode, path: ConcretePath, node: MutableNode | undefined, run: Run): boolean {
  switch (update.kind) {
    case 'fields':
      return applyFields(update, path, node, run);
    case 'elements':
      return applyElements(update.children, path, node, run);
    case 'modify': {
      if (node === undefined && update.removes) {
        checkViable(run.root, path, 'Cannot');
        return false;
      }
      const result = update.modify(node?.value(), { ...run.context, path: path.join('.') });
      if (result === undefined) return false;
      if ('appended' in result) append(run, path, result.value, result.appended);
      else put(run, path, result);
      return true;
    }
    case 'unset':
      return unset(run, path, node);
    case 'rename':
      return rename(run, update.source, path);
    case 'renameSource':
      return false;
  }
}

function applyFields(update: FieldsNode, path: ConcretePath, start: MutableNode | undefined, run: Run): boolean {
  return loop(run.context.meter, () => {
    takeApart(start, run.context);
    const children = [...childrenOf(update, path, run.context)];
    let [node, changed, at] = [start, false, 0];
    return {
      next() {
        const child = children[at];
        if (!child) return finished(changed);
        const done = applyNode(child[1], [...path, child[0]], node?.child(child[0]), run);
        at++;
        changed ||= done;
        // The first one to create something creates it for those that follow.
        if (done) node ??= nodeAt(run.root, path);
        return more(CHILD_STEPS);
      },
    };
  });
}

function takeApart(node: MutableNode | undefined, { meter }: RunContext): void {
  if (node && meter) loop(meter, () => node.takeApart());
}

/** What it costs to change one field or element. */
const CHILD_STEPS = 4;

function childrenOf(update: FieldsNode, path: ConcretePath, { matched }: RunContext): ReadonlyMap<string, UpdateNode> {
  if (update.matched === undefined) return update.children;
  const text = path.join('.');
  const index = matched(text);
  if (index === undefined) throw badValue('The positional operator did not find the match needed from the query.');
  return withMatched(update, String(index), text);
}

function applyElements(
  updates: ReadonlyMap<string, UpdateNode>,
  path: ConcretePath,
  node: MutableNode | undefined,
  run: Run,
): boolean {
  return loop(run.context.meter, () => {
    const array = requiredArray(path, node);
    takeApart(array, run.context);
    const chosen = loop(run.context.meter, () => chooseElements(updates, path, array, run.context));
    // One element logs for itself how it changed; of several, what changed is logged whole.
    const isQuiet = chosen.length > 1;
    const each = isQuiet ? { ...run, log: undefined } : run;
    const modified: string[] = [];
    let at = 0;
    return {
      next() {
        const element = chosen[at];
        if (!element) {
          if (isQuiet) logElements(modified, path, array, run);
          return finished(modified.length > 0);
        }
        const name = String(element.index);
        if (applyNode(element.update, [...path, name], array.child(name), each)) modified.push(name);
        at++;
        return more(CHILD_STEPS);
      },
    };
  });
}

function logElements([first, ...more]: readonly string[], path: ConcretePath, array: MutableNode, run: Run): void {
  if (first === undefined) return;
  if (more.length > 0) run.log?.put(run.root, path, path.length, array.value());
  else {
    const element = required(array.child(first), 'element that was changed');
    run.log?.put(run.root, [...path, first], path.length + 1, element.value());
  }
}

/** An element, and what is to be done to it. */
interface Chosen {
  readonly index: number;
  readonly update: UpdateNode;
}

/** Which elements are meant is asked of the array as it was before any of them changes. */
function* chooseElements(
  updates: ReadonlyMap<string, UpdateNode>,
  path: ConcretePath,
  array: MutableNode,
  { arrayFilters }: RunContext,
): Slices<Chosen[]> {
  const chosen: Chosen[] = [];
  for (const [index, { node }] of array.children().entries()) {
    let update: UpdateNode | undefined;
    for (const [identifier, wanted] of updates) {
      if (identifier !== '' && !arrayFilters.get(identifier)?.(node.value())) continue;
      update = update ? mergeTrees(update, wanted, [...path, index].join('.')) : wanted;
    }
    if (update) chosen.push({ index, update });
    if (index % ELEMENTS_AT_ONCE === ELEMENTS_AT_ONCE - 1) yield ELEMENTS_AT_ONCE;
  }
  return chosen;
}

function requiredArray(path: ConcretePath, node: MutableNode | undefined): MutableNode {
  if (node === undefined) {
    const message = `The path '${path.join('.')}' must exist in the document in order to apply array updates.`;
    throw new CommandError('BadValue', message);
  }
  if (node.type !== BsonType.array) {
    const field = formatField(path.at(-1) ?? '', node.value());
    throw new CommandError('BadValue', `Cannot apply array updates to non-array element ${field}`);
  }
  return node;
}

function put({ root, context, log }: Run, path: ConcretePath, value: BsonValue): void {
  const firstNew = putAt(root, path, value);
  if (!context.isUpsertInsert) checkTopName(root, path, firstNew);
  log?.put(root, path, firstNew, value);
}

/** Below the top any name may begin with a dollar. Upstream: modifier_node.cpp, validateUpdate. */
function checkTopName(root: MutableNode, path: ConcretePath, firstNew: number): void {
  const top = required(path[0], 'first name of a path');
  if (!top.startsWith('$') || (path.length > 1 && firstNew > 0)) return;
  const { before, fields } = root.around(top);
  checkDollarName(
    fields.map(({ name, node }) => ({ name, type: node.type })),
    before,
  );
}

/** What was pushed to the end of an array is logged for itself, however long the array is. */
function append({ root, log }: Run, path: ConcretePath, array: BsonValue, appended: readonly BsonValue[]): void {
  putAt(root, path, array);
  const first = required(nodeAt(root, path), 'array that was appended to').children().length - appended.length;
  appended.forEach((element, i) => {
    log?.put(root, [...path, String(first + i)], path.length, element);
  });
}

function unset({ root, log }: Run, path: ConcretePath, node: MutableNode | undefined): boolean {
  if (node === undefined) return false;
  const isElement = nodeAt(root, path.slice(0, -1))?.type === BsonType.array;
  removeAt(root, path);
  if (isElement) log?.put(root, path, path.length, NULL);
  else log?.remove(root, path);
  return true;
}

function rename(run: Run, source: ConcretePath, target: ConcretePath): boolean {
  const { root, log } = run;
  checkViable(root, source, 'cannot');
  const value = nodeAt(root, source)?.value();
  if (value === undefined) return false;
  rejectArrayElement(root, source, 'source');
  rejectArrayElement(root, target, 'destination');
  put(run, target, value);
  removeAt(root, source);
  log?.remove(root, source);
  return true;
}

/**
 * What is not there is neither renamed nor taken from; but a path that cannot be there is a mistake. The messages differ in how they
 * begin, and in which part they name. Upstream: path_support.cpp, findLongestPrefix; update_leaf_node.cpp, checkViability.
 */
function checkViable(root: MutableNode, path: ConcretePath, cannot: 'cannot' | 'Cannot'): void {
  for (let depth = 1; depth < path.length; depth++) {
    const node = nodeAt(root, path.slice(0, depth));
    if (node === undefined) return;
    const [at, part] = path.slice(depth - 1, depth + 1) as [string, string];
    if (node.type === BsonType.object || (node.type === BsonType.array && isIndex(part))) continue;
    const text = path.join('.');
    const cannotUse =
      cannot === 'Cannot' ? `Cannot use the part (${part}) of (${text})` : `cannot use the part (${at} of ${text})`;
    throw new CommandError(
      'PathNotViable',
      `${cannotUse} to traverse the element ({${formatField(at, node.value())}})`,
    );
  }
}

function isIndex(part: string): boolean {
  return /^(0|[1-9]\d*)$/.test(part);
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
