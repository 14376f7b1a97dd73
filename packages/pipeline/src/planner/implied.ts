import { type Collator, sameCollation } from '@replsim/query';
import type { IndexSpec } from '@replsim/storage';
import { comparesStrings } from './comparesStrings.ts';
import { conjunctsOf, type FilterTree, filterDocument, type Leaf, parseFilterTree } from './filterTree.ts';
import { isWithin } from './interval.ts';
import { boundsOf } from './leafBounds.ts';

/**
 * Whether every match of the conjuncts is in an index as far as its partial filter goes.
 * Upstream: expression_algo.cpp, isSubsetOf. Simplification: a filter of several branches is seen to follow only where the
 * query has the same branches.
 */
export function fulfilsPartialFilter(
  { partialFilter, collator }: IndexSpec,
  conjuncts: readonly FilterTree[],
  queryCollator: Collator | undefined,
): boolean {
  if (!partialFilter) return true;
  // Two collations may be of one mind on anything but strings.
  const sameStrings = sameCollation(collator?.bytes, queryCollator?.bytes);
  return conjunctsOf(parseFilterTree(partialFilter)).every((demand) =>
    conjuncts.some((conjunct) => implies(conjunct, demand, collator, sameStrings)),
  );
}

function implies(
  conjunct: FilterTree,
  demand: FilterTree,
  collator: Collator | undefined,
  sameStrings: boolean,
): boolean {
  if (!sameStrings && comparesStrings(filterDocument(demand))) return false;
  if (sameDocument(filterDocument(conjunct), filterDocument(demand))) return true;
  return conjunct.kind === 'leaf' && demand.kind === 'leaf' && impliesLeaf(conjunct, demand, collator);
}

function impliesLeaf(leaf: Leaf, demand: Leaf, collator: Collator | undefined): boolean {
  if (leaf.path !== demand.path || demand.negated) return false;
  const has = boundsOf(leaf, collator);
  if (!has) return false;
  if (demand.operator === '$exists') return has.needsPresence;
  const wants = boundsOf(demand, collator);
  return wants?.exact === true && isWithin(has.intervals, wants.intervals);
}

function sameDocument(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
