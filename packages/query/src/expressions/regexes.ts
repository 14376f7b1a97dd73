/** `$regexMatch`, `$regexFind` and `$regexFindAll`. Upstream: expression.cpp, ExpressionRegex; evaluate_regex.cpp. */
import { BsonType, type BsonValue, BsonWriter, CommandError, readString, required } from '@replsim/protocol';
import { intValue } from '../arithmetic.ts';
import { compileRegex } from '../regex/compileRegex.ts';
import type { Regex, RegexMatch } from '../regex/search.ts';
import { loop } from '../turns/evaluation.ts';
import { atOnce, type Parts, type Slices } from '../turns/parts.ts';
import { documentValue, fieldsOf, fromJs, readRegex } from '../values.ts';
import { countCodePoints } from './codePoints.ts';
import { ArrayBuilder, arrayValue, isNullish, NULL } from './operands.ts';
import type { Control, Operand } from './operator.ts';

/** What one match costs, and what the operator returns for it. */
const MATCH_STEPS = 4;

interface Search {
  readonly of: (regex: Regex, input: string) => Parts<BsonValue>;
  /** Where the input or the pattern is null. */
  readonly nothing: BsonValue;
}

const searches: Readonly<Record<string, Search>> = {
  $regexMatch: { of: (regex, input) => atOnce(fromJs(regex.test(input))), nothing: fromJs(false) },
  $regexFind: { of: firstMatch, nothing: NULL },
  $regexFindAll: { of: allMatches, nothing: arrayValue([]) },
};

/**
 * `{ input, regex, options? }`. Errors: Location51104 to 51111, those of a constant pattern before there is a document; 51156 where
 * a search takes too long.
 */
const search =
  (name: string, { of, nothing }: Search): Control =>
  (operand, compile, meter) => {
    const fields = new Map(fieldsOf(operand.bytes, operand.offset));
    const [input, pattern] = ['input', 'regex'].map((field) => compile(required(fields.get(field), field)));
    const given = fields.get('options');
    const options = given && compile(given);
    const regexOf = compiler(name);
    if (isPlain(fields.get('regex')) && isPlain(given)) regexOf(fields.get('regex'), given);
    const found = (document: Uint8Array): Parts<BsonValue> => {
      const text = input?.(document);
      const regex = regexOf(pattern?.(document), options?.(document));
      if (!isNullish(text) && text.type !== BsonType.string) {
        throw new CommandError(51104, `${name} needs 'input' to be of type string`);
      }
      return isNullish(text) || !regex ? atOnce(nothing) : of(regex, readString(text));
    };
    return (document) => loop(meter, () => found(document));
  };

/** What is no expression, and so stands for itself. */
function isPlain(value: BsonValue | undefined): boolean {
  if (value === undefined || value.type === BsonType.regex) return true;
  if (value.type === BsonType.string) return !readString(value).startsWith('$');
  return value.type !== BsonType.object && value.type !== BsonType.array;
}

/** Keeps the last pattern, which mostly is the same for all documents. */
function compiler(name: string): (pattern: Operand, options: Operand) => Regex | undefined {
  let last: { readonly pattern: string; readonly flags: string; readonly regex: Regex } | undefined;
  return (given, options) => {
    const written = textsOf(name, given);
    const flags = flagsOf(name, options, written?.options ?? '');
    if (!written) return undefined;
    const { pattern } = written;
    if (pattern.includes('\0')) {
      throw new CommandError(51109, `${name}: regular expression cannot contain an embedded null byte`);
    }
    if (last?.pattern !== pattern || last.flags !== flags) {
      last = { pattern, flags, regex: compileRegex(pattern, flags, 51111) };
    }
    return last.regex;
  };
}

function textsOf(name: string, pattern: Operand): { pattern: string; options: string } | undefined {
  if (isNullish(pattern)) return undefined;
  if (pattern.type === BsonType.string) return { pattern: readString(pattern), options: '' };
  if (pattern.type === BsonType.regex) return readRegex(pattern);
  throw new CommandError(51105, `${name} needs 'regex' to be of type string or regex`);
}

function flagsOf(name: string, options: Operand, ofRegex: string): string {
  if (isNullish(options)) return ofRegex;
  if (options.type !== BsonType.string) {
    throw new CommandError(51106, `${name} needs 'options' to be of type string`);
  }
  if (ofRegex !== '') {
    throw new CommandError(51107, `${name}: found regex option(s) specified in both 'regex' and 'option' fields`);
  }
  const flags = readString(options);
  if (!flags.includes('\0')) return flags;
  throw new CommandError(51110, `${name}: regular expression options cannot contain an embedded null byte`);
}

function firstMatch(regex: Regex, input: string): Parts<BsonValue> {
  const found = regex.exec(input, 0);
  return atOnce(found ? resultOf(found, countCodePoints(input, 0, found.index)) : NULL);
}

function* allMatches(regex: Regex, input: string): Slices<BsonValue> {
  const matches = new ArrayBuilder();
  // Positions are told in code points: those up to here are counted.
  let counted = { index: 0, codePoints: 0 };
  // An empty match at the end counts only where the search began before it, or where there is nothing else.
  for (let from = 0; from === 0 || from < input.length; ) {
    const found = regex.exec(input, from);
    if (!found) break;
    counted = {
      index: found.index,
      codePoints: counted.codePoints + countCodePoints(input, counted.index, found.index),
    };
    matches.push(resultOf(found, counted.codePoints));
    yield MATCH_STEPS;
    const end = found.index + found.text.length;
    from = end > found.index ? end : end + ((input.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
  return matches.finish();
}

function resultOf({ text, captures }: RegexMatch, idx: number): BsonValue {
  const writer = new BsonWriter();
  writer.rawValue('match', fromJs(text));
  writer.rawValue('idx', intValue(idx));
  writer.rawValue('captures', arrayValue(captures.map((capture) => fromJs(capture ?? null))));
  return documentValue(writer.finish());
}

export const regexControls: Readonly<Record<string, Control>> = Object.fromEntries(
  Object.entries(searches).map(([name, each]) => [name, search(name, each)]),
);
