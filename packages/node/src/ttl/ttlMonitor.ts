import type { CommandError, LogLine } from '@replsim/protocol';
import { toHex } from '@replsim/protocol';
import {
  initialTtlState,
  isTtlParameter,
  shouldStartMonitor,
  step,
  type TtlEffect,
  type TtlEvent,
  type TtlState,
  type TtlVisit,
  ttlMetrics,
  type VisitResult,
} from '@replsim/ttl';
import { collectionSeconds } from '../collectionChanges.ts';
import type { Core } from '../core.ts';
import type { MemberParts } from '../mongod.ts';
import { phaseTrace, registeredTrace } from './traceMonitor.ts';
import { deleteExpired } from './visit.ts';

const HANGS = 'hangTTLMonitorBetweenPasses';
/** Upstream: slowms. */
const SLOW_MICROS = 100_000;
const INTERRUPTIONS: ReadonlySet<number> = new Set([11600, 11601, 11602]);

/** Runs the rules of `@replsim/ttl` on this member: its timer, its visits, its log. */
export class TtlMonitor {
  readonly #core: Core;
  readonly #parts: MemberParts;
  #state: TtlState;
  /** What has happened, from the event under way on. */
  readonly #inbox: TtlEvent[] = [];
  /** This is a standalone on a replica set's data. */
  standaloneOnReplSetData = false;

  constructor(core: Core, parts: MemberParts) {
    this.#core = core;
    this.#parts = parts;
    this.#state = initialTtlState(core.traits, { memberState: 'STARTUP', acceptsWrites: false, fsyncLocked: false });
  }

  /** Decided once, by what the disk holds at startup. */
  start(hasReplSetConfig: boolean): void {
    const { mode } = this.#core.options;
    const process = { mode, hasReplSetConfig };
    this.standaloneOnReplSetData = !shouldStartMonitor(process);
    if (this.standaloneOnReplSetData) this.#warn();
    for (const name of this.#parts.parameters.names) this.parameterChanged(name);
    this.rebuildCache();
    this.memberChanged();
    this.#step({ type: 'started', process });
  }

  #warn(): void {
    this.#core.startupWarning(
      'CONTROL',
      20547,
      'Document(s) exist in local.system.replset, but this process was started without --replSet: ' +
        'the TTL monitor is not started until the next restart',
    );
  }

  get isStarted(): boolean {
    return this.#state.phase.type !== 'off';
  }

  stop(): void {
    this.#step({ type: 'stopped' });
  }

  onTimer(): void {
    const { failPoints } = this.#core;
    this.failPointsChanged();
    const { passes } = this.#state.metrics;
    this.#step({ type: 'timer' });
    const { phase, metrics } = this.#state;
    // Whoever comes to the place between two passes has come by the fail point, whether it stopped there or not.
    if (phase.type === 'hanging' || phase.type === 'inPass' || metrics.passes > passes) failPoints.enter(HANGS);
  }

  /** A fail point was switched, or may have come to its turn. */
  failPointsChanged(): void {
    const value = this.#core.failPoints.isArmed(HANGS);
    if (value !== this.#state.hangsBetweenPasses) this.#step({ type: 'hangChanged', value });
  }

  parameterChanged(name: string): void {
    if (!isTtlParameter(name)) return;
    this.#step({ type: 'parameterChanged', name, value: this.#parts.parameters.get(name) as boolean | number });
  }

  /** The member's state or its writability moved. */
  memberChanged(): void {
    const memberState = this.#parts.memberState();
    const acceptsWrites = this.#parts.acceptsWrites();
    const fsyncLocked = this.#parts.fsyncLock.isLocked;
    const { member } = this.#state;
    const same = member.memberState === memberState && member.acceptsWrites === acceptsWrites;
    if (same && member.fsyncLocked === fsyncLocked) return;
    this.#step({ type: 'memberChanged', member: { memberState, acceptsWrites, fsyncLocked } });
  }

  /** An index was built or changed; it is of interest if it has the option. */
  register(ns: string, indexName: string): void {
    const collection = this.#core.engine.collection(ns);
    if (collection?.index(indexName)?.spec.expireAfterSeconds === undefined) return;
    const entry = { collectionUuid: toHex(collection.uuid), indexName, local: ns.startsWith('local.') };
    this.#step({ type: 'indexRegistered', entry });
    if (this.#core.tracing) this.#core.trace(registeredTrace(collection, indexName));
  }

  /** A collection was made or changed; it is of interest if it expires by its own record ids. */
  registerCollection(ns: string): void {
    const collection = this.#core.engine.collection(ns);
    if (!collection?.clusteredIndex || !collectionSeconds(collection.options)) return;
    const entry = { collectionUuid: toHex(collection.uuid), indexName: undefined, local: ns.startsWith('local.') };
    this.#step({ type: 'indexRegistered', entry });
  }

  /** Reads the whole catalog: at startup, and after a rollback or an initial sync has replaced it. */
  rebuildCache(): void {
    for (const { ns, indexes } of this.#core.engine.collections()) {
      this.registerCollection(ns);
      for (const { spec } of indexes) this.register(ns, spec.name);
    }
  }

  /** `metrics.ttl`, as int64s. */
  metricsReply(): Record<string, bigint> {
    return Object.fromEntries(Object.entries(ttlMetrics(this.#state)).map(([name, value]) => [name, BigInt(value)]));
  }

  /** A visit that finds nothing ends at once: it must not begin the next one on top of its own, or a pass over many indexes would fill the stack. */
  #step(event: TtlEvent): void {
    this.#inbox.push(event);
    if (this.#inbox.length > 1) return;
    while (this.#inbox.length > 0) {
      const before = this.#state.phase;
      const [state, effects] = step(this.#state, this.#inbox[0]!, this.#core.now);
      this.#state = state;
      this.#tracePhase(before);
      for (const effect of effects) this.#perform(effect);
      this.#inbox.shift();
    }
  }

  #tracePhase(before: TtlState['phase']): void {
    const event = this.#core.tracing ? phaseTrace(before, this.#state.phase) : undefined;
    if (event) this.#core.trace(event);
  }

  #perform(effect: TtlEffect): void {
    switch (effect.type) {
      case 'setTimer':
        return this.#core.setTimer('ttl', Math.round(effect.afterMs * 1000));
      case 'cancelTimer':
        return this.#core.cancelTimer('ttl');
      case 'visit':
        return this.#visit(effect);
      case 'ttlPassEnded':
        this.#core.changed();
        return this.#core.trace(effect);
      case 'log':
        return this.#log(effect.line);
      case 'slowLog':
        if (effect.tookMicros >= SLOW_MICROS || this.#core.verbosity('INDEX') >= 1) this.#log(effect.line);
        return;
    }
  }

  /** Debug lines stay out at the default verbosity. */
  #log({ severity, component, id, msg, attr, ctx }: LogLine): void {
    if (debugLevel(severity) > this.#core.verbosity('INDEX')) return;
    this.#core.log(severity, component, id, msg, attr, ctx);
  }

  /** Empty once the collection is gone. */
  #namespaceOf({ collectionUuid }: TtlVisit): string {
    return this.#core.engine.collectionByUuid(collectionUuid)?.ns ?? '';
  }

  #visit(visit: TtlVisit): void {
    const labels = { desc: 'TTLMonitor', ns: '', commandName: '', killable: 'whenNotPrimary' } as const;
    const { fsyncLock, scheduler } = this.#parts;
    const work = fsyncLock.stop(deleteExpired(this.#core, this.#parts, visit));
    scheduler.run(labels, work, (ended) => {
      const result = 'error' in ended ? failed(ended.error, this.#namespaceOf(visit)) : ended.value;
      this.#step({ type: 'visitEnded', visit: visit.visit, result });
    });
  }
}

/** 1 to 5 for `D1` to `D5`, else 0. */
function debugLevel(severity: LogLine['severity']): number {
  return severity.startsWith('D') ? Number(severity[1]) : 0;
}

function failed({ code, message }: CommandError, ns: string): VisitResult {
  const interrupted = INTERRUPTIONS.has(code);
  const errmsg = interrupted ? message : `Plan executor error during delete :: caused by :: ${message}`;
  return { type: 'failed', ns, code, errmsg, interrupted };
}
