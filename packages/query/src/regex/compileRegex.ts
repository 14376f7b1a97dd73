/** Regular expressions that a client sends: no pattern, whatever the text, takes longer than a multiple of the text's length. */
import { CommandError } from '@replsim/protocol';
import { RE2JS } from 're2js';
import { compileBacktracking } from './backtracking.ts';
import type { Regex } from './search.ts';

/** Upstream: pcre.cpp, kMaxPatternLength. Unit: bytes; here characters. */
const MAX_PATTERN_LENGTH = 32_764;

/**
 * Compiles a pattern. What RE2 can express takes time in proportion to the text; what it cannot (look-around, references to
 * groups) is searched step by step, with a bound on the steps. Upstream: pcre.cpp, pcre_util.cpp.
 * Throws CommandError `invalidCode` if the pattern does not compile, 51108 on an unknown option.
 * Simplified: a pattern may use PCRE's syntax as far as RE2 or JavaScript share it; the rest (possessive quantifiers, atomic
 * groups, recursion …) is refused as invalid. `$` without option m is the end of the text, also where a newline ends it.
 */
export function compileRegex(pattern: string, options: string, invalidCode = 51091): Regex {
  for (const flag of options) {
    if (!'imsxu'.includes(flag)) throw new CommandError(51108, `invalid flag in regex options: ${flag}`);
  }
  const inline = /^\(\?([imsx]+)\)/.exec(pattern);
  const flags = options + (inline?.[1] ?? '');
  const written = inline ? pattern.slice(inline[0].length) : pattern;
  const source = flags.includes('x') ? withoutLayout(written) : written;
  const compiled =
    pattern.length > MAX_PATTERN_LENGTH
      ? undefined
      : (compileDirect(source, flags) ?? compileLinear(source, flags) ?? compileBacktracking(source, flags));
  if (compiled) return compiled;
  throw new CommandError(invalidCode, `Regular expression is invalid: cannot compile /${pattern}/${options}`);
}

/** Characters that stand for themselves, alternatives of them, an anchor before or behind: JavaScript's engine looks at each place once. */
const PLAIN = /^\^?(?:[^\\^$.*+?()[\]{}|\n]|\\[^\w\s])+\$?$/;

function compileDirect(source: string, flags: string): Regex | undefined {
  if (/[im]/.test(flags) || !PLAIN.test(source)) return undefined;
  // A hyphen needs no escape outside of a class, and may not have one.
  const regex = new RegExp(source.replaceAll(/\\([^\\^$.*+?()[\]{}|/])/g, '$1'), 'u');
  return {
    test: (text) => regex.test(text),
    exec: (text, from) => {
      const found = regex.exec(from === 0 || source.startsWith('^') ? text : text.slice(from));
      if (!found) return undefined;
      const index = source.startsWith('^') ? found.index : found.index + from;
      return index < from ? undefined : { index, text: found[0], captures: [] };
    },
  };
}

function compileLinear(source: string, flags: string): Regex | undefined {
  const regex = re2Of(withSpaces(source), flags);
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

function re2Of(source: string, flags: string): RE2JS | undefined {
  const chosen =
    (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.includes('m') ? RE2JS.MULTILINE : 0) |
    (flags.includes('s') ? RE2JS.DOTALL : 0);
  try {
    return RE2JS.compile(source, chosen);
  } catch {
    // Whatever it is that RE2 does not take, the other engine may.
    return undefined;
  }
}

/** RE2's white space lacks the vertical tab, which PCRE's has. */
function withSpaces(source: string): string {
  let inClass = false;
  return source.replace(/\\[\s\S]|\[\^?\]?|\]/g, (part) => {
    if (part === '\\s') return inClass ? '\\t-\\r\\x20' : '[\\t-\\r\\x20]';
    if (part === '\\S' && !inClass) return '[^\\t-\\r\\x20]';
    if (part.startsWith('[')) inClass = true;
    else if (part === ']') inClass = false;
    return part;
  });
}

/** Extended syntax: white space and `# comments` outside classes mean nothing. */
function withoutLayout(source: string): string {
  return source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\s+|#[^\n]*/g, (part) =>
    part.startsWith('\\') || part.startsWith('[') ? part : '',
  );
}
