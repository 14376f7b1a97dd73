import type { Positions } from '@replsim/oplog';
import type { MemberState, ReplData, ReplSetConfig, Term, TermNews, Timestamp } from '@replsim/protocol';
import type { MemberView } from './memberView.ts';

/** Whether this member leads and may lead, which heartbeats tell, and what they teach it about that. */
export interface Leadership {
  /** PRIMARY, whether it accepts writes or not. */
  readonly isLeader: boolean;
  readonly acceptsWrites: boolean;
  readonly electionTime: Timestamp;
  /** A sign of life of the primary restarts the election timeout. */
  readonly timer: { postpone(): void };
  readonly takeover: { consider(primary: MemberView): void };
  whyNotElectable(reason: 'electionTimeout'): string | undefined;
  updateTerm(term: Term, source: TermNews, toldBy: string): void;
  stepDownLonely(why: string): void;
}

/** What topology asks of those above it, and whom it tells what it has heard. News goes up by it. */
export interface TopologyHost {
  readonly elections: Leadership;
  readonly configuration: {
    onNewerConfig(config: ReplSetConfig): void;
    onHeartbeatFrom(view: MemberView): void;
  };
  readonly progress: {
    /** @param how what comes from the sync source needs no further look */
    learn(data: ReplData, how: 'heartbeat' | 'sync source', toldBy: string): void;
    positionsChanged(): void;
  };
  readonly liveness: { arm(): void };
  readonly positions: Positions;
  readonly syncSource: string | undefined;
  /** There is an oplog, or a standalone left something. */
  hasData(): boolean;
  onStateChanged(from: MemberState, to: MemberState): void;
  onHeartbeatProcessed(): void;
}
