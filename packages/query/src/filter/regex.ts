/** Regular expressions of filters: PCRE's common part, run by JavaScript's engine. */
import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import { compareRaw } from '../compare.ts';
import type { ValueTest } from '../paths.ts';
import { readRegex } from '../values.ts';

/**
 * Tests strings and symbols against the pattern; a stored regular expression matches if it is the same one.
 * Throws CommandError 51091 if the pattern does not compile, 51108 on an unknown option.
 * Simplified: what JavaScript's syntax lacks (possessive quantifiers, `\A`, recursion …) is refused as invalid.
 */
export function regexTest(pattern: string, options: string, literal: BsonValue): ValueTest {
  const regex = compileRegex(pattern, options);
  return (type, bytes, offset) => {
    if (type === BsonType.string || type === BsonType.symbol) {
      return regex.test(readString({ type, bytes, offset, size: 0 }));
    }
    return (
      type === BsonType.regex && compareRaw(type, bytes, offset, literal.type, literal.bytes, literal.offset) === 0
    );
  };
}

/** A regular expression value as a test. */
export function regexValueTest(value: BsonValue): ValueTest {
  const { pattern, options } = readRegex(value);
  return regexTest(pattern, options, value);
}

/** A pattern as JavaScript has it. Throws as `regexTest`. */
export function compileRegex(pattern: string, options: string): RegExp {
  let source = pattern;
  let flags = options;
  const inline = /^\(\?([imsx]+)\)/.exec(source);
  if (inline !== null) {
    flags += inline[1];
    source = source.slice(inline[0].length);
  }
  for (const flag of options) {
    if (!'imsxu'.includes(flag)) throw new CommandError(51108, `invalid flag in regex options: ${flag}`);
  }
  if (flags.includes('x')) source = withoutLayout(source);
  const jsFlags = [...'ims'].filter((flag) => flags.includes(flag)).join('');
  // Unicode mode reads characters as PCRE does, but refuses harmless escapes such as `\-`.
  return (
    tryCompile(source, `${jsFlags}u`) ??
    tryCompile(source, jsFlags) ??
    fail(`Regular expression is invalid: cannot compile /${pattern}/${options}`)
  );
}

function tryCompile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function fail(message: string): never {
  throw new CommandError(51091, message);
}

/** Extended syntax: white space and `# comments` outside classes mean nothing. */
function withoutLayout(source: string): string {
  return source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\s+|#[^\n]*/g, (part) =>
    part.startsWith('\\') || part.startsWith('[') ? part : '',
  );
}
