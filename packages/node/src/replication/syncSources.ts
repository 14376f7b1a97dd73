import {
  chooseSyncSource,
  closerSyncSource,
  type ReasonToChange,
  reasonToChangeSyncSource,
  type SourceCandidate,
  type SourceMetadata,
  type SourceReadPreference,
  type SyncSourceQuestion,
} from '@replsim/oplog';
import type { OpTime } from '@replsim/protocol';
import type { Core } from '../core.ts';
import type { MemberView } from '../topology/memberView.ts';
import type { Replication } from './replication.ts';

const AN_HOUR_MICROS = 3_600_000_000;

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
  #choices: number[] = [];
  /** The host that `replSetSyncFrom` named, until it is chosen. */
  #forced: string | undefined;
  #chosenByCommand = false;

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
    const asked = this.#repl.parts.parameters.text('initialSyncSourceReadPreference');
    if (asked !== '') return asked as SourceReadPreference;
    if (!this.#chainingAllowed) return 'primary';
    return this.#repl.topology.self?.votes === 1 ? 'primaryPreferred' : 'nearest';
  }

  get #chainingAllowed(): boolean {
    const { topology, parts } = this.#repl;
    return topology.config!.settings.chainingAllowed || parts.parameters.bool('enableOverrideClusterChainingSetting');
  }

  /** Whom to fetch from; undefined: nobody will do now. */
  choose(lastFetched: OpTime, readPreference = this.readPreference): string | undefined {
    const { topology } = this.#repl;
    const { syncSource: before } = this.#repl;
    const chosen = topology.self && chooseSyncSource(this.#question(lastFetched, readPreference));
    this.#chosenByCommand = chosen !== undefined && chosen === this.#forced;
    this.#forced = this.#chosenByCommand ? undefined : this.#forced;
    if (chosen !== undefined) this.#choices.push(this.#core.now.monotonicMicros);
    this.#tell(chosen, before);
    return chosen;
  }

  #tell(chosen: string | undefined, before: string | undefined): void {
    const say = (text: string) => this.#repl.topology.infoMessage.say(text, this.#core.now.monotonicMicros);
    if (chosen === undefined) {
      say('could not find member to sync from');
      if (before !== undefined) this.#core.log('I', 'REPL', 21798, 'Could not find member to sync from');
    } else if (this.#chosenByCommand) {
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
      this.#chosenByCommand = true;
    }
    if (!this.#repl.topology.self) return false;
    const reason = reasonToChangeSyncSource({
      ...this.#question(lastFetched, this.readPreference),
      source,
      metadata,
      chainingAllowed: this.readPreference === 'nearest',
      chainingOffNeedsNewPrimary: this.#core.traits.chainingOffNeedsNewPrimary,
    });
    if (reason === undefined) return false;
    const [id, msg] = LEAVING[reason];
    this.#core.log('I', 'REPL', id, msg, { syncSource: source, lastOpTimeFetched: lastFetched });
    return true;
  }

  /** Whether a source is to be left for one much nearer, and the batch in hand dropped. @param before without the batch */
  shouldLeaveForCloser(source: string, before: OpTime): boolean {
    const { parameters } = this.#repl.parts;
    if (!this.#repl.topology.self) return false;
    const question = this.#question(before, this.readPreference);
    const closer = closerSyncSource({
      ...question,
      source,
      thresholdMillis: parameters.number('changeSyncSourceThresholdMillis'),
      maxChangesPerHour: parameters.number('maxNumSyncSourceChangesPerHour'),
      changesInLastHour: this.#choicesInLastHour(),
      chosenByCommand: this.#chosenByCommand,
      inInitialSync: false,
    });
    if (!closer) return false;
    this.#repl.metrics.syncSource.numSyncSourceChangesDueToSignificantlyCloserNode += 1;
    this.#core.log('I', 'REPL', 4744901, 'Leaving the sync source because another member is much closer', {
      syncSource: source,
      syncSourcePingTime: question.members.find(({ host }) => host === source)?.pingMs ?? 0,
      changeSyncSourceThreshold: parameters.number('changeSyncSourceThresholdMillis'),
      candidateNode: closer.host,
      candidatePingTime: closer.pingMs,
    });
    return true;
  }

  #choicesInLastHour(): number {
    const horizon = this.#core.now.monotonicMicros - AN_HOUR_MICROS;
    this.#choices = this.#choices.filter((at) => at > horizon);
    return this.#choices.length;
  }

  #question(lastFetched: OpTime, readPreference: SourceReadPreference): SyncSourceQuestion {
    const { topology, parts } = this.#repl;
    const now = this.#core.now.monotonicMicros;
    const self = topology.self!;
    return {
      members: topology.views.map((view) => candidateOf(view, view.index === topology.selfIndex)),
      self: {
        host: self.host,
        isVoter: self.votes === 1,
        buildsIndexes: self.buildIndexes,
        secondaryDelaySecs: self.secondaryDelaySecs,
      },
      lastFetched,
      primaryHost: topology.primaryHost,
      readPreference,
      forced: this.#forcedMember(),
      roundTrips: topology.others.reduce((sum, { series }) => sum + series.roundTrips, 0),
      isDenylisted: (host) => (this.#denylist.get(host) ?? 0) > now,
      maxSyncSourceLagSecs: parts.parameters.number('maxSyncSourceLagSecs'),
      preferPrimaryWithinMs: this.#core.traits.syncSourcePrefersPrimary
        ? parts.parameters.number('changeSyncSourceThresholdMillis')
        : undefined,
    };
  }

  /** A member that was asked for and has left the config is not waited for. */
  #forcedMember(): string | undefined {
    if (this.#forced !== undefined && !this.#repl.topology.viewOf(this.#forced)) this.#forced = undefined;
    return this.#forced;
  }
}

function candidateOf(view: MemberView, isSelf: boolean): SourceCandidate {
  const { config } = view;
  return {
    host: config.host,
    isSelf,
    up: view.up,
    state: view.state,
    lastApplied: view.heartbeat.applied,
    isVoter: config.votes === 1,
    hidden: config.hidden,
    buildsIndexes: config.buildIndexes,
    secondaryDelaySecs: config.secondaryDelaySecs,
    pingMs: Math.trunc(view.pingMs),
  };
}
