/**
 * An update's operators as a tree of the paths that they change, so that paths which meet are found, an array's elements
 * are chosen before any of them changes, and the tree's order is that of the changes.
 * Upstream: update_object_node.cpp, update_array_node.cpp.
 */
import { CommandError } from '@replsim/protocol';
import type { Meter } from '../turns/meter.ts';
import { eachOf, manyOf } from '../turns/written.ts';
import type { Modify } from './operator.ts';
import { type ConcretePath, compareNames, type UpdatePath } from './updatePath.ts';

export type UpdateLeaf =
  | {
      readonly kind: 'modify';
      readonly modify: Modify;
      /** Only takes away: there is nothing to do where the path leads nowhere, but it has to be one that could be. */
      readonly removes: boolean;
    }
  | { readonly kind: 'unset' }
  /** At the place of its target; the source goes when it is carried out. */
  | { readonly kind: 'rename'; readonly source: ConcretePath }
  /** Keeps other operators from the source of a rename. */
  | { readonly kind: 'renameSource' };

/** Changes to fields, or to elements that are known by their index. */
export interface FieldsNode {
  readonly kind: 'fields';
  readonly children: Map<string, UpdateNode>;
  /** What is done to the element that `$` is. */
  matched: UpdateNode | undefined;
}

/** Changes to the elements that array filters choose; the identifier of `$[]` is empty. */
interface ElementsNode {
  readonly kind: 'elements';
  readonly children: Map<string, UpdateNode>;
}

export type UpdateNode = FieldsNode | ElementsNode | UpdateLeaf;

export function emptyTree(): FieldsNode {
  return { kind: 'fields', children: new Map(), matched: undefined };
}

/** Throws CommandError ConflictingUpdateOperators if the path equals, contains or lies within an earlier one. */
export function addLeaf(root: FieldsNode, { segments, text }: UpdatePath, leaf: UpdateLeaf): void {
  let node: FieldsNode | ElementsNode = root;
  for (const [i, segment] of segments.entries()) {
    const child = childOf(node, segment);
    const next = segments[i + 1];
    if (next === undefined) {
      if (child !== undefined) throw conflict(text, text);
      setChild(node, segment, leaf);
      return;
    }
    const kind = next.kind === 'all' || next.kind === 'filtered' ? 'elements' : 'fields';
    if (child === undefined) {
      const made: FieldsNode | ElementsNode = kind === 'fields' ? emptyTree() : { kind, children: new Map() };
      setChild(node, segment, made);
      node = made;
    } else if (child.kind === 'fields' || child.kind === 'elements') {
      if (child.kind !== kind) throw conflict(text, prefixOf(text, i));
      node = child;
    } else throw conflict(text, prefixOf(text, i));
  }
}

type Segment = UpdatePath['segments'][number];

function childOf(node: FieldsNode | ElementsNode, segment: Segment): UpdateNode | undefined {
  if (segment.kind === 'matched') return node.kind === 'fields' ? node.matched : undefined;
  return node.children.get(nameOf(segment));
}

function setChild(node: FieldsNode | ElementsNode, segment: Segment, child: UpdateNode): void {
  if (segment.kind === 'matched' && node.kind === 'fields') node.matched = child;
  else node.children.set(nameOf(segment), child);
}

function nameOf(segment: Segment): string {
  if (segment.kind === 'name') return segment.name;
  return segment.kind === 'filtered' ? segment.identifier : '';
}

function prefixOf(text: string, index: number): string {
  return text
    .split('.')
    .slice(0, index + 1)
    .join('.');
}

function conflict(path: string, at: string): CommandError {
  const message = `Updating the path '${path}' would create a conflict at '${at}'`;
  return new CommandError('ConflictingUpdateOperators', message);
}

/** The tree with its names in the order in which they are carried out, and so new fields appended. */
export function sortedTree<Node extends UpdateNode>(node: Node, meter: Meter | undefined): Node {
  if (node.kind !== 'fields' && node.kind !== 'elements') return node;
  const below = manyOf([...node.children]);
  const children = new Map(eachOf(below, meter, ([name, child]) => [name, sortedTree(child, meter)] as const));
  if (node.kind === 'elements') return { ...node, children };
  return { ...node, children: inOrder(children), matched: node.matched && sortedTree(node.matched, meter) };
}

function inOrder(children: ReadonlyMap<string, UpdateNode>): Map<string, UpdateNode> {
  return new Map([...children].sort(([a], [b]) => compareNames(a, b)));
}

/** What is done to the fields of one value, once it is known which element `$` is. Throws as `mergeTrees`. */
export function withMatched(node: FieldsNode, index: string, path: string): ReadonlyMap<string, UpdateNode> {
  if (node.matched === undefined) return node.children;
  const child = node.children.get(index);
  const merged = child === undefined ? node.matched : mergeTrees(child, node.matched, `${path}.${index}`);
  return inOrder(new Map([...node.children, [index, merged]]));
}

/** Both trees as one. Throws CommandError ConflictingUpdateOperators if a path of one meets a path of the other. */
export function mergeTrees(a: UpdateNode, b: UpdateNode, path: string): UpdateNode {
  if (a.kind === 'fields' && b.kind === 'fields') {
    const matched = a.matched && b.matched ? mergeTrees(a.matched, b.matched, `${path}.$`) : (a.matched ?? b.matched);
    return { kind: 'fields', children: inOrder(mergedChildren(a.children, b.children, path)), matched };
  }
  if (a.kind === 'elements' && b.kind === 'elements') {
    return { kind: 'elements', children: mergedChildren(a.children, b.children, path) };
  }
  throw new CommandError('ConflictingUpdateOperators', `Update created a conflict at '${path}'`);
}

function mergedChildren(
  a: ReadonlyMap<string, UpdateNode>,
  b: ReadonlyMap<string, UpdateNode>,
  path: string,
): Map<string, UpdateNode> {
  const merged = new Map(a);
  for (const [name, child] of b) {
    const other = merged.get(name);
    merged.set(name, other === undefined ? child : mergeTrees(other, child, `${path}.${name}`));
  }
  return merged;
}

/** Whether it goes through elements of an array. */
export function hasElements(node: UpdateNode): boolean {
  if (node.kind === 'elements') return true;
  return (
    node.kind === 'fields' && [...node.children.values(), ...(node.matched ? [node.matched] : [])].some(hasElements)
  );
}
