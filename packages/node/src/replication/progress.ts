import {
  advanceCommitPoint,
  type KnownPosition,
  learnCommitPoint,
  type OpTimeAndWall,
  type Positions,
} from '@replsim/oplog';
import {
  type ErrorReply,
  isNullOpTime,
  type MemberPosition,
  NULL_OP_TIME,
  type OpTime,
  type ReplData,
  sameOpTime,
  type UpdatePositionCommand,
  writeMajority,
} from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import { showOpTime } from '../core/logValues.ts';
import type { MemberView } from '../topology/memberView.ts';
import type { Replication } from './replication.ts';

/**
 * Positions told upstream and the commit point.
 * Upstream: reporter.cpp, sync_source_feedback.cpp, topology_coordinator.cpp.
 */
export class Progress {
  readonly #core: Core;
  readonly #repl: Replication;
  /** The first entry of the own term, on a primary that has written it. */
  firstOpTimeOfMyTerm: OpTime | undefined;
  /** The entry before that one. */
  myTermFollows: OpTime | undefined;
  #reportUnderWay = false;
  #reportAgain = false;
  #keepAliveSet = false;
  readonly #fire = (): void => this.#onKeepAlive();

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  // --- the commit point ---

  /** Own or others' positions moved. */
  positionsChanged(): void {
    this.#core.wake();
    if (this.#repl.elections.isLeader) this.recompute();
  }

  /** A member that accepts writes has written: what counts towards the commit point has moved only if it need not be durable. */
  wroteLocally(): void {
    this.#core.wake();
    const { topology, elections } = this.#repl;
    if (elections.isLeader && !topology.config?.writeConcernMajorityJournalDefault) this.recompute();
  }

  /** On a primary: looks for a new commit point. */
  recompute(): void {
    const { topology, positions } = this.#repl;
    const { config } = topology;
    if (!config || !this.firstOpTimeOfMyTerm) return;
    const durably = config.writeConcernMajorityJournalDefault;
    const voterPositions: OpTime[] = [];
    for (const view of topology.views) {
      if (view.config.votes !== 1) continue;
      voterPositions.push(
        view.config.arbiterOnly ? NULL_OP_TIME : this.#positionOf(view)[durably ? 'durable' : 'written'].opTime,
      );
    }
    const next = advanceCommitPoint({
      voterPositions,
      writeMajority: writeMajority(config),
      firstOpTimeOfMyTerm: this.firstOpTimeOfMyTerm,
      commitPoint: positions.commitPoint.opTime,
    });
    if (!sameOpTime(next, positions.commitPoint.opTime)) this.#setCommitPoint(next, this.#wallOf(next));
  }

  /**
   * The set's first entry is committed at once: every new member begins with it. Upstream: SERVER-58721,
   * ReplicationCoordinatorImpl::processReplSetInitiate.
   */
  initiated({ opTime, wallMs }: OpTimeAndWall): void {
    this.#core.log('I', 'REPL', 5872100, 'The first entry is the commit point of the new set', {
      _lastCommittedOpTimeAndWallTime: `${showOpTime(opTime)}, ${new Date(wallMs).toISOString().replace('Z', '+00:00')}`,
    });
    this.#setCommitPoint(opTime, wallMs);
  }

  /** Metadata of another member's reply. */
  learn(data: ReplData, how: 'heartbeat' | 'sync source', toldBy: string): void {
    if (this.#repl.elections.isLeader) return;
    const { positions, topology } = this.#repl;
    const next = learnCommitPoint({
      commitPoint: positions.commitPoint,
      learned: { opTime: data.lastOpCommitted, wallMs: data.lastCommittedWallMs },
      lastWritten: positions.counted,
      fromSyncSource: how === 'sync source',
      isArbiter: topology.self?.arbiterOnly ?? false,
    });
    if (!sameOpTime(next.opTime, positions.commitPoint.opTime))
      this.#setCommitPoint(next.opTime, next.wallMs, { toldBy, how });
  }

  /** A first commit point, of a set that is initiated, is said apart. */
  #logNewTerm(opTime: OpTime, wallMs: number): void {
    const { t: oldTerm } = this.#repl.positions.commitPoint.opTime;
    if (opTime.t === oldTerm) return;
    this.#core.log('I', 'REPL', 6795400, 'Advancing committed opTime to a new term', {
      newCommittedOpTime: opTime,
      newCommittedWallime: new Date(wallMs),
      oldTerm,
    });
  }

  /** @param news of one that was learned */
  #setCommitPoint(
    opTime: OpTime,
    wallMs: number,
    news?: { readonly toldBy: string; readonly how: 'heartbeat' | 'sync source' },
  ): void {
    const { positions, topology, elections } = this.#repl;
    const learned = news !== undefined;
    this.#logNewTerm(opTime, wallMs);
    positions.commitPoint = { opTime, wallMs };
    // What a leader commits is of its own term: the first time, its term can be written to with a majority.
    if (!learned) elections.last.primaryship.majorityAvailableMs ??= this.#core.now.wallMs;
    if (this.#core.tracing) {
      // An arbiter has no data that could be stable.
      const stable = topology.self?.arbiterOnly ? {} : { stable: positions.stable };
      this.#core.trace({ type: 'commitPoint', opTime, learned, ...news, term: topology.term, ...stable });
    }
    this.#repl.onStableMoved();
    this.#core.wake();
  }

  #wallOf(opTime: OpTime): number {
    const { oplog } = this.#repl;
    return oplog.at(oplog.lowerBound(opTime.ts))?.wallMs ?? 0;
  }

  /** Positions of all members as write concerns count them. */
  knownPositions(): KnownPosition[] {
    return this.#repl.topology.views.map((view) => {
      const source = this.#positionOf(view);
      return {
        written: source.written.opTime,
        applied: source.applied.opTime,
        durable: source.durable.opTime,
        isArbiter: view.config.arbiterOnly,
        isVoter: view.config.votes === 1,
        tags: view.config.tags,
      };
    });
  }

  /** A member's position as it counts for others. */
  #positionOf(view: MemberView): Pick<Positions, 'written' | 'applied' | 'durable'> {
    const { topology, positions } = this.#repl;
    return view.index === topology.selfIndex ? positions.told : view;
  }

  // --- reports upstream ---

  /** Tells the sync source, unless a report is under way, after which the newest state follows. */
  report(): void {
    const { topology, syncSource } = this.#repl;
    const state = topology.state;
    if (syncSource === undefined || state === 'PRIMARY' || state === 'STARTUP2' || !topology.self) return;
    if (this.#reportUnderWay) {
      this.#reportAgain = true;
      return;
    }
    this.#reportUnderWay = true;
    this.#repl.metrics.network.replSetUpdatePosition.num += 1;
    this.#core.request(syncSource, 'progress', this.#updatePosition(), () => {
      // An error, such as a member that the source does not know yet, is no reason to stop.
      this.#reportUnderWay = false;
      const again = this.#reportAgain;
      this.#reportAgain = false;
      if (again) this.report();
    });
    this.#armKeepAlive();
  }

  #armKeepAlive(): void {
    if (this.#keepAliveSet) return;
    this.#keepAliveSet = true;
    this.#core.setTimer('progress', this.#fire, Math.min(this.#repl.topology.electionTimeoutMicros / 2, 30_000_000));
  }

  #onKeepAlive(): void {
    this.#keepAliveSet = false;
    // A report whose answer was lost must not silence this member forever.
    this.#reportUnderWay = false;
    this.report();
  }

  /** A new source knows nothing yet. */
  sourceChanged(): void {
    this.#reportUnderWay = false;
    this.report();
  }

  #updatePosition(): UpdatePositionCommand {
    const { topology, liveness } = this.#repl;
    const optimes: MemberPosition[] = [];
    const cfgver = topology.configInForce.version;
    for (const view of topology.views) {
      const isSelf = view.index === topology.selfIndex;
      // Downstream members are those that have reported. A member that fell silent is left out: repeated reports of it would keep
      // a primary in office that a majority cannot reach. Upstream: TopologyCoordinator::prepareReplSetUpdatePositionCommand.
      if (!isSelf && (!view.reportedProgress || liveness.isSilent(view))) continue;
      const source = this.#positionOf(view);
      if (isNullOpTime(source.applied.opTime)) continue;
      optimes.push({
        memberId: view.config._id,
        cfgver,
        durableOpTime: source.durable.opTime,
        durableWallTimeMs: source.durable.wallMs,
        appliedOpTime: source.applied.opTime,
        appliedWallTimeMs: source.applied.wallMs,
        writtenOpTime: source.written.opTime,
        writtenWallTimeMs: source.written.wallMs,
      });
    }
    return { replSetUpdatePosition: 1, optimes, $replData: topology.replData() };
  }

  /** A report from downstream. Errors: NotPrimaryOrSecondary 13436, NodeNotFound 74 with what is known taken over. */
  onUpdatePosition({ optimes, $replData }: UpdatePositionCommand, from: string): { readonly ok: 1 } | ErrorReply {
    const { topology, elections } = this.#repl;
    if (topology.state === 'REMOVED') {
      return { ok: 0, code: 13436, errmsg: 'Received replSetUpdatePosition command but we are in state REMOVED' };
    }
    if (this.#core.tracing) this.#core.trace({ type: 'positionsReceived', from, how: 'updatePosition', optimes });
    elections.updateTerm($replData.term, 'updatePosition', from);
    let unknown = 0;
    for (const position of optimes) if (!topology.onPosition(position)) unknown += 1;
    this.positionsChanged();
    if (!elections.isLeader) this.report();
    return unknown > 0 ? { ok: 0, code: 74, errmsg: 'Received replSetUpdatePosition for unknown member' } : { ok: 1 };
  }
}
