import { noopOperation } from '@replsim/oplog';
import { isNewerConfig, isNullOpTime, type ReplSetConfig, UNINITIALIZED_TERM } from '@replsim/protocol';
import type { Core } from '../core.ts';
import type { Replication } from '../replication/replication.ts';
import { encodeReplSetConfig } from './replSetConfig.ts';

/**
 * How configs come into force on one member: by `replSetInitiate`, by reconfig, by heartbeat, by its own election.
 * Upstream: replication_coordinator_impl.cpp and replication_coordinator_impl_heartbeat.cpp, their config parts.
 */
export class Configuration {
  readonly #core: Core;
  readonly #repl: Replication;
  /** A config that came by heartbeat is on its way to disk. */
  #storing = false;

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  /** A config comes into force on a member that had none, or was not in it: its part in the set begins. */
  enter(config: ReplSetConfig, resync = false): void {
    this.install(config);
    const { topology, positions, initialSyncer } = this.#repl;
    const { self, followerMode } = topology;
    if (!self || self.arbiterOnly || followerMode !== 'STARTUP2') return;
    if (resync || isNullOpTime(positions.applied.opTime)) {
      initialSyncer.start();
      return;
    }
    this.#repl.follow('RECOVERING');
    this.#repl.tryBecomeSecondary();
  }

  install(config: ReplSetConfig): void {
    const { topology, elections, progress } = this.#repl;
    topology.install(config);
    elections.configChanged();
    progress.positionsChanged();
  }

  /** A config that another member has and I lack: checked, stored, then put in force. */
  onNewerConfig(config: ReplSetConfig): void {
    const { topology, elections } = this.#repl;
    const mine = topology.config;
    if (this.#storing || (mine && !isNewerConfig(config, mine))) return;
    if (elections.isCandidate) return;
    if (elections.isLeader && !elections.acceptsWrites && config.term !== -1) return;
    const contained = config.members.some(({ host }) => host === this.#core.host);
    if (!mine && !contained) return;
    this.#storing = true;
    this.store(config, () => {
      this.#storing = false;
      // A member that was never in the set, or was removed before it began, starts its part now.
      if (topology.self) this.install(config);
      else this.enter(config);
    });
  }

  /** Writes a config to `local.system.replset`; `then` runs when it is durable. */
  store(config: ReplSetConfig, then: () => void): void {
    const { local, journal } = this.#repl.parts;
    local.set('local.system.replset', encodeReplSetConfig(config));
    journal.whenDurable(then);
  }

  /** `replSetInitiate` on this member: the first entry, the config, and the way to SECONDARY. */
  initiate(config: ReplSetConfig): void {
    const { localOplog, positions } = this.#repl;
    const entry = localOplog.writeEntry(noopOperation('initiating set'));
    positions.initialData = entry.opTime;
    this.store(config, () => this.enter(config));
  }

  /**
   * At the end of drain: the same config with the new term, so that every failover moves `configTerm`. `then` runs at
   * once where a forced config has no term, and never when another config or a step-down came in between.
   */
  raiseTerm(then: () => void): void {
    const { topology, elections } = this.#repl;
    const config = topology.config!;
    if (config.term === UNINITIALIZED_TERM) return then();
    const raised = { ...config, term: topology.term };
    this.store(raised, () => {
      if (elections.mode !== 'drain' || topology.term !== raised.term) return;
      if (topology.config !== config) return this.raiseTerm(then);
      this.install(raised);
      then();
    });
  }
}
