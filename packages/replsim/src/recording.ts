import { checkRecordable as checkFolder, InputError, RecordingFile } from '@replsim/cli';
import type { ServedSet } from '@replsim/server';
import { InvalidOptions } from './options.ts';

/**
 * Writes what comes to a set from outside as a scenario, from now on, which has to be before anything has come in. A test is run again
 * and again: what it recorded the last time is written over, and nothing else.
 * @throws InvalidOptions if the file cannot be written
 */
export function recordTo(path: string, served: ServedSet): RecordingFile {
  return named(() => new RecordingFile(served, path, 'in a test', 'recordings'));
}

/** @throws InvalidOptions if a set that begins on this folder could not be repeated */
export function checkRecordable(dbpath: string | undefined): void {
  named(() => checkFolder(dbpath));
}

/** Says of which option a mistake is. */
function named<Result>(attempt: () => Result): Result {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof InputError) throw new InvalidOptions([`record: ${error.message}`]);
    throw error;
  }
}
