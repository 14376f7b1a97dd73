import { closeSync, existsSync, openSync, readdirSync, writeSync } from 'node:fs';
import { recordedStep, recordingEnd, recordingHeader, recordingObstacle } from '@replsim/scenario';
import type { ServedSet } from '@replsim/server';
import { InvalidOptions } from './options.ts';

/** Ends the recording. */
export type EndRecording = () => void;

/**
 * Writes what comes to a set from outside as a scenario, from now on, which has to be before anything has come in. The file is
 * whole after every line, so that a test that takes its process along leaves one too.
 * @throws InvalidOptions if the file cannot be written
 */
export function recordTo(path: string, served: ServedSet): EndRecording {
  const file = openToWrite(path);
  writeSync(file, recordingHeader(`Recorded in a test, seed ${served.set.seed}`, served.setOptions));
  served.recorder.start((recorded) => writeSync(file, recordedStep(recorded)));
  return () => {
    writeSync(file, recordingEnd(served.set.nowMicros));
    closeSync(file);
  };
}

/** @throws InvalidOptions if a set that begins on this folder could not be repeated */
export function checkRecordable(dbpath: string | undefined): void {
  if (dbpath === undefined || !existsSync(dbpath)) return;
  const obstacle = recordingObstacle(dbpath, readdirSync(dbpath));
  if (obstacle !== undefined) throw new InvalidOptions([`record: ${obstacle}`]);
}

function openToWrite(path: string): number {
  try {
    return openSync(path, 'w');
  } catch (error) {
    throw new InvalidOptions([`record: cannot write ${path}: ${(error as Error).message}`]);
  }
}
