import {
  CommandError,
  MemberStates,
  majorityVoteCount,
  NULL_OP_TIME,
  RawBson,
  toBsonTimestamp,
  writeMajority,
} from '@replsim/protocol';
import { Timestamp as BsonTimestamp } from 'bson';
import type { CommandDefinition, Reply } from '../commands/command.ts';
import { encodeReplSetConfig } from '../config/replSetConfig.ts';
import type { Mongod } from '../mongod.ts';
import type { Operation } from '../operations/operation.ts';
import type { Replication } from '../replication/replication.ts';
import type { MemberView } from '../topology/memberView.ts';
import { opTimeReply } from './hello.ts';

/** The set's part of a mongod, or the error of a process that has none. */
export function replicationOf(mongod: Mongod): Replication {
  if (!mongod.repl) throw new CommandError('NoReplicationEnabled', 'not running with --replSet');
  return mongod.repl;
}

/** Commands that show a set. Upstream: repl_set_commands.cpp. */
export function statusCommands(mongod: Mongod): CommandDefinition[] {
  const shown = { secondaries: 'always', maintenanceOk: true, adminOnly: true } as const;
  return [
    {
      name: 'replSetGetStatus',
      ...shown,
      *run(): Operation<Reply> {
        return statusReply(mongod, replicationOf(mongod));
      },
    },
    {
      name: 'replSetGetConfig',
      ...shown,
      *run(): Operation<Reply> {
        const { config } = replicationOf(mongod).topology;
        if (!config) throw new CommandError('NotYetInitialized', 'no replset config has been received');
        return { config: new RawBson(encodeReplSetConfig(config)) };
      },
    },
    {
      name: 'replSetGetRBID',
      ...shown,
      *run(): Operation<Reply> {
        return { rbid: replicationOf(mongod).rbid };
      },
    },
  ];
}

function statusReply(mongod: Mongod, repl: Replication): Reply {
  const { topology, positions, elections } = repl;
  const { config, state } = topology;
  if (!config) throw new CommandError('NotYetInitialized', 'no replset config has been received');
  if (state === 'REMOVED') {
    throw new CommandError(
      'InvalidReplicaSetConfig',
      'Our replica set config is invalid or we are not a member of it',
      {
        state: MemberStates.REMOVED,
        stateStr: 'REMOVED',
      },
    );
  }
  const source = state === 'PRIMARY' ? undefined : repl.syncSource;
  return {
    set: config._id,
    date: new Date(mongod.core.now.wallMs),
    myState: MemberStates[state],
    term: BigInt(topology.term),
    ...(topology.tooStale && { tooStale: true }),
    ...sourceFields(repl, source),
    heartbeatIntervalMillis: BigInt(config.settings.heartbeatIntervalMillis),
    majorityVoteCount: majorityVoteCount(config),
    writeMajorityCount: writeMajority(config),
    votingMembersCount: config.members.filter(({ votes }) => votes === 1).length,
    writableVotingMembersCount: config.members.filter(({ votes, arbiterOnly }) => votes === 1 && !arbiterOnly).length,
    optimes: {
      lastCommittedOpTime: opTimeReply(positions.commitPoint.opTime),
      lastCommittedWallTime: new Date(positions.commitPoint.wallMs),
      readConcernMajorityOpTime: opTimeReply(positions.stable),
      appliedOpTime: opTimeReply(positions.applied.opTime),
      durableOpTime: opTimeReply(positions.durable.opTime),
      writtenOpTime: opTimeReply(positions.written.opTime),
      lastAppliedWallTime: new Date(positions.applied.wallMs),
      lastDurableWallTime: new Date(positions.durable.wallMs),
      lastWrittenWallTime: new Date(positions.written.wallMs),
    },
    lastStableRecoveryTimestamp: toBsonTimestamp(mongod.checkpoints.lastStable.ts, BsonTimestamp),
    ...(elections.lastElection && {
      electionCandidateMetrics: {
        lastElectionReason: elections.lastElection.reason,
        lastElectionDate: new Date(elections.lastElection.wallMs),
        electionTerm: BigInt(elections.lastElection.term),
        numVotesNeeded: majorityVoteCount(config),
        priorityAtElection: topology.self!.priority,
        electionTimeoutMillis: BigInt(config.settings.electionTimeoutMillis),
      },
    }),
    members: [...topology.views]
      .sort((a, b) => a.config._id - b.config._id)
      .map((view) =>
        view.index === topology.selfIndex ? selfEntry(mongod, repl, view) : otherEntry(mongod, repl, view),
      ),
  };
}

function sourceFields(repl: Replication, source: string | undefined): Reply {
  const id = source === undefined ? -1 : (repl.topology.viewOf(source)?.config._id ?? -1);
  return { syncSourceHost: source ?? '', syncSourceId: id };
}

function selfEntry(mongod: Mongod, repl: Replication, view: MemberView): Reply {
  const { topology, positions, elections } = repl;
  const { state } = topology;
  return {
    _id: view.config._id,
    name: view.config.host,
    health: 1,
    state: MemberStates[state],
    stateStr: state,
    uptime: Math.floor((mongod.core.now.monotonicMicros - mongod.core.startedMicros) / 1_000_000),
    ...(state !== 'ARBITER' && {
      optime: opTimeReply(positions.applied.opTime),
      optimeDate: new Date(positions.applied.opTime.ts.t * 1000),
      optimeWritten: opTimeReply(positions.written.opTime),
      optimeWrittenDate: new Date(positions.written.opTime.ts.t * 1000),
    }),
    lastAppliedWallTime: new Date(positions.applied.wallMs),
    lastDurableWallTime: new Date(positions.durable.wallMs),
    lastWrittenWallTime: new Date(positions.written.wallMs),
    ...sourceFields(repl, state === 'PRIMARY' ? undefined : repl.syncSource),
    infoMessage: '',
    ...(topology.maintenanceCount > 0 && { maintenanceMode: topology.maintenanceCount }),
    ...(elections.isLeader && {
      electionTime: toBsonTimestamp(elections.electionTime, BsonTimestamp),
      electionDate: new Date(elections.electionTime.t * 1000),
    }),
    configVersion: topology.config!.version,
    configTerm: BigInt(topology.config!.term),
    self: true,
    lastHeartbeatMessage: '',
  };
}

/** A member that is down shows zeros; what is tracked of it for write concerns stays. */
function otherEntry(mongod: Mongod, repl: Replication, view: MemberView): Reply {
  const down = view.health === 0;
  const applied = down ? NULL_OP_TIME : view.applied.opTime;
  const durable = down ? NULL_OP_TIME : view.durable.opTime;
  const written = down ? NULL_OP_TIME : view.written.opTime;
  const upMicros = view.up ? mongod.core.now.monotonicMicros - view.upSinceMicros : 0;
  return {
    _id: view.config._id,
    name: view.config.host,
    health: view.health,
    state: MemberStates[view.state],
    stateStr: down ? '(not reachable/healthy)' : view.state,
    uptime: Math.floor(upMicros / 1_000_000),
    ...(!view.config.arbiterOnly && {
      optime: opTimeReply(applied),
      optimeDurable: opTimeReply(durable),
      optimeWritten: opTimeReply(written),
      optimeDate: new Date(applied.ts.t * 1000),
      optimeDurableDate: new Date(durable.ts.t * 1000),
      optimeWrittenDate: new Date(written.ts.t * 1000),
    }),
    lastAppliedWallTime: new Date(view.applied.wallMs),
    lastDurableWallTime: new Date(view.durable.wallMs),
    lastWrittenWallTime: new Date(view.written.wallMs),
    lastHeartbeat: new Date(view.lastHeartbeatWallMs),
    lastHeartbeatRecv: new Date(view.lastHeartbeatRecvWallMs),
    pingMs: BigInt(Math.round(view.pingMs)),
    lastHeartbeatMessage: view.lastHeartbeatMessage,
    ...sourceFields(repl, view.up ? view.syncingTo : undefined),
    infoMessage: '',
    ...(view.up &&
      view.electionTime && {
        electionTime: toBsonTimestamp(view.electionTime, BsonTimestamp),
        electionDate: new Date(view.electionTime.t * 1000),
      }),
    configVersion: view.configVersion,
    configTerm: BigInt(view.configTerm),
  };
}
