import {
  allViews,
  documentValue,
  jsValueOf,
  MAX_VIEW_DEPTH,
  type Stage,
  splitNs,
  stagesOf,
  type ViewDefinition,
} from '@replsim/pipeline';
import { type BsonValue, CommandError, ElementCursor } from '@replsim/protocol';
import { sameCollation } from '@replsim/query';
import type { ReadView } from '@replsim/storage';

/** What each view of a database reads, by namespace. */
type ViewGraph = ReadonlyMap<string, readonly string[]>;

/**
 * Refuses a definition that would make views stand on themselves, or too many on each other: GraphContainsCycle 5,
 * ViewDepthLimitExceeded 165; OptionNotSupportedOnView 167 for views of different collations, and while the database holds a view that
 * could not be created now. What stages such as `$lookup` read counts as well. Upstream: view_graph.cpp.
 * @param definition what the view is about to become
 */
export function checkViewGraph(view: ReadView, ns: string, definition: ViewDefinition): void {
  const [db] = splitNs(ns);
  const views = allViews(view, db);
  // The others have been refused before, unless somebody has written them by hand.
  for (const { pipeline } of views.values()) checkReadsOnly(pipeline.map(documentValue));
  const graph = new Map([...views].map(([name, each]) => [name, readBy(each)]));
  graph.set(ns, readBy(definition));
  checkCollations(views, ns, definition);
  const cycle = pathBack(graph, ns, ns, [ns]);
  if (cycle) throw new CommandError('GraphContainsCycle', `View cycle detected: ${cycle.join(' => ')}`);
  // The view itself stands on both sides.
  if (height(graph, ns) + height(readers(graph), ns) - 1 > MAX_VIEW_DEPTH) {
    throw new CommandError('ViewDepthLimitExceeded', `View depth limit exceeded; maximum depth is ${MAX_VIEW_DEPTH}`);
  }
}

/** Stages that write, or that never end. */
const notInViews: ReadonlySet<string> = new Set(['$out', '$merge', '$changeStream']);

/** Throws OptionNotSupportedOnView 167 for a pipeline that does more than read. Upstream: view_catalog_helpers.cpp, validatePipeline. */
export function checkReadsOnly(pipeline: readonly BsonValue[]): void {
  for (const stage of pipeline) {
    const cursor = new ElementCursor(stage.bytes, stage.offset);
    if (!cursor.next() || !notInViews.has(cursor.name)) continue;
    throw new CommandError('OptionNotSupportedOnView', `a view cannot have the stage ${cursor.name}`);
  }
}

function checkCollations(views: ReadonlyMap<string, ViewDefinition>, ns: string, definition: ViewDefinition): void {
  const below = readBy(definition).flatMap((name) => (name === ns ? [] : (views.get(name) ?? [])));
  const above = [...views].filter(([name, each]) => name !== ns && readBy(each).includes(ns)).map(([, each]) => each);
  if ([...below, ...above].every(({ collation }) => sameCollation(collation, definition.collation))) return;
  throw new CommandError('OptionNotSupportedOnView', `the view ${ns} and one beside it have different collations`);
}

function readBy({ viewOn, pipeline }: ViewDefinition): string[] {
  const [db] = splitNs(viewOn);
  return [
    viewOn,
    ...stagesOf(pipeline)
      .flatMap(namesIn)
      .map((name) => `${db}.${name}`),
  ];
}

/** The collections that a stage reads beside its input. */
function namesIn(stage: Stage): string[] {
  const found: string[] = [];
  collectNames(stage.name, jsValueOf(stage.spec), found);
  return found;
}

function collectNames(name: string, spec: unknown, into: string[]): void {
  if (name === '$unionWith' && typeof spec === 'string') into.push(spec);
  if (spec === null || typeof spec !== 'object') return;
  const { from, coll } = spec as { from?: unknown; coll?: unknown };
  if ((name === '$lookup' || name === '$graphLookup') && typeof from === 'string') into.push(from);
  if (name === '$unionWith' && typeof coll === 'string') into.push(coll);
  // Pipelines inside, of `$lookup` and `$facet` for two.
  for (const [inner, value] of Object.entries(spec)) collectNames(inner, value, into);
}

/**
 * The way from a view back to the first, if there is one: what has been looked at once leads nowhere the second time.
 * @param path how `from` was reached, itself the last
 */
function pathBack(
  graph: ViewGraph,
  to: string,
  from: string,
  path: readonly string[],
  seen: Set<string> = new Set(path),
): readonly string[] | undefined {
  for (const below of graph.get(from) ?? []) {
    if (below === to) return [...path, to];
    if (seen.has(below)) continue;
    seen.add(below);
    const found = pathBack(graph, to, below, [...path, below], seen);
    if (found) return found;
  }
  return undefined;
}

/** Views on each other from this one on, the way that the graph goes; a namespace that is no view of it has none. */
function height(graph: ViewGraph, ns: string, known: Map<string, number> = new Map()): number {
  const before = known.get(ns);
  if (before !== undefined) return before;
  const next = graph.get(ns);
  // A circle that the new view is no part of has been refused before, so that this is never asked for while it is found out.
  const found = next ? 1 + Math.max(0, ...next.map((each) => height(graph, each, known))) : 0;
  known.set(ns, found);
  return found;
}

/** Which views read each view. */
function readers(graph: ViewGraph): ViewGraph {
  const above = new Map<string, string[]>([...graph.keys()].map((name) => [name, []]));
  for (const [name, reads] of graph) for (const each of reads) above.get(each)?.push(name);
  return above;
}
