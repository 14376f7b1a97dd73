import {
  ErrorCodes,
  type ErrorReply,
  type HeartbeatCommand,
  type HeartbeatReply,
  type MemberReply,
} from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import { statusAttr } from '../core/logValues.ts';
import { HeartbeatResponses, isAuthError } from './heartbeatResponses.ts';
import { MAX_HEARTBEAT_RETRIES } from './heartbeatSeries.ts';
import type { MemberView } from './memberView.ts';
import type { Topology } from './topology.ts';
import type { TopologyHost } from './topologyHost.ts';

/**
 * Sends heartbeats: to every other member forever, and once to any member that seems to have a config that this one lacks.
 * Upstream: replication_coordinator_impl_heartbeat.cpp, prepareHeartbeatRequestV1.
 */
export class Heartbeats {
  readonly #core: Core;
  readonly #topology: Topology;
  readonly #host: TopologyHost;
  readonly responses: HeartbeatResponses;
  /** Hosts that were asked for their config outside of any series, and when. */
  readonly #asked = new Map<string, number>();

  constructor(core: Core, topology: Topology, host: TopologyHost) {
    this.#core = core;
    this.#topology = topology;
    this.#host = host;
    this.responses = new HeartbeatResponses(core, topology, host);
  }

  /** To everybody at once, whatever is under way: a config came into force, an election was won. */
  restart(): void {
    this.#asked.clear();
    for (const view of this.#topology.others) {
      view.heardSinceRestart = false;
      this.#core.forget(view.requestId);
      view.requestId = 0;
      this.#send(view);
    }
  }

  /** To those at once who are not being asked already: a source was lost, a primary is said to be there. */
  restartScheduled(): void {
    for (const view of this.#topology.others) {
      if (view.requestId !== 0) continue;
      view.heardSinceRestart = false;
      this.#send(view);
    }
  }

  /** The next attempt is due, or the one under way was not answered in time. */
  #onTimer(memberId: number): void {
    const topology = this.#topology;
    const view = topology.viewOfId(memberId);
    if (!view || view.index === topology.selfIndex) return;
    if (view.requestId === 0) this.#send(view);
    else this.#answered(view, { ok: 0, code: ErrorCodes.NetworkTimeout, errmsg: 'Request timed out' });
  }

  #send(view: MemberView): void {
    const topology = this.#topology;
    if (!topology.self) return;
    const now = this.#core.now.monotonicMicros;
    const timeoutMicros = view.series.begin(now, this.#timeoutMicros);
    view.sentMicros = now;
    const heartbeatObj = this.#command();
    const id = this.#core.request(view.config.host, 'heartbeat', heartbeatObj, (reply) => this.#answered(view, reply));
    view.requestId = id;
    this.#setTimer(view, timeoutMicros);
    if (this.#core.verbosity('REPL_HB') >= 2) {
      this.#core.debug(2, 'REPL_HB', 4615670, 'Sending heartbeat', {
        requestId: id,
        target: view.config.host,
        heartbeatObj,
      });
    }
  }

  #setTimer(view: MemberView, afterMicros: number): void {
    view.fireHeartbeat ??= () => this.#onTimer(view.config._id);
    this.#core.setTimer(view.heartbeatTimer, view.fireHeartbeat, afterMicros);
  }

  get #timeoutMicros(): number {
    return this.#topology.configInForce.settings.heartbeatTimeoutSecs * 1_000_000;
  }

  /** A member without config says so by version -2, and does not say who it is. */
  #command(): HeartbeatCommand {
    const { config, selfId, term, primaryIndex } = this.#topology;
    if (!config) {
      return {
        replSetHeartbeat: this.#topology.setName,
        configVersion: -2,
        configTerm: -1,
        from: '',
        fromId: -1,
        term: 0,
        primaryId: -1,
      };
    }
    return {
      replSetHeartbeat: config._id,
      configVersion: config.version,
      configTerm: config.term,
      from: this.#core.host,
      fromId: selfId,
      term,
      primaryId: config.members[primaryIndex]?._id ?? -1,
    };
  }

  #answered(view: MemberView, given: MemberReply | ErrorReply): void {
    const { requestId } = view;
    this.#core.forget(requestId);
    view.requestId = 0;
    const now = this.#core.now.monotonicMicros;
    const reply = this.responses.checked(given as HeartbeatReply | ErrorReply, view.config.host);
    if (this.#core.verbosity('REPL_HB') >= 2) {
      const target = view.config.host;
      const attr = { requestId, target };
      if (reply.ok === 1) {
        this.#core.debug(2, 'REPL_HB', 4615620, 'Received heartbeat response', { ...attr, response: reply });
      } else this.#core.debug(2, 'REPL_HB', 4615621, 'Error in heartbeat', { ...attr, error: statusAttr(reply) });
    }
    if (reply.ok === 1 || isAuthError(reply)) view.series.hit((now - view.sentMicros) / 1000);
    else this.#missed(view, reply);
    // A config that is installed meanwhile restarts all heartbeats, so the next one is set before anything is learned.
    this.#scheduleNext(view);
    if (reply.ok === 1) this.responses.answered(view, reply);
    else this.responses.failed(view, reply, view.series.failed || view.series.isOver(now, this.#timeoutMicros));
  }

  #missed({ series, config }: MemberView, error: ErrorReply): void {
    series.miss();
    if (!series.failed) return;
    this.#core.log('I', 'REPL_HB', 23974, 'Heartbeat failed after the maximum number of retries', {
      target: config.host,
      maxHeartbeatRetries: MAX_HEARTBEAT_RETRIES,
      error: statusAttr(error),
    });
  }

  /** The interval runs from the answer, not from the request. */
  #scheduleNext(view: MemberView): void {
    if (view.series.retries(this.#core.now.monotonicMicros, this.#timeoutMicros)) this.#send(view);
    else this.#setTimer(view, this.#intervalMillis() * 1000);
  }

  /** A member without a source looks around faster; an arbiter must not be slower than an election timeout allows. */
  #intervalMillis(): number {
    const { configInForce, self, state } = this.#topology;
    const { heartbeatIntervalMillis, electionTimeoutMillis } = configInForce.settings;
    if (self?.arbiterOnly) return Math.min(electionTimeoutMillis / 2, heartbeatIntervalMillis);
    if (state !== 'PRIMARY' && this.#host.syncSource === undefined) {
      return Math.min(electionTimeoutMillis / 2, heartbeatIntervalMillis / 4);
    }
    return heartbeatIntervalMillis;
  }

  // --- for a config ---

  /**
   * One heartbeat to a host whose request shows a config that this member lacks; the answer brings it. While one is
   * unanswered no second one goes there within an interval. @returns whether one was sent
   */
  ask(host: string): boolean {
    if (host === '') return false;
    const now = this.#core.now.monotonicMicros;
    const intervalMillis = this.#topology.config?.settings.heartbeatIntervalMillis ?? 2000;
    if (now - (this.#asked.get(host) ?? Number.NEGATIVE_INFINITY) < intervalMillis * 1000) return false;
    this.#asked.set(host, now);
    this.#core.request(host, 'heartbeat', this.#command(), (given) => {
      this.#asked.delete(host);
      const reply = this.responses.checked(given as HeartbeatReply | ErrorReply, host);
      if (reply.ok === 1) this.responses.brought(reply, host);
    });
    return true;
  }
}
