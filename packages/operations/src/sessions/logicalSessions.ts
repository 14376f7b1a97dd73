import type { Operation } from '../operations/operation.ts';

/** Where sessions are kept, so that every member knows that they are in use. Upstream: logical_session_id.h. */
export const SESSIONS_NS = 'config.system.sessions';

/** What a member's jobs have come to. Upstream: logical_session_cache_stats.idl. */
export interface LogicalSessionStats {
  /** Runs of the job that writes down which sessions are in use; one made when the process started counts. */
  readonly refreshes: number;
  readonly refreshedAtMs: number;
  readonly refreshTookMs: number;
  readonly recorded: number;
  readonly ended: number;
  /** Runs of the job that removes what sessions left. */
  readonly reaps: number;
  readonly reapedAtMs: number;
  readonly reapTookMs: number;
  readonly reaped: number;
}

/** The two jobs, for commands that do not wait for their time. */
export interface LogicalSessionServices {
  readonly stats: LogicalSessionStats;
  /** Writes down which sessions are in use. What stands in the way is logged, and tried again at the next run. */
  refresh(): Operation<void>;
  /** Removes what sessions left that nobody uses any more. */
  reap(): Operation<void>;
}
