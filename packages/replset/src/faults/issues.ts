import { didYouMean, didYouMeanOneOf, likelyDuration, parseDuration } from '@replsim/kernel';
import type * as z from 'zod';
import type { MapNote } from './shapes.ts';

type Issue = z.core.$ZodIssue;

/** What a shape found wrong, as people are told it. */
export interface PlainIssue {
  readonly path: readonly (string | number)[];
  /** It is the key itself that is wrong, at the map to which `path` leads. */
  readonly key?: string;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/** What is wrong with a value, by its shape: of what the shape itself does not say, too. */
export function issuesOf(shape: z.ZodType, value: unknown): readonly Issue[] {
  // It looks by itself: code made for the purpose, as zod would, does not pay for a file or two.
  const how = { reportInput: true, jitless: true, error: inPlainWords };
  return shape.safeParse(value, how).error?.issues ?? [];
}

/** By zod's names of types. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a map',
  record: 'a map',
};

/** More words than these are not listed. */
const WORDS_SHOWN = 8;

/** What the shape has no words of its own for. */
function inPlainWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value': {
      const shown = issue.values.length <= WORDS_SHOWN ? listed(issue.values.map(String)) : undefined;
      return shown === undefined ? unknownWord(issue.input) : `expected ${shown}`;
    }
    case 'too_big':
      return `expected at most ${issue.maximum}`;
    case 'too_small':
      return `expected at least ${issue.minimum}`;
    default:
      return undefined;
  }
}

function unknownWord(given: unknown): string {
  return typeof given === 'string' ? `"${given}" is not known here` : 'expected a name';
}

/** `a, b or c`. */
function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last;
}

/** What zod reports of shapes made by `strict` and `either`, one by one. */
export function plainIssues(issues: readonly Issue[], base: PlainIssue['path'] = []): PlainIssue[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...(issue.path as (string | number)[])];
    if (issue.code === 'unrecognized_keys') return unknownKeys(issue, path);
    if (issue.code === 'invalid_union') return ofUnion(issue, path);
    if (issue.code === 'invalid_key')
      return [
        { path: path.slice(0, -1), key: String(path.at(-1)), message: issue.issues[0]?.message ?? issue.message },
      ];
    const note = noteOf(issue);
    if (note) return [{ path, message: `${note.what} is a map`, suggestion: howToWrite(note, issue.input) }];
    return [{ path, message: issue.message, ...suggestionOf([issue], issue.input, path) }];
  });
}

/** Of a map that is none. */
function noteOf({ code, message }: Issue): MapNote | undefined {
  return code === 'invalid_type' && message.startsWith('{"what"') ? (JSON.parse(message) as MapNote) : undefined;
}

/** More keys than these one does not need to see what is meant. */
const KEYS_SHOWN = 9;

function howToWrite({ known }: MapNote, given: unknown): string {
  if (typeof given === 'string' && known.includes(given)) return `write "${given}: …"`;
  const keys = `${known.slice(0, KEYS_SHOWN).join(', ')}${known.length > KEYS_SHOWN ? ' …' : ''}`;
  return given === null ? `write its keys below it, indented further: ${keys}` : `its keys are ${keys}`;
}

function unknownKeys(issue: Issue & { code: 'unrecognized_keys' }, path: PlainIssue['path']): PlainIssue[] {
  const { what, known, elsewhere } = JSON.parse(issue.message) as MapNote;
  const empty = Object.entries(issue.input ?? {}).find(([key, value]) => value === null && known.includes(key))?.[0];
  return issue.keys.map((key) => {
    const indent = empty === undefined ? undefined : `does it belong to "${empty}"? then indent it further`;
    const other = Object.hasOwn(elsewhere, key) ? elsewhere[key] : undefined;
    const suggestion = other ?? didYouMean(key, known) ?? indent ?? didYouMeanOneOf(key, known);
    return { path, key, message: `unknown key "${key}" in ${what}`, suggestion };
  });
}

/** Of several forms the one counts whose kind (text, list, map) was meant; else the forms are named. */
function ofUnion(issue: Issue & { code: 'invalid_union' }, path: PlainIssue['path']): PlainIssue[] {
  const meant = issue.errors.find((errors) => errors.every((each) => each.path.length > 0 || !isWrongKind(each)));
  if (meant && meant.length > 0) return plainIssues(meant, path);
  const here = issue.errors.flat().filter((each) => each.path.length === 0);
  return [{ path, message: issue.message, ...suggestionOf([...here, issue], issue.input, path) }];
}

/** What was probably meant; known if the shape was asked to report what it was given. */
function suggestionOf(
  issues: readonly Issue[],
  given: unknown,
  path: PlainIssue['path'],
): Pick<PlainIssue, 'suggestion'> {
  const meant = issues.some(({ message }) => message.startsWith('expected a duration'))
    ? likelyDuration(given)
    : likelyNumber(issues, given, String(path.at(-1)));
  if (meant !== undefined) return { suggestion: `did you mean ${meant}?` };
  if (typeof given !== 'string') return {};
  const words = issues.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values.map(String) : []));
  // Of numbers, such as those of releases, none is like another.
  const suggestion = didYouMean(
    given,
    words.filter((word) => /[a-z]/i.test(word)),
  );
  return suggestion === undefined ? {} : { suggestion };
}

/** A number was wanted, and somebody wrote `"5"`, or `5ms` where the unit is in the name already. */
function likelyNumber(issues: readonly Issue[], given: unknown, key: string): string | undefined {
  if (typeof given !== 'string' || !issues.some(wantsNumber)) return undefined;
  const micros = /^-?\d+(\.\d+)?$/.test(given) ? undefined : parseDuration(likelyDuration(given) ?? '');
  const perUnit = /Ms$|Millis$/.test(key) ? 1000 : /Secs$|Seconds$|^seconds$/.test(key) ? 1_000_000 : undefined;
  if (micros !== undefined) return perUnit === undefined ? undefined : String(micros / perUnit);
  return given.trim() !== '' && Number.isFinite(Number(given)) ? String(Number(given)) : undefined;
}

function wantsNumber(issue: Issue): boolean {
  return issue.code === 'invalid_type' && (issue.expected === 'number' || issue.expected === 'int');
}

function isWrongKind(issue: Issue): boolean {
  if (issue.code === 'invalid_union')
    return issue.errors.every((errors) => errors.some((each) => each.path.length === 0 && isWrongKind(each)));
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}
