import { type Collator, compileSort, type TextScores } from '@replsim/query';
import { isEmptyDocument } from '../fields/documents.ts';
import { naturalDirection } from '../planner/naturalOrder.ts';

/** Puts documents in order, equal ones as they came; undefined for no sort, an empty one and `$natural`. */
export function sorterOf(
  sort: Uint8Array | undefined,
  collator: Collator | undefined,
  scores: TextScores | undefined,
): ((documents: Uint8Array[]) => readonly Uint8Array[]) | undefined {
  if (!sort || isEmptyDocument(sort) || naturalDirection(sort) !== undefined) return undefined;
  return compileSort(sort, collator, scores);
}
