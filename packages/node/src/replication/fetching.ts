import {
  chooseSyncSource,
  type FetcherEffect,
  type FetcherEvent,
  type FetcherState,
  reasonToChangeSyncSource,
  STOPPED_FETCHER,
  stepFetcher,
} from '@replsim/oplog';
import type { ErrorReply, MemberReply, OplogEntry, OplogProbeReply, OplogReply, OpTime } from '@replsim/protocol';
import type { Core } from '../core.ts';
import type { Replication } from './replication.ts';

/** Where fetched entries go. */
export interface FetchedEntries {
  /** The newest entry that was taken over; the oplog's last if none waits. */
  readonly newestHeld: OpTime;
  take(entries: readonly OplogEntry[], reply: OplogReply): void;
}

/**
 * Carries out what the fetcher asks for: sources, probes, cursors, and the pauses between them.
 * Upstream: bgsync.cpp, sync_source_resolver.cpp, oplog_fetcher.cpp.
 */
export class OplogFetching {
  readonly #core: Core;
  readonly #repl: Replication;
  readonly #into: FetchedEntries;
  #fetcher: FetcherState = STOPPED_FETCHER;
  #requestId = 0;
  /** Why the source is to be left once this step has ended. */
  #leaveFor: string | undefined;

  constructor(core: Core, repl: Replication, into: FetchedEntries) {
    this.#core = core;
    this.#repl = repl;
    this.#into = into;
  }

  get syncSource(): string | undefined {
    return this.#fetcher.source;
  }

  get isRunning(): boolean {
    return this.#fetcher.phase !== 'stopped';
  }

  start(): void {
    if (this.isRunning) return;
    this.#step({ type: 'start', lastFetched: this.#into.newestHeld, requireAhead: true });
  }

  stop(): void {
    this.#forgetRequest();
    this.#core.cancelTimer('fetch');
    this.#step({ type: 'stop' });
  }

  /** The timer `fetch`: a pause without source is over, or the source did not answer in time. */
  onTimer(): void {
    if (this.#fetcher.phase === 'waiting') {
      this.#step({ type: 'retry' });
    } else {
      this.#forgetRequest();
      this.#step({ type: 'failed', reply: { ok: 0, code: 89, errmsg: 'the source did not answer in time' } });
    }
  }

  /** At the end of a step: leaves a source that is no longer good. */
  poll(): void {
    if (this.#leaveFor === undefined) return;
    const reason = this.#leaveFor;
    this.#leaveFor = undefined;
    if (this.#fetcher.phase !== 'tailing') return;
    this.#forgetRequest();
    this.#step({ type: 'leaveSource', reason });
  }

  #forgetRequest(): void {
    if (this.#requestId !== 0) this.#core.forget(this.#requestId);
    this.#requestId = 0;
  }

  #step(event: FetcherEvent): void {
    const { topology, positions } = this.#repl;
    const [state, effects] = stepFetcher(this.#fetcher, event, {
      term: topology.term,
      commitPoint: positions.commitPoint.opTime,
      electionTimeoutMillis: topology.electionTimeoutMicros / 1000,
    });
    this.#fetcher = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: FetcherEffect): void {
    switch (effect.type) {
      case 'chooseSource': {
        const question = this.#repl.syncSources.question(effect.lastFetched);
        return this.#step({ type: 'sourceChosen', source: chooseSyncSource(question) });
      }
      case 'request':
        return this.#request(effect);
      case 'retryLater':
        return this.#core.setTimer('fetch', effect.afterMs * 1000);
      case 'restartHeartbeats':
        // A primary that catches up waits for a word of everybody since the last restart: it must not begin anew.
        if (!this.#repl.elections.isLeader) this.#repl.heartbeats.restartScheduled();
        return;
      case 'denylist':
        return this.#repl.syncSources.putAside(effect.host, effect.forMs);
      case 'sourceChanged':
        this.#core.log('I', 'REPL', 21088, 'Changed sync source', {
          oldSyncSource: effect.from ?? 'empty',
          newSyncSource: effect.to ?? 'empty',
        });
        this.#core.trace({ type: 'syncSourceChanged', from: effect.from, to: effect.to });
        if (effect.to !== undefined) this.#repl.progress.sourceChanged();
        return;
      case 'fetchFailed':
        this.#core.trace({ type: 'fetchFailed', source: effect.source, code: effect.code, detail: effect.detail });
        return;
      case 'enqueue':
        return this.#enqueue(effect.entries, effect.reply);
      case 'tooStale':
        return this.#repl.staleness.becameTooStale();
      case 'rollback':
        return this.#repl.divergence.found(effect.source);
    }
  }

  #request(effect: FetcherEffect & { readonly type: 'request' }): void {
    this.#core.setTimer('fetch', effect.timeoutMs * 1000);
    const id = this.#core.request(effect.to, 'fetch', effect.command, (reply) => {
      if (this.#requestId !== id) return;
      this.#requestId = 0;
      this.#answered(reply);
    });
    this.#requestId = id;
  }

  #answered(reply: MemberReply | ErrorReply): void {
    if (reply.ok === 0) this.#step({ type: 'failed', reply });
    else if (this.#fetcher.phase === 'probing') this.#step({ type: 'probed', reply: reply as OplogProbeReply });
    else this.#step({ type: 'batch', reply: reply as OplogReply });
  }

  #enqueue(entries: readonly OplogEntry[], reply: OplogReply): void {
    const { elections } = this.#repl;
    this.#repl.staleness.foundUsableSource();
    elections.updateTerm(reply.$replData.term, 'oplog query metadata');
    if (!this.isRunning) return;
    if (reply.$oplogQueryData.primaryIndex >= 0) elections.timer.postpone();
    if (entries.length > 0) this.#core.sawClusterTime(entries.at(-1)!.opTime.ts);
    this.#into.take(entries, reply);
    this.#reconsiderSource(reply.$oplogQueryData.lastOpApplied);
  }

  #reconsiderSource(lastOpApplied: OpTime): void {
    const { source, lastFetched } = this.#fetcher;
    const question = this.#repl.syncSources.question(lastFetched);
    const reason = reasonToChangeSyncSource(source!, question, lastOpApplied);
    if (reason === undefined) return;
    // The effect after `enqueue` is the next getMore: leave after it was sent, so that its answer is dropped.
    this.#leaveFor = reason;
  }
}
