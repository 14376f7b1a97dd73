import { didYouMean, didYouMeanOneOf } from '@replsim/kernel';
import type * as z from 'zod';
import type { UnknownKeyNote } from './shapes.ts';

type Issue = z.core.$ZodIssue;

/** What a shape found wrong, as people are told it. */
export interface PlainIssue {
  readonly path: readonly (string | number)[];
  /** It is the key itself that is wrong, at the map to which `path` leads. */
  readonly key?: string;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/** What zod reports of shapes made by `strict` and `either`, one by one. */
export function plainIssues(issues: readonly Issue[], base: PlainIssue['path'] = []): PlainIssue[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...(issue.path as (string | number)[])];
    if (issue.code === 'unrecognized_keys') return unknownKeys(issue, path);
    if (issue.code === 'invalid_union') return ofUnion(issue, path);
    if (issue.code !== 'invalid_key') return [{ path, message: issue.message, ...suggestionOf([issue], issue.input) }];
    return [{ path: path.slice(0, -1), key: String(path.at(-1)), message: issue.issues[0]?.message ?? issue.message }];
  });
}

function unknownKeys(issue: Issue & { code: 'unrecognized_keys' }, path: PlainIssue['path']): PlainIssue[] {
  const { what, known } = JSON.parse(issue.message) as UnknownKeyNote;
  return issue.keys.map((key) => ({
    path,
    key,
    message: `unknown key "${key}" in ${what}`,
    suggestion: didYouMeanOneOf(key, known),
  }));
}

/** Of several forms the one counts whose kind (text, list, map) was meant; else the forms are named. */
function ofUnion(issue: Issue & { code: 'invalid_union' }, path: PlainIssue['path']): PlainIssue[] {
  const meant = issue.errors.find((errors) => errors.every((each) => each.path.length > 0 || !isWrongKind(each)));
  if (meant && meant.length > 0) return plainIssues(meant, path);
  const here = issue.errors.flat().filter((each) => each.path.length === 0);
  return [{ path, message: issue.message, ...suggestionOf(here, issue.input) }];
}

/** Which of the words that were possible was meant; known if the shape was asked to report what it was given. */
function suggestionOf(issues: readonly Issue[], given: unknown): Pick<PlainIssue, 'suggestion'> {
  if (typeof given !== 'string') return {};
  const words = issues.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values.map(String) : []));
  // Of numbers, such as those of releases, none is like another.
  const suggestion = didYouMean(
    given,
    words.filter((word) => /[a-z]/i.test(word)),
  );
  return suggestion === undefined ? {} : { suggestion };
}

function isWrongKind(issue: Issue): boolean {
  if (issue.code === 'invalid_union')
    return issue.errors.every((errors) => errors.some((each) => each.path.length === 0 && isWrongKind(each)));
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}
