import type { MemberPosition, MemberState, OpTime, ReplSetConfig, Term, TraceEvent } from '@replsim/protocol';
import type { Round } from './round.ts';

/** Something that holds since an instant. Unit: µs. */
interface Since<T> {
  readonly is: T;
  readonly sinceMicros: number;
}

type Stopped = 'killed' | 'shutdown' | 'fatal' | 'not started';
type TtlPhase = Extract<TraceEvent, { type: 'ttlMonitor' }>;

/** What a trace has told of one member, as far as it bears on questions. */
export class MemberStory {
  readonly name: string;
  stopped: Since<Stopped> | undefined = { is: 'not started', sinceMicros: 0 };
  pausedSince: number | undefined;
  /** Its parts that stand still: `fetch`, `apply` and so on. Unit: µs. */
  readonly heldSince = new Map<string, number>();
  state: Since<MemberState> = { is: 'STARTUP', sinceMicros: 0 };
  /** Whether it accepts writes. */
  accepts = false;
  term: Term = 0;
  config: ReplSetConfig | undefined;
  /** What it believes of the others, by name; those that it never heard of are missing. */
  readonly believed = new Map<string, Since<MemberState>>();
  round: Round | undefined;
  notStarted: { readonly cause: string; readonly detail: string; readonly atMicros: number } | undefined;
  applied: OpTime | undefined;
  /** What others say of their positions, by the `_id` in the config: they say it to a primary. */
  readonly reported = new Map<number, MemberPosition>();
  syncSource: Since<string | undefined> = { is: undefined, sinceMicros: 0 };
  fetchFailed: { readonly source: string; readonly detail: string; readonly atMicros: number } | undefined;
  initialSync: (Since<string> & { readonly detail: string | undefined }) | undefined;
  ttl: TtlPhase | undefined;
  lastPass: Extract<TraceEvent, { type: 'ttlPassEnded' }> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** Takes an event of its own, in which others are named, not by their hosts. */
  observe(event: TraceEvent): void {
    const sinceMicros = event.atMicros;
    switch (event.type) {
      case 'processStarted':
        return this.#started(event);
      case 'processStopped':
        this.stopped = { is: event.how, sinceMicros };
        this.accepts = false;
        this.ttl = undefined;
        return;
      case 'processPaused':
        this.pausedSince = sinceMicros;
        return;
      case 'processResumed':
        this.pausedSince = undefined;
        return;
      case 'partHeld':
        this.heldSince.set(event.part, sinceMicros);
        return;
      case 'partReleased':
        this.heldSince.delete(event.part);
        return;
      case 'stateChanged':
        this.state = { is: event.to, sinceMicros };
        return;
      case 'termChanged':
        this.term = event.to;
        return;
      case 'configInstalled':
        this.config = event.config;
        return;
      case 'memberSeen':
        this.believed.set(nameOf(event.other), { is: event.to, sinceMicros });
        return;
      case 'acceptsWrites':
        this.accepts = event.value;
        return;
      case 'applied':
        this.applied = event.opTime;
        return;
      case 'positionsReceived':
        for (const position of event.optimes) this.reported.set(position.memberId, position);
        return;
      case 'rolledBack':
        this.applied = event.commonPoint;
        return;
      default:
        this.#observeElections(event);
        this.#observeWork(event);
    }
  }

  #started({ atMicros, lastApplied, term }: Extract<TraceEvent, { type: 'processStarted' }>): void {
    this.stopped = undefined;
    this.pausedSince = undefined;
    this.state = { is: 'STARTUP', sinceMicros: atMicros };
    this.accepts = false;
    this.term = term;
    this.applied = lastApplied;
    this.believed.clear();
    this.reported.clear();
    this.round = undefined;
    this.notStarted = undefined;
    this.syncSource = { is: undefined, sinceMicros: atMicros };
    this.fetchFailed = undefined;
    this.initialSync = undefined;
  }

  #observeElections(event: TraceEvent): void {
    const { atMicros } = event;
    switch (event.type) {
      case 'electionStarted': {
        const { reason: cause, term, dryRun } = event;
        this.round = { atMicros, cause, term, dryRun, answers: new Map() };
        this.notStarted = undefined;
        return;
      }
      case 'votesRequested':
        if (this.round) this.round = { ...this.round, term: event.term, dryRun: event.dryRun, answers: new Map() };
        return;
      case 'electionNotStarted':
        this.notStarted = { cause: event.reason, detail: event.detail, atMicros };
        return;
      case 'electionLost':
        if (this.round) this.round.lost = event.reason;
        return;
    }
  }

  #observeWork(event: TraceEvent): void {
    const { atMicros: sinceMicros } = event;
    switch (event.type) {
      case 'syncSourceChanged':
        this.syncSource = { is: event.to && nameOf(event.to), sinceMicros };
        return;
      case 'fetchFailed':
        this.fetchFailed = { source: nameOf(event.source), detail: event.detail, atMicros: sinceMicros };
        return;
      case 'initialSync':
        this.initialSync = event.phase === 'done' ? undefined : { is: event.phase, sinceMicros, detail: event.detail };
        return;
      case 'ttlMonitor':
        this.ttl = event;
        return;
      case 'ttlPassEnded':
        this.lastPass = event;
        return;
    }
  }
}

/** A member's name without the port that all of them have. */
export function nameOf(host: string): string {
  return host.replace(/:27017$/, '');
}
