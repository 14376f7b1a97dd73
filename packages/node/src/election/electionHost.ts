import type { FsyncLock, Scheduler } from '@replsim/operations';
import type { Positions } from '@replsim/oplog';
import type { ParameterStore } from '@replsim/pipeline';
import type { OpTime, Term, TermNews } from '@replsim/protocol';
import type { Configuration } from '../config/configuration.ts';
import type { Core } from '../core/core.ts';
import type { Journal } from '../data/journal.ts';
import type { LocalDocuments } from '../data/local.ts';
import type { LocalOplog } from '../data/localOplog.ts';
import type { Writes } from '../data/writes.ts';
import type { Heartbeats } from '../topology/heartbeats.ts';
import type { Liveness } from '../topology/liveness.ts';
import type { Topology } from '../topology/topology.ts';
import type { CatchUpConclusion } from './catchUpConclusion.ts';
import type { ElectionMetrics } from './electionMetrics.ts';
import type { ElectionReason } from './electionReason.ts';
import type { LastElections } from './lastElections.ts';
import type { LastVote } from './voting.ts';

/** The role of this member, as those see it who carry out one part of an election each. */
export interface Office {
  /** PRIMARY, whether it accepts writes or not. */
  readonly isLeader: boolean;
  readonly isCatchingUp: boolean;
  readonly isDraining: boolean;
  /** Until then a member that stepped down does not stand. Monotonic clock. */
  readonly stepDownUntilMicros: number;
  readonly metrics: ElectionMetrics;
  readonly last: LastElections;
  readonly timer: { jitterMicros(electionTimeoutMicros: number): number };
  /** Stands for election. @returns false if it may not, or leads or stands already */
  stand(reason: ElectionReason): boolean;
  setTerm(term: Term): void;
  updateTerm(term: Term, source: TermNews, toldBy?: string): void;
  catchUpTargetMoved(target: OpTime): void;
  catchUpConcluded(conclusion: CatchUpConclusion): void;
  /** The first entry of the term is written. */
  drained(): void;
}

/** What elections ask of those above them, and whom they tell how they went. News goes up by it. */
export interface ElectionHost {
  readonly core: Core;
  readonly topology: Topology;
  readonly heartbeats: Heartbeats;
  readonly liveness: Liveness;
  readonly configuration: Configuration;
  readonly positions: Positions;
  readonly localOplog: LocalOplog;
  readonly writes: Writes;
  readonly local: LocalDocuments;
  readonly journal: Journal;
  readonly scheduler: Scheduler;
  readonly fsyncLock: FsyncLock;
  readonly parameters: ParameterStore;
  readonly elections: Office;
  readonly votes: { store(vote: LastVote, then: () => void): void };
  readonly drain: { start(): void };
  /** Of the fetching that a new primary ends. */
  readonly replicator: { readonly isIdle: boolean; stop(): void };
  readonly progress: { firstOpTimeOfMyTerm: OpTime | undefined; myTermFollows: OpTime | undefined };
  readonly killer: { killConflicting(why: 'stepUp' | 'stepDown'): void };
  /** Whether the process votes no more, and whether it stands no more. */
  readonly shutdown: { readonly isTerminal: boolean; readonly isLeaving: boolean };
  onElected(): void;
  onBecameWritable(): void;
  onSteppedDown(): void;
  /** Whether it accepts writes may have changed. */
  onWritability(): void;
  /** Another config is in force. */
  onConfigChanged(): void;
}
