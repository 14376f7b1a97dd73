import { forward, maxTimestamp } from '@replsim/oplog';
import {
  type MemberConfig,
  type MemberPosition,
  type MemberState,
  type MemberTrace,
  majorityVoteCount,
  maxOpTime,
  type OpTime,
  type ReplData,
  type ReplSetConfig,
  required,
  type Term,
} from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import { InfoMessage } from './infoMessage.ts';
import { MemberMode } from './memberMode.ts';
import { type FollowerMode, memberStateOf } from './memberState.ts';
import { MemberView } from './memberView.ts';
import type { TopologyHost } from './topologyHost.ts';

/**
 * Who is in the set and what they are doing, as far as this member has heard.
 * Upstream: topology_coordinator.cpp.
 */
export class Topology {
  readonly #core: Core;
  readonly #host: TopologyHost;
  config: ReplSetConfig | undefined;
  selfIndex = -1;
  term: Term = 0;
  /** What it does while it does not lead, and whether it is in maintenance. */
  readonly memberMode = new MemberMode(() => this.stateMayHaveChanged());
  tooStale = false;
  readonly infoMessage = new InfoMessage();
  /** Aligned with `config.members`; the own entry is never updated. */
  views: MemberView[] = [];
  /** All other members. */
  others: readonly MemberView[] = [];
  /** Those with a vote, oneself included. */
  #voters: readonly MemberView[] = [];
  #majority = 0;
  readonly #byId = new Map<number, MemberView>();
  /** Index of the member that is believed to be primary; -1 if none. */
  primaryIndex = -1;
  /** Grows before each change that `hello` would show. */
  topologyVersion = 0;
  /** Called at each change for which it is raised. Upstream: ReplicationCoordinatorImpl::_fulfillTopologyChangePromise. */
  readonly versionWatchers = new Set<() => void>();
  #lastState: MemberState = 'STARTUP';
  #raisedAhead = false;

  constructor(core: Core, host: TopologyHost) {
    this.#core = core;
    this.#host = host;
  }

  get self() {
    return this.config?.members[this.selfIndex];
  }

  /** `config` for those who act on it: there is one once the set was initiated, here or elsewhere. InvariantError before. */
  get configInForce(): ReplSetConfig {
    return required(this.config, 'config in force');
  }

  /** `self` for those who act as a member. InvariantError before there is a config, and while this member is not in it. */
  get selfInForce(): MemberConfig {
    return required(this.self, 'member of this host in the config in force');
  }

  /** `--replSet`, without which there is no member to have a topology. */
  get setName(): string {
    return required(this.#core.options.setName, '--replSet');
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

  /** As this member reports it. */
  get state(): MemberState {
    return memberStateOf({
      hasConfig: this.config !== undefined,
      self: this.self,
      leads: this.#host.elections.isLeader,
      followerMode: this.followerMode,
      inMaintenance: this.maintenanceCount > 0,
      onlyAuthErrors: this.followerMode === 'SECONDARY' && this.#onlyAuthErrors,
    });
  }

  get followerMode(): FollowerMode {
    return this.memberMode.followerMode;
  }

  get maintenanceCount(): number {
    return this.memberMode.maintenanceCount;
  }

  /** Upstream: _hasOnlyAuthErrorUpHeartbeats. */
  get #onlyAuthErrors(): boolean {
    let refused = false;
    for (const view of this.views) {
      if (view.index === this.selfIndex) continue;
      if (view.up) return false;
      refused ||= view.authIssue;
    }
    return refused;
  }

  /** Tells the world when the derived state moved; call it after anything that may have moved it. */
  stateMayHaveChanged(): void {
    const to = this.state;
    const from = this.#lastState;
    if (to === from) return;
    this.#lastState = to;
    if (this.#raisedAhead) this.#tellWatchers();
    else this.bump();
    this.#raisedAhead = false;
    this.#core.log('I', 'REPL', 21358, 'Replica set state transition', { newState: to, oldState: from });
    this.#core.trace({ type: 'stateChanged', from, to, term: this.term, ...this.#causeOf(to) });
    this.#host.onStateChanged(from, to);
  }

  #causeOf(state: MemberState): Pick<Extract<MemberTrace, { type: 'stateChanged' }>, 'cause'> {
    if (state !== 'RECOVERING' || this.followerMode !== 'SECONDARY') return {};
    return { cause: this.maintenanceCount > 0 ? 'maintenance' : 'unauthorized' };
  }

  /** Raises topologyVersion, which wakes waiting hellos; they are answered as things are now, whatever follows in this instant. */
  bump(): void {
    this.#raise();
    this.#tellWatchers();
  }

  #tellWatchers(): void {
    for (const watcher of this.versionWatchers) watcher();
  }

  #raise(): void {
    this.topologyVersion += 1;
    if (this.#core.tracing) this.#core.trace({ type: 'topologyVersionRaised', counter: this.topologyVersion });
    this.#core.wake();
  }

  /** The end of being primary is certain: raises topologyVersion for it now, before anybody hears of it. */
  bumpAhead(): void {
    if (this.#lastState !== 'PRIMARY') return;
    this.#raise();
    this.#raisedAhead = true;
  }

  /** What it was raised for has happened. */
  bumpedAhead(): void {
    this.#raisedAhead = false;
  }

  // --- config ---

  /** Takes over a config: what is known of members that are the same stays. Upstream: TopologyCoordinator::updateConfig. */
  install(config: ReplSetConfig): void {
    const old = new Map(this.views.map((view) => [`${view.config._id} ${view.config.host}`, view]));
    this.config = config;
    const self = this.findSelf(config);
    this.selfIndex = self ? config.members.indexOf(self) : -1;
    this.#core.hostInConfig = self?.host;
    this.views = config.members.map((member, index) => {
      const known = old.get(`${member._id} ${member.host}`);
      const view = known ?? new MemberView(member, index);
      // A new member has the whole election timeout to say its first word.
      if (!known) view.lastUpdateMicros = this.#core.now.monotonicMicros;
      view.config = member;
      view.index = index;
      view.isSelf = index === this.selfIndex;
      return view;
    });
    this.#indexViews(config);
    this.primaryIndex = this.#findPrimary();
    this.bump();
    this.#core.trace({ type: 'configInstalled', config, forced: config.term === -1 });
  }

  /** This member in a config; a config of another set contains nobody of this one. */
  findSelf({ _id, members }: ReplSetConfig): MemberConfig | undefined {
    return _id === this.#core.options.setName ? members.find(({ host }) => this.#core.isSelf(host)) : undefined;
  }

  /** What every message asks for is looked up once for each config. */
  #indexViews(config: ReplSetConfig): void {
    this.others = this.views.filter(({ isSelf }) => !isSelf);
    this.#voters = this.views.filter((view) => view.config.votes === 1);
    this.#majority = majorityVoteCount(config);
    this.#byId.clear();
    for (const view of this.views) this.#byId.set(view.config._id, view);
  }

  viewOf(host: string): MemberView | undefined {
    return this.views.find(({ config }) => config.host === host);
  }

  viewOfId(id: number): MemberView | undefined {
    return this.#byId.get(id);
  }

  /** Whether enough voters to win an election are seen up, this member included. */
  canSeeMajority(): boolean {
    if (this.config === undefined) return false;
    let visible = 0;
    for (const view of this.#voters) if (view.isSelf || view.up) visible += 1;
    return visible >= this.#majority;
  }

  // --- who is primary ---

  /** Who leads is no reason to raise topologyVersion: drivers hear of a primary from the primary itself. */
  primaryIndexMayHaveChanged(): void {
    const index = this.#findPrimary();
    if (index === this.primaryIndex) return;
    this.primaryIndex = index;
    this.#core.changed();
  }

  #findPrimary(): number {
    if (this.#host.elections.isLeader) return this.selfIndex;
    let found: MemberView | undefined;
    for (const view of this.views) {
      if (view.index === this.selfIndex || !view.up || view.state !== 'PRIMARY') continue;
      if (!found || view.term > found.term) found = view;
    }
    return found?.index ?? -1;
  }

  /** The metadata that rides on replies. */
  replData(): ReplData {
    const { commitPoint } = this.#host.positions;
    const source = this.#host.syncSource;
    return {
      term: this.term,
      lastOpCommitted: commitPoint.opTime,
      lastCommittedWallMs: commitPoint.wallMs,
      configVersion: this.config?.version ?? -2,
      configTerm: this.config?.term ?? -1,
      replicaSetId: this.config?.settings.replicaSetId,
      primaryIndex: this.primaryIndex,
      syncSourceIndex: source === undefined ? -1 : (this.viewOf(source)?.index ?? -1),
      isPrimary: this.#host.elections.isLeader,
    };
  }

  // --- signs of life ---

  /** Liveness is judged by it, wherever it came from. */
  heardFrom(view: MemberView): void {
    const wasStale = view.lastUpdateStale;
    view.heard(this.#core.now.monotonicMicros);
    if (wasStale && this.#host.elections.isLeader) this.#host.liveness.arm();
  }

  // --- positions ---

  /** An arbiter has no data: it is where the commit point is. */
  arbiterFollowsCommitPoint(): void {
    const { positions } = this.#host;
    if (!this.self?.arbiterOnly || positions.applied === positions.commitPoint) return;
    positions.written = positions.commitPoint;
    positions.applied = positions.commitPoint;
  }

  /** One member's entry of a received `replSetUpdatePosition`. */
  onPosition(position: MemberPosition): boolean {
    const view = this.viewOfId(position.memberId);
    if (!view || view.index === this.selfIndex) return view !== undefined;
    this.heardFrom(view);
    view.reportedProgress = true;
    view.written = forward(view.written, position.writtenOpTime, position.writtenWallTimeMs);
    view.applied = forward(view.applied, position.appliedOpTime, position.appliedWallTimeMs);
    view.durable = forward(view.durable, position.durableOpTime, position.durableWallTimeMs);
    return true;
  }

  /** The greatest applied opTime that members who are up report by heartbeat. */
  newestKnownApplied(): OpTime {
    let newest = this.#host.positions.applied.opTime;
    for (const view of this.others) {
      if (view.up) newest = maxOpTime(newest, view.heartbeat.applied);
    }
    return newest;
  }

  /** The greatest position of this member and of those that are up, no matter who reported it. Upstream: latestKnownAppliedOpTime. */
  newestKnown(position: 'applied' | 'written'): OpTime {
    let newest = this.#host.positions[position].opTime;
    for (const view of this.others) if (view.up) newest = maxOpTime(newest, view[position].opTime);
    return newest;
  }

  /** Cluster time moves with every opTime heard of. */
  sawOpTime(opTime: OpTime): void {
    this.#core.clusterTime = maxTimestamp(this.#core.clusterTime, opTime.ts);
  }
}
