import { decodePromoted } from '@replsim/protocol';
import { endingOf } from './answers.ts';

/** Fields of replies, as far as they are told. */
interface Reply {
  readonly n?: number;
  readonly nModified?: number;
  readonly upserted?: readonly unknown[];
  readonly cursor?: { readonly id: unknown; readonly firstBatch?: readonly unknown[] };
}

/**
 * Answers in a few words, as far as a reader of the story wants to know them: `2 inserted`, `3 documents`, `MaxTimeMSExpired`.
 * Undefined where all that they say is that it was done.
 * @param command the first field's name
 * @param replies of all batches, or of all members that were asked
 */
export function returnedBy(command: string, replies: readonly Uint8Array[]): string | undefined {
  const told = replies.map((reply) => decodePromoted(reply) as Reply);
  const errors = replies.flatMap((reply) => endingOf(reply).errors.map(({ codeName }) => codeName));
  const texts =
    command === 'insert' && errors.length === 0
      ? [`${told.reduce((sum, { n = 0 }) => sum + n, 0)} inserted`]
      : [...errors, ...(errors.length > 0 ? [] : told.flatMap((reply) => textOf(command, reply) ?? []))];
  return texts.length > 0 ? [...new Set(texts)].join(', ') : undefined;
}

function textOf(command: string, { n, nModified = 0, upserted = [], cursor }: Reply): string | undefined {
  if (cursor?.firstBatch) {
    const { length } = cursor.firstBatch;
    const more = String(cursor.id) === '0' ? '' : ', and more to come';
    return `${length} ${length === 1 ? 'document' : 'documents'}${more}`;
  }
  if (n === undefined) return undefined;
  if (command === 'delete') return `${n} deleted`;
  if (command === 'count') return `${n} counted`;
  if (command !== 'update') return undefined;
  return upserted.length > 0 ? `${upserted.length} upserted` : `${nModified} updated`;
}
