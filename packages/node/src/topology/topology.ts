import { maxTimestamp } from '@replsim/oplog';
import {
  compareOpTimes,
  ErrorCodes,
  type ErrorReply,
  type HeartbeatCommand,
  type HeartbeatReply,
  isNewerConfig,
  type MemberPosition,
  type MemberReply,
  type MemberState,
  majorityVoteCount,
  maxOpTime,
  NULL_OP_TIME,
  type OpTime,
  type ReplData,
  type ReplSetConfig,
  type Term,
} from '@replsim/protocol';
import type { Core } from '../core.ts';
import type { OpTimeAndWall } from '../replication/positions.ts';
import type { Replication } from '../replication/replication.ts';
import { InfoMessage } from './infoMessage.ts';
import { MemberView, NULL_HEARTBEAT } from './memberView.ts';

/** Upstream: topology_coordinator.h, kMaxHeartbeatRetries. */
const MAX_HEARTBEAT_RETRIES = 2;

/**
 * Who is in the set and what they are doing, as far as this member has heard; sends and answers heartbeats.
 * Upstream: topology_coordinator.cpp, replication_coordinator_impl_heartbeat.cpp.
 */
export class Topology {
  readonly #core: Core;
  readonly #repl: Replication;
  config: ReplSetConfig | undefined;
  selfIndex = -1;
  term: Term = 0;
  followerMode: 'STARTUP2' | 'RECOVERING' | 'SECONDARY' | 'ROLLBACK' = 'STARTUP2';
  maintenanceCount = 0;
  tooStale = false;
  readonly infoMessage = new InfoMessage();
  /** Aligned with `config.members`; the own entry is never updated. */
  views: MemberView[] = [];
  /** Index of the member that is believed to be primary; -1 if none. */
  primaryIndex = -1;
  /** Grows before each change that `hello` would show. */
  topologyVersion = 0;
  #lastState: MemberState = 'STARTUP';

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  get self() {
    return this.config?.members[this.selfIndex];
  }

  get selfId(): number {
    return this.self?._id ?? -1;
  }

  get primaryHost(): string | undefined {
    return this.config?.members[this.primaryIndex]?.host;
  }

  get electionTimeoutMicros(): number {
    return (this.config?.settings.electionTimeoutMillis ?? 10_000) * 1000;
  }

  /** The member state, derived. Upstream: TopologyCoordinator::getMemberState. */
  get state(): MemberState {
    if (!this.config) return 'STARTUP';
    const self = this.self;
    if (!self) return 'REMOVED';
    if (this.#repl.elections.isLeader) return 'PRIMARY';
    if (self.arbiterOnly) return 'ARBITER';
    if (this.followerMode === 'SECONDARY' && this.maintenanceCount > 0) return 'RECOVERING';
    return this.followerMode;
  }

  /** Tells the world when the derived state moved; call it after anything that may have moved it. */
  stateMayHaveChanged(): void {
    const to = this.state;
    const from = this.#lastState;
    if (to === from) return;
    this.#lastState = to;
    this.bump();
    this.#core.log('I', 'REPL', 21358, 'Replica set state transition', { newState: to, oldState: from });
    this.#core.trace({ type: 'stateChanged', from, to, term: this.term });
    this.#repl.parts.ttl.memberChanged();
    this.#repl.onStateChanged(from, to);
  }

  /** Raises topologyVersion, which wakes waiting hellos. */
  bump(): void {
    this.topologyVersion += 1;
    if (this.#core.tracing) this.#core.trace({ type: 'topologyVersionRaised', counter: this.topologyVersion });
    this.#core.wake();
  }

  // --- config ---

  /** Takes over a config: what is known of members that are the same stays. Upstream: TopologyCoordinator::updateConfig. */
  install(config: ReplSetConfig): void {
    const old = new Map(this.views.map((view) => [`${view.config._id} ${view.config.host}`, view]));
    this.config = config;
    this.selfIndex = config.members.findIndex(({ host }) => host === this.#core.host);
    this.views = config.members.map((member, index) => {
      const view = old.get(`${member._id} ${member.host}`) ?? new MemberView(member, index);
      view.config = member;
      view.index = index;
      return view;
    });
    this.primaryIndex = this.#findPrimary();
    this.bump();
    this.#core.trace({ type: 'configInstalled', config, forced: config.term === -1 });
  }

  viewOf(host: string): MemberView | undefined {
    return this.views.find(({ config }) => config.host === host);
  }

  viewOfId(id: number): MemberView | undefined {
    return this.views.find(({ config }) => config._id === id);
  }

  /** All other members. */
  get others(): MemberView[] {
    return this.views.filter((_, index) => index !== this.selfIndex);
  }

  /** Voters seen up, oneself included. */
  visibleVoters(): number {
    return this.views.filter((view, i) => view.config.votes === 1 && (i === this.selfIndex || view.up)).length;
  }

  canSeeMajority(): boolean {
    return this.config !== undefined && this.visibleVoters() >= majorityVoteCount(this.config);
  }

  // --- sending heartbeats ---

  /** Heartbeats to everybody at once; called when news is wanted now. */
  restartHeartbeats(): void {
    for (const view of this.others) {
      view.heardSinceRestart = false;
      this.#core.forget(view.requestId);
      view.series = 'start';
      this.#send(view);
    }
  }

  /** Heartbeats now to whoever is not being asked already. */
  askAround(): void {
    for (const view of this.others) if (view.requestId === 0) this.#send(view);
  }

  onHeartbeatTimer(memberId: number): void {
    const view = this.viewOfId(memberId);
    if (!view || view.index === this.selfIndex) return;
    if (view.requestId !== 0) this.#failed(view, { ok: 0, code: ErrorCodes.NetworkTimeout, errmsg: 'timed out' });
    else this.#send(view);
  }

  #send(view: MemberView): void {
    const config = this.config;
    if (!config || this.selfIndex < 0) return;
    const now = this.#core.now.monotonicMicros;
    const timeoutMicros = config.settings.heartbeatTimeoutSecs * 1_000_000;
    if (view.series !== 'trying' || now - view.seriesStartMicros >= timeoutMicros) {
      view.series = 'trying';
      view.failures = 0;
      view.seriesStartMicros = now;
    }
    const command: HeartbeatCommand = {
      replSetHeartbeat: config._id,
      configVersion: config.version,
      configTerm: config.term,
      from: this.#core.host,
      fromId: this.selfId,
      term: this.term,
      primaryId: this.config?.members[this.primaryIndex]?._id ?? -1,
    };
    view.sentMicros = now;
    view.requestId = this.#core.request(view.config.host, 'heartbeat', command, (reply) => this.#answered(view, reply));
    this.#core.setTimer(`hb:${view.config._id}`, timeoutMicros - (now - view.seriesStartMicros));
  }

  #scheduleNext(view: MemberView): void {
    view.requestId = 0;
    const now = this.#core.now.monotonicMicros;
    const { settings } = this.config!;
    const retry = view.series === 'trying' && now - view.seriesStartMicros < settings.heartbeatTimeoutSecs * 1_000_000;
    if (retry) this.#send(view);
    else this.#core.setTimer(`hb:${view.config._id}`, this.#intervalMillis() * 1000);
  }

  /** Upstream: TopologyCoordinator::_getHeartbeatInterval or its like in getHeartbeatInterval. */
  #intervalMillis(): number {
    const { heartbeatIntervalMillis, electionTimeoutMillis } = this.config!.settings;
    if (this.self?.arbiterOnly) return Math.min(electionTimeoutMillis / 2, heartbeatIntervalMillis);
    if (this.state !== 'PRIMARY' && this.#repl.syncSource === undefined) {
      return Math.min(electionTimeoutMillis / 2, heartbeatIntervalMillis / 4);
    }
    return heartbeatIntervalMillis;
  }

  // --- answers ---

  #answered(view: MemberView, reply: MemberReply | ErrorReply): void {
    if (reply.ok === 0) {
      this.#failed(view, reply);
      return;
    }
    const heartbeat = reply as HeartbeatReply;
    const { monotonicMicros, wallMs } = this.#core.now;
    const roundTripMs = (monotonicMicros - view.sentMicros) / 1000;
    view.pingMs = view.roundTrips === 0 ? roundTripMs : (4 * view.pingMs + roundTripMs) / 5;
    view.roundTrips += 1;
    view.series = 'succeeded';
    view.lastHeartbeatWallMs = wallMs;
    view.lastHeartbeatMessage = '';
    view.lastUpdateMicros = monotonicMicros;
    if (this.config!.members[view.index] !== view.config) return;
    this.#learnFrom(heartbeat);
    this.#updateView(view, heartbeat);
    if (heartbeat.config && isNewerConfig(heartbeat.config, this.config!))
      this.#repl.configuration.onNewerConfig(heartbeat.config);
    if (this.config!.members[view.index] !== view.config) return;
    this.primaryIndexMayHaveChanged();
    if (heartbeat.state === 'PRIMARY' && heartbeat.term === this.term) {
      this.#repl.elections.postponeElection();
      this.#repl.elections.considerTakeover(view);
    }
    this.#scheduleNext(view);
    this.#repl.onHeartbeatProcessed();
    this.#repl.configuration.onHeartbeatFrom(view);
  }

  #learnFrom(heartbeat: HeartbeatReply): void {
    const state = this.state;
    if (state !== 'STARTUP' && state !== 'STARTUP2' && state !== 'ROLLBACK') {
      this.#repl.progress.learn(heartbeat.$replData, false);
    }
    this.#repl.elections.updateTerm(heartbeat.term, 'heartbeat');
  }

  #updateView(view: MemberView, heartbeat: HeartbeatReply): void {
    if (view.health !== 1) view.upSinceMicros = this.#core.now.monotonicMicros;
    const from = view.state;
    view.health = 1;
    view.heardSinceRestart = true;
    view.state = heartbeat.state;
    view.term = heartbeat.term;
    const configMoved = view.configVersion !== heartbeat.v || view.configTerm !== heartbeat.configTerm;
    this.#noteConfigOf(view, heartbeat.v, heartbeat.configTerm);
    view.electable = heartbeat.electable;
    view.syncingTo = heartbeat.syncingTo;
    view.electionTime = heartbeat.electionTime;
    view.heartbeat = {
      applied: heartbeat.opTime,
      durable: heartbeat.durableOpTime,
      written: heartbeat.writtenOpTime,
    };
    const { written, applied, durable } = view;
    view.written = forward(view.written, heartbeat.writtenOpTime, heartbeat.writtenWallTimeMs);
    view.applied = forward(view.applied, heartbeat.opTime, heartbeat.wallTimeMs);
    view.durable = forward(view.durable, heartbeat.durableOpTime, heartbeat.durableWallTimeMs);
    if (from !== view.state) this.#seen(view, from, '');
    const moved = view.written !== written || view.applied !== applied || view.durable !== durable;
    if (moved || configMoved) this.#repl.progress.positionsChanged();
  }

  #failed(view: MemberView, error: ErrorReply): void {
    this.#core.forget(view.requestId);
    const now = this.#core.now.monotonicMicros;
    view.failures += 1;
    const elapsed = now - view.seriesStartMicros >= this.config!.settings.heartbeatTimeoutSecs * 1_000_000;
    if (view.failures > MAX_HEARTBEAT_RETRIES) view.series = 'failed';
    if (view.series === 'failed' || elapsed) this.markDown(view, error.errmsg);
    this.#scheduleNext(view);
  }

  /** Gives a member up for now; what is known of its progress stays. */
  markDown(view: MemberView, detail: string): void {
    const firstAnswer = !view.heardSinceRestart;
    view.lastHeartbeatWallMs = this.#core.now.wallMs;
    view.lastHeartbeatMessage = detail;
    view.heartbeat = NULL_HEARTBEAT;
    view.heardSinceRestart = true;
    const from = view.state;
    if (view.health === 0) {
      // A primary that is catching up waits for a word of everybody; that there is none is a word too.
      if (firstAnswer) this.#repl.onHeartbeatProcessed();
      return;
    }
    view.health = 0;
    view.state = 'DOWN';
    this.#core.log('I', 'REPL', 21216, 'Member is now in state DOWN', {
      hostAndPort: view.config.host,
      heartbeatMessage: detail,
    });
    this.#seen(view, from, detail);
    this.primaryIndexMayHaveChanged();
    this.checkMajority();
    this.#repl.onHeartbeatProcessed();
  }

  #seen(view: MemberView, from: MemberState, detail: string): void {
    this.#core.changed();
    if (view.health === 1) {
      this.#core.log('I', 'REPL', 21215, 'Member is in new state', {
        hostAndPort: view.config.host,
        newState: view.state,
      });
    }
    if (this.#core.tracing) {
      const other = view.config.host;
      this.#core.trace({ type: 'memberSeen', other, from, to: view.state, ...(detail && { detail }) });
    }
  }

  /** Who leads is no reason to raise topologyVersion: drivers hear of a primary from the primary itself. */
  primaryIndexMayHaveChanged(): void {
    this.primaryIndex = this.#findPrimary();
  }

  #findPrimary(): number {
    if (this.#repl.elections.isLeader) return this.selfIndex;
    let found: MemberView | undefined;
    for (const view of this.views) {
      if (view.index === this.selfIndex || !view.up || view.state !== 'PRIMARY') continue;
      if (!found || view.term > found.term) found = view;
    }
    return found?.index ?? -1;
  }

  // --- answering heartbeats ---

  /** Upstream: TopologyCoordinator::prepareHeartbeatResponseV1. */
  onHeartbeatRequest(request: HeartbeatCommand): HeartbeatReply | ErrorReply {
    const setName = this.#core.options.setName!;
    if (request.replSetHeartbeat !== setName) {
      const errmsg = `replica set names do not match: ours ${setName}, theirs ${request.replSetHeartbeat}`;
      return { ok: 0, code: ErrorCodes.InconsistentReplicaSetNames, errmsg };
    }
    if (this.config && request.fromId === this.selfId && request.from !== this.#core.host) {
      return { ok: 0, code: ErrorCodes.BadValue, errmsg: 'from has my own _id' };
    }
    const sender = this.viewOf(request.from);
    if (sender) {
      sender.lastHeartbeatRecvWallMs = this.#core.now.wallMs;
      sender.lastUpdateMicros = this.#core.now.monotonicMicros;
      this.#noteConfigOf(sender, request.configVersion, request.configTerm);
    }
    this.#noteRequest(request);
    if (this.state === 'REMOVED') {
      return {
        ok: 0,
        code: ErrorCodes.InvalidReplicaSetConfig,
        errmsg: 'Our replica set configuration is invalid or does not include us',
      };
    }
    return this.#heartbeatReply(request);
  }

  /** Who has which config is what commitment of a config waits for. */
  #noteConfigOf(view: MemberView, version: number, term: Term): void {
    if (view.configVersion === version && view.configTerm === term) return;
    view.configVersion = version;
    view.configTerm = term;
    this.#core.wake();
  }

  #noteRequest(request: HeartbeatCommand): void {
    const { config } = this;
    if (!config || this.selfIndex < 0) {
      if (request.configVersion > 0) this.#askBack(request.from);
      return;
    }
    const theirs = { version: request.configVersion, term: request.configTerm };
    const busy = this.#repl.elections.isLeader && !this.#repl.elections.acceptsWrites && request.configTerm !== -1;
    if (isNewerConfig(theirs, config)) {
      const senderHost = request.from;
      if (busy) {
        this.#core.log('I', 'REPL', 4794901, 'Not asking for a newer config before writes are accepted', {
          senderHost,
        });
      } else {
        this.#core.log('I', 'REPL', 21401, 'Scheduling heartbeat to fetch a newer config', { senderHost });
        this.#askBack(senderHost);
      }
    } else if (
      request.fromId === request.primaryId &&
      request.primaryId !== config.members[this.primaryIndex]?._id &&
      request.term >= this.term
    ) {
      this.askAround();
    }
  }

  /** One heartbeat to whoever seems to have a config that I lack; its answer brings it. */
  #askBack(host: string): void {
    const command: HeartbeatCommand = {
      replSetHeartbeat: this.#core.options.setName!,
      configVersion: this.config?.version ?? -2,
      configTerm: this.config?.term ?? -1,
      from: this.config ? this.#core.host : '',
      fromId: this.selfId,
      term: this.term,
      primaryId: -1,
    };
    this.#core.request(host, 'heartbeat', command, (reply) => {
      if (reply.ok === 0) return;
      const { config, term } = reply as HeartbeatReply;
      this.#repl.elections.updateTerm(term, 'heartbeat');
      if (config && (!this.config || isNewerConfig(config, this.config)))
        this.#repl.configuration.onNewerConfig(config);
    });
  }

  #heartbeatReply(request: HeartbeatCommand): HeartbeatReply {
    const { config } = this;
    const { positions, elections } = this.#repl;
    const state = this.state;
    const silent = state === 'STARTUP2' || state === 'ARBITER' || state === 'STARTUP';
    const at = (position: OpTimeAndWall): OpTime => (silent ? NULL_OP_TIME : position.opTime);
    const newer = config && isNewerConfig(config, { version: request.configVersion, term: request.configTerm });
    const syncingTo = this.#repl.syncSource;
    return {
      ok: 1,
      set: this.#core.options.setName!,
      state,
      v: config?.version ?? -2,
      configTerm: config?.term ?? -1,
      term: this.term,
      primaryId: config?.members[this.primaryIndex]?._id ?? -1,
      electable: elections.whyNotElectable() === undefined,
      ...(syncingTo !== undefined && { syncingTo }),
      ...(elections.isLeader && { electionTime: elections.electionTime }),
      opTime: state === 'ARBITER' ? positions.commitPoint.opTime : at(positions.applied),
      wallTimeMs: positions.applied.wallMs,
      writtenOpTime: at(positions.written),
      writtenWallTimeMs: positions.written.wallMs,
      durableOpTime: at(positions.durable),
      durableWallTimeMs: positions.durable.wallMs,
      ...(newer && { config }),
      ...(request.checkEmpty && { hasData: this.#repl.hasUserData() }),
      $replData: this.replData(),
    };
  }

  /** The metadata that rides on replies. */
  replData(): ReplData {
    const { commitPoint } = this.#repl.positions;
    const source = this.#repl.syncSource;
    return {
      term: this.term,
      lastOpCommitted: commitPoint.opTime,
      lastCommittedWallMs: commitPoint.wallMs,
      configVersion: this.config?.version ?? -2,
      configTerm: this.config?.term ?? -1,
      ...(this.config && { replicaSetId: this.config.settings.replicaSetId }),
      primaryIndex: this.primaryIndex,
      syncSourceIndex: source === undefined ? -1 : (this.viewOf(source)?.index ?? -1),
      isPrimary: this.#repl.elections.isLeader,
    };
  }

  // --- liveness of a primary ---

  /** While leading: looks at the time of the next possible loss of majority. Upstream: checkMemberTimeouts. */
  armLiveness(): void {
    const now = this.#core.now.monotonicMicros;
    let soonest = now + this.electionTimeoutMicros;
    for (const view of this.others) {
      if (view.health !== 0) soonest = Math.min(soonest, view.lastUpdateMicros + this.electionTimeoutMicros);
    }
    this.#core.setTimer('liveness', Math.max(soonest - now, 1));
  }

  onLivenessTimer(): void {
    if (!this.#repl.elections.isLeader) return;
    const now = this.#core.now.monotonicMicros;
    for (const view of this.others) {
      if (view.health !== 0 && now - view.lastUpdateMicros >= this.electionTimeoutMicros) {
        this.markDown(view, 'no response within election timeout period');
      }
    }
    this.checkMajority();
    if (this.#repl.elections.isLeader) this.armLiveness();
  }

  /** A primary that cannot see a majority gives up. */
  checkMajority(): void {
    if (!this.#repl.elections.isLeader || this.canSeeMajority()) return;
    this.#core.log('I', 'REPL', 21809, "Can't see a majority of the set, relinquishing primary");
    this.#repl.elections.stepDownNow('it cannot see a majority of the voters');
  }

  // --- positions reported by others ---

  /** One member's entry of a received `replSetUpdatePosition`. */
  onPosition(position: MemberPosition): boolean {
    const view = this.viewOfId(position.memberId);
    if (!view || view.index === this.selfIndex) return view !== undefined;
    view.lastUpdateMicros = this.#core.now.monotonicMicros;
    view.reportedProgress = true;
    view.written = forward(view.written, position.writtenOpTime, position.writtenWallTimeMs);
    view.applied = forward(view.applied, position.appliedOpTime, position.appliedWallTimeMs);
    view.durable = forward(view.durable, position.durableOpTime, position.durableWallTimeMs);
    return true;
  }

  /** The greatest applied opTime that members who are up report by heartbeat. */
  newestKnownApplied(): OpTime {
    let newest = this.#repl.positions.applied.opTime;
    for (const view of this.others) {
      if (view.up) newest = maxOpTime(newest, view.heartbeat.applied);
    }
    return newest;
  }

  /** The greatest position of oneself and of the members that are up, whoever reported it. Upstream: latestKnownAppliedOpTime. */
  newestKnown(position: 'applied' | 'written'): OpTime {
    let newest = this.#repl.positions[position].opTime;
    for (const view of this.others) if (view.up) newest = maxOpTime(newest, view[position].opTime);
    return newest;
  }

  /** Cluster time moves with every opTime heard of. */
  sawOpTime(opTime: OpTime): void {
    this.#core.clusterTime = maxTimestamp(this.#core.clusterTime, opTime.ts);
  }
}

function forward(known: OpTimeAndWall, opTime: OpTime, wallMs: number): OpTimeAndWall {
  return compareOpTimes(opTime, known.opTime) > 0 ? { opTime, wallMs } : known;
}
