/** What a pattern says, read. The options that hold at each place are part of what stands there. */
import type { CharacterSet } from './characterSet.ts';

export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence' | 'alternatives'; readonly of: readonly PatternNode[] }
  | { readonly kind: 'capture'; readonly group: number; readonly of: PatternNode }
  /** Tried once: none of its other ways is tried when what follows fails. */
  | { readonly kind: 'atomic'; readonly of: PatternNode }
  | Repeat
  /** `^` and `$` with option m, `$` and `\Z`, `\A`, `\z`, `\G`. */
  | { readonly kind: 'lineStart' | 'lineEnd' | 'lastLineEnd' | 'textStart' | 'textEnd' | 'searchStart' }
  | { readonly kind: 'word'; readonly negate: boolean }
  | { readonly kind: 'ahead' | 'behind'; readonly negate: boolean; readonly of: PatternNode }
  /** A reference to whatever a group holds. */
  | { readonly kind: 'again'; readonly group: number; readonly ignoreCase: boolean }
  /** `\K`: the match begins here. */
  | { readonly kind: 'keep' }
  /** Goes by whether a group has taken part. */
  | { readonly kind: 'ifGroup'; readonly group: number; readonly yes: PatternNode; readonly no: PatternNode };

export interface Repeat {
  readonly kind: 'repeat';
  readonly of: PatternNode;
  readonly min: number;
  readonly max: number;
  readonly greedy: boolean;
}

export interface Pattern {
  readonly root: PatternNode;
  /** How many groups capture. */
  readonly groups: number;
}

/** How many code points a node takes at least and at most. */
export function widthOf(node: PatternNode): readonly [min: number, max: number] {
  switch (node.kind) {
    case 'set':
      return [1, 1];
    case 'sequence':
      return node.of.map(widthOf).reduce(([a, b], [min, max]) => [a + min, b + max], [0, 0]);
    case 'alternatives':
      return widest(node.of.map(widthOf));
    case 'capture':
    case 'atomic':
      return widthOf(node.of);
    case 'repeat': {
      const [min, max] = widthOf(node.of);
      return [min * node.min, max === 0 ? 0 : max * node.max];
    }
    case 'again':
      return [0, Number.POSITIVE_INFINITY];
    case 'ifGroup':
      return widest([widthOf(node.yes), widthOf(node.no)]);
    default:
      return [0, 0];
  }
}

function widest(widths: readonly (readonly [number, number])[]): [min: number, max: number] {
  return [Math.min(...widths.map(([min]) => min)), Math.max(...widths.map(([, max]) => max))];
}

/** Whether it means something that a newline ends the text: PCRE's `$` stands before it, and none of its lines begins behind it. */
export function mindsLastNewline(node: PatternNode): boolean {
  if (node.kind === 'lastLineEnd' || node.kind === 'lineStart') return true;
  if (node.kind === 'ifGroup') return mindsLastNewline(node.yes) || mindsLastNewline(node.no);
  if (!('of' in node)) return false;
  return Array.isArray(node.of) ? node.of.some(mindsLastNewline) : mindsLastNewline(node.of as PatternNode);
}
