import { TRANSACTIONS_NS } from '@replsim/operations';
import { cappedLimits } from '@replsim/pipeline';
import { CommandError, PRE_IMAGES_NS } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import type { CommandContext } from '../definition.ts';

/**
 * Some collections have no past to read, or one that a secondary does not have at each moment. Errors: SnapshotUnavailable 246
 * for capped collections, Location7829600 for pre-images, 5557800 for rows of sessions.
 * Upstream: db_raii.cpp, assertReadConcernSupported.
 */
export function checkReadable(
  { readConcern: { level, afterClusterTime } }: Pick<CommandContext, 'readConcern'>,
  collection: CollectionView,
): void {
  const isSnapshot = level === 'snapshot';
  if (isSnapshot && collection.ns === PRE_IMAGES_NS) {
    throw new CommandError(7829600, 'Reading with readConcern snapshot from pre-images collection is not supported');
  }
  if (isSnapshot && cappedLimits(collection)) {
    throw new CommandError(
      'SnapshotUnavailable',
      'Reading from capped collections with readConcern snapshot is not supported',
    );
  }
  const isCausal = level === 'majority' && afterClusterTime !== undefined;
  if ((isSnapshot || isCausal) && collection.ns === TRANSACTIONS_NS) {
    throw new CommandError(
      5557800,
      'Snapshot reads and causal consistent majority reads on config.transactions are not supported',
    );
  }
}
