import { cappedLimits, type Operation, spend } from '@replsim/database';
import { CommandError, codeNameOf, uuidAttr } from '@replsim/protocol';
import type { CollectionView, IndexSpec } from '@replsim/storage';
import { checkCollModCollection, checkCollModIndex, collModReply, repairedExpireAfterSeconds } from '@replsim/ttl';
import type { Core } from '../core/core.ts';
import type { MemberParts } from '../mongod.ts';

const FIXER = 'InvalidTTLIndexFixer';

interface Broken {
  readonly uuid: Uint8Array;
  readonly name: string;
  /** Unit: seconds. */
  readonly expireAfterSecondsNew: number;
}

/**
 * A new primary of line A repairs the TTL indexes whose option older releases let through, each by a collMod that is
 * replicated. Upstream: ttl.cpp, TTLMonitor::onStepUp and the detached thread that it starts.
 */
export function fixInvalidIndexes(core: Core, parts: MemberParts): void {
  if (!core.traits.ttlFixesInvalidIndexes || core.failPoints.enter('TTLMonitorSkipRunningCollMod')) return;
  const broken = brokenIndexes(core);
  if (broken.length === 0) return;
  const labels = { desc: FIXER, ns: '', commandName: 'collMod', killable: 'whenNotPrimary' } as const;
  parts.scheduler.run(labels, parts.fsyncLock.stop(fixAll(core, parts, broken)), () => {});
}

function brokenIndexes({ engine }: Core): Broken[] {
  return engine.collections().flatMap(({ uuid, indexes }) =>
    indexes.flatMap(({ spec }) => {
      const expireAfterSecondsNew = spec.expireAfterSeconds && repairedExpireAfterSeconds(spec.expireAfterSeconds);
      return expireAfterSecondsNew === undefined ? [] : [{ uuid, name: spec.name, expireAfterSecondsNew }];
    }),
  );
}

function* fixAll(core: Core, parts: MemberParts, broken: readonly Broken[]): Operation<void> {
  for (const each of broken) {
    yield* spend(core.costs.commitMicros);
    // It may have been dropped while another was repaired.
    const collection = core.engine.collections().find(({ uuid }) => uuid === each.uuid);
    const spec = collection?.index(each.name)?.spec;
    if (collection && spec) fix(core, parts, collection, spec, each);
  }
}

/** What cannot be repaired, as an option that is no number at all, is logged and left. */
function fix(core: Core, parts: MemberParts, collection: CollectionView, spec: IndexSpec, broken: Broken): void {
  const { name, expireAfterSecondsNew } = broken;
  const attr = { ns: collection.ns, uuid: uuidAttr(collection.uuid), name };
  core.log('I', 'INDEX', 6847700, 'Repairing a TTL index by collMod', { ...attr, expireAfterSecondsNew }, FIXER);
  try {
    const key = spec.parts.map(({ path, descending }) => [path, descending ? -1 : 1] as const);
    const { expireAfterSeconds } = spec;
    const capped = cappedLimits(collection) !== undefined;
    checkCollModCollection({ capped, timeseries: false }, core.traits);
    checkCollModIndex({ key, expireAfterSeconds, special: spec.kind === 'special' }, core.traits);
    const result = collModReply(expireAfterSeconds, expireAfterSecondsNew);
    parts.writes.collModIndex(collection.ns, name, { expireAfterSeconds: expireAfterSecondsNew });
    core.log('I', 'INDEX', 6847701, 'Repaired a TTL index by collMod', { ...attr, result }, FIXER);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { code, message: errmsg } = error;
    const told = { code, codeName: codeNameOf(code), errmsg };
    core.log(
      'E',
      'INDEX',
      6835901,
      'Could not repair a TTL index by collMod',
      { namespace: collection.ns, error: told },
      FIXER,
    );
  }
}
