import { decodePromoted, uuidAttr } from '@replsim/protocol';
import type { CollectionView, IndexSpec } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import type { IndexBuild } from './indexBuild.ts';

/** The thread that builds, as logs and `currentOp` call it. */
export const BUILD_DESC = 'IndexBuildsCoordinatorMongod-0';
/** Upstream: multi_index_block.cpp, index_build_block.cpp; the coordinator's own lines are of STORAGE. */
const INDEX_LOGS: ReadonlySet<number> = new Set([20384, 20391, 20345]);
/** What the waiting client's thread logs. Upstream: create_indexes_cmd.cpp. */
const CLIENT_LOGS: ReadonlySet<number> = new Set([20438, 20440, 20441, 20443, 20447, 20449, 4760400]);

/** Writes a log line about a build, as the thread and the component that write it upstream. */
export function logBuild(
  core: Core,
  build: IndexBuild,
  id: number,
  msg: string,
  attr: Readonly<Record<string, unknown>> = {},
): void {
  const component = INDEX_LOGS.has(id) || CLIENT_LOGS.has(id) ? 'INDEX' : 'STORAGE';
  const ctx = CLIENT_LOGS.has(id) ? 'conn' : BUILD_DESC;
  core.log('I', component, id, msg, { ...build.logAttrs, ...attr }, ctx);
}

/**
 * What a member says that applies a `createIndexes`: it builds at once, and alone; the primary, which saw an empty collection, built
 * nothing. Upstream: index_builds_coordinator.cpp, createIndex; multi_index_block.cpp, init.
 */
export function logMadeAtOnce(core: Core, { ns, uuid }: CollectionView, spec: IndexSpec): void {
  const attr = { buildUUID: null, collectionUUID: uuidAttr(uuid), namespace: ns };
  const properties = decodePromoted(spec.bytes);
  const start = { ...attr, properties, specIndex: 0, numSpecs: 1, method: 'Foreground' };
  core.log('I', 'INDEX', 20384, 'Index build: starting', start, APPLIER);
  core.log('I', 'INDEX', 20345, 'Index build: done building', { ...attr, index: spec.name }, APPLIER);
}

/** The thread that applies entries. Upstream: oplog_applier_impl.cpp, makeReplWorkerPool. */
const APPLIER = 'ReplWriterWorker-0';
