import { nearestOf, parseNear } from '@replsim/geo';
import { conjunctsOf, nearLeafOf, parseFilterTree } from '@replsim/pipeline';
import { type Nearness, parsePath, valuesAtPath } from '@replsim/query';
import type { CompiledFilter } from './query.ts';

/** How far a query's documents are, and where; undefined if it does not ask for what is near. */
export function nearnessOf({ bytes, tree }: CompiledFilter): Nearness | undefined {
  const leaf = nearLeafOf(conjunctsOf(tree ?? parseFilterTree(bytes)));
  if (!leaf) return undefined;
  const near = parseNear(leaf.operand);
  const path = parsePath(leaf.path);
  return { of: (document) => nearestOf(near, valuesAtPath(document, path, false)) };
}
