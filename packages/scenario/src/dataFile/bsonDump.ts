import { checkBson } from '@replsim/pipeline';
import { CommandError, readInt32 } from '@replsim/protocol';
import { DataFileError } from './dataFileError.ts';

const SMALLEST = 5;

/**
 * The documents of a BSON dump, as mongodump writes it: one after the other, each with its length in front. They are views on `bytes`.
 * @throws DataFileError with the offset of the first document that is not whole
 */
export function* documentsOfDump(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0, number = 1; at < bytes.length; number++) {
    const where = `document ${number}, at byte ${at}`;
    const left = bytes.length - at;
    const length = left < 4 ? undefined : readInt32(bytes, at);
    if (length === undefined || length > left)
      throw new DataFileError(
        where,
        `it claims ${length ?? 'at least 4'} bytes, and the file ends after ${left}; the dump is cut off, so make or copy it again`,
      );
    if (length < SMALLEST)
      throw new DataFileError(where, `it claims ${length} bytes; this is not a BSON dump, as mongodump writes it`);
    const document = bytes.subarray(at, at + length);
    try {
      checkBson(document);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      throw new DataFileError(where, `${error.message}; make or copy the dump again`, { cause: error });
    }
    yield document;
    at += length;
  }
}
