import { LyingDisks, type OpTime, type TraceEvent } from '@replsim/protocol';
import type { Branches } from './branches.ts';
import { nameOf } from './memberStory.ts';

/** So many of the newest marks of a member are remembered at least. */
const KEPT_MARKS = 40_000;

/** How a member's log came to end where it did. */
export type How = 'wrote' | 'fetched' | 'synced' | 'started' | 'forgotten' | 'rolledBack' | 'emptied';

/** Where a member's log ends from an instant on. */
interface Mark {
  readonly atMicros: number;
  readonly end: OpTime | undefined;
  readonly how: How;
  /** From whom it has what is new. */
  readonly source: string | undefined;
}

interface Applied {
  readonly atMicros: number;
  readonly opTime: OpTime;
}

/** An entry comes into a member's log, or leaves it. */
export interface Turn extends Pick<Mark, 'atMicros' | 'how' | 'source'> {
  readonly has: boolean;
}

interface MemberLog {
  ends: Mark[];
  applied: Applied[];
  /** While data are copied, what is fetched beside them counts for nothing. */
  syncing: boolean;
  /** Its last process ended with a disk that had reported more as done than it had done. */
  forgot: boolean;
}

/** How far each member's log and data went when, so that one can ask when it got an entry, and whether it kept it. */
export class Logs {
  readonly #branches: Branches;
  readonly #logs = new Map<string, MemberLog>();
  readonly #disks = new LyingDisks();

  constructor(branches: Branches) {
    this.#branches = branches;
  }

  /** Takes an event that the branches have taken in already. */
  observe(event: TraceEvent): void {
    if (this.#disks.observe(event) && 'member' in event) this.#logOf(event.member).forgot = true;
    switch (event.type) {
      case 'oplogWritten': {
        const how = event.origin === 'self' ? 'wrote' : 'fetched';
        return this.#ends(event.member, event.atMicros, how, event.source && nameOf(event.source));
      }
      case 'rolledBack':
        return this.#ends(event.member, event.atMicros, 'rolledBack');
      case 'processStarted':
        return this.#started(event);
      case 'initialSync':
        return this.#synced(event);
      case 'applied':
        return this.#applied(event);
    }
  }

  /** When an entry came into a member's log and when it left it, as far as that is remembered. */
  turnsOf(member: string, opTime: OpTime): Turn[] {
    const turns: Turn[] = [];
    let had = false;
    for (const { atMicros, end, how, source } of this.#logs.get(member)?.ends ?? []) {
      const has = end !== undefined && this.#branches.holds(end, opTime);
      if (has !== had) turns.push({ atMicros, how, source, has });
      had = has;
    }
    return turns;
  }

  /** When a member had applied an entry that came into its log then; undefined if it has not. */
  appliedAt(member: string, opTime: OpTime, sinceMicros: number): number | undefined {
    const marks = this.#logs.get(member)?.applied ?? [];
    return marks.find(({ atMicros, opTime: to }) => atMicros >= sinceMicros && this.#branches.holds(to, opTime))
      ?.atMicros;
  }

  /** What its oplog on the disk had is applied by now: recovery does that, and is not told. */
  #started({ member, atMicros, mode, lastApplied }: Extract<TraceEvent, { type: 'processStarted' }>): void {
    const log = this.#logOf(member);
    log.syncing = false;
    log.applied = keep(log.applied, { atMicros, opTime: lastApplied });
    if (mode === 'replSet') this.#ends(member, atMicros, log.forgot ? 'forgotten' : 'started');
    log.forgot = false;
  }

  #synced(event: Extract<TraceEvent, { type: 'initialSync' }>): void {
    const { member, atMicros, phase, source, opTime } = event;
    const log = this.#logOf(member);
    if (phase === 'started') {
      log.ends = keep(log.ends, { atMicros, end: undefined, how: 'emptied', source: undefined });
      log.syncing = true;
    }
    if (phase !== 'done') return;
    log.syncing = false;
    const end = this.#branches.endOf(member) ?? opTime;
    log.ends = keep(log.ends, { atMicros, end, how: 'synced', source: source && nameOf(source) });
  }

  #applied({ member, atMicros, opTime, batch }: Extract<TraceEvent, { type: 'applied' }>): void {
    // Whoever wrote it has it.
    if (batch) this.#logOf(member).applied = keep(this.#logOf(member).applied, { atMicros, opTime });
  }

  #ends(member: string, atMicros: number, how: How, source?: string): void {
    const log = this.#logOf(member);
    if (log.syncing) return;
    log.ends = keep(log.ends, { atMicros, end: this.#branches.endOf(member), how, source });
  }

  #logOf(member: string): MemberLog {
    let log = this.#logs.get(member);
    if (!log) {
      log = { ends: [], applied: [], syncing: false, forgot: false };
      this.#logs.set(member, log);
    }
    return log;
  }
}

function keep<T>(marks: T[], mark: T): T[] {
  marks.push(mark);
  return marks.length > 2 * KEPT_MARKS ? marks.slice(-KEPT_MARKS) : marks;
}
