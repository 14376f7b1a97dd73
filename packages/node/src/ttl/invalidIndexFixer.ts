import { type Operation, spend } from '@replsim/operations';
import { cappedLimits } from '@replsim/pipeline';
import { CommandError, codeNameOf, uuidAttr } from '@replsim/protocol';
import type { CollectionView, IndexSpec } from '@replsim/storage';
import { checkCollModCollection, checkCollModIndex, collModReply, repairedExpireAfterSeconds } from '@replsim/ttl';
import type { Core } from '../core/core.ts';
import type { TtlHost } from './ttlHost.ts';

const FIXER = 'InvalidTTLIndexFixer';

interface Broken {
  readonly uuid: Uint8Array;
  readonly name: string;
  /** Unit: seconds. */
  readonly expireAfterSecondsNew: number;
}

type FixerHost = Pick<TtlHost, 'scheduler' | 'fsyncLock' | 'writes'>;

/**
 * A new primary of line A repairs the TTL indexes whose option older releases let through, each by a collMod that is
 * replicated. Upstream: ttl.cpp, TTLMonitor::onStepUp and the detached thread that it starts.
 */
export function fixInvalidIndexes(core: Core, host: FixerHost): void {
  if (!core.traits.ttlFixesInvalidIndexes || core.failPoints.enter('TTLMonitorSkipRunningCollMod')) return;
  const broken = brokenIndexes(core);
  if (broken.length === 0) return;
  const labels = { desc: FIXER, ns: '', commandName: 'collMod', killable: 'whenNotPrimary' } as const;
  host.scheduler.run(labels, host.fsyncLock.stop(fixAll(core, host, broken)), () => {});
}

function brokenIndexes({ engine }: Core): Broken[] {
  return engine.collections().flatMap(({ uuid, indexes }) =>
    indexes.flatMap(({ spec }) => {
      const expireAfterSecondsNew = spec.expireAfterSeconds && repairedExpireAfterSeconds(spec.expireAfterSeconds);
      return expireAfterSecondsNew === undefined ? [] : [{ uuid, name: spec.name, expireAfterSecondsNew }];
    }),
  );
}

function* fixAll(core: Core, host: FixerHost, broken: readonly Broken[]): Operation<void> {
  for (const each of broken) {
    yield* spend(core.costs.commitMicros);
    // It may have been dropped while another was repaired.
    const collection = core.engine.collections().find(({ uuid }) => uuid === each.uuid);
    const spec = collection?.index(each.name)?.spec;
    if (collection && spec) fix(core, host, collection, spec, each);
  }
}

/** An option that cannot be repaired, because it is not even a number, is logged and left. */
function fix(core: Core, host: FixerHost, collection: CollectionView, spec: IndexSpec, broken: Broken): void {
  const { name, expireAfterSecondsNew } = broken;
  const attr = { ns: collection.ns, uuid: uuidAttr(collection.uuid), name };
  core.log('I', 'INDEX', 6847700, 'Repairing a TTL index by collMod', { ...attr, expireAfterSecondsNew }, FIXER);
  try {
    const key = spec.parts.map(({ path, descending }) => [path, descending ? -1 : 1] as const);
    const { expireAfterSeconds } = spec;
    const capped = cappedLimits(collection) !== undefined;
    checkCollModCollection({ capped, timeseries: false }, core.traits);
    checkCollModIndex({ key, expireAfterSeconds, special: spec.kind !== 'ordered' }, core.traits);
    const result = collModReply(expireAfterSeconds, expireAfterSecondsNew);
    host.writes.collModIndex(collection.ns, name, { expireAfterSeconds: expireAfterSecondsNew });
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
