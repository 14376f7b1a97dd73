import { closeSync, existsSync, readdirSync, writeSync } from 'node:fs';
import { recordedStep, recordingEnd, recordingHeader, recordingIn, recordingObstacle } from '@replsim/scenario';
import { isAlive, type ServedSet } from '@replsim/server';
import { holdsSomething, openToWrite, readText } from './files.ts';
import { InputError } from './io.ts';

/** What a recording may be written over. One that a set still writes is always spared. */
export type Over = 'nothing' | 'recordings' | 'anything';

/** What comes to a served set from outside, in a file that `replsim run` repeats. Whole after every line. */
export class RecordingFile {
  readonly #served: ServedSet;
  readonly #file: number;

  /**
   * Records from now on, which has to be before anything has come in.
   * @param by who records it, for the scenario's name
   * @throws InputError if the file cannot be written
   */
  constructor(served: ServedSet, path: string, by: string, over: Over) {
    this.#served = served;
    const header = recordingHeader(`Recorded ${by}, seed ${served.set.seed}`, served.setOptions, process.pid);
    checkPlace(path, over);
    this.#file = openToWrite(path, 'recording', over !== 'nothing');
    writeSync(this.#file, header);
    served.recorder.start((recorded) => writeSync(this.#file, recordedStep(recorded)));
  }

  /** The set is stopped. */
  close(): void {
    writeSync(this.#file, recordingEnd(this.#served.set.nowMicros));
    closeSync(this.#file);
  }
}

/** @throws InputError */
function checkPlace(path: string, over: Over): void {
  if (!holdsSomething(path)) return;
  const found = recordingIn(readText(path));
  if (found === undefined && over === 'recordings')
    throw new InputError(`${path} already exists and is not a recording: choose another name for the recording`);
  const { writer } = found ?? {};
  if (writer !== undefined && isAlive(writer))
    throw new InputError(
      `process ${writer} still records a set to ${path}: stop it, or choose another name for the recording`,
    );
}

/** @throws InputError if a set that begins on this `--dbpath` could not be repeated */
export function checkRecordable(dbpath: string | undefined): void {
  if (dbpath === undefined || !existsSync(dbpath)) return;
  const obstacle = recordingObstacle(dbpath, readdirSync(dbpath));
  if (obstacle !== undefined) throw new InputError(obstacle);
}
