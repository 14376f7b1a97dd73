import { type BsonValue, CommandError } from '@replsim/protocol';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { Fields } from '../fields/fields.ts';
import type { Work } from './work.ts';

/** One value for each document of a partition, which is sorted. */
export type WindowFunction = (partition: readonly Uint8Array[]) => Work<readonly BsonValue[]>;

/** What a function may know of its stage. */
export interface Sorting {
  readonly sortBy: Uint8Array | undefined;
  /** Of documents as they are sorted; 0 for all if they are not. */
  readonly order: (a: Uint8Array, b: Uint8Array) => number;
}

/** The paths by which the stage sorts. */
export function sortFields({ sortBy }: Sorting): readonly string[] {
  return new Fields(sortBy ?? EMPTY_DOCUMENT, 'sortBy').names;
}

/** FailedToParse 9, which most mistakes in a function's arguments are. */
export const failed = (message: string) => new CommandError('FailedToParse', message);
