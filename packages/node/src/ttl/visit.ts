import type { TtlVisit, VisitResult } from '@replsim/ttl';
import type { Core } from '../core.ts';
import type { MemberParts } from '../mongod.ts';
import type { Operation } from '../operations/operation.ts';
import { resolveVisit } from './resolveVisit.ts';
import { VisitWork } from './visitWork.ts';

/** One visit of the TTL monitor: deletes what is due by one entry of its cache. Upstream: TTLMonitor::_doTTLIndexDelete. */
export function* deleteExpired(core: Core, parts: MemberParts, visit: TtlVisit): Operation<VisitResult> {
  const collection = core.engine.collectionByUuid(visit.collectionUuid);
  if (!collection) return { type: 'gone' };
  const resolved = resolveVisit(core, collection, visit);
  if (resolved.type !== 'scan') return resolved;
  yield* hangWithLock(core, parts);
  return yield* new VisitWork(core, parts, collection, resolved.scan, visit.targets).run();
}

/** The fail point `hangTTLMonitorWithLock`: the visit stands still for as long as it is set. */
function* hangWithLock(core: Core, { ttl }: MemberParts): Operation<void> {
  const { failPoints } = core;
  if (!failPoints.enter('hangTTLMonitorWithLock')) return;
  const { passes } = ttl.metricsReply();
  core.log(
    'I',
    'INDEX',
    22534,
    'Hanging with its lock held, due to a fail point',
    { ttlPasses: Number(passes) },
    'TTLMonitor',
  );
  yield { type: 'wait', what: 'failPoint', ready: () => !failPoints.isArmed('hangTTLMonitorWithLock') };
}
