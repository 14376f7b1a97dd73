import type { MemberConfig, MemberState, OpTime, ReplSetConfig, Term, TraceEvent } from '@replsim/protocol';

/** What the TTL monitor of a member does. */
export type TtlAt = Extract<TraceEvent, { type: 'ttlMonitor' }>['phase'];

/** The instant is the earliest one, unless it is known what chance has added. Unit: µs. */
type Wait = Pick<Extract<TraceEvent, { type: 'deadline' }>, 'dueMicros' | 'drawnMicros'>;
/** Of a sleep: from when to when. Unit: µs. */
interface TtlState {
  readonly phase: TtlAt;
  readonly sinceMicros?: number;
  readonly wakeMicros?: number;
  readonly disabled?: true;
}
type Vote = Pick<Extract<TraceEvent, { type: 'voteAnswered' }>, 'candidate' | 'term' | 'dryRun' | 'granted'>;

/** One member at an instant, as far as the trace tells. A value: events make new ones. */
export interface MemberAt {
  readonly name: string;
  readonly process: 'running' | 'paused' | 'killed' | 'shutdown' | 'fatal' | 'not started';
  readonly standalone: boolean;
  readonly state: MemberState | 'STANDALONE' | 'DOWN';
  /** Of a process that has ended: what it was then. */
  readonly endedAs: MemberAt['state'] | undefined;
  readonly acceptsWrites: boolean;
  readonly term: Term;
  readonly config: ReplSetConfig | undefined;
  readonly lastApplied: OpTime | undefined;
  readonly commitPoint: OpTime | undefined;
  /** Where it was before, and when it moved. */
  readonly committed: { readonly before: OpTime | undefined; readonly atMicros: number } | undefined;
  readonly lastDurable: OpTime | undefined;
  readonly syncSource: string | undefined;
  readonly ttl: TtlState | undefined;
  /** Started without a set's name, it found that its data are of one: it has no TTL monitor. */
  readonly ttlBarred: boolean;
  /** How far its clock has been put forward in all. Unit: ms. */
  readonly clockJumpedMs: number;
  readonly clockDriftPpm: number;
  /** What drifting had added when its drift changed last, and when that was. Units: ms, µs. */
  readonly clockDriftedMs: number;
  readonly clockDriftSinceMicros: number;
  /** Its parts that stand still. */
  readonly held: readonly string[];
  /** Until when it waits with an election. */
  readonly electionDue: Wait | undefined;
  /** How its own candidacy stands. */
  readonly votes: { readonly votes: number; readonly needed: number; readonly dryRun: boolean } | undefined;
  /** Until when it waits to take over from a primary of lower priority, or one that lags; and since when. Unit: µs. */
  readonly takeoverDue: { readonly sinceMicros: number; readonly dueMicros: number } | undefined;
  /** How many documents its rollbacks have kept in files. */
  readonly keptInFiles: number;
  /** What it said to who asked for its vote last, until it hears of a primary or of another term. */
  readonly answered: Vote | undefined;
}

/** A member of which nothing has been told. */
export function unseen(name: string): MemberAt {
  return {
    name,
    process: 'not started',
    standalone: false,
    state: 'DOWN',
    endedAs: undefined,
    acceptsWrites: false,
    term: 0,
    config: undefined,
    lastApplied: undefined,
    commitPoint: undefined,
    committed: undefined,
    lastDurable: undefined,
    syncSource: undefined,
    ttl: undefined,
    ttlBarred: false,
    clockJumpedMs: 0,
    clockDriftPpm: 0,
    clockDriftedMs: 0,
    clockDriftSinceMicros: 0,
    held: [],
    electionDue: undefined,
    votes: undefined,
    takeoverDue: undefined,
    keptInFiles: 0,
    answered: undefined,
  };
}

/** How far a member's clock is ahead of the run's. Unit: ms. */
export function clockAheadMs(member: MemberAt, atMicros: number): number {
  return member.clockJumpedMs + driftedMs(member, atMicros);
}

function driftedMs({ clockDriftedMs, clockDriftPpm, clockDriftSinceMicros }: MemberAt, atMicros: number): number {
  return clockDriftedMs + (clockDriftPpm * (atMicros - clockDriftSinceMicros)) / 1e9;
}

/** A member's place in the config that it has, or in that of the first who has one. */
export function configOf({ name, config }: MemberAt, others: readonly MemberAt[]): MemberConfig | undefined {
  const known = config ?? others.find((other) => other.config)?.config;
  return known?.members.find(({ host }) => host === `${name}:27017`);
}

/** A member after one event of its own; the same object where the event changes nothing that is shown. */
export function after(member: MemberAt, event: TraceEvent): MemberAt {
  switch (event.type) {
    case 'processStarted':
      return started(member, event);
    case 'processStopped':
      return { ...member, ...STOPPED, process: event.how, endedAs: member.state };
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
        clockDriftedMs: driftedMs(member, event.atMicros),
        clockDriftSinceMicros: event.atMicros,
      };
    case 'stateChanged':
      return { ...member, state: event.to, term: event.term };
    case 'termChanged':
      return { ...member, term: event.to, answered: undefined };
    case 'acceptsWrites':
      return { ...member, acceptsWrites: event.value };
    case 'configInstalled':
      return { ...member, config: event.config };
    case 'deadline':
      return waiting(member, event);
    case 'voteAnswered':
      return { ...member, answered: event };
    case 'memberSeen':
      return event.to === 'PRIMARY' && member.answered ? { ...member, answered: undefined } : member;
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
      return {
        ...member,
        commitPoint: event.opTime,
        committed: { before: member.commitPoint, atMicros: event.atMicros },
      };
    case 'rolledBack':
      return { ...member, lastApplied: event.commonPoint, lastDurable: event.commonPoint };
    case 'rollbackFile':
      return { ...member, keptInFiles: member.keptInFiles + event.documents };
    case 'syncSourceChanged':
      return { ...member, syncSource: event.to };
    case 'ttlMonitor': {
      const { phase, sinceMicros, wakeMicros, disabled } = event;
      const sleep = {
        ...(sinceMicros !== undefined && { sinceMicros }),
        ...(wakeMicros !== undefined && { wakeMicros }),
      };
      return { ...member, ttl: { phase, ...sleep, ...(disabled && { disabled }) } };
    }
    default:
      return member;
  }
}

function waiting(member: MemberAt, event: Extract<TraceEvent, { type: 'deadline' }>): MemberAt {
  if (event.of === 'electionTimeout') return { ...member, electionDue: event };
  if (event.of !== 'takeover') return member;
  const { atMicros, dueMicros } = event;
  return { ...member, takeoverDue: dueMicros === undefined ? undefined : { sinceMicros: atMicros, dueMicros } };
}

/** What ends with a process, whatever ended it. */
const STOPPED = {
  state: 'DOWN',
  acceptsWrites: false,
  syncSource: undefined,
  ttl: undefined,
  electionDue: undefined,
  takeoverDue: undefined,
  votes: undefined,
  answered: undefined,
} as const;

function started(member: MemberAt, event: Extract<TraceEvent, { type: 'processStarted' }>): MemberAt {
  const standalone = event.mode === 'standalone';
  return {
    ...member,
    ...STOPPED,
    // Its monitor begins to sleep before it is said to be up.
    ttl: member.ttl,
    process: 'running',
    endedAs: undefined,
    standalone,
    ttlBarred: standalone && event.hasReplSetConfig && !event.ttlMonitorStarted,
    state: standalone ? 'STANDALONE' : 'STARTUP',
    term: event.term,
    lastApplied: event.lastApplied,
    lastDurable: event.lastApplied,
    held: [],
  };
}
