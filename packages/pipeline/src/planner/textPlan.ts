/** How a search by `$text` reaches its documents. Upstream: query_planner.cpp, planner_access.cpp, and stage_builder's text nodes. */
import type { CommandError } from '@replsim/protocol';
import { type Collator, sameCollation } from '@replsim/query';
import type { CollectionView, IndexView } from '@replsim/storage';
import { parseSearch } from '@replsim/text';
import type { FilterTree, Leaf } from './filterTree.ts';
import { fulfilsPartialFilter } from './implied.ts';
import { type IndexPlan, indexPlanOf, isUsable } from './indexPlan.ts';
import { EVERYTHING, type Interval, meetsStrings, pointAt } from './interval.ts';
import { keyRangesOf } from './keyRanges.ts';
import { boundsOfOperator, hasNumber } from './leafBounds.ts';
import { newValue } from './newValue.ts';
import { PlannerError } from './plannerError.ts';
import { readableIndexes } from './readableIndexes.ts';

type Other = Extract<FilterTree, { kind: 'other' }>;

/** The conjunct that searches. */
export function searchIn(conjuncts: readonly FilterTree[]): Other | undefined {
  return conjuncts.find((conjunct): conjunct is Other => conjunct.kind === 'other' && conjunct.name === '$text');
}

/** Whether anything in it searches. */
export function hasSearch(tree: FilterTree): boolean {
  if (tree.kind === 'leaf') return false;
  return tree.kind === 'other' ? tree.name === '$text' : tree.of.some(hasSearch);
}

/**
 * The plan by the text index: the keys of each term, the weightiest first, and of one value of each field in front of the terms.
 * Errors: NoQueryExecutionPlans 291 without an index that may be used, or unless the query holds each field in front to one value.
 */
export function textPlan(
  collection: CollectionView,
  search: Other,
  conjuncts: readonly FilterTree[],
  isOrdered: boolean,
  collator: Collator | undefined,
): IndexPlan {
  const index = readableIndexes(collection).find(({ spec }) => spec.kind === 'text' && !spec.hidden);
  const rules = index?.spec.text;
  if (!index || !rules) throw noPlan('need exactly one text index for $text query');
  const parsed = parseSearch(search.value, rules);
  const prefix = prefixOf(index, conjuncts, collator);
  if (!prefix || !fulfilsPartialFilter(index.spec, conjuncts, collator)) {
    throw noPlan(
      'failed to use text index to satisfy $text query (if text index is compound, are equality predicates given for all prefix fields?)',
    );
  }
  const { parts } = index.spec;
  const terms = parsed.indexTerms.map((term) => pointAt(newValue((writer, name) => writer.string(name, term))));
  const behind = parts.slice(prefix.length + 1).map(() => [EVERYTHING]);
  const bounds = [...prefix.map(({ intervals }) => intervals), terms, ...behind];
  const { ranges } = keyRangesOf(index.spec, bounds, prefix.length + 1);
  const answered = new Set<FilterTree>(prefix.map(({ leaf }) => leaf).filter((leaf) => !hasNumber(leaf)));
  return {
    stage: 'IXSCAN',
    index,
    bounds,
    ranges: ranges.map((range) => ({ ...range, reverse: true })),
    keyTest: undefined,
    reverse: true,
    sorted: !isOrdered,
    residual: conjuncts.filter((conjunct) => !answered.has(conjunct)),
    byId: false,
    limited: false,
    near: undefined,
    text: parsed,
  };
}

interface PrefixPart {
  readonly leaf: Leaf;
  readonly intervals: readonly Interval[];
}

/** The bounds of the fields in front of the terms; undefined unless each is held to one value. */
function prefixOf(
  { spec }: IndexView,
  conjuncts: readonly FilterTree[],
  collator: Collator | undefined,
): PrefixPart[] | undefined {
  const sameStrings = sameCollation(undefined, collator?.bytes);
  const parts: PrefixPart[] = [];
  for (const { path, plugin } of spec.parts) {
    if (plugin) return parts;
    const leaf = conjuncts.find(
      (each): each is Leaf => each.kind === 'leaf' && each.path === path && each.operator === '$eq' && !each.negated,
    );
    const bounds = leaf && boundsOfOperator(leaf, undefined);
    if (!bounds || (!sameStrings && meetsStrings(bounds.intervals))) return undefined;
    parts.push({ leaf, intervals: bounds.intervals });
  }
  return undefined;
}

/**
 * Checks a search beside other conditions of an `$or`, which are asked of each document then. Errors: NoQueryExecutionPlans 291
 * unless every one of them has an index. Simplification: none of these is used.
 */
export function checkSearchUnderOr(collection: CollectionView, tree: FilterTree, collator: Collator | undefined): void {
  if (tree.kind === 'leaf' || tree.kind === 'other') return;
  for (const each of tree.of) checkSearchUnderOr(collection, each, collator);
  if (tree.kind !== '$or' || !hasSearch(tree)) return;
  const indexes = readableIndexes(collection).filter(isUsable);
  for (const branch of tree.of.filter((each) => !hasSearch(each))) {
    const conjuncts = branch.kind === '$and' ? branch.of : [branch];
    if (indexes.some((index) => indexPlanOf(index, conjuncts, [], collator, false))) continue;
    throw noPlan(
      'Failed to produce a solution for TEXT under OR - other non-TEXT clauses under OR have to be indexed as well.',
    );
  }
}

function noPlan(errmsg: string): CommandError {
  return new PlannerError('NoQueryExecutionPlans', errmsg);
}
