/**
 * `$regexMatch`, `$regexFind` and `$regexFindAll`: mingo would search by an engine that a pattern can hold for good, so that it
 * calls these in their place. Upstream: expression.cpp, ExpressionRegex; exec/expression/evaluate_regex.cpp.
 */
import { CommandError } from '@replsim/protocol';
import { compileRegex, type Regex, type RegexMatch } from '@replsim/query';

type Operator = (regex: Regex, input: string) => unknown;

const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['$regexMatch', (regex, input) => regex.test(input)],
  ['$regexFind', (regex, input) => allMatches(regex, input, 1)[0] ?? null],
  ['$regexFindAll', (regex, input) => allMatches(regex, input, Number.POSITIVE_INFINITY)],
]);

const ARGUMENTS = ['input', 'regex', 'options'];

/**
 * `{ $operator: { input, regex, options? } }` as a call that mingo makes with the arguments' values; undefined for another
 * operator. Errors: Location31022 to 31024, 51103 to 51108, 51111 for an invalid pattern, 51156 where a search takes too long.
 * @param argument with the calls inside it put so already
 */
export function regexCall(operator: string, argument: unknown): object | undefined {
  const apply = operators.get(operator);
  if (!apply) return undefined;
  if (!isObject(argument)) throw new CommandError(51103, `${operator} expects an object of named arguments`);
  for (const name of Object.keys(argument)) {
    if (!ARGUMENTS.includes(name)) throw new CommandError(31024, `${operator} found an unknown argument: ${name}`);
  }
  for (const name of ['input', 'regex']) {
    if (!(name in argument))
      throw new CommandError(name === 'input' ? 31022 : 31023, `${operator} requires '${name}' parameter`);
  }
  const regexOf = compiler(operator);
  const body = (input: unknown, pattern: unknown, options: unknown) => {
    const regex = regexOf(pattern ?? null, options ?? null);
    if (input !== null && input !== undefined && typeof input !== 'string') {
      throw new CommandError(51104, `${operator} needs 'input' to be of type string`);
    }
    if (typeof input === 'string' && regex) return apply(regex, input);
    return operator === '$regexMatch' ? false : operator === '$regexFind' ? null : [];
  };
  return { $function: { body, args: ARGUMENTS.map((name) => argument[name]), lang: 'js' } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Keeps the last pattern, which mostly is the same for all documents. */
function compiler(operator: string): (pattern: unknown, options: unknown) => Regex | undefined {
  let last: { readonly pattern: string; readonly flags: string; readonly regex: Regex } | undefined;
  return (pattern, options) => {
    if (options !== null && typeof options !== 'string') {
      throw new CommandError(51106, `${operator} needs 'options' to be of type string`);
    }
    const written = textsOf(operator, pattern);
    if (!written) return undefined;
    if (written.options !== '' && options) {
      throw new CommandError(51107, `${operator}: found regex option(s) specified in both 'regex' and 'option' fields`);
    }
    const flags = options || written.options;
    if (last?.pattern !== written.pattern || last.flags !== flags) {
      last = { pattern: written.pattern, flags, regex: compileRegex(written.pattern, flags, 51111) };
    }
    return last.regex;
  };
}

function textsOf(operator: string, pattern: unknown): { pattern: string; options: string } | undefined {
  if (pattern === null) return undefined;
  if (typeof pattern === 'string') return { pattern, options: '' };
  if (pattern instanceof RegExp) return { pattern: pattern.source, options: pattern.flags };
  const {
    _bsontype: type,
    pattern: written,
    options,
  } = pattern as { _bsontype?: string; pattern?: string; options?: string };
  if (type === 'BSONRegExp') return { pattern: written ?? '', options: options ?? '' };
  throw new CommandError(51105, `${operator} needs 'regex' to be of type string or regex`);
}

function allMatches(regex: Regex, input: string, most: number): object[] {
  const matches: object[] = [];
  // Positions are told in code points: those up to here are counted.
  let counted = { index: 0, codePoints: 0 };
  for (let from = 0; from <= input.length && matches.length < most; ) {
    const found = regex.exec(input, from);
    if (!found) break;
    counted = { index: found.index, codePoints: counted.codePoints + lengthOf(input, counted.index, found.index) };
    matches.push(resultOf(found, counted.codePoints));
    const end = found.index + found.text.length;
    from = end > found.index ? end : end + ((input.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
  return matches;
}

function resultOf({ text, captures }: RegexMatch, idx: number): object {
  return { match: text, idx, captures: captures.map((capture) => capture ?? null) };
}

function lengthOf(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}
