import { NULL_POSITION } from '@replsim/oplog';
import {
  encodeReplSetConfig,
  sameConfigContents,
  shownConfig,
  type ValidationRules,
  validateReplSetConfig,
} from '@replsim/pipeline';
import {
  CommandError,
  isElectable,
  isNewerConfig,
  isNullOpTime,
  type ReplSetConfig,
  required,
  showConfigVersion,
  UNINITIALIZED_TERM,
} from '@replsim/protocol';
import { initialTransition, type SnapshotFrom, transition } from 'xstate';
import type { Core } from '../core/core.ts';
import { hangBefore } from '../core/hang.ts';
import { statusAttr } from '../core/logValues.ts';
import { steppedMachine } from '../core/steppedMachine.ts';
import { Threads } from '../core/threads.ts';
import type { MemberView } from '../topology/memberView.ts';
import { ConfigCommitment } from './configCommitment.ts';
import type { ConfigChange, ConfigHost } from './configHost.ts';
import { type ConfigEvent, configMachine } from './configMachine.ts';
import { logParsed, logReconfigBegins, logSelfFound } from './reconfigLog.ts';
import { removeNewlyAdded } from './removeNewlyAdded.ts';

const MACHINE = steppedMachine(configMachine);
const [INITIAL] = initialTransition(MACHINE);

/** As lines name them. Upstream: ReplicationCoordinatorImpl::getConfigStateString. */
const LOGGED_STATES: Readonly<Record<string, string>> = {
  preStart: 'ConfigPreStart',
  startingUp: 'ConfigStartingUp',
  replicationDisabled: 'ConfigReplicationDisabled',
  uninitialized: 'ConfigUninitialized',
  steady: 'ConfigSteady',
  initiating: 'ConfigInitiating',
  reconfiguring: 'ConfigReconfiguring',
  hbReconfiguring: 'ConfigHBReconfiguring',
};

/** The error of a config that this member is not in. Upstream: repl_set_config_checks.cpp, findSelfInConfig. */
function selfNotFound(config: ReplSetConfig): Readonly<Record<string, unknown>> {
  const where = `configuration with ${showConfigVersion(config)} for replica set ${config._id}`;
  return statusAttr(new CommandError('NodeNotFound', `No host described in new ${where} maps to this node`));
}

/**
 * The configuration of one member: carries out what the config statechart asks for, and knows when it may be asked.
 * Upstream: replication_coordinator_impl.cpp and replication_coordinator_impl_heartbeat.cpp, their config parts.
 */
export class Configuration implements ConfigChange {
  readonly #core: Core;
  readonly #host: ConfigHost;
  readonly commitment: ConfigCommitment;
  #snapshot: SnapshotFrom<typeof MACHINE> = INITIAL;
  #initialSyncUnfinished = false;
  #storageThreadsStarted = false;
  /** What waits for the change under way to be in force. */
  #afterInstall: (() => void) | undefined;
  /** Members whose `newlyAdded` is being removed. */
  readonly #removing = new Set<number>();

  constructor(core: Core, host: ConfigHost) {
    this.#core = core;
    this.#host = host;
    this.commitment = new ConfigCommitment(host);
  }

  // --- the statechart ---

  /** One of the machine's states, such as `steady` or `reconfiguring`. */
  get state(): string {
    const { value } = this.#snapshot;
    return typeof value === 'string' ? value : required(Object.keys(value)[0], 'state');
  }

  /** No change is under way: the only time for elections and for the next change. */
  get isSteady(): boolean {
    return this.state === 'steady';
  }

  send(event: ConfigEvent): void {
    const oldState = LOGGED_STATES[this.state];
    const [snapshot, actions] = transition(MACHINE, this.#snapshot, event);
    this.#snapshot = snapshot;
    const newState = LOGGED_STATES[this.state];
    if (newState !== oldState) {
      this.#core.log('I', 'REPL', 6015317, 'Setting new configuration state', { newState, oldState });
    }
    this.#core.wake();
    for (const action of actions) this.#perform(action as { type: string; params: unknown });
  }

  #perform({ type, params }: { type: string; params: unknown }): void {
    if (type === 'storeConfig') this.#store((params as { config: ReplSetConfig }).config);
    else if (type === 'installConfig') {
      const { config, byHeartbeat } = params as { config: ReplSetConfig; byHeartbeat: boolean };
      this.#install(config, byHeartbeat);
    }
  }

  // --- the ways by which a config comes into force ---

  /** Called once, after the disk was read. */
  start(config: ReplSetConfig | undefined, initialSyncUnfinished: boolean): void {
    this.#initialSyncUnfinished = initialSyncUnfinished;
    this.#core.as(Threads.main, () => {
      this.send({ type: 'startUp' });
      if (!config) this.send({ type: 'loaded', config });
    });
    if (!config) return;
    this.#logMisfit(config);
    this.send({ type: 'loaded', config });
  }

  /** What was stored is not about this member: it starts as REMOVED. Upstream: _finishLoadLocalConfig. */
  #logMisfit(config: ReplSetConfig): void {
    const { setName } = this.#core.options;
    if (config._id !== setName) {
      const attr = { localConfigSetName: config._id, commandLineSetName: setName };
      this.#core.log('W', 'REPL', 21406, 'The stored config is that of another set; waiting for a reconfig', attr);
    } else if (!this.#host.topology.findSelf(config)) {
      const attr = { error: selfNotFound(config), localConfig: shownConfig(config, this.#core.traits) };
      this.#core.log('W', 'REPL', 21405, 'The stored config does not contain this member; waiting for another', attr);
    }
  }

  /**
   * A config that another member has: checked, stored, then put in force, unless the moment is wrong.
   * Upstream: ReplicationCoordinatorImpl::_scheduleHeartbeatReconfig.
   */
  onNewerConfig(config: ReplSetConfig): void {
    const { topology, elections } = this.#host;
    const mine = topology.config;
    if (mine && !isNewerConfig(config, mine)) return;
    if (!this.isSteady && this.state !== 'uninitialized') return;
    const newConfigVersionAndTerm = showConfigVersion(config);
    this.#core.debug(1, 'REPL_HB', 4615622, 'A newer config came by heartbeat', { newConfigVersionAndTerm });
    // A primary that is not writable yet puts its own term into its config first; a forced one need not wait for that.
    if (elections.isLeader && !elections.acceptsWrites && config.term !== UNINITIALIZED_TERM) {
      this.#core.debug(1, 'REPL_HB', 4794900, 'Not taking over a config from a heartbeat before writes are accepted');
      return;
    }
    if (elections.isCandidate) return;
    const contained = config.members.some(({ host }) => this.#core.isSelf(host));
    if (!mine && !contained) return;
    if (this.#isValid(config)) this.send({ type: 'heardOfNewer', config });
  }

  #isValid(config: ReplSetConfig): boolean {
    try {
      validateReplSetConfig(config, this.validationRules);
      return true;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.#core.log('W', 'REPL', 21487, 'Not persisting a config from a heartbeat, because it is invalid', {
        error: statusAttr(error),
      });
      return false;
    }
  }

  /**
   * At the end of drain: the same config with the new term, without asking anybody, so that every failover moves
   * `configTerm`. `then` runs at once where a forced config has no term or is on its way, and never after a step-down.
   * Upstream: ReplicationCoordinatorImpl::signalDrainComplete.
   */
  raiseTerm(then: () => void): void {
    const { topology, elections } = this.#host;
    const { term } = topology;
    const config = topology.configInForce;
    if (config.term === UNINITIALIZED_TERM || !this.isSteady) return then();
    this.#core.log('I', 'REPL', 4508103, 'Increment the config term via reconfig');
    logReconfigBegins(this.#core);
    this.send({ type: 'reconfig' });
    logSelfFound(this.#core, topology.selfIndex, false);
    logParsed(this.#core, config);
    this.#core.log('I', 'REPL', 51814, 'Persisting new config to disk');
    this.#afterInstall = () => {
      if (elections.isDraining && topology.term === term) then();
    };
    this.send({ type: 'store', config: { ...config, term } });
  }

  /** Writes a config to `local.system.replset`. The vote and the config are durable before they count. */
  #store(config: ReplSetConfig): void {
    const { local, journal, checkpoints } = this.#host;
    local.set('local.system.replset', encodeReplSetConfig(config, { traits: this.#core.traits }));
    if (this.state === 'initiating') {
      const { thread } = this.#core;
      const taken = () => this.#core.as(thread, () => this.send({ type: 'stored' }));
      journal.whenDurable(() => checkpoints.take(taken));
      return;
    }
    const attr = { newConfigVersionAndTerm: showConfigVersion(config) };
    const byHeartbeat = this.state === 'hbReconfiguring';
    if (byHeartbeat)
      this.#core.debug(2, 'REPL_HB', 4615626, 'The config from a heartbeat is valid; persisting it', attr);
    journal.whenDurable(() => {
      if (byHeartbeat) {
        this.#core.debug(2, 'REPL_HB', 4615627, 'The config from a heartbeat is persisted; installing it', attr);
      } else this.#core.log('I', 'REPL', 6015315, 'Persisted new config to disk');
      const install = () => this.send({ type: 'stored' });
      const hanging = { name: 'blockHeartbeatReconfigFinish', desc: Threads.replCoord } as const;
      if (byHeartbeat) hangBefore(this.#core, this.#host.scheduler, hanging, install);
      else install();
    });
  }

  // --- installing ---

  /** Upstream: ReplicationCoordinatorImpl::_setCurrentRSConfig. */
  #install(config: ReplSetConfig, byHeartbeat: boolean): void {
    const { topology, elections, progress, positions, heartbeats, liveness } = this.#host;
    const old = topology.config;
    const before = topology.self;
    const self = topology.findSelf(config);
    if (old && !before && self) topology.memberMode.send('returned');
    if (elections.isLeader && !(self && isElectable(self))) this.#logStepDown(byHeartbeat);
    if (byHeartbeat && !self) {
      const error = selfNotFound(config);
      this.#core.log('I', 'REPL', 21482, 'Cannot find self in the new config; I must be removed', { error });
    }
    topology.install(config);
    // What an arbiter calls its position is the set's commit point. From now on it would count for what it holds.
    if (before?.arbiterOnly && !self?.arbiterOnly) positions.reset(NULL_POSITION);
    this.#logPlace(config, self !== undefined);
    elections.configChanged();
    heartbeats.restart();
    topology.stateMayHaveChanged();
    if (elections.isLeader) liveness.arm();
    this.commitment.configChanged();
    if (old && this.#changesCommittedSnapshot(old, config)) positions.dropCommittedSnapshot();
    progress.positionsChanged();
    if ((!before || before.arbiterOnly) && self && !self.arbiterOnly) this.#beginReplication();
    const then = this.#afterInstall;
    this.#afterInstall = undefined;
    then?.();
  }

  /** What "committed" means changed, or who has to have it changed without anybody's consent. */
  #changesCommittedSnapshot(old: ReplSetConfig, config: ReplSetConfig): boolean {
    if (old.writeConcernMajorityJournalDefault !== config.writeConcernMajorityJournalDefault) return true;
    return config.term === UNINITIALIZED_TERM && !sameConfigContents(old, config);
  }

  #logStepDown(byHeartbeat: boolean): void {
    if (byHeartbeat) this.#core.log('I', 'REPL', 21481, 'Stepping down from primary: a config came by heartbeat');
    else this.#core.log('I', 'REPL', 21355, 'Stepping down from primary: a new config was received');
  }

  #logPlace(config: ReplSetConfig, isMember: boolean): void {
    this.#core.log('I', 'REPL', 21392, 'New replica set config in use', {
      config: shownConfig(config, this.#core.traits),
    });
    const attr = { hostAndPort: this.#core.host };
    if (isMember) return this.#core.log('I', 'REPL', 21393, 'Found self in config', attr);
    this.#core.log('I', 'REPL', 21394, 'This node is not a member of the config');
  }

  /** Starts replication on a member that was never in the set, was removed, or was an arbiter without data. Upstream: _startDataReplication. */
  #beginReplication(): void {
    const { positions, initialSyncer, topology } = this.#host;
    if (!this.#storageThreadsStarted) this.#core.log('I', 'REPL', 21306, 'Starting replication storage threads');
    this.#storageThreadsStarted = true;
    if (this.#initialSyncUnfinished || isNullOpTime(positions.applied.opTime)) {
      this.#initialSyncUnfinished = false;
      initialSyncer.start();
      return;
    }
    if (topology.followerMode === 'STARTUP2') this.#host.follow('RECOVERING');
    this.#host.tryBecomeSecondary();
  }

  /** What this process's parameters allow in a config. */
  get validationRules(): ValidationRules {
    const { parameters } = this.#host;
    return {
      allowMultipleArbiters: parameters.bool('allowMultipleArbiters'),
      skipShardingConfigurationChecks: parameters.bool('skipShardingConfigurationChecks'),
    };
  }

  // --- newlyAdded ---

  /** A writable primary that hears of a newly added member past its initial sync gives it its vote. */
  onHeartbeatFrom(view: MemberView): void {
    const { elections, scheduler, fsyncLock } = this.#host;
    if (!view.config.newlyAdded || !elections.acceptsWrites || !this.isSteady) return;
    if (view.state !== 'SECONDARY' && view.state !== 'RECOVERING' && view.state !== 'ROLLBACK') return;
    if (this.#core.failPoints.enter('doNotRemoveNewlyAddedOnHeartbeats')) return;
    const id = view.config._id;
    if (this.#removing.has(id)) return;
    this.#removing.add(id);
    const labels = {
      desc: Threads.replCoord,
      ns: 'local.system.replset',
      commandName: 'replSetReconfig',
      killable: 'whenNotPrimary',
    } as const;
    scheduler.run(labels, fsyncLock.stop(removeNewlyAdded(this.#host, id)), () => this.#removing.delete(id));
  }
}
