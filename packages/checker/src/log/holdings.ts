import {
  compareOpTimes,
  isNullOpTime,
  type OpTime,
  type ReplSetConfig,
  type Term,
  type TraceEvent,
} from '@replsim/protocol';
import type { Records } from '../checker.ts';
import { keepNewest } from '../keepNewest.ts';
import { memberOf, votersOf, writeMajorityOf } from '../voters.ts';
import type { Branches } from './branches.ts';

/** Newer terms carry what older ones wrote; a position so old decides nothing. */
const MAX_TERMS = 100;

/** The last entry of each term at which something of a member's ever ended. */
type Ends = Map<Term, OpTime>;

/**
 * What each member ever had in its oplog, and ever had on its disk. A primary counts positions that were true when they were
 * sent: a member that has lost the entry since, in a later term, did acknowledge it. So what counts is what ever was.
 */
export class Holdings implements Records {
  readonly events = ['oplogWritten', 'journalFlushed', 'processStarted', 'rolledBack', 'initialSync'] as const;
  /** To be kept up to date besides. */
  readonly branches: Branches;
  readonly #written = new Map<string, Ends>();
  readonly #durable = new Map<string, Ends>();

  /** Whether as many voters with data as commit an entry ever held this one, where the config asks for it. */
  majorityHeld(config: ReplSetConfig, opTime: OpTime): boolean {
    const held = config.writeConcernMajorityJournalDefault ? this.#durable : this.#written;
    let holders = 0;
    for (const { host, arbiterOnly } of votersOf(config))
      if (!arbiterOnly && this.#held(held.get(memberOf(host)), opTime)) holders++;
    return holders >= writeMajorityOf(config);
  }

  constructor(branches: Branches) {
    this.branches = branches;
  }

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'oplogWritten':
        return note(this.#written, event.member, event.entries.at(-1)?.opTime);
      case 'journalFlushed':
        return note(this.#durable, event.member, event.opTime);
      case 'processStarted':
        // What a process finds was on disk.
        if (event.mode === 'replSet') this.#found(event.member, event.lastApplied);
        return;
      case 'rolledBack':
        return this.#found(event.member, event.commonPoint);
      case 'initialSync':
        if (event.phase === 'done') this.#found(event.member, this.branches.endOf(event.member));
        return;
    }
  }

  #found(member: string, opTime: OpTime | undefined): void {
    note(this.#written, member, opTime);
    note(this.#durable, member, opTime);
  }

  #held(ends: Ends | undefined, opTime: OpTime): boolean {
    if (ends === undefined) return false;
    const sameTerm = ends.get(opTime.t);
    if (sameTerm !== undefined && compareOpTimes(sameTerm, opTime) >= 0) return true;
    for (const end of ends.values()) if (end.t > opTime.t && this.branches.holds(end, opTime) !== false) return true;
    return false;
  }
}

function note(held: Map<string, Ends>, member: string, opTime: OpTime | undefined): void {
  if (opTime === undefined || isNullOpTime(opTime)) return;
  let ends = held.get(member);
  if (ends === undefined) {
    ends = new Map();
    held.set(member, ends);
  }
  const before = ends.get(opTime.t);
  if (before !== undefined && compareOpTimes(before, opTime) >= 0) return;
  ends.set(opTime.t, opTime);
  keepNewest(ends, MAX_TERMS);
}
