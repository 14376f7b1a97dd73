import type { OpTimeAndWall } from '@replsim/oplog';
import {
  ErrorCodes,
  type ErrorReply,
  type HeartbeatCommand,
  type HeartbeatReply,
  isNewerConfig,
  NULL_OP_TIME,
} from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import type { Heartbeats } from './heartbeats.ts';
import type { Topology } from './topology.ts';
import type { TopologyHost } from './topologyHost.ts';

/**
 * Answers other members' heartbeats. A request's term never becomes this member's: terms travel in answers.
 * Upstream: ReplicationCoordinatorImpl::processHeartbeatV1, TopologyCoordinator::prepareHeartbeatResponseV1. Its error
 * NotYetInitialized 94 is for a process that is still starting, and ours are started when they are first seen.
 */
export class HeartbeatRequests {
  readonly #core: Core;
  readonly #topology: Topology;
  readonly #heartbeats: Heartbeats;
  readonly #host: TopologyHost;

  constructor(core: Core, topology: Topology, heartbeats: Heartbeats, host: TopologyHost) {
    this.#core = core;
    this.#topology = topology;
    this.#heartbeats = heartbeats;
    this.#host = host;
  }

  onRequest(request: HeartbeatCommand): HeartbeatReply | ErrorReply {
    const topology = this.#topology;
    if (this.#core.verbosity('REPL_HB') >= 2) {
      const { from } = request;
      this.#core.debug(2, 'REPL_HB', 24095, 'Received heartbeat request', { from, cmdObj: request });
    }
    const refusal = this.#refusal(request);
    if (refusal) {
      // A removed member hopes to be added again: the sender may have a config that it does not know.
      if (refusal.code === ErrorCodes.InvalidReplicaSetConfig) this.#lookForConfig(request);
      return refusal;
    }
    this.#noteSender(request);
    const reply = this.#reply(request);
    if (!topology.self) this.#lookForConfig(request);
    else this.#lookAtNews(request);
    if (this.#core.verbosity('REPL_HB') >= 2) {
      const { from } = request;
      this.#core.debug(2, 'REPL_HB', 24096, 'Processed heartbeat request', { from, response: reply });
      this.#core.debug(2, 'REPL_HB', 24097, 'Sending heartbeat response', { from, response: reply });
    }
    return reply;
  }

  #refusal({ replSetHeartbeat, fromId }: HeartbeatCommand): ErrorReply | undefined {
    const topology = this.#topology;
    const { setName } = topology;
    if (replSetHeartbeat !== setName) {
      this.#core.log('I', 'REPL', 21802, 'Replica set names do not match', {
        ourSetName: setName,
        remoteNodeSetName: replSetHeartbeat,
      });
      const errmsg = `Our set name of ${setName} does not match name ${replSetHeartbeat} reported by remote node`;
      return { ok: 0, code: ErrorCodes.InconsistentReplicaSetNames, errmsg };
    }
    if (topology.config && !topology.self) {
      const errmsg = 'Our replica set configuration is invalid or does not include us';
      return { ok: 0, code: ErrorCodes.InvalidReplicaSetConfig, errmsg };
    }
    if (topology.self && fromId === topology.selfId) {
      const errmsg = `Received heartbeat from member with the same member ID as ourself: ${fromId}`;
      return { ok: 0, code: ErrorCodes.BadValue, errmsg };
    }
    return undefined;
  }

  /** Which config a member has is what commitment waits for; a sign of life counts if both mean the same by an `_id`. */
  #noteSender({ from, fromId, configVersion, configTerm }: HeartbeatCommand): void {
    const topology = this.#topology;
    const sender = fromId === -1 ? undefined : topology.viewOfId(fromId);
    if (!sender || sender.config.host !== from) return;
    if (topology.config?.version === configVersion) {
      sender.lastHeartbeatRecvWallMs = this.#core.now.wallMs;
      topology.heardFrom(sender);
    }
    if (sender.configVersion === configVersion && sender.configTerm === configTerm) return;
    sender.configVersion = configVersion;
    sender.configTerm = configTerm;
    this.#core.wake();
  }

  #lookForConfig({ from: senderHost, configVersion }: HeartbeatCommand): void {
    // A client that asks as a member does need not say where it could be asked.
    if (configVersion <= 0 || !this.#heartbeats.ask(senderHost)) return;
    this.#core.log('I', 'REPL', 21400, 'Scheduling heartbeat to fetch a config that contains this member', {
      senderHost,
    });
  }

  #lookAtNews({ from: senderHost, fromId, configVersion, configTerm, primaryId, term }: HeartbeatCommand): void {
    const topology = this.#topology;
    const heartbeats = this.#heartbeats;
    const { elections } = this.#host;
    const config = topology.configInForce;
    if (senderHost === '') return;
    if (isNewerConfig({ version: configVersion, term: configTerm }, config)) {
      const attr = { configTerm, configVersion, senderHost };
      // A config in the middle of catch-up or drain would undo the one that the new term brings; a forced one may.
      if (elections.isLeader && !elections.acceptsWrites && configTerm !== -1) {
        this.#core.log('I', 'REPL', 4794901, 'Not fetching a config before this primary accepts writes', attr);
        return;
      }
      this.#core.log('I', 'REPL', 21401, 'Scheduling heartbeat to fetch a newer config', attr);
      heartbeats.ask(senderHost);
      return;
    }
    const myPrimaryId = config.members[topology.primaryIndex]?._id;
    if (fromId === primaryId && primaryId !== (myPrimaryId ?? -1) && term >= topology.term) {
      this.#core.log('I', 'REPL', 2903000, 'Restarting heartbeats after learning of a new primary', {
        myPrimaryId: String(myPrimaryId ?? 'none'),
        senderAndPrimaryId: primaryId,
        senderTerm: term,
      });
      heartbeats.restartScheduled();
    }
  }

  /** A literal with every field: half of all messages are of this shape, and an object put together by parts is slow. */
  #reply(request: HeartbeatCommand): HeartbeatReply {
    const topology = this.#topology;
    const { positions, elections, syncSource } = this.#host;
    const { config, state } = topology;
    // Nobody may count on what an initial sync has so far.
    const at = ({ opTime }: OpTimeAndWall) => (state === 'STARTUP2' ? NULL_OP_TIME : opTime);
    const newer = config && isNewerConfig(config, { version: request.configVersion, term: request.configTerm });
    return {
      ok: 1,
      set: topology.setName,
      state,
      v: config?.version ?? -2,
      configTerm: config?.term ?? -1,
      term: topology.term,
      primaryId: config?.members[topology.primaryIndex]?._id ?? -1,
      electable: config !== undefined && elections.whyNotElectable('electionTimeout') === undefined,
      syncingTo: syncSource,
      electionTime: elections.isLeader ? elections.electionTime : undefined,
      opTime: at(positions.applied),
      wallTimeMs: positions.applied.wallMs,
      writtenOpTime: at(positions.counted),
      writtenWallTimeMs: positions.counted.wallMs,
      durableOpTime: at(positions.durable),
      durableWallTimeMs: positions.durable.wallMs,
      config: newer ? config : undefined,
      hasData: request.checkEmpty ? this.#host.hasData() : undefined,
      $replData: topology.replData(),
    };
  }
}
