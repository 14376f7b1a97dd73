import { encodeName, findField, readUtf8 } from '@replsim/protocol';
import type { StorageEngine } from '@replsim/storage';

const ID = encodeName('_id');
const DEFAULT_WRITE_CONCERN = encodeName('defaultWriteConcern');

/**
 * Whether a cluster-wide default write concern was ever set, which then stands instead of the implicit one. It lies in
 * `config.settings` as setDefaultRWConcern stores it. Upstream: ReadWriteConcernDefaults::isCWWCSet.
 */
export function isDefaultWriteConcernSet(engine: StorageEngine): boolean {
  const records = engine.collection('config.settings')?.records();
  while (records?.next()) {
    const { bytes } = records.document;
    const id = findField(bytes, ID);
    if (!id || readUtf8(id.bytes, id.offset + 4, id.offset + id.size - 1) !== 'ReadWriteConcernDefaults') continue;
    return findField(bytes, DEFAULT_WRITE_CONCERN) !== undefined;
  }
  return false;
}
