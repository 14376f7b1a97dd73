import type { SourceCandidate, SyncSourceQuestion } from '../src/index.ts';
import { at } from './entries.ts';

export const other = (host: string, changes: Partial<SourceCandidate> = {}): SourceCandidate => ({
  host,
  isSelf: false,
  up: true,
  state: 'SECONDARY',
  lastApplied: at(110, 1),
  isVoter: true,
  hidden: false,
  buildsIndexes: true,
  secondaryDelaySecs: 0,
  pingMs: 5,
  ...changes,
});

export const me = other('me', { isSelf: true, lastApplied: at(100, 1), pingMs: 0 });

/** I am `me` at (100, 1); `p` is primary at (110, 1), far away. */
export const ask = (
  members: readonly SourceCandidate[],
  changes: Partial<SyncSourceQuestion> = {},
): SyncSourceQuestion => ({
  members: [me, other('p', { state: 'PRIMARY', pingMs: 50 }), ...members],
  self: me,
  lastFetched: at(100, 1),
  primaryHost: 'p',
  readPreference: 'nearest',
  forced: undefined,
  roundTrips: 100,
  isDenylisted: () => false,
  maxSyncSourceLagSecs: 30,
  preferPrimaryWithinMs: undefined,
  ...changes,
});
