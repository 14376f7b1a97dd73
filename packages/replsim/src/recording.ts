import { checkRecordable as checkFolder, InputError, RecordingFile } from '@replsim/cli';
import type { ServedSet } from '@replsim/server';
import { InvalidOptions } from './options.ts';

/**
 * Records all input from outside as a scenario. Call it before any input has arrived. Because a test runs again and again, an
 * existing recording is overwritten, but no other file is.
 * @throws InvalidOptions if the file cannot be written
 */
export function recordTo(path: string, served: ServedSet): RecordingFile {
  return named(() => new RecordingFile(served, path, 'in a test', 'recordings'));
}

/** @throws InvalidOptions if a set that begins on this folder could not be repeated */
export function checkRecordable(dbpath: string | undefined): void {
  named(() => checkFolder(dbpath));
}

/** Adds the name of the option to a message. */
function named<Result>(attempt: () => Result): Result {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof InputError) throw new InvalidOptions([`record: ${error.message}`]);
    throw error;
  }
}
