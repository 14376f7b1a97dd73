import {
  type FetcherContext,
  type FetcherEffect,
  type FetcherEvent,
  type FetcherState,
  type SourceMetadata,
  STOPPED_FETCHER,
  stepFetcher,
} from '@replsim/oplog';
import type { FailPointData } from '@replsim/pipeline';
import {
  compareOpTimes,
  type ErrorReply,
  encodeDocument,
  type MemberReply,
  type OplogEntry,
  type OplogProbeReply,
  type OplogReply,
  type OpTime,
  required,
} from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import type { Core } from '../core/core.ts';
import { showStatus } from '../core/logValues.ts';
import { Threads } from '../core/threads.ts';
import { PausedPart } from './pausedPart.ts';
import type { Replication } from './replication.ts';

/** Where fetched entries go. */
export interface FetchedEntries {
  /** The newest entry that was taken over; the oplog's last if none waits. */
  readonly newestHeld: OpTime;
  hasRoomFor(bytes: number, count: number): boolean;
  take(entries: readonly OplogEntry[], source: string): void;
}

type EnqueueEffect = FetcherEffect & { readonly type: 'enqueue' };

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
  #askedMicros = 0;
  /** A batch for which there is no room yet; nothing more is asked for meanwhile. */
  #held: EnqueueEffect | undefined;
  /** The oldest of the first entries that sources showed since one would do. */
  #earliestSeen: OpTime | undefined;
  /** It runs unless a fail point stops it. */
  #wanted = false;
  readonly #paused: PausedPart;
  readonly #pausedOnDocument: PausedPart;
  /** The next entry is one that `stopReplProducerOnDocument` speaks of. */
  #atStop = false;
  readonly #fire = (): void => this.#onTimer();

  constructor(core: Core, repl: Replication, into: FetchedEntries) {
    this.#core = core;
    this.#repl = repl;
    this.#into = into;
    const described = { failPoint: 'stopReplProducer', desc: 'BackgroundSync', logId: 21079 } as const;
    const onDocument = { failPoint: 'stopReplProducerOnDocument', desc: 'BackgroundSync', logId: 21269 } as const;
    const goOn = () => {
      if (this.#wanted) this.start();
    };
    this.#paused = new PausedPart(core, repl.host.scheduler, described, goOn);
    this.#pausedOnDocument = new PausedPart(core, repl.host.scheduler, onDocument, goOn);
  }

  get syncSource(): string | undefined {
    return this.#fetcher.source;
  }

  get isRunning(): boolean {
    return this.#fetcher.phase !== 'stopped';
  }

  start(): void {
    this.#wanted = true;
    if (this.isRunning || this.#pausedOnDocument.isPausing || this.#paused.stops()) return;
    this.#step({ type: 'start', lastFetched: this.#into.newestHeld });
  }

  stop(): void {
    this.#wanted = false;
    this.#halt();
  }

  /** Drops a batch that waits for room. */
  #halt(): void {
    this.#forgetRequest();
    this.#held = undefined;
    this.#atStop = false;
    this.#core.cancelTimer('fetch');
    this.#step({ type: 'stop' });
  }

  /** The timer `fetch`: a pause is over, or the source did not answer in time. */
  #onTimer(): void {
    this.#core.thread = Threads.producer;
    if (this.#fetcher.phase === 'waiting' || this.#fetcher.phase === 'pausing') {
      this.#step({ type: 'retry' });
    } else {
      this.#forgetRequest();
      this.#step({ type: 'failed', reply: { ok: 0, code: 89, errmsg: 'the source did not answer in time' } });
    }
  }

  /** The buffer has become smaller. */
  onRoom(): void {
    if (this.#held) this.#enqueue(this.#held);
  }

  #forgetRequest(): void {
    if (this.#requestId !== 0) this.#core.forget(this.#requestId);
    this.#requestId = 0;
  }

  #step(event: FetcherEvent): void {
    const [state, effects] = stepFetcher(this.#fetcher, event, this.#context(event));
    this.#fetcher = state;
    for (const effect of effects) {
      if (effect.type === 'enqueue') this.#onBatch(effect);
      else this.#core.as(Threads.producer, () => this.#perform(effect));
    }
  }

  #context(event: FetcherEvent): FetcherContext {
    const { topology, positions, syncSources } = this.#repl;
    const { phase, source, lastFetched } = this.#fetcher;
    const { minValid } = positions;
    const queries = phase === 'finding' || phase === 'tailing';
    return {
      term: topology.term,
      commitPoint: positions.commitPoint.opTime,
      electionTimeoutMillis: topology.electionTimeoutMicros / 1000,
      waitsShortly: this.#core.failPoints.firesAlways('setSmallOplogGetMoreMaxTimeMS'),
      requiredOpTime: compareOpTimes(minValid, lastFetched) > 0 ? minValid : undefined,
      shouldChangeOnError:
        event.type === 'failed' && queries && syncSources.shouldLeave(source!, lastFetched, undefined),
    };
  }

  #perform(effect: Exclude<FetcherEffect, EnqueueEffect>): void {
    switch (effect.type) {
      case 'chooseSource': {
        this.#repl.metrics.syncSource.numSelections += 1;
        return this.#step({ type: 'sourceChosen', source: this.#repl.syncSources.choose(effect.lastFetched) });
      }
      case 'request':
        return this.#request(effect);
      case 'retryLater':
        return this.#core.setTimer('fetch', this.#fire, effect.afterMs * 1000);
      case 'noSource':
        return this.#onNoSource();
      case 'sourceFound':
        return this.#onSourceFound(effect.same);
      case 'denylist':
        return this.#repl.syncSources.putAside(effect.host, effect.forMs);
      case 'sourceChanged':
        return this.#onSourceChanged(effect.from, effect.to);
      case 'fetchFailed':
        return this.#onFetchFailed(effect.source, effect.code, effect.detail);
      case 'tooStale':
        return this.#repl.staleness.becameTooStale(this.#fetcher.lastFetched, this.#earliestSeen);
      case 'rollback':
        return this.#repl.divergence.found(effect.source);
    }
  }

  // --- sources ---

  #onNoSource(): void {
    const { metrics, elections, heartbeats } = this.#repl;
    metrics.syncSource.numTimesCouldNotFind += 1;
    this.#core.debug(1, 'REPL', 21090, 'Could not find a sync source, trying again in a moment', {
      sleepDurationMillis: 1000,
    });
    // A primary that catches up waits for a report of every member since the last restart: it must not start over.
    if (!elections.isLeader) heartbeats.restartScheduled();
  }

  #onSourceFound(same: boolean): void {
    const { metrics, staleness } = this.#repl;
    this.#earliestSeen = undefined;
    if (same) {
      metrics.syncSource.numTimesChoseSame += 1;
      this.#core.log('I', 'REPL', 21087, 'Chose the same sync source as last time, trying it again in a moment', {
        syncSource: this.#fetcher.source,
        sleepDurationMillis: 1000,
      });
    } else {
      metrics.syncSource.numTimesChoseDifferent += 1;
    }
    staleness.foundUsableSource(required(this.#fetcher.source, 'source to fetch from'));
  }

  #onSourceChanged(from: string | undefined, to: string | undefined): void {
    if (to === undefined) {
      if (this.isRunning) this.#core.log('I', 'REPL', 21080, 'Clearing sync source', { syncSource: from });
    } else {
      this.#core.log('I', 'REPL', 21088, 'Changed sync source', {
        oldSyncSource: from ?? 'empty',
        newSyncSource: to,
      });
    }
    this.#core.trace({ type: 'syncSourceChanged', from, to });
    if (to !== undefined) this.#repl.progress.sourceChanged();
  }

  #onFetchFailed(source: string, code: number, detail: string): void {
    this.#core.log('W', 'REPL', 21122, 'Oplog fetcher stopped querying the remote oplog with an error', {
      error: showStatus(code, detail),
    });
    this.#core.trace({ type: 'fetchFailed', source, code, detail });
  }

  // --- requests ---

  #request(effect: FetcherEffect & { readonly type: 'request' }): void {
    if ('tailable' in effect.command) this.#repl.metrics.network.readersCreated += 1;
    this.#core.setTimer('fetch', this.#fire, effect.timeoutMs * 1000);
    this.#askedMicros = this.#core.now.monotonicMicros;
    const id = this.#core.request(effect.to, 'fetch', effect.command, (reply) => {
      if (this.#requestId !== id) return;
      this.#requestId = 0;
      this.#core.cancelTimer('fetch');
      this.#core.thread = Threads.external;
      this.#answered(reply);
    });
    this.#requestId = id;
  }

  #answered(reply: MemberReply | ErrorReply): void {
    const { phase } = this.#fetcher;
    // What was fetched is passed over, and fetched again. Upstream: oplog_fetcher.cpp, _onSuccessfulBatch.
    if (this.#paused.stops()) this.#halt();
    else if (reply.ok === 0) this.#step({ type: 'failed', reply });
    else if (phase === 'probing' || phase === 'requiring') this.#probed(reply as OplogProbeReply);
    else this.#fetched(reply as OplogReply);
  }

  /**
   * What comes before the document that the fail point names is taken. Upstream looks at the first two of a batch alone, so that
   * its tests fetch one by one. Upstream: oplog_fetcher.cpp, _onSuccessfulBatch.
   */
  #fetched(reply: OplogReply): void {
    if (!this.#core.failPoints.areConfigured) return this.#step({ type: 'batch', reply });
    const { lastFetched } = this.#fetcher;
    const isNew = ({ opTime }: OplogEntry) => compareOpTimes(opTime, lastFetched) > 0;
    const at = reply.batch.findIndex((entry) => {
      return isNew(entry) && this.#pausedOnDocument.stops((data) => matchesEntry(data, entry));
    });
    if (at === -1) return this.#step({ type: 'batch', reply });
    const before = reply.batch.slice(0, at);
    if (!before.some(isNew)) return this.#halt();
    this.#atStop = true;
    this.#step({ type: 'batch', reply: { ...reply, batch: before } });
  }

  #probed(reply: OplogProbeReply): void {
    const { first } = reply;
    const earliest = this.#earliestSeen;
    if (first && (!earliest || compareOpTimes(first, earliest) < 0)) this.#earliestSeen = first;
    this.#step({ type: 'probed', reply });
  }

  // --- batches ---

  #onBatch(effect: EnqueueEffect): void {
    const { entries, reply, before } = effect;
    const { elections, progress, syncSources } = this.#repl;
    this.#countBatch(entries);
    const source = required(this.#fetcher.source, 'source to fetch from');
    elections.updateTerm(reply.$replData.term, 'oplog query metadata', source);
    // A later term may have ended what this was for.
    if (this.#fetcher.phase !== 'enqueuing') return;
    if (syncSources.shouldLeaveForCloser(source, before)) {
      this.#step({ type: 'leaveSource', lastFetched: before });
      return;
    }
    progress.learn(reply.$replData, 'sync source', source);
    if (reply.$oplogQueryData.primaryIndex >= 0) elections.timer.postpone();
    const newest = entries.at(-1);
    if (newest) this.#core.sawClusterTime(newest.opTime.ts);
    this.#enqueue(effect);
  }

  /** Waits for room, then goes on with this source or with another. Upstream: bgsync.cpp, _enqueueDocuments. */
  #enqueue(effect: EnqueueEffect): void {
    const bytes = effect.entries.reduce((sum, entry) => sum + entry.byteLength, 0);
    if (!this.#into.hasRoomFor(bytes, effect.entries.length)) {
      this.#held = effect;
      return;
    }
    this.#held = undefined;
    const { lastFetched } = this.#fetcher;
    const source = required(this.#fetcher.source, 'source to fetch from');
    this.#into.take(effect.entries, source);
    if (this.#atStop) return this.#halt();
    const leave = this.#repl.syncSources.shouldLeave(source, lastFetched, metadataOf(effect.reply));
    this.#step(leave ? { type: 'leaveSource', lastFetched } : { type: 'enqueued' });
  }

  #countBatch(entries: readonly OplogEntry[]): void {
    const { network } = this.#repl.metrics;
    network.getmores.add(this.#core.now.monotonicMicros - this.#askedMicros);
    if (entries.length === 0) network.getmores.numEmptyBatches += 1;
    network.ops += entries.length;
    for (const entry of entries) network.bytes += entry.byteLength;
  }
}

function matchesEntry({ document }: FailPointData, { bytes }: OplogEntry): boolean {
  return document === undefined || compileFilter(encodeDocument(document as Record<string, unknown>))(bytes);
}

function metadataOf({ $replData, $oplogQueryData }: OplogReply): SourceMetadata {
  const { lastOpApplied, syncSourceHost } = $oplogQueryData;
  return { lastOpApplied, isPrimary: $replData.isPrimary, syncSourceHost: syncSourceHost || undefined };
}
