import {
  chooseSyncSource,
  closerSyncSource,
  memberToChangeTo,
  type ReasonToChange,
  reasonToChangeSyncSource,
  type SourceMetadata,
  type SourceReadPreference,
} from '@replsim/oplog';
import { maxOpTime, NULL_OP_TIME, type OpTime } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import { showOpTime } from '../core/logValues.ts';
import type { Replication } from './replication.ts';
import { SourceQuestion } from './sourceQuestion.ts';

const AN_HOUR_MICROS = 3_600_000_000;

const CANDIDATE = 'forceSyncSourceCandidate';

/** Why a source is left, as the log says it. Upstream: topology_coordinator.cpp. */
const LEAVING: Readonly<Record<ReasonToChange, readonly [id: number, msg: string]>> = {
  forced: [21829, 'Leaving the sync source because another one was requested'],
  notInConfig: [21831, 'Leaving the sync source because it is not in the config'],
  chainingDisabled: [3962100, 'Leaving the sync source because chaining is disabled and it is not the primary'],
  noSourceAndNotAhead: [21832, 'Leaving the sync source because it has no source, is not primary and not ahead'],
  cycle: [5898800, 'Leaving the sync source because it waits for this primary, which is catching up'],
  lag: [21834, 'Leaving the sync source because it lags too far behind another member'],
  betterKind: [5929000, 'Leaving the sync source because another member meets the strict criteria, and it does not'],
};

/**
 * What a member knows that bears on the choice of a sync source: whom it has put aside, who was asked for, how often it
 * has chosen. Upstream: topology_coordinator.cpp, the part about sync sources.
 */
export class SyncSources {
  readonly #core: Core;
  readonly #repl: Replication;
  /** Until when a host is put aside, µs of the monotonic clock. */
  readonly #denylist = new Map<string, number>();
  /** When the last sources were chosen, µs of the monotonic clock. */
  readonly #choices: number[] = [];
  /** The host that `replSetSyncFrom` named, until it is chosen. */
  #forced: string | undefined;
  /** The source in use was asked for. */
  chosenByCommand = false;

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  putAside(host: string, forMs: number): void {
    this.#denylist.set(host, this.#core.now.monotonicMicros + forMs * 1000);
  }

  /** The next choice falls on this member, once. */
  force(host: string): void {
    this.#forced = host;
  }

  /** Steady state: anybody near, or the primary alone. A primary that is catching up takes whom it can get. */
  get readPreference(): SourceReadPreference {
    return this.#chainingAllowed || this.#repl.elections.isLeader ? 'nearest' : 'primary';
  }

  /** Upstream: ReplicationCoordinatorImpl::_getInitialSyncReadPreference and its callers. */
  get initialSyncReadPreference(): SourceReadPreference {
    const asked = this.#repl.host.parameters.text('initialSyncSourceReadPreference');
    if (asked !== '') return asked as SourceReadPreference;
    if (!this.#chainingAllowed) return 'primary';
    return this.#repl.topology.self?.votes === 1 ? 'primaryPreferred' : 'nearest';
  }

  get #chainingAllowed(): boolean {
    const { topology, host } = this.#repl;
    return (
      topology.configInForce.settings.chainingAllowed || host.parameters.bool('enableOverrideClusterChainingSetting')
    );
  }

  isDenylisted(host: string): boolean {
    return (this.#denylist.get(host) ?? 0) > this.#core.now.monotonicMicros;
  }

  get choicesInLastHour(): number {
    const horizon = this.#core.now.monotonicMicros - AN_HOUR_MICROS;
    while (this.#choices[0] !== undefined && this.#choices[0] <= horizon) this.#choices.shift();
    return this.#choices.length;
  }

  /** The host that was asked for and not tried yet. One that has left the config is not waited for. */
  get forced(): string | undefined {
    if (this.#forced !== undefined && !this.#repl.topology.viewOf(this.#forced)) this.#forced = undefined;
    return this.#forced;
  }

  /** Whom to fetch from; undefined: nobody will do now. */
  choose(lastFetched: OpTime, readPreference = this.readPreference): string | undefined {
    const { topology } = this.#repl;
    const { syncSource: before } = this.#repl;
    const byFailPoint = topology.self && this.forced === undefined && this.#core.failPoints.enter(CANDIDATE);
    if (byFailPoint) return this.#chooseCandidate(byFailPoint.hostAndPort);
    const chosen = topology.self && chooseSyncSource(this.#question(lastFetched, readPreference));
    this.chosenByCommand = chosen !== undefined && chosen === this.#forced;
    this.#forced = this.chosenByCommand ? undefined : this.#forced;
    if (chosen !== undefined) this.#choices.push(this.#core.now.monotonicMicros);
    this.#tell(chosen, before);
    return chosen;
  }

  /**
   * Whom `forceSyncSourceCandidate` names, whatever speaks against that member but that it is put aside; one that is not in the
   * config ends the process. Upstream: TopologyCoordinator::_chooseSyncSourceInitialChecks.
   */
  #chooseCandidate(hostAndPort: unknown): string | undefined {
    const { topology } = this.#repl;
    const named = String(hostAndPort);
    const host = (topology.viewOf(named) ?? topology.viewOf(`${named}:27017`))?.host;
    if (host === undefined) {
      const [id, fatalId] = hostAndPort === undefined ? [50835, 50835] : [3873118, 50836];
      const detail = `the fail point ${CANDIDATE} has to name a member as hostAndPort, and has ${named}`;
      this.#core.log('F', 'REPL', id, detail);
      this.#core.push({ type: 'exit', how: 'fatal', detail: `fatal assertion ${fatalId}, ${detail}` });
      return undefined;
    }
    if (this.isDenylisted(host)) {
      this.#core.log('I', 'REPL', 3873119, 'The forced sync source is put aside', { syncSourceCandidate: host });
      return undefined;
    }
    this.chosenByCommand = false;
    this.#choices.push(this.#core.now.monotonicMicros);
    const how = `by '${CANDIDATE}' parameter`;
    this.#repl.topology.infoMessage.say(`syncing from: ${host} ${how}`, this.#core.now.monotonicMicros);
    this.#core.log('I', 'REPL', 21781, `Choosing sync source ${how}`, { syncSource: host });
    return host;
  }

  #tell(chosen: string | undefined, before: string | undefined): void {
    const say = (text: string) => this.#repl.topology.infoMessage.say(text, this.#core.now.monotonicMicros);
    if (chosen === undefined) {
      say('Could not find member to sync from');
      if (before !== undefined) this.#core.log('I', 'REPL', 21798, 'Could not find member to sync from');
    } else if (this.chosenByCommand) {
      say(`syncing from: ${chosen} by request`);
      this.#core.log('I', 'REPL', 21782, 'Choosing sync source by request', { syncSource: chosen });
    } else {
      say(`syncing from: ${chosen}`);
      this.#core.log('I', 'REPL', 21799, 'Sync source candidate chosen', { syncSource: chosen });
    }
  }

  /**
   * Whether the source of a batch is to be left, and the batch kept.
   * @param metadata the source's word in the batch; undefined after an error
   */
  shouldLeave(source: string, lastFetched: OpTime, metadata: SourceMetadata | undefined): boolean {
    // Asked for and found in place: nothing to do, but that no shorter ping may change it.
    if (this.#forced === source) {
      this.#forced = undefined;
      this.chosenByCommand = true;
    }
    if (!this.#repl.topology.self) return false;
    const question = this.#question(lastFetched, this.readPreference, source, metadata);
    const reason = reasonToChangeSyncSource(question);
    if (reason === undefined) return false;
    const [id, msg] = LEAVING[reason];
    this.#core.log('I', 'REPL', id, msg, this.#leavingAttr(reason, question));
    return true;
  }

  /** Upstream: topology_coordinator.cpp, _shouldChangeSyncSource…, with its spelling of names. */
  #leavingAttr(reason: ReasonToChange, question: SourceQuestion): Readonly<Record<string, unknown>> {
    const { source: syncSource, lastFetched: lastOpTimeFetched, metadata } = question;
    const { topology } = this.#repl;
    const known = topology.viewOf(syncSource)?.heartbeat.applied ?? NULL_OP_TIME;
    const latest = metadata ? maxOpTime(known, metadata.lastOpApplied) : known;
    const ahead = { syncSource, lastOpTimeFetched, syncSourceLatestOplogOpTime: latest };
    const other = memberToChangeTo(question, reason);
    switch (reason) {
      case 'forced':
        return { syncSource: question.forced };
      case 'notInConfig':
        return { currentSyncSource: syncSource };
      case 'chainingDisabled':
        return { syncSource, newPrimary: topology.primaryHost };
      case 'noSourceAndNotAhead':
        return { ...ahead, isPrimary: metadata?.isPrimary ?? false };
      case 'cycle':
        return ahead;
      case 'lag':
        return {
          syncSource,
          syncSourceOpTime: showOpTime(latest),
          maxSyncSourceLagSecsSeconds: question.maxSyncSourceLagSecs,
          otherMember: other?.host,
          otherMemberHearbeatAppliedOpTime: showOpTime(other?.lastApplied ?? NULL_OP_TIME),
        };
      case 'betterKind':
        return { currentSyncSource: syncSource, eligibleCandidateSyncSource: other?.host };
    }
  }

  /** Whether a source is to be left for one much nearer, and the batch in hand dropped. @param before without the batch */
  shouldLeaveForCloser(source: string, before: OpTime): boolean {
    const { parameters } = this.#repl.host;
    if (!this.#repl.topology.self) return false;
    const closer = closerSyncSource(this.#question(before, this.readPreference, source));
    if (!closer) return false;
    this.#repl.metrics.syncSource.numSyncSourceChangesDueToSignificantlyCloserNode += 1;
    this.#core.log('I', 'REPL', 4744901, 'Leaving the sync source because another member is much closer', {
      syncSourcePingTime: this.#repl.topology.viewOf(source)?.pingMs ?? 0,
      changeSyncSourceThreshold: parameters.number('changeSyncSourceThresholdMillis'),
      candidateNode: closer.host,
      candidatePingTime: closer.pingMs,
    });
    return true;
  }

  #question(
    lastFetched: OpTime,
    readPreference: SourceReadPreference,
    source = '',
    metadata?: SourceMetadata,
  ): SourceQuestion {
    return new SourceQuestion(this.#repl, lastFetched, readPreference, source, metadata);
  }
}
