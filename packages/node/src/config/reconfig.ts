import { isClusterWideWriteConcernSet, type Operation } from '@replsim/operations';
import { noopOperation, quorumOf } from '@replsim/oplog';
import { checkCompatible, sameConfigContents, validateReplSetConfig, withAllVotes } from '@replsim/pipeline';
import {
  CommandError,
  implicitDefaultWriteConcern,
  isElectable,
  type ReplSetConfig,
  showConfigVersion,
  type Term,
  UNINITIALIZED_TERM,
} from '@replsim/protocol';
import { hangAt } from '../core/hang.ts';
import { needsOplogCommitment } from './commitment.ts';
import { wrapErrors } from './configErrors.ts';
import type { ConfigHost } from './configHost.ts';
import { findSelf } from './findSelf.ts';
import { checkQuorum } from './quorum.ts';
import { logParsed, logReconfigBegins, logSelfFound } from './reconfigLog.ts';

/**
 * Replaces the config in force: every check in mongod's order, the quorum, the no-op, the disk. When it returns, the new
 * config is in force on this member. Upstream: ReplicationCoordinatorImpl::_doReplSetReconfig.
 * @param makeConfig the new config from the one in force; what it throws refuses the change
 */
export function* runReconfig(
  host: ConfigHost,
  force: boolean,
  makeConfig: (old: ReplSetConfig, term: Term) => ReplSetConfig,
): Operation<void> {
  const { core, configuration, topology, localOplog } = host;
  checkSteady(host);
  logReconfigBegins(core);
  const isSafe = !force && core.traits.safeReconfig;
  if (!force) checkWritable(host);
  if (isSafe) checkCommitted(host);
  configuration.send({ type: 'reconfig' });
  const old = topology.configInForce;
  let stored = false;
  try {
    // Without terms, as before 4.4, configs are told apart by their version alone.
    const config = makeConfig(old, isSafe ? topology.term : UNINITIALIZED_TERM);
    yield* hangAt(core, 'hangBeforeNewConfigValidationChecks');
    checkMayFollow(host, old, config, force);
    logSelfFound(
      core,
      config.members.findIndex(({ host }) => core.isSelf(host)),
      force,
    );
    logParsed(core, config);
    if (!force) {
      core.log('I', 'REPL', 4509600, 'Executing quorum check for reconfig');
      if (!core.failPoints.enter('omitConfigQuorumCheck')) yield* checkQuorum(host, config, false);
      checkWritable(host);
    }
    core.log('I', 'REPL', 51814, 'Persisting new config to disk');
    if (!force) localOplog.writeEntry(noopOperation('Reconfig set', { version: config.version }));
    stored = true;
    configuration.send({ type: 'store', config });
  } finally {
    if (!stored) configuration.send({ type: 'refused' });
  }
  yield { type: 'wait', what: 'journal', ready: () => topology.config !== old };
  yield* hangAt(core, 'hangAfterReconfig');
}

/** Throws ConfigurationInProgress 109, NotWritablePrimary 10107, in this order. */
export function checkMayChange(host: ConfigHost, force: boolean): void {
  checkSteady(host);
  if (!force) checkWritable(host);
}

function checkSteady({ configuration }: ConfigHost): void {
  if (configuration.isSteady) return;
  throw new CommandError(
    'ConfigurationInProgress',
    'Cannot run replSetReconfig because the node is currently updating its configuration',
  );
}

function checkWritable({ elections, topology }: ConfigHost): void {
  if (elections.acceptsWrites) return;
  throw new CommandError(
    'NotWritablePrimary',
    `Safe reconfig is only allowed on a writable PRIMARY. Current state is ${topology.state}`,
  );
}

function checkCommitted({ configuration, topology, core }: ConfigHost): void {
  const config = topology.configInForce;
  const fail = (reason: string): never => {
    throw new CommandError('CurrentConfigNotCommittedYet', `Cannot run replSetReconfig because ${reason}`);
  };
  if (!configuration.commitment.isReplicated()) {
    fail(`the current config: ${showConfigVersion(config)} is not majority committed.`);
  }
  if (!needsOplogCommitment(config) || configuration.commitment.isOplogCommitted()) return;
  const configOplogCommitmentOpTime = configuration.commitment.opTime;
  core.log('I', 'REPL', 51816, 'What was committed in the previous config is not committed in the current one', {
    configOplogCommitmentOpTime,
  });
  fail('the last committed optime from the previous config is not committed in the current config.');
}

/** What a parsed config can still break, by itself, beside the one before it, and on this member. */
function checkMayFollow(host: ConfigHost, old: ReplSetConfig, config: ReplSetConfig, force: boolean): void {
  const { core, configuration } = host;
  // A new member's vote counts at once, so that the caller who adds it hears of the change, and not a primary that gives it its
  // vote later by itself and would be refused forever.
  if (
    core.traits.implicitMajority &&
    implicitDefaultWriteConcern(withAllVotes(old)) !== implicitDefaultWriteConcern(withAllVotes(config)) &&
    !isClusterWideWriteConcernSet(core.engine)
  ) {
    throw new CommandError(
      'NewReplicaSetConfigurationIncompatible',
      'Reconfig attempted to install a config that would change the implicit default write concern. Use the setDefaultRWConcern command to set a cluster-wide write concern and try the reconfig again.',
    );
  }
  checkDefaultMode(host, config);
  wrapErrors('NewReplicaSetConfigurationIncompatible', () =>
    validateReplSetConfig(config, configuration.validationRules),
  );
  checkCompatible(old, config, force || !core.traits.safeReconfig);
  if (sameConfigContents(old, config)) return;
  const self = findSelf(core, config);
  if (!self) {
    throw new CommandError(
      'NodeNotFound',
      `No host described in new configuration with ${showConfigVersion(config)} for replica set ${config._id} maps to this node`,
    );
  }
  if (!force && !isElectable(self)) {
    throw new CommandError(
      'NodeNotElectable',
      `This node, ${self.host}, with _id ${self._id} is not electable under the new configuration with ${showConfigVersion(config)} for replica set ${config._id}`,
    );
  }
}

/** The mode that stands as everybody's default may not go. Upstream: ReplSetConfig::validateWriteConcern. */
function checkDefaultMode({ defaults }: ConfigHost, config: ReplSetConfig): void {
  const w = defaults.stored?.defaultWriteConcern?.w;
  const answer = w === undefined ? undefined : quorumOf(config, w);
  if (!answer || !('code' in answer) || answer.code === 'UnsatisfiableWriteConcern') return;
  throw new CommandError(
    'NewReplicaSetConfigurationIncompatible',
    'May not remove custom write concern definition from config while it is in use as the default write concern. Change the default write concern to a non-conflicting setting and try the reconfig again.',
  );
}
