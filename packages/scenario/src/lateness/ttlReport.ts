import type { ReplicaSetApi } from '@replsim/replset';
import type { Members } from '../stage/members.ts';
import type { Lateness } from './lateness.ts';
import { type PendingExpired, pendingExpired } from './pendingExpired.ts';
import type { LatenessSummary } from './summary.ts';

/** How late documents went by one index. */
export interface TtlIndexReport {
  readonly ns: string;
  readonly index: string;
  /** From expiry to deletion, by whoever was primary. */
  readonly primary: LatenessSummary;
  /** From expiry to disappearance, member by member. */
  readonly members: readonly (LatenessSummary & { readonly on: string })[];
  /** What has expired and is there still; absent where nobody could be asked. */
  readonly pending?: PendingExpired;
}

/** The report at the end of a run; what is still there is found out by command. */
export function reportTtl(lateness: Lateness, set: ReplicaSetApi, members: Members): TtlIndexReport[] {
  return lateness.indexes.map((known) => {
    const pending = pendingExpired(known, set, members);
    return {
      ...known,
      primary: lateness.summary(known),
      members: lateness.members.map((on) => ({ ...lateness.summary(known, on), on })),
      ...(pending && { pending }),
    };
  });
}
