import {
  DEFAULT_DRIVER_OPTIONS,
  IDLE_WRITE_PERIOD_SECONDS,
  READ_PREFERENCE_MODES,
  type ReadPreference,
  SMALLEST_MAX_STALENESS_SECONDS,
  type TagSet,
} from '@replsim/driver';
import { didYouMeanOneOf } from '@replsim/kernel';
import type { Path, Source } from '../file/source.ts';
import { MAX_INT32, type ReadPreferenceInput } from '../schema/parts.ts';
import type { Reader } from './reader.ts';

/** Reads where a client wants to read; what drivers refuse is a mistake. @param heartbeatFrequencyMS how often that client asks members how they are */
export function readReadPreference(
  reader: Reader,
  path: Path,
  input: ReadPreferenceInput | undefined,
  heartbeatFrequencyMS = DEFAULT_DRIVER_OPTIONS.heartbeatFrequencyMS,
): ReadPreference | undefined {
  if (input === undefined) return undefined;
  const given = typeof input === 'string' ? { mode: input } : input;
  const { source } = reader;
  const { tags, maxStalenessSeconds } = given;
  const mode = READ_PREFERENCE_MODES.find((each) => each === given.mode);
  if (mode === undefined)
    source.mistakeAtPath(
      typeof input === 'string' ? path : [...path, 'mode'],
      `"${given.mode}" is not a read preference`,
      didYouMeanOneOf(given.mode, [...READ_PREFERENCE_MODES]),
    );
  for (const key of ['tags', 'maxStalenessSeconds'] as const)
    if (mode === 'primary' && given[key] !== undefined)
      source.mistakeAtKey(path, key, `"${key}" does not go with mode primary: there is only one`);
  if (maxStalenessSeconds !== undefined)
    checkStaleness(source, [...path, 'maxStalenessSeconds'], maxStalenessSeconds, heartbeatFrequencyMS);
  return {
    // After a mistake nobody reads.
    mode: mode ?? 'primary',
    ...(tags && { tags: tags as readonly TagSet[] }),
    ...(maxStalenessSeconds !== undefined && { maxStalenessSeconds }),
  };
}

/** Upstream: the max staleness specification. */
function checkStaleness(source: Source, path: Path, seconds: number, heartbeatFrequencyMS: number): void {
  const tells = Math.ceil(heartbeatFrequencyMS / 1000) + IDLE_WRITE_PERIOD_SECONDS;
  const least = Math.max(SMALLEST_MAX_STALENESS_SECONDS, tells);
  if (seconds < least)
    source.mistakeAtPath(
      path,
      `maxStalenessSeconds is at least ${least}: below that a client cannot tell`,
      seconds === -1 ? 'without a limit, leave it out' : `write at least ${least}, or leave it out`,
    );
  if (seconds > MAX_INT32)
    source.mistakeAtPath(path, `maxStalenessSeconds is at most ${MAX_INT32}`, 'without a limit, leave it out');
}
