import { didYouMeanOneOf } from '@replsim/kernel';
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
    if (issue.code !== 'invalid_key') return [{ path, message: issue.message }];
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
  return meant && meant.length > 0 ? plainIssues(meant, path) : [{ path, message: issue.message }];
}

function isWrongKind(issue: Issue): boolean {
  if (issue.code === 'invalid_union')
    return issue.errors.every((errors) => errors.some((each) => each.path.length === 0 && isWrongKind(each)));
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}
