import type { Reply } from '@replsim/pipeline';
import { MemberStates, type OpTime } from '@replsim/protocol';
import type { Replication } from '../replication/replication.ts';
import type { MemberView } from '../topology/memberView.ts';
import type { ReplCommandHost } from './replCommandHost.ts';
import { double, opTimeReply, secondOf, timestampReply } from './replyValues.ts';

/** The entries of `members`, sorted by `_id`. Upstream: TopologyCoordinator::prepareStatusResponse. */
export function memberEntries(host: ReplCommandHost, repl: Replication): Reply[] {
  const { views, selfIndex } = repl.topology;
  return [...views]
    .sort((a, b) => a.config._id - b.config._id)
    .map((view) => (view.index === selfIndex ? selfEntry(host, repl, view) : otherEntry(host, repl, view)));
}

/** `syncSourceHost` and `syncSourceId`: `""` and -1 where there is none. */
export function syncSourceFields(repl: Replication, source: string | undefined): Reply {
  const id = source === undefined ? -1 : (repl.topology.viewOf(source)?.config._id ?? -1);
  return { syncSourceHost: source ?? '', syncSourceId: id };
}

/** Whole seconds since the process started. */
export function uptimeOf({ core }: ReplCommandHost): number {
  return Math.floor((core.now.monotonicMicros - core.startedMicros) / 1_000_000);
}

function selfEntry(host: ReplCommandHost, repl: Replication, { config }: MemberView): Reply {
  const { topology, positions, elections } = repl;
  const { state } = topology;
  const { showsWrittenOpTime } = host.core.traits;
  return {
    _id: config._id,
    name: config.host,
    health: double(1),
    state: MemberStates[state],
    stateStr: state,
    uptime: uptimeOf(host),
    ...(!config.arbiterOnly && {
      optime: opTimeReply(positions.applied.opTime),
      optimeDate: secondOf(positions.applied.opTime.ts),
      ...(showsWrittenOpTime && {
        optimeWritten: opTimeReply(positions.written.opTime),
        optimeWrittenDate: secondOf(positions.written.opTime.ts),
      }),
      ...wallTimes(positions, showsWrittenOpTime),
    }),
    ...syncSourceFields(repl, state === 'PRIMARY' ? undefined : repl.syncSource),
    ...(topology.maintenanceCount > 0 && { maintenanceMode: topology.maintenanceCount }),
    infoMessage: topology.infoMessage.at(host.core.now.monotonicMicros),
    ...(elections.isLeader && electionFields(elections.electionTime)),
    configVersion: topology.configInForce.version,
    configTerm: topology.configInForce.term,
    self: true,
    lastHeartbeatMessage: '',
  };
}

/**
 * Another member as this one sees it. The opTimes are those of its last heartbeat, zeros if it is down; the wall times
 * belong to the tracked positions, which stay whatever happens to the member.
 */
function otherEntry(host: ReplCommandHost, repl: Replication, view: MemberView): Reply {
  const { core } = host;
  const { config, state, heartbeat } = view;
  const { showsWrittenOpTime } = core.traits;
  const upMicros = view.up ? core.now.monotonicMicros - view.upSinceMicros : 0;
  const opTimes: [name: string, opTime: OpTime][] = [
    ['optime', heartbeat.applied],
    ['optimeDurable', heartbeat.durable],
  ];
  if (showsWrittenOpTime) opTimes.push(['optimeWritten', heartbeat.written]);
  return {
    _id: config._id,
    name: config.host,
    health: double(view.health),
    state: MemberStates[state],
    stateStr: view.health === 0 ? '(not reachable/healthy)' : state,
    uptime: Math.floor(upMicros / 1_000_000),
    ...(!config.arbiterOnly && {
      ...Object.fromEntries(opTimes.map(([name, opTime]) => [name, opTimeReply(opTime)])),
      ...Object.fromEntries(opTimes.map(([name, opTime]) => [`${name}Date`, secondOf(opTime.ts)])),
      ...wallTimes(view, showsWrittenOpTime),
    }),
    lastHeartbeat: new Date(view.lastHeartbeatWallMs),
    lastHeartbeatRecv: new Date(view.lastHeartbeatRecvWallMs),
    pingMs: BigInt(view.pingMs),
    lastHeartbeatMessage: view.lastHeartbeatMessage,
    ...(view.authIssue && { authenticated: false }),
    ...syncSourceFields(repl, view.up && state !== 'PRIMARY' ? view.syncingTo : undefined),
    infoMessage: '',
    ...(state === 'PRIMARY' && view.electionTime && electionFields(view.electionTime)),
    configVersion: view.configVersion,
    configTerm: view.configTerm,
  };
}

type Walls = Readonly<Record<'applied' | 'durable' | 'written', { readonly wallMs: number }>>;

function wallTimes({ applied, durable, written }: Walls, showsWritten: boolean): Reply {
  return {
    lastAppliedWallTime: new Date(applied.wallMs),
    lastDurableWallTime: new Date(durable.wallMs),
    ...(showsWritten && { lastWrittenWallTime: new Date(written.wallMs) }),
  };
}

function electionFields(electionTime: MemberView['electionTime'] & {}): Reply {
  return { electionTime: timestampReply(electionTime), electionDate: secondOf(electionTime) };
}
