import {
  compareOpTimes,
  type LogLine,
  type MemberPosition,
  type MemberState,
  type OpTime,
  type ReplSetConfig,
  type Term,
  type TraceEvent,
} from '@replsim/protocol';
import type { Round } from './round.ts';

/** Something that holds since an instant. Unit: µs. */
interface Since<T> {
  readonly is: T;
  readonly sinceMicros: number;
}

type Stopped = 'killed' | 'shutdown' | 'fatal' | 'not started';
/** A pass of its TTL monitor that is over. */
type Pass = Omit<Extract<TraceEvent, { type: 'ttlPassEnded' }>, 'atMicros'> & {
  readonly beganMicros: number;
  readonly endedMicros: number;
};
type TtlPhase = Extract<TraceEvent, { type: 'ttlMonitor' }>;

/** Until when it waits, and how much of that is drawn by chance. Unit: µs. */
export type Deadline = Required<Pick<Traced, 'dueMicros'>> & Pick<Traced, 'drawnMicros'>;
type Traced = Extract<TraceEvent, { type: 'deadline' }>;

/** A candidacy that did not begin. */
export interface Refusal {
  readonly cause: string;
  readonly detail: string;
  readonly atMicros: number;
  /** Of whom nothing was heard then, and why. */
  unheard?: readonly string[];
}

/** So many of its newest passes are remembered at least. */
const KEPT_PASSES = 1000;

/** What a trace has told of one member, as far as it bears on questions. */
export class MemberStory {
  readonly name: string;
  stopped: (Since<Stopped> & { readonly detail?: string }) | undefined = { is: 'not started', sinceMicros: 0 };
  /** It runs without a set. */
  standalone = false;
  /** It found a config of a set on its disk. */
  onSetData = false;
  pausedSince: number | undefined;
  /** Its parts that stand still: `fetch`, `apply` and so on. Unit: µs. */
  readonly heldSince = new Map<string, number>();
  /** Those that stand still for a fail point, and for which. */
  readonly pausedParts = new Map<string, Since<string>>();
  state: Since<MemberState> & { readonly cause?: string } = { is: 'STARTUP', sinceMicros: 0 };
  /** Whether it accepts writes. */
  accepts = false;
  /** When it ceased to. Unit: µs. */
  acceptedUntil: number | undefined;
  /** That it led and gave it up; a candidacy after that is what counts. */
  steppedDown: Since<string> | undefined;
  term: Term = 0;
  config: ReplSetConfig | undefined;
  /** What it believes of the others, by name; those that it never heard of are missing. */
  readonly believed = new Map<string, Since<MemberState>>();
  round: Round | undefined;
  /** Until when it waits with something, where the trace says so. */
  readonly deadlines = new Map<string, Deadline>();
  /** Whom it gave its vote to last, and when that lay on its disk. */
  voted: Extract<TraceEvent, { type: 'votePersisted' }> | undefined;
  notStarted: Refusal | undefined;
  applied: OpTime | undefined;
  /** Up to where it has fetched, whether that is in its oplog yet or waits for its delay. */
  fetched: OpTime | undefined;
  /** What its journal has. */
  durable: OpTime | undefined;
  /** What others say of their positions, by the `_id` in the config: they say it to a primary. */
  readonly reported = new Map<number, MemberPosition>();
  syncSource: Since<string | undefined> = { is: undefined, sinceMicros: 0 };
  fetchFailed: { readonly source: string; readonly detail: string; readonly atMicros: number } | undefined;
  initialSync: (Since<string> & { readonly detail: string | undefined }) | undefined;
  /** Whose oplog its own has parted from, while it undoes that. */
  rollback: Since<string> | undefined;
  /** Up to where it had fetched when nobody's oplog reached back to it; it tries others in vain until it fetches again. */
  tooStale: Since<OpTime> | undefined;
  /** What a primary does that accepts no writes yet. */
  office: (Since<'catchUp' | 'drain'> & { readonly ended?: string }) | undefined;
  /** What its disk destroyed when it last wrote to a wrong place; undefined if it has not, or was emptied since. */
  misdirected: Since<'checkpoint' | 'journal' | 'nothing'> | undefined;
  /** How long each write to its disk takes besides, where that was set. */
  slowDisk: Since<number> | undefined;
  /** How many times longer it computes, and how many operations at a time, where that was set. */
  slowProcessor: Since<{ readonly slowdown: number; readonly cores: number }> | undefined;
  ttl: TtlPhase | undefined;
  /** Oldest first. */
  passes: Pass[] = [];
  /** Since when `fsync` lets nothing be written. Unit: µs. */
  lockedSince: number | undefined;
  /** What its wall clock showed last. Unit: ms since 1970. */
  clock: { readonly atMicros: number; readonly wallMs: number } | undefined;
  /** When it was started as a standalone, if it ever was. Unit: µs. */
  standaloneMicros: number | undefined;
  #passBegan = 0;

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
        this.stopped = { is: event.how, sinceMicros, ...(event.detail !== undefined && { detail: event.detail }) };
        this.accepts = false;
        this.ttl = undefined;
        // What holds still is a part of a process; the next one may be held before it has told that it runs.
        this.heldSince.clear();
        this.pausedParts.clear();
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
        this.state = { is: event.to, sinceMicros, ...(event.cause && { cause: event.cause }) };
        if (event.to !== 'ROLLBACK') this.rollback = undefined;
        if (event.to !== 'RECOVERING') this.tooStale = undefined;
        if (event.to !== 'PRIMARY') this.office = undefined;
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
        this.acceptedUntil = event.value ? undefined : sinceMicros;
        if (event.value) this.office = undefined;
        return;
      case 'applied':
        this.applied = event.opTime;
        return;
      case 'journalFlushed':
        this.durable = event.opTime;
        return;
      case 'positionsReceived':
        for (const position of event.optimes) this.reported.set(position.memberId, position);
        return;
      case 'rolledBack':
        this.applied = event.commonPoint;
        this.fetched = undefined;
        this.durable = undefined;
        return;
      default:
        this.#observeElections(event);
        this.#observeCopying(event);
        this.#observeWork(event);
    }
  }

  #started({
    atMicros,
    lastApplied,
    term,
    mode,
    hasReplSetConfig,
  }: Extract<TraceEvent, { type: 'processStarted' }>): void {
    this.standalone = mode === 'standalone';
    this.onSetData = hasReplSetConfig;
    if (this.standalone) this.standaloneMicros = atMicros;
    this.stopped = undefined;
    this.misdirected = undefined;
    this.pausedSince = undefined;
    if (!hasReplSetConfig) this.config = undefined;
    this.state = { is: 'STARTUP', sinceMicros: atMicros };
    this.accepts = false;
    this.term = term;
    this.applied = lastApplied;
    this.fetched = undefined;
    this.durable = lastApplied;
    this.believed.clear();
    this.reported.clear();
    this.deadlines.clear();
    this.round = undefined;
    this.steppedDown = undefined;
    this.notStarted = undefined;
    this.syncSource = { is: undefined, sinceMicros: atMicros };
    this.fetchFailed = undefined;
    this.initialSync = undefined;
    this.lockedSince = undefined;
    this.rollback = undefined;
    this.tooStale = undefined;
    this.office = undefined;
  }

  #observeElections(event: TraceEvent): void {
    const { atMicros } = event;
    switch (event.type) {
      case 'electionStarted': {
        const { reason: cause, term, dryRun } = event;
        this.round = { atMicros, cause, term, dryRun, answers: new Map() };
        this.notStarted = undefined;
        this.steppedDown = undefined;
        return;
      }
      case 'electionWon':
        this.round = undefined;
        this.office = { is: 'catchUp', sinceMicros: atMicros };
        return;
      case 'catchUpEnded':
        if (this.office) this.office = { is: 'drain', sinceMicros: atMicros, ended: event.reason };
        return;
      case 'steppedDown':
        this.steppedDown = { is: event.reason, sinceMicros: atMicros };
        return;
      case 'votesRequested':
        if (this.round) this.round = { ...this.round, term: event.term, dryRun: event.dryRun, answers: new Map() };
        return;
      case 'electionNotStarted':
        this.notStarted = { cause: event.reason, detail: event.detail, atMicros };
        return;
      case 'electionLost':
        if (this.round) this.round.lost = event.reason;
        return;
      case 'deadline':
        if (event.dueMicros === undefined) this.deadlines.delete(event.of);
        else this.deadlines.set(event.of, { ...event, dueMicros: event.dueMicros });
        return;
      case 'votePersisted':
        this.voted = event;
        return;
    }
  }

  /** How it gets what others have written. */
  #observeCopying(event: TraceEvent): void {
    const { atMicros: sinceMicros } = event;
    switch (event.type) {
      case 'syncSourceChanged':
        this.syncSource = { is: event.to && nameOf(event.to), sinceMicros };
        return;
      case 'oplogWritten':
        if (event.origin !== 'fetched') return;
        this.#fetchedUpTo(event.entries.at(-1)?.opTime);
        this.tooStale = undefined;
        this.pausedParts.delete('fetch');
        this.pausedParts.delete('apply');
        return;
      case 'entriesDelayed':
        this.#fetchedUpTo(event.upTo);
        return;
      case 'fetchFailed':
        this.fetchFailed = { source: nameOf(event.source), detail: event.detail, atMicros: sinceMicros };
        return;
      case 'tooStale':
        this.tooStale = { is: event.lastFetched, sinceMicros };
        return;
      case 'rollbackStarted':
        this.rollback = { is: nameOf(event.source), sinceMicros };
        return;
      case 'initialSync':
        // An attempt chooses its source itself, and what is fetched afterwards has another.
        if (event.phase === 'started') this.fetched = undefined;
        if (event.phase !== 'cloned') this.syncSource = { is: undefined, sinceMicros };
        this.initialSync = event.phase === 'done' ? undefined : { is: event.phase, sinceMicros, detail: event.detail };
        return;
    }
  }

  #observeWork(event: TraceEvent): void {
    const { atMicros: sinceMicros } = event;
    switch (event.type) {
      case 'ttlMonitor':
        this.ttl = event;
        if (event.phase === 'inPass') this.#passBegan = sinceMicros;
        return;
      case 'ttlPassEnded':
        this.pausedParts.delete('ttl');
        this.passes.push({ ...event, beganMicros: this.#passBegan, endedMicros: sinceMicros });
        if (this.passes.length > 2 * KEPT_PASSES) this.passes = this.passes.slice(-KEPT_PASSES);
        return;
      case 'fsyncLockChanged':
        this.lockedSince = event.locked ? sinceMicros : undefined;
        return;
      case 'diskChanged':
        if (event.latencyMs !== undefined)
          this.slowDisk = event.latencyMs > 0 ? { is: event.latencyMs, sinceMicros } : undefined;
        return;
      case 'processorChanged': {
        const { slowdown = this.slowProcessor?.is.slowdown ?? 1, cores = this.slowProcessor?.is.cores ?? 0 } = event;
        const isUsual = slowdown === 1 && cores === 0;
        this.slowProcessor = isUsual ? undefined : { is: { slowdown, cores }, sinceMicros };
        return;
      }
      case 'writeMisdirected':
        this.misdirected = { is: event.over, sinceMicros };
        return;
      case 'clockChanged':
      case 'log':
        if (event.type === 'log') this.#logged(event.line, sinceMicros);
        this.clock = { atMicros: sinceMicros, wallMs: event.wallMs };
        return;
    }
  }

  /** What a delayed member writes to its oplog may be older than what it has fetched. */
  #fetchedUpTo(opTime: OpTime | undefined): void {
    if (opTime && (!this.fetched || compareOpTimes(opTime, this.fetched) > 0)) this.fetched = opTime;
  }

  #logged({ id }: LogLine, sinceMicros: number): void {
    const [part, failPoint] = PAUSES.get(id) ?? [];
    if (part !== undefined && failPoint !== undefined) this.pausedParts.set(part, { is: failPoint, sinceMicros });
  }
}

/** The lines in which a part says that it stands still for a fail point, by their ids. */
const PAUSES: ReadonlyMap<number, readonly [part: string, failPoint: string]> = new Map([
  [21079, ['fetch', 'stopReplProducer']],
  [21229, ['apply', 'rsSyncApplyStop']],
  [8543102, ['apply', 'rsSyncApplyStop']],
  [22534, ['ttl', 'hangTTLMonitorWithLock']],
]);

/** A member's name without the port that all of them have. */
export function nameOf(host: string): string {
  return host.replace(/:27017$/, '');
}

/** The other member that it takes for the primary. */
export function heardPrimary({ believed }: MemberStory): string | undefined {
  for (const [other, { is }] of believed) if (is === 'PRIMARY') return other;
  return undefined;
}
