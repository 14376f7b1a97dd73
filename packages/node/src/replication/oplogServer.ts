import { oldestUnfinishedChain } from '@replsim/operations';
import {
  compareOpTimes,
  compareTimestamps,
  ErrorCodes,
  type ErrorReply,
  type MemberRequest,
  type OplogEntry,
  type OplogFindCommand,
  type OplogGetMoreCommand,
  type OplogProbeCommand,
  type OplogProbeReply,
  type OplogReply,
  type OplogScanCommand,
  type OplogScanReply,
  type OpTime,
  required,
} from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import type { Replication } from './replication.ts';

/** Upstream: find_common.h, kMaxBytesToReturnToClientAtOnce. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;
/** Cursors whose reader went silent are forgotten after this long. */
const CURSOR_TIMEOUT_MICROS = 600_000_000;

interface OplogCursor {
  readonly id: number;
  readonly reader: string;
  /** The key of the timer that ends its wait. */
  readonly parkTimer: string;
  nextIndex: number;
  /** The newest entry that was sent; it must still be there when reading goes on. */
  lastSent: OpTime | undefined;
  lastUsedMicros: number;
  parked:
    | { readonly request: MemberRequest; readonly lastKnownCommittedOpTime: OpTime; readonly sinceMicros: number }
    | undefined;
}

/**
 * Answers those who fetch from this member's oplog. A `getMore` at the end waits for an entry, a newer commit point,
 * or its time. Upstream: the tailable, awaitData cursor on `local.oplog.rs`; getMore's `lastKnownCommittedOpTime`.
 */
export class OplogServer {
  readonly #core: Core;
  readonly #repl: Replication;
  readonly #cursors = new Map<number, OplogCursor>();
  /** No two processes give out the same ids: a reader that comes back must not get another's cursor. */
  #nextCursorId: number;
  #parked = 0;

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
    this.#nextCursorId = core.ids.below(0x1_0000_0000) * 0x10_0000 + 1;
  }

  /** Why nobody may begin to read here: what this oplog holds may be taken back, or is not all there yet. */
  refusal(): ErrorReply | undefined {
    const { state } = this.#repl.topology;
    if (state !== 'ROLLBACK' && state !== 'STARTUP2') return undefined;
    return {
      ok: 0,
      code: ErrorCodes.NotPrimaryOrSecondary,
      errmsg: `Oplog collection reads are not allowed while in the rollback or startup state: ${state}`,
    };
  }

  onFind(request: MemberRequest, command: OplogFindCommand): void {
    if (this.#failsForTerm(request, command.term)) return;
    this.#forgetSilentReaders(request.from);
    const id = this.#nextCursorId++;
    const cursor: OplogCursor = {
      id,
      parkTimer: `park:${id}`,
      reader: request.from,
      nextIndex: this.#repl.oplog.lowerBound(command.filter.ts.$gte),
      lastSent: undefined,
      lastUsedMicros: this.#core.now.monotonicMicros,
      parked: undefined,
    };
    this.#cursors.set(cursor.id, cursor);
    this.#reply(cursor, request);
  }

  onGetMore(request: MemberRequest, command: OplogGetMoreCommand): void {
    this.#repl.metrics.network.oplogGetMoresProcessed.num += 1;
    if (this.#failsForTerm(request, command.term)) return;
    const cursor = this.#cursors.get(command.getMore);
    if (cursor?.reader !== request.from) {
      this.#fail(request, 43, `cursor id ${command.getMore} not found`);
      return;
    }
    cursor.lastUsedMicros = this.#core.now.monotonicMicros;
    const { lastKnownCommittedOpTime } = command;
    cursor.parked = { request, lastKnownCommittedOpTime, sinceMicros: cursor.lastUsedMicros };
    if (this.#hasNews(cursor)) {
      this.#answerParked(cursor);
    } else {
      this.#parked += 1;
      this.#core.setTimer(cursor.parkTimer, () => this.#onParkTimer(cursor), command.maxTimeMS * 1000);
    }
  }

  #onParkTimer(cursor: OplogCursor): void {
    if (!cursor.parked) return;
    this.#parked -= 1;
    this.#answerParked(cursor);
  }

  /** At the end of a step: answers waiting readers for whom there is something new. */
  poll(): void {
    if (this.#parked === 0) return;
    for (const cursor of this.#cursors.values()) {
      if (!cursor.parked || !this.#hasNews(cursor)) continue;
      this.#parked -= 1;
      this.#core.cancelTimer(cursor.parkTimer);
      this.#answerParked(cursor);
    }
  }

  /** A rollback cuts the oplog: its readers must find their place again. */
  killCursors(): void {
    for (const cursor of this.#cursors.values()) {
      if (!cursor.parked) continue;
      this.#core.cancelTimer(cursor.parkTimer);
      this.#fail(cursor.parked.request, 175, 'the oplog was rolled back');
    }
    this.#cursors.clear();
    this.#parked = 0;
  }

  /** The oldest entry, or the one that is asked for, and how far the data are. */
  probe({ filter }: OplogProbeCommand): OplogProbeReply {
    const { oplog, positions } = this.#repl;
    const first = filter ? oplog.at(oplog.lowerBound(filter.ts.$gte)) : oplog.at(oplog.firstIndex);
    const inRange = first && (!filter || compareTimestamps(first.opTime.ts, filter.ts.$lte) <= 0);
    return {
      ok: 1,
      first: inRange ? first.opTime : undefined,
      // What was written and is not applied yet is not in the data that a reader copies.
      lastEntry: oplog.at(oplog.lastIndexUpTo(positions.applied.opTime.ts)),
      ...this.#oldestActive(),
      rbid: this.#repl.rbid,
    };
  }

  /** Of the transactions whose last entry has not come here, that which began first. Upstream: initial_syncer.cpp, beginFetching. */
  #oldestActive(): Pick<OplogProbeReply, 'oldestActive'> {
    const { core, oplog } = this.#repl;
    const first = oldestUnfinishedChain(core.engine);
    return first ? { oldestActive: oplog.entry(first) } : {};
  }

  scan(command: OplogScanCommand): OplogScanReply {
    const { oplog } = this.#repl;
    const end = command.before ? oplog.lowerBound(command.before) : oplog.endIndex;
    const opTimes: OpTime[] = [];
    for (let i = end - 1; i >= oplog.firstIndex && opTimes.length < command.batchSize; i--) {
      opTimes.push(required(oplog.at(i), 'entry between the ends').opTime);
    }
    return { ok: 1, opTimes };
  }

  #hasNews(cursor: OplogCursor): boolean {
    if (cursor.nextIndex < this.#repl.oplog.endIndex) return true;
    const known = required(cursor.parked, 'parked request').lastKnownCommittedOpTime;
    return compareOpTimes(this.#repl.positions.commitPoint.opTime, known) > 0;
  }

  #answerParked(cursor: OplogCursor): void {
    const { request, sinceMicros } = required(cursor.parked, 'parked request');
    cursor.parked = undefined;
    this.#repl.metrics.network.oplogGetMoresProcessed.totalMicros += this.#core.now.monotonicMicros - sinceMicros;
    this.#reply(cursor, request);
  }

  #reply(cursor: OplogCursor, request: MemberRequest): void {
    const { oplog, positions, topology } = this.#repl;
    if (cursor.nextIndex < oplog.firstIndex && cursor.lastSent) {
      this.#cursors.delete(cursor.id);
      this.#fail(request, 136, 'the oplog was truncated behind the cursor');
      return;
    }
    const batch = this.#entriesFrom(cursor.nextIndex);
    cursor.nextIndex = Math.max(cursor.nextIndex, oplog.firstIndex) + batch.length;
    cursor.lastSent = batch.at(-1)?.opTime ?? cursor.lastSent;
    const $replData = topology.replData();
    const reply: OplogReply = {
      ok: 1,
      cursorId: cursor.id,
      batch,
      $replData,
      $oplogQueryData: {
        lastOpCommitted: $replData.lastOpCommitted,
        lastCommittedWallMs: $replData.lastCommittedWallMs,
        lastOpApplied: positions.applied.opTime,
        lastOpWritten: positions.counted.opTime,
        rbid: this.#repl.rbid,
        primaryIndex: $replData.primaryIndex,
        syncSourceIndex: $replData.syncSourceIndex,
        syncSourceHost: this.#repl.syncSource ?? '',
      },
    };
    this.#core.respond(request.from, request.channel, request.id, reply);
  }

  /** As many entries as one reply holds, one at least. */
  #entriesFrom(index: number): readonly OplogEntry[] {
    const { oplog } = this.#repl;
    let bytes = 0;
    const start = Math.max(index, oplog.firstIndex);
    let end = start;
    for (let entry = oplog.at(end); entry && bytes < MAX_REPLY_BYTES; entry = oplog.at(end)) {
      bytes += entry.byteLength;
      if (bytes <= MAX_REPLY_BYTES || end === start) end += 1;
    }
    return oplog.slice(start, end);
  }

  /** A reader in a later term teaches the term, and has to ask again. */
  #failsForTerm(request: MemberRequest, term: number): boolean {
    if (term <= this.#repl.topology.term) return false;
    this.#repl.elections.updateTerm(term, 'oplog query', request.from);
    this.#fail(request, 135, 'the reader is in a later term');
    return true;
  }

  #fail(request: MemberRequest, code: number, errmsg: string): void {
    const reply: ErrorReply = { ok: 0, code, errmsg };
    this.#core.respond(request.from, request.channel, request.id, reply);
  }

  #forgetSilentReaders(reader: string): void {
    const horizon = this.#core.now.monotonicMicros - CURSOR_TIMEOUT_MICROS;
    for (const cursor of this.#cursors.values()) {
      const replaced = cursor.reader === reader && !cursor.parked;
      if (replaced || cursor.lastUsedMicros < horizon) {
        if (cursor.parked) this.#parked -= 1;
        this.#cursors.delete(cursor.id);
      }
    }
  }
}
