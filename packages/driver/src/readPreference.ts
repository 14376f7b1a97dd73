/** Upstream: the server selection specification. */
export const READ_PREFERENCE_MODES = [
  'primary',
  'primaryPreferred',
  'secondary',
  'secondaryPreferred',
  'nearest',
] as const;
export type ReadPreferenceMode = (typeof READ_PREFERENCE_MODES)[number];

/** A set of tags: a member fits that has all of them. The empty set fits every member. */
export type TagSet = Readonly<Record<string, string>>;

/** Where a client reads. */
export interface ReadPreference {
  readonly mode: ReadPreferenceMode;
  /** Tried in order: the first that any member fits decides. */
  readonly tags?: readonly TagSet[];
  /** A secondary that lags behind further is left out. At least 90; -1 is no limit. */
  readonly maxStalenessSeconds?: number;
}

/** What holds for writes, and for reads that say nothing. */
export const PRIMARY: ReadPreference = { mode: 'primary' };

/** A primary that has nothing to write writes a no-op so often. Upstream: the max staleness specification, idleWritePeriodMS. */
export const IDLE_WRITE_PERIOD_SECONDS = 10;

/** Upstream: the max staleness specification; a primary writes a no-op at least so often, and heartbeats take time. */
export const SMALLEST_MAX_STALENESS_SECONDS = 90;

/** The read preference as commands carry it; undefined for `primary`, which drivers do not send. */
export function readPreferenceDocument({ mode, tags, maxStalenessSeconds }: ReadPreference): object | undefined {
  if (mode === 'primary') return undefined;
  return {
    mode,
    ...(tags && { tags }),
    ...(maxStalenessSeconds !== undefined && maxStalenessSeconds >= 0 && { maxStalenessSeconds }),
  };
}
