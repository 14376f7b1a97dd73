import { didYouMeanOneOf } from '@replsim/kernel';
import {
  READ_PREFERENCE_MODES,
  type ReadPreference,
  type ReadPreferenceMode,
  SMALLEST_MAX_STALENESS_SECONDS,
  type TagSet,
} from '../client/readPreference.ts';
import type { Path } from '../file/source.ts';
import type { ReadPreferenceInput } from '../schema/parts.ts';
import type { Reader } from './reader.ts';

/** Reads where a client wants to read; what drivers refuse is a mistake. */
export function readReadPreference(
  reader: Reader,
  path: Path,
  input: ReadPreferenceInput | undefined,
): ReadPreference | undefined {
  if (input === undefined) return undefined;
  const given = typeof input === 'string' ? { mode: input } : input;
  const { source } = reader;
  const { mode, tags, maxStalenessSeconds } = given;
  if (!(READ_PREFERENCE_MODES as readonly string[]).includes(mode))
    source.mistakeAtPath(
      typeof input === 'string' ? path : [...path, 'mode'],
      `"${mode}" is not a read preference`,
      didYouMeanOneOf(mode, [...READ_PREFERENCE_MODES]),
    );
  for (const key of ['tags', 'maxStalenessSeconds'] as const)
    if (mode === 'primary' && given[key] !== undefined)
      source.mistakeAtKey(path, key, `"${key}" does not go with mode primary: there is only one`);
  if (maxStalenessSeconds !== undefined && maxStalenessSeconds < SMALLEST_MAX_STALENESS_SECONDS)
    source.mistakeAtPath(
      [...path, 'maxStalenessSeconds'],
      `maxStalenessSeconds is at least ${SMALLEST_MAX_STALENESS_SECONDS}: below that a client cannot tell`,
    );
  return {
    mode: mode as ReadPreferenceMode,
    ...(tags && { tags: tags as readonly TagSet[] }),
    ...(maxStalenessSeconds !== undefined && { maxStalenessSeconds }),
  };
}
