import { type Operation, pauseWhileSet } from '@replsim/operations';
import { keepsPreImages } from '@replsim/pipeline';
import { CommandError, databaseOf, ErrorCodes } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import { type TtlVisit, ttlLog, type VisitResult, type VisitTargets } from '@replsim/ttl';
import type { Core } from '../core/core.ts';
import { writeLine } from './monitorLog.ts';
import { resolveVisit } from './resolveVisit.ts';
import type { TtlHost, VisitingMonitor } from './ttlHost.ts';
import { VisitWork } from './visitWork.ts';

const INTERRUPTIONS: ReadonlySet<number> = new Set([
  ErrorCodes.InterruptedAtShutdown,
  ErrorCodes.Interrupted,
  ErrorCodes.InterruptedDueToReplStateChange,
]);

/** One visit: deletes what is due by one entry of the cache. Upstream: ttl_monitor.cpp, TTLMonitor::_doTTLIndexDelete. */
export function* visitEntry(
  core: Core,
  host: TtlHost,
  monitor: VisitingMonitor,
  visit: TtlVisit,
): Operation<VisitResult> {
  const found = collectionOf(core, visit);
  if (!found) return { type: 'gone' };
  const { ns } = found;
  if (isTemporaryReshardingCollection(ns)) return { type: 'notReady' };
  const operation = host.scheduler.running;
  // From its first lock for writing on, the operation does not survive a stepdown.
  if (operation) operation.killable = 'whenNotPrimary';
  monitor.shown = { op: 'remove', ns };
  try {
    yield* hangWithLock(core, monitor);
    yield* host.awaitBuildsOf(databaseOf(ns));
    // Here nothing holds a lock: what hung may find its collection gone, and its right to write.
    const collection = collectionOf(core, visit);
    if (!collection) return { type: 'gone' };
    if (!host.acceptsWritesFor(databaseOf(collection.ns))) return { type: 'notReady' };
    const resolved = resolveVisit(core, collection, visit);
    if (resolved.type !== 'scan') return resolved;
    monitor.shown = { op: 'remove', ns: collection.ns, planSummary: resolved.scan.planSummary };
    const result = yield* new VisitWork(
      core,
      host,
      monitor,
      collection,
      resolved.scan,
      targetsIn(collection, visit),
    ).run();
    if (core.traits.ttlProfiled && result.type === 'done' && result.deleted > 0) {
      host.profiler.expired(ns, result.deleted, result.tookMicros);
    }
    return result;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return failed(ns, error);
  } finally {
    monitor.shown = {};
  }
}

/**
 * What a resharding fills is left alone: the shard that the documents come from deletes those that are due.
 * Upstream: NamespaceString::isTemporaryReshardingCollection; ttl_monitor.cpp, TTLMonitor::_doTTLIndexDelete.
 */
function isTemporaryReshardingCollection(ns: string): boolean {
  return /^[^.]+\.system\.(buckets\.)?resharding\./.test(ns);
}

/** Where change streams want to see each document, none shares a transaction. Upstream: ttl_monitor.cpp, isBatchingEnabled. */
function targetsIn(collection: CollectionView, { targets }: TtlVisit): VisitTargets {
  return targets.batched && keepsPreImages(collection) ? { ...targets, batched: false } : targets;
}

function collectionOf(core: Core, { collectionUuid }: TtlVisit): CollectionView | undefined {
  return core.engine.collectionByUuid(collectionUuid);
}

/** The fail point `hangTTLMonitorWithLock`: the visit stands still for as long as it is set. */
function* hangWithLock(core: Core, monitor: VisitingMonitor): Operation<void> {
  if (!core.failPoints.enter('hangTTLMonitorWithLock')) return;
  const { passes } = monitor.metricsReply();
  writeLine(core, ttlLog(22534, { ttlPasses: Number(passes) }));
  yield* pauseWhileSet(core, 'hangTTLMonitorWithLock');
}

function failed(ns: string, { code, message }: CommandError): VisitResult {
  const interrupted = INTERRUPTIONS.has(code);
  // The plan executor puts its own words before what went wrong under it.
  const errmsg = interrupted ? message : `deletion failed :: caused by :: ${message}`;
  return { type: 'failed', ns, code, errmsg, interrupted };
}
