import { type Collator, compileKeyedSort, type Meter, type TextScores } from '@replsim/query';
import { isEmptyDocument } from '../fields/documents.ts';
import { naturalDirection } from '../planner/naturalOrder.ts';
import { documentsInOrder } from './sortInTurns.ts';
import type { Work } from './work.ts';

/** Gives documents in order in an array of its own. */
export type SortDocuments = (documents: readonly Uint8Array[], meter: Meter) => Work<readonly Uint8Array[]>;

/** Puts documents in order, equal ones as they came; undefined for no sort, an empty one and `$natural`. */
export function sorterOf(
  sort: Uint8Array | undefined,
  collator: Collator | undefined,
  scores: TextScores | undefined,
): SortDocuments | undefined {
  if (!sort || isEmptyDocument(sort) || naturalDirection(sort) !== undefined) return undefined;
  const keyed = compileKeyedSort(sort, collator, scores);
  return (documents, meter) => documentsInOrder(documents, keyed, meter);
}
