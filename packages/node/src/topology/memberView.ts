import {
  type MemberConfig,
  type MemberState,
  NULL_OP_TIME,
  type OpTime,
  type Term,
  type Timestamp,
} from '@replsim/protocol';
import { NULL_POSITION, type OpTimeAndWall } from '../replication/positions.ts';

/** The opTimes of one heartbeat's answer. */
export interface HeartbeatOpTimes {
  readonly applied: OpTime;
  readonly durable: OpTime;
  readonly written: OpTime;
}

export const NULL_HEARTBEAT: HeartbeatOpTimes = Object.freeze({
  applied: NULL_OP_TIME,
  durable: NULL_OP_TIME,
  written: NULL_OP_TIME,
});

/**
 * What this member knows of one other, and only from what that one, or somebody between them, has told it.
 * Upstream: member_data.h.
 */
export class MemberView {
  config: MemberConfig;
  /** Index in the config's members array. */
  index: number;
  state: MemberState = 'UNKNOWN';
  /** -1 never heard of, 0 down, 1 up. */
  health: -1 | 0 | 1 = -1;
  term: Term = -1;
  configVersion = -2;
  configTerm: Term = -1;
  electable = false;
  syncingTo: string | undefined;
  electionTime: Timestamp | undefined;
  /** Any sign of life: liveness is judged by it. */
  lastUpdateMicros = 0;
  upSinceMicros = 0;
  lastHeartbeatWallMs = 0;
  lastHeartbeatRecvWallMs = 0;
  lastHeartbeatMessage = '';
  pingMs = 0;
  roundTrips = 0;
  /** Tracked positions only move forward, whoever reported them. */
  written: OpTimeAndWall = NULL_POSITION;
  applied: OpTimeAndWall = NULL_POSITION;
  durable: OpTimeAndWall = NULL_POSITION;
  /** Positions as the last heartbeat told them, null when it failed: what catch-up looks at, and what status shows. */
  heartbeat: HeartbeatOpTimes = NULL_HEARTBEAT;
  /** Whether it answered, or was given up, since the heartbeats were last restarted. */
  heardSinceRestart = false;
  /** The member reported its own position through others. */
  reportedProgress = false;
  // --- the heartbeat under way ---
  requestId = 0;
  sentMicros = 0;
  series: 'start' | 'trying' | 'succeeded' | 'failed' = 'start';
  seriesStartMicros = 0;
  failures = 0;

  constructor(config: MemberConfig, index: number) {
    this.config = config;
    this.index = index;
  }

  get up(): boolean {
    return this.health === 1;
  }
}
