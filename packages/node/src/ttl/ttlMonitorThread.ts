import { type Operation, pauseWhileSet } from '@replsim/operations';
import { collectionSeconds, type Reply } from '@replsim/pipeline';
import { CommandError, isReplicated, toHex } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import {
  initialTtlState,
  isTtlParameter,
  step,
  type TtlEffect,
  type TtlEvent,
  type TtlState,
  type TtlVisit,
  ttlMetrics,
} from '@replsim/ttl';
import type { Core } from '../core/core.ts';
import { indexForMonitor } from './indexForMonitor.ts';
import { writeLine } from './monitorLog.ts';
import { phaseTrace, registeredTrace } from './traceMonitor.ts';
import type { TtlHost } from './ttlHost.ts';
import { visitEntry } from './visit.ts';

/** An index to register, or a collection that expires by its own record ids. */
interface Expiring {
  readonly collection: CollectionView;
  readonly indexName: string | undefined;
}

/** Runs the rules of `@replsim/ttl` on this member: its alarm, its operation with the visits in it, its log. */
export class TtlMonitorThread {
  readonly #core: Core;
  readonly #host: TtlHost;
  #state: TtlState;
  /** What the operation does next. */
  #nextVisit: TtlVisit | undefined;
  /** This is a standalone on a replica set's data. */
  standaloneOnReplSetData = false;
  shown: Reply = {};
  readonly #fire = (): void => this.#onTimer();

  constructor(core: Core, host: TtlHost) {
    this.#core = core;
    this.#host = host;
    this.#state = initialTtlState(core.traits, { memberState: 'STARTUP', acceptsWrites: false, fsyncLocked: false });
  }

  /** Decided once, by what the disk holds at startup. */
  start(hasReplSetConfig: boolean): void {
    const { mode } = this.#core.options;
    const { readOnly } = this.#host;
    const process = { mode, hasReplSetConfig, readOnly: readOnly === 'queryableBackup' };
    this.standaloneOnReplSetData = mode === 'standalone' && hasReplSetConfig;
    // A member that opens a backup read-only does not log this warning.
    if (this.standaloneOnReplSetData && !process.readOnly) this.#warn();
    for (const name of this.#host.parameters.names) this.parameterChanged(name);
    this.rebuildCache();
    this.memberChanged();
    this.#step({ type: 'started', process });
  }

  #warn(): void {
    this.#core.startupWarning(
      'CONTROL',
      20547,
      'local.system.replset holds documents, and there is no --replSet: the TTL monitor waits for another restart',
    );
  }

  get isStarted(): boolean {
    return this.#state.phase.type !== 'off';
  }

  stop(): void {
    this.#step({ type: 'stopped' });
  }

  #onTimer(): void {
    this.#step({ type: 'timer' });
  }

  parameterChanged(name: string): void {
    if (!isTtlParameter(name)) return;
    this.#step({ type: 'parameterChanged', name, value: this.#host.parameters.get(name) as boolean | number });
  }

  /** The member's state or its writability moved. */
  memberChanged(): void {
    const memberState = this.#host.memberState();
    const acceptsWrites = this.#host.acceptsWrites();
    const fsyncLocked = this.#host.fsyncLock.isLocked;
    const { member } = this.#state;
    const same = member.memberState === memberState && member.acceptsWrites === acceptsWrites;
    if (same && member.fsyncLocked === fsyncLocked) return;
    this.#step({ type: 'memberChanged', member: { memberState, acceptsWrites, fsyncLocked } });
  }

  /** An index was built or changed; it is of interest if it has the option. */
  register(ns: string, indexName: string): void {
    const collection = this.#core.engine.collection(ns);
    if (collection && this.#expires(collection, indexName)) this.#register([{ collection, indexName }]);
  }

  /** A collection was made or changed; it is of interest if it expires by its own record ids. */
  registerCollection(ns: string): void {
    const collection = this.#core.engine.collection(ns);
    if (collection && this.#expires(collection, undefined)) this.#register([{ collection, indexName: undefined }]);
  }

  /** Reads the whole catalog: at startup, and after a rollback or an initial sync has replaced it. */
  rebuildCache(): void {
    const found: Expiring[] = [];
    for (const collection of this.#core.engine.collections()) {
      const names = [undefined, ...collection.indexes.map(({ spec }) => spec.name)];
      for (const indexName of names) if (this.#expires(collection, indexName)) found.push({ collection, indexName });
    }
    if (found.length > 0) this.#register(found);
  }

  #expires(collection: CollectionView, indexName: string | undefined): boolean {
    if (indexName !== undefined)
      return indexForMonitor(collection, indexName, this.#core.traits)?.spec.expireAfterSeconds !== undefined;
    return collection.clusteredIndex !== undefined && collectionSeconds(collection.options) !== undefined;
  }

  #register(found: readonly Expiring[]): void {
    const entries = found.map(({ collection: { ns, uuid }, indexName }) => ({
      collectionUuid: toHex(uuid),
      indexName,
      local: !isReplicated(ns),
    }));
    this.#step({ type: 'indexesRegistered', entries });
    if (!this.#core.tracing) return;
    for (const { collection, indexName } of found) this.#core.trace(registeredTrace(collection, indexName));
  }

  /** `metrics.ttl`, as int64s. */
  metricsReply(): Record<string, bigint> {
    return Object.fromEntries(Object.entries(ttlMetrics(this.#state)).map(([name, value]) => [name, BigInt(value)]));
  }

  #step(event: TtlEvent): void {
    const before = this.#state;
    const [state, effects] = step(this.#state, event, this.#core.now);
    this.#state = state;
    this.#tracePhase(before);
    for (const effect of effects) this.#perform(effect);
  }

  #tracePhase(before: TtlState): void {
    const event = this.#core.tracing ? phaseTrace(before, this.#state) : undefined;
    if (event) this.#core.trace(event);
  }

  #perform(effect: TtlEffect): void {
    switch (effect.type) {
      case 'setTimer':
        return this.#core.setTimer('ttl', this.#fire, Math.round(effect.afterMs * 1000));
      case 'setAlarm':
        return this.#core.setAlarm('ttl', this.#fire, effect.wallMs);
      case 'cancelTimer':
        return this.#core.cancelTimer('ttl');
      case 'passDue':
        return this.#openOperation();
      case 'visit':
        this.#nextVisit = effect;
        return;
      case 'ttlPassEnded':
        this.#core.changed();
        return this.#core.trace(effect);
      case 'log':
        return writeLine(this.#core, effect.line);
      case 'slowLog':
        if (this.#core.verbosity('INDEX') >= 1 || this.#host.profiler.isLogged(effect.tookMicros))
          writeLine(this.#core, effect.line);
        return;
    }
  }

  #openOperation(): void {
    const details = () => this.shown;
    const labels = { desc: 'TTLMonitor', ns: '', commandName: '', killable: 'onRollback', details } as const;
    this.#host.scheduler.run(labels, this.#pass(), () => {});
  }

  /** From waking up to falling asleep: what `currentOp` shows, and `killOp`, a stepdown or a shutdown interrupts. */
  *#pass(): Operation<void> {
    const core = this.#core;
    try {
      if (core.failPoints.isArmed('hangTTLMonitorBetweenPasses')) core.trace({ type: 'ttlMonitor', phase: 'hanging' });
      yield* pauseWhileSet(core, 'hangTTLMonitorBetweenPasses');
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return this.#step({ type: 'passGivenUp', code: error.code, errmsg: error.message });
    }
    this.#step({ type: 'passBegins' });
    for (let visit = this.#takeVisit(); visit; visit = this.#takeVisit()) {
      const result = yield* this.#host.fsyncLock.stop(visitEntry(core, this.#host, this, visit));
      this.#step({ type: 'visitEnded', visit: visit.visit, result });
    }
  }

  #takeVisit(): TtlVisit | undefined {
    const visit = this.#nextVisit;
    this.#nextVisit = undefined;
    return visit;
  }
}
