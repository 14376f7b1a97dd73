import {
  ErrorCodes,
  type ErrorReply,
  type HeartbeatReply,
  isNewerConfig,
  type MemberState,
  type ReplSetConfig,
} from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import type { MemberView } from './memberView.ts';
import type { Topology } from './topology.ts';
import type { TopologyHost } from './topologyHost.ts';

/**
 * What the answers to heartbeats teach: terms, the commit point, configs, who is up, who is primary.
 * Upstream: ReplicationCoordinatorImpl::_handleHeartbeatResponse, TopologyCoordinator::processHeartbeatResponse.
 */
export class HeartbeatResponses {
  readonly #core: Core;
  readonly #topology: Topology;
  readonly #host: TopologyHost;

  constructor(core: Core, topology: Topology, host: TopologyHost) {
    this.#core = core;
    this.#topology = topology;
    this.#host = host;
  }

  /** The answer, or what is wrong with it: one of another set says nothing about this one. */
  checked(reply: HeartbeatReply | ErrorReply, target: string): HeartbeatReply | ErrorReply {
    if (reply.ok === 0) return reply;
    const setName = this.#core.options.setName;
    if (reply.set !== setName) {
      const errmsg = `replica set names do not match: ours ${setName}, ${target}'s ${reply.set}`;
      return { ok: 0, code: ErrorCodes.InconsistentReplicaSetNames, errmsg };
    }
    const ours = this.#topology.config?.settings.replicaSetId;
    const theirs = reply.$replData.replicaSetId;
    if (ours !== undefined && theirs !== undefined && ours !== theirs) {
      const errmsg = `replica set IDs do not match, ours: ${ours}; remote node's: ${theirs}`;
      return { ok: 0, code: ErrorCodes.InvalidReplicaSetConfig, errmsg };
    }
    return reply;
  }

  answered(view: MemberView, reply: HeartbeatReply): void {
    const topology = this.#topology;
    const { elections, configuration, progress } = this.#host;
    const { monotonicMicros, wallMs } = this.#core.now;
    view.lastHeartbeatWallMs = wallMs;
    view.heard(monotonicMicros);
    this.#learn(reply, view.host);
    const newer = this.#newerConfig(reply);
    // A member that does not lead changes its config first; the answer itself is out of date then.
    if (newer && !elections.isLeader) return configuration.onNewerConfig(newer);
    if (topology.views[view.index] !== view || !topology.self) return;
    const from = view.state;
    const news = view.answered(reply, monotonicMicros);
    if (from !== view.state) this.#stateSeen(view, from, '');
    if (from === 'PRIMARY' || view.state === 'PRIMARY') topology.primaryIndexMayHaveChanged();
    topology.stateMayHaveChanged();
    if (newer) configuration.onNewerConfig(newer);
    else elections.takeover.consider(view);
    if (news) {
      this.#tracePositions(view, reply);
      progress.positionsChanged();
    }
    topology.arbiterFollowsCommitPoint();
    this.#host.onHeartbeatProcessed();
    configuration.onHeartbeatFrom(view);
  }

  /** An answer to a heartbeat that was sent for a config alone. */
  brought(reply: HeartbeatReply, from: string): void {
    this.#host.elections.updateTerm(reply.term, 'heartbeat', from);
    const newer = this.#newerConfig(reply);
    if (newer) this.#host.configuration.onNewerConfig(newer);
  }

  /** Commit point, term, and the sign of life of a primary. */
  #learn(reply: HeartbeatReply, from: string): void {
    const topology = this.#topology;
    const { elections, progress } = this.#host;
    const { state } = topology;
    if (state !== 'STARTUP' && state !== 'STARTUP2' && state !== 'ROLLBACK')
      progress.learn(reply.$replData, 'heartbeat', from);
    elections.updateTerm(reply.term, 'heartbeat', from);
    if (reply.state !== 'PRIMARY' || reply.term !== topology.term) return;
    if (this.#core.verbosity('ELECTION') >= 4) {
      this.#core.debug(4, 'ELECTION', 4615659, 'Postponing the election timeout, as the primary answered');
    }
    elections.timer.postpone();
  }

  /** A primary counts them for the commit point, as it counts those that are reported. */
  #tracePositions({ config, host: from }: MemberView, reply: HeartbeatReply): void {
    if (!this.#core.tracing || !this.#host.elections.isLeader) return;
    const position = {
      memberId: config._id,
      cfgver: reply.v,
      durableOpTime: reply.durableOpTime,
      durableWallTimeMs: reply.durableWallTimeMs,
      appliedOpTime: reply.opTime,
      appliedWallTimeMs: reply.wallTimeMs,
      writtenOpTime: reply.writtenOpTime,
      writtenWallTimeMs: reply.writtenWallTimeMs,
    };
    this.#core.trace({ type: 'positionsReceived', from, how: 'heartbeat', optimes: [position] });
  }

  #newerConfig({ config }: HeartbeatReply): ReplSetConfig | undefined {
    const mine = this.#topology.config;
    if (!config || (mine && !isNewerConfig(config, mine))) return undefined;
    return config;
  }

  /** @param givenUp no attempt is left in this series */
  failed(view: MemberView, error: ErrorReply, givenUp: boolean): void {
    const topology = this.#topology;
    if (topology.views[view.index] !== view || !topology.self) return;
    if (isAuthError(error)) this.#refused(view, error.errmsg);
    else if (givenUp || error.code === ErrorCodes.InconsistentReplicaSetNames) this.wentDown(view, error.errmsg);
    else view.lastHeartbeatMessage = error.errmsg;
  }

  /** A member is given up for now, by its heartbeats or by a primary that has heard nothing of it for too long. */
  wentDown(view: MemberView, detail: string): void {
    const from = view.state;
    view.lastHeartbeatWallMs = this.#core.now.wallMs;
    view.wentDown(detail);
    if (from !== 'DOWN') this.#stateSeen(view, from, detail);
    this.#lost();
  }

  #refused(view: MemberView, detail: string): void {
    const from = view.state;
    const known = view.authIssue;
    view.lastHeartbeatWallMs = this.#core.now.wallMs;
    view.refused(detail);
    if (!known) this.#stateSeen(view, from, detail);
    this.#lost();
  }

  #lost(): void {
    const topology = this.#topology;
    topology.primaryIndexMayHaveChanged();
    topology.stateMayHaveChanged();
    this.#core.wake();
    this.#host.onHeartbeatProcessed();
  }

  #stateSeen(view: MemberView, from: MemberState, detail: string): void {
    const { host: hostAndPort } = view.config;
    const to = view.state;
    if (view.authIssue) {
      this.#core.log('I', 'REPL', 21217, 'Member is now in state UNKNOWN for want of authentication', { hostAndPort });
    } else if (view.health === 0) {
      this.#core.log('I', 'REPL', 21216, 'Member is now in state DOWN', { hostAndPort, heartbeatMessage: detail });
    } else {
      this.#core.log('I', 'REPL', 21215, 'Member is in new state', { hostAndPort, newState: to });
    }
    if (from !== to && this.#core.tracing) {
      this.#core.trace({ type: 'memberSeen', other: hostAndPort, from, to, ...(detail && { detail }) });
    }
  }
}

/** Upstream: error_codes.yml, AuthenticationFailed. */
const AUTHENTICATION_FAILED = 18;

/** The other side is there, but will not talk: Unauthorized 13 or AuthenticationFailed 18. */
export function isAuthError({ code }: ErrorReply): boolean {
  return code === ErrorCodes.Unauthorized || code === AUTHENTICATION_FAILED;
}
