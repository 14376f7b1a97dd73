import {
  compareTimestamps,
  formatOpTime,
  isNullOpTime,
  type OpTime,
  sameOpTime,
  type Term,
  type TraceEvent,
} from '@replsim/protocol';
import type { Checker } from '../checker.ts';
import { keepNewest } from '../keepNewest.ts';
import { TermLine } from './termLine.ts';

/** How far a member may lag and still be compared, in entries of the newest term and of each older one. */
const KEEP_NEWEST = 65_536;
const KEEP_OLDER = 4096;
const MAX_LINES = 64;

/** Where a member's log ends: the entry, and the place behind it in its term's line where that is known. */
interface Log {
  end: OpTime | undefined;
  line: TermLine | undefined;
  next: number;
  /** What it ended in before a rollback of which the disk need not know yet: a process that dies then finds that again. */
  onDisk: OpTime | undefined;
}

/**
 * Two logs that share an entry (equal timestamp and term) are the same up to it. A restart and a rollback cut a log at
 * an entry that it holds, or held before a rollback that was not flushed to the journal. Source: RaftMongo.tla; Raft §5.3, Log Matching.
 */
export function logMatching(): Checker {
  const logs = new Logs();
  return {
    name: 'logMatching',
    events: ['oplogWritten', 'journalFlushed', 'processStarted', 'rolledBack', 'initialSync'],
    voidedBy: ['forcedReconfig', 'lyingDisk'],
    observe: (event, epochSecs) => logs.observe(event, epochSecs),
  };
}

class Logs {
  readonly #logs = new Map<string, Log>();
  readonly #lines = new Map<Term, TermLine>();

  observe(event: TraceEvent, epochSecs: number): string | undefined {
    switch (event.type) {
      case 'oplogWritten': {
        const log = this.#logOf(event.member);
        let broken: string | undefined;
        for (const { opTime } of event.entries) {
          // Members share entries, so nearly always this is all there is to do.
          if (log.line !== undefined && log.line.at(log.next) === opTime) {
            log.next++;
            log.end = opTime;
            continue;
          }
          const found = this.#extend(log, opTime, event.member, epochSecs);
          broken ??= found;
        }
        return broken;
      }
      case 'journalFlushed':
        this.#logOf(event.member).onDisk = undefined;
        return undefined;
      case 'processStarted':
        return event.mode === 'standalone' ? undefined : this.#restart(event.member, event.lastApplied, epochSecs);
      case 'rolledBack': {
        const log = this.#logOf(event.member);
        log.onDisk ??= log.end;
        return this.#cut(event.member, event.commonPoint, 'rolled back to', epochSecs);
      }
      case 'initialSync':
        if (event.phase === 'started') this.#logs.delete(event.member);
        return undefined;
    }
    return undefined;
  }

  #logOf(member: string): Log {
    let log = this.#logs.get(member);
    if (log === undefined) {
      log = { end: undefined, line: undefined, next: 0, onDisk: undefined };
      this.#logs.set(member, log);
    }
    return log;
  }

  #extend(log: Log, opTime: OpTime, member: string, epochSecs: number): string | undefined {
    const { end: before, line: own } = log;
    log.end = opTime;
    if (own?.term === opTime.t && this.#follow(log, own, opTime)) return undefined;

    const line = this.#lines.get(opTime.t);
    if (line === undefined) {
      place(log, this.#open(opTime, before, member), 0);
      return undefined;
    }
    const written = `${member} wrote ${formatOpTime(opTime, epochSecs)}`;
    const after = before === undefined ? 'first' : `after ${formatOpTime(before, epochSecs)}`;
    const found = line.find(opTime);
    if (typeof found === 'number') {
      const predecessor = line.predecessorOf(found);
      place(log, line, found);
      if (before === undefined || predecessor === undefined || sameOpTime(before, predecessor)) return undefined;
      return `${written} ${after}, but as ${line.member} wrote it, it follows ${formatOpTime(predecessor, epochSecs)}`;
    }
    log.line = undefined;
    if (found === 'missing')
      return `${written} ${after}, which is not among the entries that ${line.member} wrote in that term`;
    // Forgotten, or the trace never told where this log begins; nor of what it held, further on, when the trace began.
    if (before === undefined || compareTimestamps(opTime.ts, line.last.ts) < 0) return undefined;
    if (before.t === line.term && compareTimestamps(before.ts, line.last.ts) > 0) return undefined;
    if (sameOpTime(before, line.last)) {
      line.append(opTime, KEEP_NEWEST);
      place(log, line, line.length - 1);
      return undefined;
    }
    return `${written} ${after}, but ${line.member} wrote ${formatOpTime(line.last, epochSecs)} before it in that term`;
  }

  /** Goes one place on along the log's own line. */
  #follow(log: Log, line: TermLine, opTime: OpTime): boolean {
    const known = line.at(log.next);
    if (known === undefined) {
      if (log.next !== line.length || compareTimestamps(opTime.ts, line.last.ts) <= 0) return false;
      line.append(opTime, KEEP_NEWEST);
    } else if (!sameOpTime(known, opTime)) return false;
    log.next++;
    return true;
  }

  #open(first: OpTime, before: OpTime | undefined, member: string): TermLine {
    for (const line of this.#lines.values()) line.trim(KEEP_OLDER);
    // A predecessor of the same term would be one that has been forgotten with its line: it is not the term's start.
    const line = new TermLine(first, before !== undefined && before.t < first.t ? before : undefined, member);
    this.#lines.set(first.t, line);
    keepNewest(this.#lines, MAX_LINES);
    return line;
  }

  #restart(member: string, to: OpTime, epochSecs: number): string | undefined {
    const log = this.#logOf(member);
    const { onDisk } = log;
    log.onDisk = undefined;
    const broken = this.#cut(member, to, 'restarted with', epochSecs);
    return onDisk !== undefined && this.#holds(onDisk, to) !== false ? undefined : broken;
  }

  #cut(member: string, to: OpTime, how: string, epochSecs: number): string | undefined {
    const log = this.#logOf(member);
    const { end } = log;
    const line = this.#lines.get(to.t);
    const found = line?.find(to);
    log.end = isNullOpTime(to) ? undefined : to;
    log.line = undefined;
    if (line !== undefined && typeof found === 'number') place(log, line, found);
    if (end === undefined || log.end === undefined || this.#holds(end, to) !== false) return undefined;
    return `${member} ${how} ${formatOpTime(to, epochSecs)}, which its log up to ${formatOpTime(end, epochSecs)} did not hold`;
  }

  /** Whether a log that ends in `end` holds `opTime`; undefined where too much is forgotten. */
  #holds(end: OpTime, opTime: OpTime): boolean | undefined {
    let at = end;
    while (at.t > opTime.t) {
      const before = this.#lines.get(at.t)?.before;
      if (before === undefined) return undefined;
      at = before;
    }
    if (at.t < opTime.t || compareTimestamps(at.ts, opTime.ts) < 0) return false;
    return this.#lines.get(opTime.t)?.find(opTime) !== 'missing';
  }
}

function place(log: Log, line: TermLine, at: number): void {
  log.line = line;
  log.next = at + 1;
}
