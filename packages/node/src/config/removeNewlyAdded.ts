import type { Operation } from '@replsim/operations';
import { withoutNewlyAdded } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import { hangAt } from '../core/hang.ts';
import type { ConfigHost } from './configHost.ts';
import { runReconfig } from './reconfig.ts';

/**
 * The reconfig that a primary makes by itself once a member's initial sync is over. It waits for nothing: if the config in
 * force is not committed yet, it fails and the next heartbeat tries again.
 * Upstream: ReplicationCoordinatorImpl::_reconfigToRemoveNewlyAddedField.
 */
export function* removeNewlyAdded(host: ConfigHost, memberId: number): Operation<void> {
  const { core, metrics, topology } = host;
  const heardUnder = topology.config;
  yield* hangAt(core, 'hangDuringAutomaticReconfig');
  core.log('I', 'REPL', 4634505, "Beginning automatic reconfig to remove 'newlyAdded' config field", { memberId });
  yield* runReconfig(host, false, (old) => {
    if (old !== heardUnder) throw new CommandError('NewReplicaSetConfigurationIncompatible', 'the config has changed');
    return withoutNewlyAdded(old, memberId);
  });
  metrics.reconfig.numAutoReconfigsForRemovalOfNewlyAddedFields += 1;
  core.log('I', 'REPL', 4634504, "Removed 'newlyAdded' config field", { memberId });
}
