import type { CommandDefinition } from '@replsim/database';
import type { Operation } from '@replsim/operations';
import type { Reply } from '@replsim/pipeline';
import { hostAndPort } from '@replsim/pipeline';
import { BsonType, CommandError, readString } from '@replsim/protocol';
import type { Replication } from '../replication/replication.ts';
import type { MemberView } from '../topology/memberView.ts';
import type { ReplCommandHost } from './replCommandHost.ts';
import { initiatedReplicationOf } from './status.ts';

/** A source that is further behind than this gets a warning. Upstream: topology_coordinator.cpp, prepareSyncFromResponse. */
const BEHIND_SECS = 10;

/** `replSetSyncFrom`. Upstream: repl_set_commands.cpp, CmdReplSetSyncFrom. */
export function syncFromCommands(host: ReplCommandHost): CommandDefinition[] {
  return [
    {
      name: 'replSetSyncFrom',
      help: 'makes a member fetch the oplog from a certain other one',
      auth: { action: 'replSetStateChange', resource: 'cluster' },
      api: 'none',
      kind: 'other',
      secondaries: 'always',
      maintenanceOk: true,
      adminOnly: true,
      *run({ args }): Operation<Reply> {
        const repl = initiatedReplicationOf(host);
        const value = args.value('replSetSyncFrom');
        // What is no text is no host either.
        return syncFrom(repl, hostAndPort(value?.type === BsonType.string ? readString(value) : ''));
      },
    },
  ];
}

/** Requests this source, which is used at the next choice; an initial sync starts over with it. */
function syncFrom(repl: Replication, target: string): Reply {
  const { syncSource, syncSources, initialSyncer, core } = repl;
  const view = checkedTarget(repl, target);
  const behind = view.heartbeat.applied.ts.t + BEHIND_SECS < repl.positions.applied.opTime.ts.t;
  if (behind) {
    core.log('W', 'REPL', 21837, 'The requested sync source is more than 10 seconds behind', { syncSource: target });
  }
  syncSources.force(target);
  if (initialSyncer.isRunning) initialSyncer.restart();
  return {
    syncFromRequested: target,
    ...(behind && { warning: `requested member "${target}" is more than 10 seconds behind us` }),
    ...(syncSource !== undefined && { prevSyncTarget: syncSource }),
  };
}

/** Throws 95, 74, 72, 13 or 6 in upstream's order. */
function checkedTarget({ topology, elections }: Replication, target: string): MemberView {
  const { self } = topology;
  if (!self) throw new CommandError('NotSecondary', 'Removed and uninitialized nodes do not sync');
  if (self.arbiterOnly) throw new CommandError('NotSecondary', "arbiters don't sync");
  if (elections.isLeader) throw new CommandError('NotSecondary', "primaries don't sync");
  const view = topology.viewOf(target);
  if (!view) throw new CommandError('NodeNotFound', `Could not find member "${target}" in replica set`);
  const { config } = view;
  const quoted = `"${target}"`;
  const cannot = (why: string) => new CommandError('InvalidOptions', `Cannot sync from ${quoted} because ${why}`);
  if (view.index === topology.selfIndex) throw new CommandError('InvalidOptions', 'I cannot sync from myself');
  if (config.arbiterOnly) throw cannot('it is an arbiter');
  if (!config.buildIndexes && self.buildIndexes) throw cannot('it does not build indexes');
  if (self.votes === 1 && config.votes !== 1) throw cannot('it is not a voter');
  if (view.authIssue) throw new CommandError('Unauthorized', `not authorized to communicate with ${target}`);
  if (view.health === 0) {
    throw new CommandError('HostUnreachable', `I cannot reach the requested member: ${target}`);
  }
  return view;
}
