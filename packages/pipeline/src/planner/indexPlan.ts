import { type NearQuery, parseNear } from '@replsim/geo';
import { type Collator, sameCollation } from '@replsim/query';
import type { GeoPlugin, IndexBounds, IndexSpec, IndexView } from '@replsim/storage';
import type { TextSearch } from '@replsim/text';
import { type FilterTree, type Leaf, nearLeafOf } from './filterTree.ts';
import { geoBoundsOf } from './geoBounds.ts';
import { fulfilsPartialFilter } from './implied.ts';
import {
  EVERYTHING,
  type Interval,
  intersection,
  intervalsOf,
  isOnePoint,
  isPoint,
  meetsNull,
  meetsStrings,
} from './interval.ts';
import { keyRangesOf } from './keyRanges.ts';
import { boundsOf, type LeafBounds } from './leafBounds.ts';
import { directionFor, type SortField } from './sortOrder.ts';

/** Along ranges of one index, in their order. */
export interface IndexPlan {
  readonly stage: 'IXSCAN';
  readonly index: IndexView;
  /** For each part of the index, in ascending order of values. */
  readonly bounds: readonly (readonly Interval[])[];
  /** What is walked, in the order of the walk. */
  readonly ranges: readonly IndexBounds[];
  /** Asked of each key in the ranges before its document is fetched. */
  readonly keyTest: ((document: Uint8Array) => boolean) | undefined;
  readonly reverse: boolean;
  /** The order of the walk is the order that was asked for. */
  readonly sorted: boolean;
  /** What the bounds leave to be asked of the documents. */
  readonly residual: readonly FilterTree[];
  /** Equality on `_id` and nothing else, where there is an index on it. */
  readonly byId: boolean;
  /** Between `min` and `max`, which are no bounds of single parts. */
  readonly limited: boolean;
  /** What is found is given by its distance. */
  readonly near: NearSearch | undefined;
  /** What is found has these words. */
  readonly text: TextSearch | undefined;
}

/** A search for what is near, by a path's values. */
export interface NearSearch {
  readonly path: string;
  readonly query: NearQuery;
}

/** Whether any query may use the index; that with words serves searches alone. */
export function isUsable({ spec }: IndexView): boolean {
  return spec.kind !== 'special' && spec.kind !== 'text' && !spec.hidden;
}

/**
 * The plan by one index, undefined if it has nothing to give: no bounds on its first part, nor the order that is wanted; or
 * if it does not hold every match, because it is sparse or partial. What is to be near is found by a geographic index alone.
 * @param collator of the query; an index with another one finds and orders anything but strings
 * @param hinted takes the index whatever it gives, and misses what it does not hold
 */
export function indexPlanOf(
  index: IndexView,
  conjuncts: readonly FilterTree[],
  order: readonly SortField[],
  collator: Collator | undefined,
  hinted: boolean,
): IndexPlan | undefined {
  const sameStrings = sameCollation(index.spec.collator?.bytes, collator?.bytes);
  const found = boundsOfParts(index, conjuncts, sameStrings);
  const near = nearLeafOf(conjuncts);
  if (near && !found.some((part) => part?.leaves.includes(near))) return undefined;
  if (!hinted && !holdsAllMatches(index, conjuncts, found, collator)) return undefined;
  const bounds = found.map((part) => part?.intervals ?? [EVERYTHING]);
  // Neither distances nor cells are an order that a sort asks for.
  const direction =
    order.length === 0 || index.spec.kind !== 'ordered' ? undefined : directionFor(index, bounds, order, sameStrings);
  if (!hinted && !found[0] && direction === undefined) return undefined;
  const unbounded = found.findLastIndex((part) => part !== undefined) + 1;
  const { ranges, keyTest } = keyRangesOf(index.spec, bounds, unbounded);
  const reverse = direction ?? false;
  const answered = new Set(found.flatMap((part) => part?.answered ?? []));
  return {
    stage: 'IXSCAN',
    index,
    bounds,
    ranges: reverse ? ranges.map((range) => ({ ...range, reverse })).reverse() : ranges,
    keyTest,
    reverse,
    sorted: order.length === 0 || direction !== undefined,
    residual: conjuncts.filter((conjunct) => !answered.has(conjunct)),
    limited: false,
    near: near && { path: near.path, query: parseNear(near.operand) },
    text: undefined,
    byId:
      index.spec.name === '_id_' &&
      !index.spec.clustered &&
      sameStrings &&
      conjuncts.length === 1 &&
      conjuncts.every(isEquality) &&
      isOnePoint(intervalsOf(bounds, 0)),
  };
}

function isEquality(conjunct: FilterTree): boolean {
  return conjunct.kind === 'leaf' && conjunct.operator === '$eq';
}

/** What is known of one part of an index. */
interface PartBounds {
  readonly intervals: readonly Interval[];
  /** The conjuncts that gave them. */
  readonly leaves: readonly FilterTree[];
  /** Of these, what need not be asked again. */
  readonly answered: readonly FilterTree[];
  readonly needsPresence: boolean;
}

/**
 * The bounds of each part. In a multikey index two conditions may be met by two elements of one array: of several on a path
 * only one can be used, and of paths that may lead through the same array only the first.
 */
function boundsOfParts(
  index: IndexView,
  conjuncts: readonly FilterTree[],
  sameStrings: boolean,
): (PartBounds | undefined)[] {
  const { multikey, spec } = index;
  const boundRoots = new Set<string>();
  // What lies behind a range is asked of a document's one key, of which a multikey index has several.
  let behindRange = false;
  return spec.parts.map(({ path, plugin }) => {
    // Beside its squares a 2d index holds values in no order of theirs.
    if (spec.kind === '2d' && plugin === undefined) return undefined;
    const root = path.split('.', 1)[0]!;
    const leaves = conjuncts.filter((conjunct): conjunct is Leaf => conjunct.kind === 'leaf' && conjunct.path === path);
    if (multikey && (behindRange || boundRoots.has(root)))
      return plugin ? nearAnywhere(leaves, spec, plugin) : undefined;
    const usable = leaves.flatMap((leaf) => {
      const bounds = plugin ? geoBoundsOf(leaf, spec, plugin as GeoPlugin) : boundsOf(leaf, spec.collator);
      if (bounds && !plugin && !sameStrings && meetsStrings(bounds.intervals)) return [];
      return bounds ? [{ leaf, bounds }] : [];
    });
    if (usable.length === 0) {
      behindRange = true;
      return undefined;
    }
    boundRoots.add(root);
    const near = nearLeafOf(usable.map(({ leaf }) => leaf));
    const chosen = near ? usable.filter(({ leaf }) => leaf === near) : usable;
    const part = together(multikey ? [chosen.reduce(narrower)] : chosen);
    behindRange ||= !part.intervals.every(isPoint);
    return part;
  });
}

/** What is near is found wherever it is in the index: its order comes from the documents, and not from their keys. */
function nearAnywhere(leaves: readonly Leaf[], spec: IndexSpec, plugin: string): PartBounds | undefined {
  const near = nearLeafOf(leaves);
  if (!near || !geoBoundsOf(near, spec, plugin as GeoPlugin)) return undefined;
  return { intervals: [EVERYTHING], leaves: [near], answered: [], needsPresence: true };
}

interface UsableLeaf {
  readonly leaf: Leaf;
  readonly bounds: LeafBounds;
}

/** Points before ranges, else the first in the order of the filter's normal form. */
function narrower(a: UsableLeaf, b: UsableLeaf): UsableLeaf {
  const isPoints = ({ bounds }: UsableLeaf) => bounds.intervals.every(isPoint);
  return isPoints(b) && !isPoints(a) ? b : a;
}

function together(usable: readonly UsableLeaf[]): PartBounds {
  const intervals = usable.reduce<readonly Interval[]>(
    (all, { bounds }) => intersection(all, bounds.intervals),
    [EVERYTHING],
  );
  return {
    intervals,
    leaves: usable.map(({ leaf }) => leaf),
    answered: usable.filter(({ bounds }) => bounds.exact).map(({ leaf }) => leaf),
    needsPresence: usable.some(({ bounds }) => bounds.needsPresence),
  };
}

/** A sparse index holds what has one of its paths, a partial one what passes its filter. */
function holdsAllMatches(
  { spec }: IndexView,
  conjuncts: readonly FilterTree[],
  found: readonly (PartBounds | undefined)[],
  collator: Collator | undefined,
): boolean {
  if (spec.sparse && !found.some((part) => part?.needsPresence)) return false;
  // A geographic index leaves out what has no geometry.
  if (spec.kind !== 'ordered' && !spec.parts.some(({ plugin }, i) => plugin && found[i])) return false;
  return fulfilsPartialFilter(spec, conjuncts, collator);
}

/** How many parts, from the first on, are held to single values. */
export function equalities({ bounds }: IndexPlan): number {
  const first = bounds.findIndex((intervals) => !intervals.every(isPoint));
  return first < 0 ? bounds.length : first;
}

/** Whether the part behind the equalities has bounds. */
export function hasRange(plan: IndexPlan): boolean {
  const part = plan.bounds[equalities(plan)];
  return part !== undefined && !(part.length === 1 && part[0] === EVERYTHING);
}

/** Whether the values of this part are in the keys as they are in the documents: no array, nothing missing, no collated string. */
export function holdsValues({ index, bounds }: IndexPlan, part: number): boolean {
  if (index.spec.kind !== 'ordered') return false;
  const intervals = intervalsOf(bounds, part);
  if (index.spec.collator && meetsStrings(intervals)) return false;
  return !index.multikey && !meetsNull(intervals);
}
