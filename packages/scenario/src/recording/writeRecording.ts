import { formatInstantExactly } from '@replsim/kernel';
import type { Recorded, ReplSetOptions } from '@replsim/replset';
import { recordingHeader } from './writeHeader.ts';
import { inputText } from './writeInput.ts';

/** All that a recording holds. */
export interface Recording {
  /** The scenario's name. */
  readonly name: string;
  /** With which the set was made; its `dbpath` is left out, as the replay begins from nothing. */
  readonly setOptions: ReplSetOptions;
  readonly records: readonly Recorded[];
  /** When the run ended. */
  readonly untilMicros: number;
}

/**
 * A run as a scenario, whose own run has the same trace: YAML that `parseScenario` reads, one step a line. Whoever writes it
 * while the run goes on writes `recordingHeader`, then each `recordedStep`, and `recordingEnd`; what is there when the
 * writing breaks off is a recording too.
 * @throws RangeError for a set that no scenario can describe
 */
export function writeRecording({ name, setOptions, records, untilMicros }: Recording): string {
  return [recordingHeader(name, setOptions), ...records.map(recordedStep), recordingEnd(untilMicros)].join('');
}

/** The line of one thing that came from outside. */
export function recordedStep(recorded: Recorded): string {
  const { text, comment } = inputText(recorded);
  const line = `  - { at: ${formatInstantExactly(recorded.atMicros)}, ${text} }`;
  return comment === undefined ? `${line}\n` : `${line} # ${comment}\n`;
}

/** The last line: what was due until then happened too. */
export function recordingEnd(untilMicros: number): string {
  return `  - { at: ${formatInstantExactly(untilMicros)} }\n`;
}

/**
 * Why a run on a `--dbpath` cannot be recorded: what its members remember would be missing in the replay.
 * @param found what lies in the folder
 * @returns undefined if nothing stands against it
 */
export function recordingObstacle(dbpath: string, found: readonly string[]): string | undefined {
  if (found.length === 0) return undefined;
  const some = found.slice(0, 3).join(', ');
  const more = found.length > 3 ? ` and ${found.length - 3} more` : '';
  return (
    `a recording begins from nothing, and ${dbpath} holds ${some}${more}: ` +
    'record with an empty --dbpath, or without one'
  );
}
