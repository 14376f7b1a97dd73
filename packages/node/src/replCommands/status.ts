import type { CommandDefinition } from '@replsim/database';
import type { Operation } from '@replsim/operations';
import type { Positions } from '@replsim/oplog';
import type { Reply } from '@replsim/pipeline';
import {
  CommandError,
  MemberStates,
  majorityVoteCount,
  votingMembers,
  writableVotingMembers,
  writeMajority,
} from '@replsim/protocol';
import type { Replication } from '../replication/replication.ts';
import { candidateMetricsReply, participantMetricsReply } from './electionReplies.ts';
import { initialSyncStatusReply } from './initialSyncStatus.ts';
import { memberEntries, syncSourceFields, uptimeOf } from './memberStatus.ts';
import type { ReplCommandHost } from './replCommandHost.ts';
import { opTimeReply, secondOf, timestampReply } from './replyValues.ts';

/** The set's part of a host. Throws NoReplicationEnabled 76 for a process that has none. */
export function replicationOf(host: ReplCommandHost, without = 'not running with --replSet'): Replication {
  if (!host.repl) throw new CommandError('NoReplicationEnabled', without);
  return host.repl;
}

/**
 * The same of a member with a config, which all commands about a set ask for first, but the one that brings the config.
 * Throws NotYetInitialized 94. Upstream: ReplicationCoordinatorImpl::checkReplEnabledForCommand.
 */
export function initiatedReplicationOf(host: ReplCommandHost): Replication {
  const repl = replicationOf(host);
  if (!repl.topology.config) throw new CommandError('NotYetInitialized', 'no replset config has been received');
  return repl;
}

/** Commands that show a set. Upstream: repl_set_commands.cpp. */
export function statusCommands(host: ReplCommandHost): CommandDefinition[] {
  const shown = { kind: 'other', secondaries: 'always', maintenanceOk: true, adminOnly: true } as const;
  return [
    {
      name: 'replSetGetStatus',
      help: 'shows the set as this member sees it',
      auth: { action: 'replSetGetStatus', resource: 'cluster' },
      api: 'none',
      ...shown,
      *run({ args }): Operation<Reply> {
        return statusReply(host, initiatedReplicationOf(host), args.number('initialSync'));
      },
    },
    {
      name: 'replSetGetRBID',
      help: 'shows how often the member has rolled back',
      auth: { action: 'internal', resource: 'cluster' },
      api: 'none',
      ...shown,
      *run(): Operation<Reply> {
        return { rbid: initiatedReplicationOf(host).rbid };
      },
    },
  ];
}

/**
 * @param initialSync 0 leaves `initialSyncStatus` out, 1 shows it when the sync is over too
 * Upstream: TopologyCoordinator::prepareStatusResponse.
 */
function statusReply(host: ReplCommandHost, repl: Replication, initialSync: number | undefined): Reply {
  const { topology, positions, elections } = repl;
  const { core, checkpoints } = host;
  const { state } = topology;
  const config = topology.configInForce;
  if (state === 'REMOVED') throw removedError(host, repl);
  const candidate = candidateMetricsReply(elections.last, core.traits);
  const initialSyncStatus = initialSyncStatusReply(repl.initialSyncer, core.now, initialSync);
  const participant = participantMetricsReply(elections.last, core.traits);
  return {
    set: config._id,
    date: new Date(core.now.wallMs),
    myState: MemberStates[state],
    term: BigInt(topology.term),
    ...(topology.tooStale && { tooStale: true }),
    ...syncSourceFields(repl, state === 'PRIMARY' ? undefined : repl.syncSource),
    heartbeatIntervalMillis: BigInt(config.settings.heartbeatIntervalMillis),
    majorityVoteCount: majorityVoteCount(config),
    writeMajorityCount: writeMajority(config),
    votingMembersCount: votingMembers(config).length,
    writableVotingMembersCount: writableVotingMembers(config),
    optimes: optimes(host, positions),
    lastStableRecoveryTimestamp: timestampReply(checkpoints.lastStable.ts),
    ...(initialSyncStatus && { initialSyncStatus }),
    ...(candidate && { electionCandidateMetrics: candidate }),
    ...(participant && { electionParticipantMetrics: participant }),
    members: memberEntries(host, repl),
  };
}

function optimes({ core }: ReplCommandHost, positions: Positions): Reply {
  const { commitPoint, stable, applied, durable, written, hasCommittedSnapshot } = positions;
  const { showsWrittenOpTime } = core.traits;
  return {
    lastCommittedOpTime: opTimeReply(commitPoint.opTime),
    lastCommittedWallTime: new Date(commitPoint.wallMs),
    ...(hasCommittedSnapshot && { readConcernMajorityOpTime: opTimeReply(stable) }),
    appliedOpTime: opTimeReply(applied.opTime),
    durableOpTime: opTimeReply(durable.opTime),
    ...(showsWrittenOpTime && { writtenOpTime: opTimeReply(written.opTime) }),
    lastAppliedWallTime: new Date(applied.wallMs),
    lastDurableWallTime: new Date(durable.wallMs),
    ...(showsWrittenOpTime && { lastWrittenWallTime: new Date(written.wallMs) }),
  };
}

/** A member that its config does not contain says so, and little else. */
function removedError(host: ReplCommandHost, { topology, positions }: Replication): CommandError {
  const { core } = host;
  const { showsWrittenOpTime } = core.traits;
  const { applied, written } = positions;
  return new CommandError('InvalidReplicaSetConfig', 'Our replica set config is invalid or we are not a member of it', {
    state: MemberStates.REMOVED,
    stateStr: 'REMOVED',
    uptime: uptimeOf(host),
    optime: opTimeReply(applied.opTime),
    ...(showsWrittenOpTime && { optimeWritten: opTimeReply(written.opTime) }),
    optimeDate: secondOf(applied.opTime.ts),
    ...(showsWrittenOpTime && { optimeWrittenDate: secondOf(written.opTime.ts) }),
    ...(topology.maintenanceCount > 0 && { maintenanceMode: topology.maintenanceCount }),
    lastHeartbeatMessage: '',
    syncSourceHost: '',
    syncSourceId: -1,
    infoMessage: topology.infoMessage.at(core.now.monotonicMicros),
  });
}
