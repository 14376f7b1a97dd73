import { CommandError } from '@replsim/protocol';
import { isEmptyDocument } from './documents.ts';
import { Fields } from './fields.ts';

/** Shorter ones would leave out members that are as fresh as heartbeats can tell. Upstream: kMinimalMaxStalenessValue. */
const LEAST_MAX_STALENESS_SECS = 90;
const MODES: ReadonlySet<string> = new Set([
  'primary',
  'primaryPreferred',
  'secondary',
  'secondaryPreferred',
  'nearest',
]);

/**
 * Reads `$readPreference` and tells whether it is content with a member that is not primary. Tags and staleness are for who
 * chooses a server, and only have to make sense.
 * Errors: IDLFailedToParse 40414 without a mode, FailedToParse 9 for an unknown one, TypeMismatch 14, BadValue 2,
 * MaxStalenessOutOfRange 160. Upstream: read_preference.cpp, ReadPreferenceSetting::fromInnerBSON.
 */
export function allowsSecondary(document: Uint8Array): boolean {
  const fields = new Fields(document, '$readPreference');
  const mode = fields.requiredString('mode');
  if (!MODES.has(mode)) throw new CommandError('FailedToParse', `Unknown read preference mode: ${mode}`);
  const isPrimary = mode === 'primary';
  const tagSets = fields.documents('tags') ?? [];
  if (isPrimary && tagSets.some((tagSet) => !isEmptyDocument(tagSet))) {
    throw new CommandError('BadValue', 'Only empty tags are allowed with primary read preference');
  }
  checkStaleness(fields, isPrimary);
  return !isPrimary;
}

function checkStaleness(fields: Fields, isPrimary: boolean): void {
  const seconds = fields.number('maxStalenessSeconds') ?? 0;
  if (seconds === 0) return;
  if (seconds < 0) {
    throw new CommandError('BadValue', 'maxStalenessSeconds must be a non-negative integer');
  }
  if (isPrimary) {
    throw new CommandError('BadValue', 'mode "primary" does not allow for maxStalenessSeconds');
  }
  if (seconds >= LEAST_MAX_STALENESS_SECS) return;
  throw new CommandError(
    'MaxStalenessOutOfRange',
    `maxStalenessSeconds value can not be less than ${LEAST_MAX_STALENESS_SECS}`,
  );
}
