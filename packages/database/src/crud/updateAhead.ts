import type { Operation } from '@replsim/operations';
import { attempted } from '@replsim/pipeline';
import type { Update, UpdateResult } from '@replsim/query';
import { inTurns } from '../reading/namespaceSource.ts';

/** What an update makes of one document. */
export interface Updated {
  readonly before: Uint8Array;
  readonly result: UpdateResult;
}

/**
 * Computes what an update by expressions makes of a document, in turns with others: the document may be another one by then.
 * Undefined for an update by operators, which is short enough to be applied here and now.
 */
export function* updatedAhead({ meter, apply }: Update, before: Uint8Array): Operation<Updated | undefined> {
  return meter && { before, result: yield* inTurns(attempted(() => apply(before), meter)) };
}
