import { forward, NULL_POSITION, type OpTimeAndWall, type SourceCandidate } from '@replsim/oplog';
import {
  type HeartbeatReply,
  type MemberConfig,
  type MemberState,
  NULL_OP_TIME,
  type OpTime,
  sameOpTime,
  type Term,
  type Timestamp,
} from '@replsim/protocol';
import { HeartbeatSeries } from './heartbeatSeries.ts';

/** The opTimes of one heartbeat's answer. */
export interface HeartbeatOpTimes {
  readonly applied: OpTime;
  readonly durable: OpTime;
  readonly written: OpTime;
}

const NULL_HEARTBEAT: HeartbeatOpTimes = Object.freeze({
  applied: NULL_OP_TIME,
  durable: NULL_OP_TIME,
  written: NULL_OP_TIME,
});

/**
 * What this member knows of one other, and only from what that one, or somebody between them, has told it.
 * Upstream: member_data.h.
 */
export class MemberView implements SourceCandidate {
  config: MemberConfig;
  /** Index in the config's members array. */
  index: number;
  /** This is the member's own entry, from which nothing is ever heard. */
  isSelf = false;
  /** The timer of its heartbeats. */
  readonly heartbeatTimer: string;
  /** What that timer wakes. */
  fireHeartbeat: (() => void) | undefined;
  state: MemberState = 'UNKNOWN';
  /** -1 never heard of, 0 down, 1 up. */
  health: -1 | 0 | 1 = -1;
  /** It answers, but does not let this member in. */
  authIssue = false;
  term: Term = -1;
  configVersion = -2;
  configTerm: Term = -1;
  electable = false;
  syncingTo: string | undefined;
  electionTime: Timestamp | undefined;
  /** Any sign of life: liveness is judged by it. */
  lastUpdateMicros = 0;
  /** The primary has given it up once since that sign of life, and does not look at it again before the next. */
  lastUpdateStale = false;
  upSinceMicros = 0;
  lastHeartbeatWallMs = 0;
  lastHeartbeatRecvWallMs = 0;
  lastHeartbeatMessage = '';
  /** Tracked positions only move forward, no matter who reported them. */
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
  readonly series = new HeartbeatSeries();
  /** 0 while no answer is waited for. */
  requestId = 0;
  sentMicros = 0;

  constructor(config: MemberConfig, index: number) {
    this.config = config;
    this.index = index;
    this.heartbeatTimer = `hb:${config._id}`;
  }

  get up(): boolean {
    return this.health === 1;
  }

  // --- as a sync source ---

  get host(): string {
    return this.config.host;
  }

  get lastApplied(): OpTime {
    return this.heartbeat.applied;
  }

  get isVoter(): boolean {
    return this.config.votes === 1;
  }

  get hidden(): boolean {
    return this.config.hidden;
  }

  get buildsIndexes(): boolean {
    return this.config.buildIndexes;
  }

  get secondaryDelaySecs(): number {
    return this.config.secondaryDelaySecs;
  }

  get pingMs(): number {
    return Math.trunc(this.series.pingMs);
  }

  heard(nowMicros: number): void {
    this.lastUpdateMicros = nowMicros;
    this.lastUpdateStale = false;
  }

  /** A heartbeat was answered. @returns whether anything came that somebody may wait for. Upstream: setUpValues */
  answered(reply: HeartbeatReply, nowMicros: number): boolean {
    const { configVersion, configTerm, electable, state, written, applied, durable } = this;
    if (this.health !== 1) this.upSinceMicros = nowMicros;
    this.health = 1;
    this.authIssue = false;
    this.heardSinceRestart = true;
    this.lastHeartbeatMessage = '';
    this.state = reply.state;
    this.term = reply.term;
    this.configVersion = reply.v;
    this.configTerm = reply.configTerm;
    this.electable = reply.electable;
    this.syncingTo = reply.syncingTo;
    this.electionTime = reply.electionTime;
    const opTimeMoved = !sameOpTime(this.heartbeat.applied, reply.opTime);
    this.heartbeat = { applied: reply.opTime, durable: reply.durableOpTime, written: reply.writtenOpTime };
    this.written = forward(written, reply.writtenOpTime, reply.writtenWallTimeMs);
    this.applied = forward(applied, reply.opTime, reply.wallTimeMs);
    this.durable = forward(durable, reply.durableOpTime, reply.durableWallTimeMs);
    const advanced = written !== this.written || applied !== this.applied || durable !== this.durable;
    const reconfigured = configVersion !== reply.v || configTerm !== reply.configTerm;
    return advanced || opTimeMoved || reconfigured || electable !== reply.electable || state !== reply.state;
  }

  /** It is given up for now; what is known of its progress stays. Upstream: setDownValues */
  wentDown(message: string): void {
    this.#lost('DOWN', message);
    this.authIssue = false;
  }

  /** It answers, but refuses to talk. Upstream: setAuthIssue */
  refused(message: string): void {
    this.#lost('UNKNOWN', message);
    this.authIssue = true;
  }

  #lost(state: 'DOWN' | 'UNKNOWN', message: string): void {
    this.state = state;
    this.health = 0;
    this.heardSinceRestart = true;
    this.lastHeartbeatMessage = message;
    this.heartbeat = NULL_HEARTBEAT;
    this.syncingTo = undefined;
    this.electionTime = undefined;
  }
}
