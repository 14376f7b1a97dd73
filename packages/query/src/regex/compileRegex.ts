/** Regular expressions that a client sends: no pattern, whatever the text, takes longer than a multiple of the text's length. */
import { CommandError } from '@replsim/protocol';
import { compileBacktracking } from './backtracking.ts';
import { compileLinear } from './linear.ts';
import { parsePattern } from './parsePattern.ts';
import { PatternError } from './patternError.ts';
import type { Regex } from './search.ts';
import { mindsLastNewline, type Pattern } from './syntax.ts';

/** Upstream: pcre.cpp, kMaxPatternLength. Unit: bytes; here characters. */
const MAX_PATTERN_LENGTH = 32_764;

/**
 * Compiles a pattern of PCRE2. What RE2 can express takes time in proportion to the text; what it cannot (look-around,
 * references to groups) is searched step by step, with a bound on the steps. Upstream: pcre.cpp, pcre_util.cpp.
 * Throws CommandError `invalidCode` if the pattern does not compile, 51108 on an unknown option.
 * Simplified: recursion, calls of groups, callouts, `(?|`, `\X`, `\C` and verbs are refused as invalid.
 */
export function compileRegex(pattern: string, options: string, invalidCode = 51091): Regex {
  for (const flag of options) {
    if (!'imsxu'.includes(flag)) throw new CommandError(51108, `invalid flag in regex options: ${flag}`);
  }
  try {
    if (pattern.length > MAX_PATTERN_LENGTH) throw new PatternError('the pattern is too long');
    return compileDirect(pattern, options) ?? compileParsed(parsePattern(pattern, options));
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    const errmsg = `Regular expression is invalid: cannot compile /${pattern}/${options}: ${error.message}`;
    throw new CommandError(invalidCode, errmsg);
  }
}

function compileParsed(pattern: Pattern): Regex {
  const linear = compileLinear(pattern);
  if (!linear) return compileBacktracking(pattern);
  if (!mindsLastNewline(pattern.root)) return linear;
  const stepped = compileBacktracking(pattern);
  const engineFor = (text: string) => (text.endsWith('\n') ? stepped : linear);
  return { test: (text) => engineFor(text).test(text), exec: (text, from) => engineFor(text).exec(text, from) };
}

/** Characters that stand for themselves, alternatives of them, an anchor before or behind: JavaScript's engine looks at each place once. */
const PLAIN = /^\^?(?:[^\\^$.*+?()[\]{}|\n]|\\[!-/:-@[-^`{-~])+$/;

function compileDirect(source: string, flags: string): Regex | undefined {
  if (/[imx]/.test(flags) || !PLAIN.test(source)) return undefined;
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
