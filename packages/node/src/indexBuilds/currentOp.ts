import type { Reply } from '@replsim/pipeline';
import { RawBson, splitNamespace } from '@replsim/protocol';
import type { IndexBuild } from './indexBuild.ts';

const SCANNING = 'Index Build: scanning collection';
const DRAINING = 'Index Build: draining writes';

/**
 * What `currentOp` shows of a build: the command that it carries out, and while it scans, how far it is.
 * Upstream: updateCurOpOpDescription, MultiIndexBlock::insertAllDocumentsInCollection; curop.cpp for the doubled text.
 */
export function currentOpOf(build: IndexBuild): Reply {
  const [, collection] = splitNamespace(build.ns);
  const command = { createIndexes: collection, indexes: build.specs.map(({ bytes }) => new RawBson(bytes)) };
  if (build.isScanned) return { command, msg: DRAINING };
  const total = build.documentsToScan;
  const done = Math.min(build.progress?.documentsScanned ?? 0, total);
  const percent = total === 0 ? 100 : Math.floor((done * 100) / total);
  return {
    command,
    msg: `${SCANNING} ${SCANNING}: ${done}/${total} ${percent}%`,
    progress: { done, total },
  };
}
