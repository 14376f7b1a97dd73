import {
  chooseSyncSource,
  type FetcherEffect,
  type FetcherEvent,
  type FetcherState,
  nextBatchLength,
  reasonToChangeSyncSource,
  type SourceCandidate,
  STOPPED_FETCHER,
  type SyncSourceQuestion,
  stepFetcher,
} from '@replsim/oplog';
import type { ErrorReply, MemberReply, OplogEntry, OplogProbeReply, OplogReply, OpTime } from '@replsim/protocol';
import type { Core } from '../core.ts';
import type { Replication } from './replication.ts';

/**
 * Entries on their way from the source to this member's data: fetched, written to the oplog, applied.
 * Upstream: bgsync.cpp, oplog_writer_impl.cpp, oplog_applier_impl.cpp.
 */
export class Replicator {
  readonly #core: Core;
  readonly #repl: Replication;
  #fetcher: FetcherState = STOPPED_FETCHER;
  #requestId = 0;
  readonly #denylist = new Map<string, number>();
  #toWrite: OplogEntry[] = [];
  #writing = 0;
  #toApply: OplogEntry[] = [];
  #applying = 0;
  /** Metadata of the newest batch: the commit point in it is taken over once its entries are written. */
  #pendingMetadata: OplogReply | undefined;
  /** Why the source is to be left once this step has ended. */
  #leaveFor: string | undefined;

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  get syncSource(): string | undefined {
    return this.#fetcher.source;
  }

  get isRunning(): boolean {
    return this.#fetcher.phase !== 'stopped';
  }

  /** Everything that was fetched is in the data. */
  get isIdle(): boolean {
    return this.#toWrite.length === 0 && this.#toApply.length === 0;
  }

  // --- fetching ---

  start(): void {
    if (this.isRunning) return;
    this.#step({ type: 'start', lastFetched: this.#newestHeld(), requireAhead: true });
  }

  /** Entries already fetched go on being written and applied. */
  stop(): void {
    this.#forgetRequest();
    this.#core.cancelTimer('fetch');
    this.#step({ type: 'stop' });
  }

  /** Entries that were fetched but not written are dropped too. */
  stopAndDiscard(): void {
    this.stop();
    this.#toWrite = [];
    this.#writing = 0;
    this.#core.cancelTimer('write');
  }

  #newestHeld(): OpTime {
    return this.#toWrite.at(-1)?.opTime ?? this.#repl.oplog.last;
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
      case 'chooseSource':
        return this.#step({ type: 'sourceChosen', source: chooseSyncSource(this.question(effect.lastFetched)) });
      case 'request':
        return this.#request(effect);
      case 'retryLater':
        return this.#core.setTimer('fetch', effect.afterMs * 1000);
      case 'restartHeartbeats':
        // A primary that catches up waits for a word of everybody since the last restart: it must not begin anew.
        if (!this.#repl.elections.isLeader) this.#repl.topology.askAround();
        return;
      case 'denylist':
        this.#denylist.set(effect.host, this.#core.now.monotonicMicros + effect.forMs * 1000);
        return;
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
        return this.#repl.onTooStale();
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
    const { elections, progress } = this.#repl;
    this.#repl.notTooStale();
    elections.updateTerm(reply.$replData.term, 'oplog query metadata');
    if (!this.isRunning) return;
    if (reply.$oplogQueryData.primaryIndex >= 0) elections.postponeElection();
    for (const entry of entries) this.#toWrite.push(entry);
    if (entries.length > 0) this.#core.sawClusterTime(entries.at(-1)!.opTime.ts);
    this.#pendingMetadata = reply;
    if (this.#toWrite.length > 0) this.#startWriting();
    else progress.learn(reply.$replData, true);
    this.#reconsiderSource(reply.$oplogQueryData.lastOpApplied);
  }

  #reconsiderSource(lastOpApplied: OpTime): void {
    const reason = reasonToChangeSyncSource(
      this.#fetcher.source!,
      this.question(this.#fetcher.lastFetched),
      lastOpApplied,
    );
    if (reason === undefined) return;
    // The effect after `enqueue` is the next getMore: leave after it was sent, so that its answer is dropped.
    this.#leaveFor = reason;
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

  /** What the choice of a sync source looks at. */
  question(lastFetched: OpTime): SyncSourceQuestion {
    const { topology, elections } = this.#repl;
    const now = this.#core.now.monotonicMicros;
    const self = topology.self!;
    return {
      members: topology.views.map(
        (view): SourceCandidate => ({
          host: view.config.host,
          isSelf: view.index === topology.selfIndex,
          up: view.up,
          state: view.state,
          lastApplied: view.applied.opTime,
          isVoter: view.config.votes === 1,
          hidden: view.config.hidden,
          buildsIndexes: view.config.buildIndexes,
          secondaryDelaySecs: view.config.secondaryDelaySecs,
          pingMs: view.pingMs,
          syncingTo: view.syncingTo,
        }),
      ),
      self: {
        host: self.host,
        isVoter: self.votes === 1,
        buildsIndexes: self.buildIndexes,
        secondaryDelaySecs: self.secondaryDelaySecs,
      },
      lastFetched,
      primaryHost: topology.primaryHost,
      // A primary that is catching up takes whom it can get.
      chainingAllowed: topology.config!.settings.chainingAllowed || elections.isLeader,
      isDenylisted: (host) => (this.#denylist.get(host) ?? 0) > now,
      maxSyncSourceLagSecs: this.#repl.parts.parameters.number('maxSyncSourceLagSecs'),
    };
  }

  // --- writing to the oplog ---

  #startWriting(): void {
    if (this.#writing > 0) return;
    const ready = this.#dueEntries();
    if (ready === 0) {
      this.#core.setTimer('write', 1_000_000);
      return;
    }
    this.#writing = ready;
    this.#core.setTimer('write', ready * this.#core.costs.fetchEntryMicros);
  }

  /** A delayed member lets entries lie until they are old enough. */
  #dueEntries(): number {
    const delay = this.#repl.topology.self?.secondaryDelaySecs ?? 0;
    if (delay === 0) return this.#toWrite.length;
    const newest = Math.floor(this.#core.now.wallMs / 1000) - delay;
    const firstTooNew = this.#toWrite.findIndex((entry) => entry.opTime.ts.t > newest);
    return firstTooNew === -1 ? this.#toWrite.length : firstTooNew;
  }

  onWriteTimer(): void {
    const count = this.#writing;
    this.#writing = 0;
    if (count > 0) {
      const entries = this.#toWrite.splice(0, count);
      this.#repl.appendFetched(entries);
      for (const entry of entries) this.#toApply.push(entry);
      if (this.#toWrite.length === 0 && this.#pendingMetadata) {
        this.#repl.progress.learn(this.#pendingMetadata.$replData, true);
        this.#pendingMetadata = undefined;
      }
      this.#repl.progress.report();
      this.#startApplying();
    }
    if (this.#toWrite.length > 0) this.#startWriting();
  }

  // --- applying ---

  #startApplying(): void {
    if (this.#applying > 0 || this.#toApply.length === 0) return;
    this.#applying = nextBatchLength(this.#toApply);
    let operations = 0;
    for (let i = 0; i < this.#applying; i++) operations += this.#toApply[i]!.operations.length;
    this.#core.setTimer('apply', operations * this.#core.costs.applyEntryMicros + this.#core.costs.commitMicros);
  }

  onApplyTimer(): void {
    const batch = this.#toApply.splice(0, this.#applying);
    this.#applying = 0;
    this.#repl.applyBatch(batch);
    if (this.#toApply.length > 0) this.#startApplying();
    else if (this.isIdle) this.#repl.onBufferEmpty();
  }
}
