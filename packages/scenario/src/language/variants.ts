import { didYouMeanOneOf } from '@replsim/kernel';
import { strict } from '@replsim/replset';
import { type Node, Pair, YAMLMap, YAMLSeq } from 'yaml';
import * as z from 'zod';
import { InvalidScenario, ScenarioError } from '../file/scenarioError.ts';
import type { Path, Source } from '../file/source.ts';
import { isListNode, isMapNode, keyOf, type MapNode } from '../file/yamlTree.ts';
import type { Scenario } from '../scenario.ts';
import { label } from '../schema/parts.ts';
import { plainSteps } from '../steps/plainSteps.ts';
import { workloadSchema } from '../steps/workloadSchema.ts';

/** What the scenario itself is called beside its variants. */
export const AS_WRITTEN = 'as written';
const PATH = ['variants'];
/** What no variant can change, and why. */
const SHARED = {
  name: "the key is the variant's name",
  seed: 'all variants are played with the same seeds',
  variants: 'a variant has no variants',
};

/** @param shape the scenario's own keys, without those that variants share */
export function variantsShape<Shape extends z.ZodRawShape>(shape: Shape) {
  const variant = strict(
    'a variant',
    {
      ...shape,
      workloads: z
        .record(label, z.object(workloadSchema.shape).partial().catchall(z.unknown()))
        .optional()
        .describe('Workloads by their names: { w1: { writeConcern: { w: 1 } } }'),
    },
    SHARED,
  );
  return z
    .record(z.string(), variant, { error: 'expected variants by their names: { "2 s timeout": { replicaSet: … } }' })
    .describe('What "replsim measure" compares with the scenario as written: a name, and what is different then');
}

/**
 * Reads each variant as the whole scenario that it makes of the file: maps are merged, everything else takes the place of what it overrides.
 * So each key is judged like the one that it overrides, and whatever does not go together with the rest.
 * @param read reads the source as it stands
 */
export function readVariants(source: Source, read: (source: Source) => Scenario): ReadonlyMap<string, Scenario> {
  const variants = new Map<string, Scenario>();
  const { root } = source;
  const all = source.nodeAt(PATH);
  if (!isMapNode(root) || !isMapNode(all)) return variants;
  for (const [name, node] of source.entries(all)) {
    const path = [...PATH, name];
    if (name.trim() === '' || name === AS_WRITTEN)
      source.mistakeAtKey(PATH, name, 'a variant needs another name', 'for example "2 s timeout"');
    const changes = node && source.follow(node);
    if (!isMapNode(changes)) continue;
    if (changes.items.length === 0)
      source.mistakeAtKey(PATH, name, 'this variant changes nothing', 'say what is different');
    variants.set(name, readVariant(source, path, [root, changes], read));
  }
  return variants;
}

/** The scenario that a variant of it makes. @throws InvalidScenario that names those there are */
export function variantOf(scenario: Scenario, name: string): Scenario {
  const variant = name === AS_WRITTEN ? scenario : scenario.variants.get(name);
  if (variant) return variant;
  const names = [...scenario.variants.keys()];
  const list = [AS_WRITTEN, ...names].map((each) => `"${each}"`).join(', ');
  const suggestion =
    names.length === 0 ? 'it has none; "variants:" in a scenario names them' : `its variants are: ${list}`;
  const nowhere = { line: 1, column: 1, length: 1, lineText: '' };
  throw new InvalidScenario([
    new ScenarioError(scenario.file, nowhere, `this scenario has no variant "${name}"`, suggestion),
  ]);
}

function readVariant(
  source: Source,
  path: Path,
  [root, changes]: readonly [MapNode, MapNode],
  read: (source: Source) => Scenario,
): Scenario {
  const [plain, workloads] = [without(changes, 'workloads'), source.child(changes, 'workloads')];
  const merged = mergeMaps(source, without(root, 'variants'), plain);
  const whole = workloads ? withWorkloads(source, merged, [...path, 'workloads'], source.follow(workloads)) : merged;
  const { result, mistakes, warnings } = source.as(whole, () => read(source));
  const [from, to] = source.linesOf(path);
  const said = (each: ScenarioError) =>
    each.line >= from && each.line <= to
      ? each
      : new ScenarioError(each.file, each.place, `in the variant "${path.at(-1)}": ${each.message}`, each.suggestion);
  for (const each of mistakes) if (!isTold(source.mistakes, each)) source.mistakes.push(said(each));
  for (const each of warnings) if (!isTold(source.warnings, each)) source.warnings.push(said(each));
  return result;
}

function isTold(told: readonly ScenarioError[], { line, column, message }: ScenarioError): boolean {
  return told.some((each) => each.line === line && each.column === column && each.message === message);
}

/** What stands in both: maps key by key, of all else the second. */
function merge(source: Source, base: Node, over: Node): Node {
  return isMapNode(base) && isMapNode(over) ? mergeMaps(source, base, over) : over;
}

function mergeMaps(source: Source, base: MapNode, over: MapNode): MapNode {
  const merged = copied(base, [...base.items]);
  for (const pair of over.items) {
    const at = merged.items.findIndex((each) => keyOf(each) === keyOf(pair));
    const after = pair.value;
    const before = merged.items[at]?.value;
    const value = before && after ? merge(source, source.follow(before), source.follow(after)) : after;
    const item = new Pair(pair.key, value);
    if (at < 0) merged.items.push(item);
    else merged.items[at] = item;
  }
  return merged;
}

/** The same with changed workloads, wherever they are started. */
function withWorkloads(source: Source, root: MapNode, path: Path, changes: Node): MapNode {
  if (!isMapNode(changes)) return root;
  const { result } = source.as(root, () => workloadPaths(source));
  let whole = root;
  for (const [name, node] of source.entries(changes)) {
    const at = result.get(name);
    if (at === undefined)
      source.mistakeAtKey(path, name, `no workload is called "${name}"`, didYouMeanOneOf(name, [...result.keys()]));
    else if (node) whole = replacedIn(source, whole, at, (before) => merge(source, before, source.follow(node)));
  }
  return whole;
}

function workloadPaths(source: Source): ReadonlyMap<string, Path> {
  const { steps } = source.toPlain() as { readonly steps?: unknown };
  return new Map(
    plainSteps(steps).flatMap(({ path, step: { workload } }) => {
      const name = (workload as { readonly name?: unknown } | undefined)?.name;
      return typeof name === 'string' ? [[name, [...path, 'workload']] as const] : [];
    }),
  );
}

/** A tree in which one node is another; only what leads to it is copied. */
function replaced(source: Source, node: Node, [part, ...rest]: Path, change: (node: Node) => Node): Node {
  if (part === undefined) return change(node);
  if (isMapNode(node)) return replacedIn(source, node, [part, ...rest], change);
  if (!isListNode(node)) return node;
  const list = new YAMLSeq<Node>();
  list.range = node.range ?? null;
  list.items = node.items.map((item, index) =>
    index === part ? replaced(source, source.follow(item), rest, change) : item,
  );
  return list;
}

function replacedIn(source: Source, map: MapNode, [part, ...rest]: Path, change: (node: Node) => Node): MapNode {
  return copied(
    map,
    map.items.map((pair) => {
      if (pair.value === null || keyOf(pair) !== String(part)) return pair;
      return new Pair(pair.key, replaced(source, source.follow(pair.value), rest, change));
    }),
  );
}

function without(map: MapNode, key: string): MapNode {
  return copied(
    map,
    map.items.filter((pair) => keyOf(pair) !== key),
  );
}

/** It stands where the first stands. */
function copied({ range }: MapNode, items: MapNode['items']): MapNode {
  const map = new YAMLMap<Node, Node | null>();
  map.range = range ?? null;
  map.items = items;
  return map;
}
