/** What a projection asks for, by path. Upstream: projection_ast.h, projection_node.h. */
import { CommandError, required } from '@replsim/protocol';
import type { Expression } from '../expression.ts';
import { checkFieldPath } from '../fieldPath.ts';
import type { Slice } from './slice.ts';

/** What becomes of a field, or of the fields below it. */
export type ProjectionNode =
  | ProjectionTree
  | ExpressionNode
  | { readonly kind: 'include' | 'exclude' }
  | { readonly kind: 'slice'; readonly slice: Slice };

/** A field whose value is made of the whole document. */
export interface ExpressionNode {
  readonly kind: 'compute';
  readonly expression: Expression;
}

export interface ProjectionTree {
  readonly kind: 'tree';
  /** In the order of the specification. */
  readonly children: Map<string, ProjectionNode>;
  /** True if a field below is computed, so that even a scalar here becomes a document. */
  computes: boolean;
}

export function newProjectionTree(): ProjectionTree {
  return { kind: 'tree', children: new Map(), computes: false };
}

/** Another node lies above the path. */
export const COLLISION_ABOVE = 31249;
/** Another node lies at the path, or below it. */
export const COLLISION_AT = 31250;

/**
 * Puts a node at a path such as `a.b`. Throws as `checkFieldPath`, and Location31249 or 31250 for a collision.
 * Upstream: projection_parser.cpp, addNodeAtPath.
 */
export function plantNode(root: ProjectionTree, path: string, node: ProjectionNode): void {
  checkFieldPath(path);
  const names = path.split('.');
  const last = required(names.pop(), 'name on a path');
  const computes = node.kind === 'compute';
  let tree = root;
  for (const name of names) {
    tree.computes ||= computes;
    let child = tree.children.get(name);
    if (child === undefined) {
      child = newProjectionTree();
      tree.children.set(name, child);
    }
    if (child.kind !== 'tree') throw new CommandError(COLLISION_ABOVE, `Path collision at ${path}`);
    tree = child;
  }
  tree.computes ||= computes;
  if (tree.children.has(last)) throw new CommandError(COLLISION_AT, `Path collision at ${path}`);
  tree.children.set(last, node);
}
