import type { MemberState, OpTime, ReplSetConfig, Term, TraceEvent } from '@replsim/protocol';

/** What the TTL monitor of a member does. */
export type TtlAt = Extract<TraceEvent, { type: 'ttlMonitor' }>['phase'];

/** One member at an instant, as far as the trace tells. A value: events make new ones. */
export interface MemberAt {
  readonly name: string;
  readonly process: 'running' | 'paused' | 'killed' | 'shutdown' | 'fatal' | 'not started';
  readonly standalone: boolean;
  readonly state: MemberState | 'STANDALONE' | 'DOWN';
  readonly acceptsWrites: boolean;
  readonly term: Term;
  readonly config: ReplSetConfig | undefined;
  readonly lastApplied: OpTime | undefined;
  readonly commitPoint: OpTime | undefined;
  readonly lastDurable: OpTime | undefined;
  readonly syncSource: string | undefined;
  readonly ttl: { readonly phase: TtlAt; readonly wakeMicros?: number } | undefined;
  /** How far its clock has been put forward in all. Unit: ms. */
  readonly clockJumpedMs: number;
  readonly clockDriftPpm: number;
  /** Its parts that stand still. */
  readonly held: readonly string[];
  /** Until when it waits with an election, at the earliest. Unit: µs. */
  readonly electionDueMicros: number | undefined;
  readonly votes: { readonly votes: number; readonly needed: number; readonly dryRun: boolean } | undefined;
}

/** A member of which nothing has been told. */
export function unseen(name: string): MemberAt {
  return {
    name,
    process: 'not started',
    standalone: false,
    state: 'DOWN',
    acceptsWrites: false,
    term: 0,
    config: undefined,
    lastApplied: undefined,
    commitPoint: undefined,
    lastDurable: undefined,
    syncSource: undefined,
    ttl: undefined,
    clockJumpedMs: 0,
    clockDriftPpm: 0,
    held: [],
    electionDueMicros: undefined,
    votes: undefined,
  };
}

/** A member after one event of its own; the same object where the event changes nothing that is shown. */
export function after(member: MemberAt, event: TraceEvent): MemberAt {
  switch (event.type) {
    case 'processStarted':
      return started(member, event);
    case 'processStopped':
      return { ...member, ...STOPPED, process: event.how };
    case 'processPaused':
      return { ...member, process: 'paused' };
    case 'processResumed':
      return { ...member, process: 'running' };
    case 'partHeld':
      return { ...member, held: [...member.held, event.part] };
    case 'partReleased':
      return { ...member, held: member.held.filter((part) => part !== event.part) };
    case 'clockChanged':
      return {
        ...member,
        clockJumpedMs: member.clockJumpedMs + (event.jumpMs ?? 0),
        clockDriftPpm: event.driftPpm ?? member.clockDriftPpm,
      };
    case 'stateChanged':
      return { ...member, state: event.to, term: event.term };
    case 'termChanged':
      return { ...member, term: event.to };
    case 'acceptsWrites':
      return { ...member, acceptsWrites: event.value };
    case 'configInstalled':
      return { ...member, config: event.config };
    case 'deadline':
      return event.of === 'electionTimeout' ? { ...member, electionDueMicros: event.dueMicros } : member;
    case 'votesCounted':
      return { ...member, votes: { votes: event.votes, needed: event.needed, dryRun: event.dryRun } };
    case 'electionWon':
    case 'electionLost':
      return { ...member, votes: undefined };
    default:
      return afterData(member, event);
  }
}

function afterData(member: MemberAt, event: TraceEvent): MemberAt {
  switch (event.type) {
    case 'applied':
      return { ...member, lastApplied: event.opTime };
    case 'journalFlushed':
      return { ...member, lastDurable: event.opTime };
    case 'commitPoint':
      return { ...member, commitPoint: event.opTime };
    case 'rolledBack':
      return { ...member, lastApplied: event.commonPoint, lastDurable: event.commonPoint };
    case 'syncSourceChanged':
      return { ...member, syncSource: event.to };
    case 'ttlMonitor': {
      const { phase, wakeMicros } = event;
      return { ...member, ttl: { phase, ...(wakeMicros !== undefined && { wakeMicros }) } };
    }
    default:
      return member;
  }
}

/** What ends with a process, whatever ended it. */
const STOPPED = {
  state: 'DOWN',
  acceptsWrites: false,
  syncSource: undefined,
  ttl: undefined,
  electionDueMicros: undefined,
  votes: undefined,
} as const;

function started(member: MemberAt, event: Extract<TraceEvent, { type: 'processStarted' }>): MemberAt {
  const standalone = event.mode === 'standalone';
  return {
    ...member,
    ...STOPPED,
    process: 'running',
    standalone,
    state: standalone ? 'STANDALONE' : 'STARTUP',
    term: event.term,
    lastApplied: event.lastApplied,
    lastDurable: event.lastApplied,
    held: [],
  };
}
