/** Patterns as RE2 takes them, which finds in time that grows with the text alone, as far as it can say them. */
import { RE2JS } from 're2js';
import type { CharacterSet, Range } from './characterSet.ts';
import type { Regex } from './search.ts';
import { type Pattern, type PatternNode, widthOf } from './syntax.ts';

/** RE2 writes repetitions out. Upstream: re2/parse.cc, kMaxRepeat. */
const MAX_REPEATS = 1000;

/**
 * The pattern for texts that do not end with a newline, on which RE2 and PCRE differ; undefined if it says what RE2 cannot.
 * What repeats that may be empty is none of RE2's: it leaves such loops otherwise.
 */
export function compileLinear({ root }: Pattern): Regex | undefined {
  const source = textOf(root);
  const regex = source === undefined ? undefined : re2Of(source);
  if (!regex) return undefined;
  return {
    test: (text) => regex.test(text),
    exec: (text, from) => {
      const matcher = regex.matcher(text);
      if (!matcher.find(from)) return undefined;
      const captures = Array.from({ length: matcher.groupCount() }, (_, i) => matcher.group(i + 1) ?? undefined);
      return { index: matcher.start(), text: matcher.group() ?? '', captures };
    },
  };
}

function re2Of(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(source);
  } catch {
    // Mostly for its size.
    return undefined;
  }
}

function textOf(node: PatternNode): string | undefined {
  switch (node.kind) {
    case 'set':
      return setText(node.set);
    case 'sequence':
      return joined(node.of.map(textOf), '');
    case 'alternatives':
      return wrapped(joined(node.of.map(textOf), '|'));
    case 'capture': {
      const inner = textOf(node.of);
      return inner === undefined ? undefined : `(${inner})`;
    }
    case 'repeat': {
      const inner = wrapped(textOf(node.of));
      if (inner === undefined || widthOf(node.of)[0] === 0) return undefined;
      const isEndless = node.max === Number.POSITIVE_INFINITY;
      if (node.min > MAX_REPEATS || (node.max > MAX_REPEATS && !isEndless)) return undefined;
      return `${inner}{${node.min},${isEndless ? '' : node.max}}${node.greedy ? '' : '?'}`;
    }
    case 'textStart':
      return '\\A';
    case 'textEnd':
    case 'lastLineEnd':
      return '\\z';
    case 'lineStart':
      return '(?m:^)';
    case 'lineEnd':
      return '(?m:$)';
    case 'word':
      return node.negate ? '\\B' : '\\b';
    default:
      return undefined;
  }
}

function joined(parts: readonly (string | undefined)[], between: string): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join(between);
}

function wrapped(inner: string | undefined): string | undefined {
  return inner === undefined ? undefined : `(?:${inner})`;
}

function setText({ ranges, exact, negate, ignoreCase }: CharacterSet): string | undefined {
  if (ranges.length + exact.length === 0) return negate ? '(?s:.)' : undefined;
  if (!ignoreCase || ranges.length === 0) return classText([...ranges, ...exact], negate);
  if (exact.length > 0 && negate) return undefined;
  const folded = `(?i:${classText(ranges, negate)})`;
  return exact.length === 0 ? folded : `(?:${folded}|${classText(exact, false)})`;
}

function classText(ranges: readonly Range[], negate: boolean): string {
  const inside = ranges.map(([from, to]) => `\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`).join('');
  return `[${negate ? '^' : ''}${inside}]`;
}
