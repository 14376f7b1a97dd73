import { closeSync, existsSync, readdirSync, writeSync } from 'node:fs';
import { recordedStep, recordingEnd, recordingHeader, recordingObstacle } from '@replsim/scenario';
import type { ServedSet } from '@replsim/server';
import { openToWrite } from './files.ts';
import { InputError } from './io.ts';

/** What comes to a served set from outside, in a file that `replsim run` repeats. Whole after every line. */
export class RecordingFile {
  readonly #served: ServedSet;
  readonly #file: number;

  /**
   * Records from now on, which has to be before anything has come in.
   * @param by who records it, for the scenario's name
   * @param force even if the file holds something already
   * @throws InputError if the file cannot be written
   */
  constructor(served: ServedSet, path: string, by: string, force: boolean) {
    this.#served = served;
    const header = recordingHeader(`Recorded ${by}, seed ${served.set.seed}`, served.setOptions);
    this.#file = openToWrite(path, 'recording', force);
    writeSync(this.#file, header);
    served.recorder.start((recorded) => writeSync(this.#file, recordedStep(recorded)));
  }

  /** The set is stopped. */
  close(): void {
    writeSync(this.#file, recordingEnd(this.#served.set.nowMicros));
    closeSync(this.#file);
  }
}

/** @throws InputError if a set that begins on this `--dbpath` could not be repeated */
export function checkRecordable(dbpath: string | undefined): void {
  if (dbpath === undefined || !existsSync(dbpath)) return;
  const obstacle = recordingObstacle(dbpath, readdirSync(dbpath));
  if (obstacle !== undefined) throw new InputError(obstacle);
}
