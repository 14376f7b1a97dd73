import { isAlias, isMap, isScalar, type Pair, type YAMLMap } from 'yaml';
import { withComments } from './insertStep.ts';

/** A part of a text, and what stands in its place then. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Why a text stays as it is, in words for whoever asked for something else. */
export interface Cannot {
  readonly cannot: string;
}

/**
 * What puts a value at a path of a YAML text, where maps lead to it. Everything else stays, comments and the style too, so that of two
 * texts one sees what differs.
 * @param within the map from which the path goes out; in anything else there is no place
 * @param value as it is written between braces
 */
export function putValue(text: string, within: unknown, path: readonly string[], value: string): Change | Cannot {
  let map: unknown = within;
  for (const [depth, key] of path.entries()) {
    if (!isMap(map)) return { cannot: `“${path.slice(0, depth).join('.') || 'the text'}” is not a map` };
    const pair = map.items.find((each) => isScalar(each.key) && each.key.value === key);
    const rest = path.slice(depth + 1);
    const written = rest.reduceRight((inner, name) => `{ ${name}: ${inner} }`, value);
    if (pair === undefined) return added(text, map, `${key}: ${written}`);
    const here = path.slice(0, depth + 1).join('.');
    if (isAlias(pair.value)) return { cannot: `“${here}” is an alias (*): write its value there instead` };
    if (isEmpty(pair)) return { ...atKeysEnd(text, pair), insert: ` ${written}` };
    if (rest.length === 0) return replaced(text, pair, value) ?? { cannot: `“${here}” has no place in the text` };
    map = pair.value;
  }
  return { cannot: 'there is nothing to put there' };
}

/** The text with all of them; they do not overlap. */
export function changed(text: string, changes: readonly Change[]): string {
  return [...changes]
    .sort((a, b) => b.from - a.from)
    .reduce((now, { from, to, insert }) => `${now.slice(0, from)}${insert}${now.slice(to)}`, text);
}

/** A block's range may end on a later line. */
function replaced(text: string, pair: Pair, value: string): Change | undefined {
  const [from, to] = rangeOf(pair.value) ?? [];
  if (from === undefined || to === undefined) return undefined;
  return { from, to: text.slice(0, to).trimEnd().length, insert: value };
}

/** `key:` with nothing behind it. */
function isEmpty({ value }: Pair): boolean {
  return value === null || (isScalar(value) && value.value === null && (value.source ?? '') === '');
}

/** Behind the colon. */
function atKeysEnd(text: string, { key }: Pair): Pick<Change, 'from' | 'to'> {
  const end = rangeOf(key)?.[1] ?? 0;
  const colon = /^\s*:/.exec(text.slice(end))?.[0].length ?? 0;
  return { from: end + colon, to: end + colon };
}

function added(text: string, map: YAMLMap, entry: string): Change | Cannot {
  const last = map.items.at(-1);
  if (last === undefined) {
    const [from, to] = rangeOf(map) ?? [0, 0];
    return { from, to, insert: `{ ${entry} }` };
  }
  if (map.flow) {
    const end = rangeOf(last.value)?.[1] ?? rangeOf(last.key)?.[1] ?? 0;
    return { from: end, to: end, insert: `, ${entry}` };
  }
  // Above its last line, which in a scenario are the steps: with the comments that are about that.
  const [at = 0] = rangeOf(last.key) ?? [];
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const before = text.slice(lineStart, at);
  if (/\S/.test(before)) return { from: at, to: at, insert: `${entry}\n${' '.repeat(before.length)}` };
  const above = withComments(text, lineStart);
  return { from: above, to: above, insert: `${before}${entry}\n` };
}

function rangeOf(node: unknown): readonly [number, number] | undefined {
  const range = (node as { readonly range?: readonly [number, number, number] | null } | null | undefined)?.range;
  return range ? [range[0], range[1]] : undefined;
}
