import { CommandError, decodePromoted, isNewerConfig, majorityVoteCount, type ReplSetConfig } from '@replsim/protocol';
import type { CommandContext, Reply } from '../commands/command.ts';
import type { Mongod } from '../mongod.ts';
import type { Operation } from '../operations/operation.ts';
import { replicationOf } from '../replCommands/status.ts';
import type { Replication } from '../replication/replication.ts';
import { parseReplSetConfig } from './replSetConfig.ts';

/**
 * A change of config in its plain form: on a primary, one version up, at most one voter changed, the old config on a
 * majority first. Upstream: ReplicationCoordinatorImpl::_doReplSetReconfig.
 */
export function* reconfig(mongod: Mongod, context: CommandContext): Operation<Reply> {
  const repl = replicationOf(mongod);
  const { topology, elections, core } = repl;
  const old = topology.config;
  if (!old) throw new CommandError('NotYetInitialized', 'Node not yet initialized; use the replSetInitiate command');
  const force = Boolean(decodePromoted(context.args.bytes).force);
  if (!force && !elections.acceptsWrites) {
    throw new CommandError('NotWritablePrimary', 'Safe reconfig is only allowed on a writable PRIMARY');
  }
  const document = context.args.document('replSetReconfig');
  if (!document) throw new CommandError('BadValue', 'no configuration specified');
  const parsed = parseReplSetConfig(document, old.settings.replicaSetId);
  const version = force ? Math.max(old.version, parsed.version) + 10_000 + core.ids.below(100_000) : parsed.version;
  const config: ReplSetConfig = { ...parsed, version, term: force ? -1 : topology.term };
  checkCompatible(repl, old, config, force);
  if (!force) yield* waitForConfigCommitment(repl, 60_000);
  let stored = false;
  repl.configuration.store(config, () => {
    stored = true;
    core.wake();
  });
  yield { type: 'wait', what: 'journal', ready: () => stored };
  repl.configuration.install(config);
  if (!force) yield* waitForConfigCommitment(repl, 60_000);
  return {};
}

function checkCompatible(repl: Replication, old: ReplSetConfig, config: ReplSetConfig, force: boolean): void {
  const clash = (reason: string): never => {
    throw new CommandError('NewReplicaSetConfigurationIncompatible', reason);
  };
  if (config._id !== old._id) clash(`New and old configurations differ in replica set name`);
  if (!isNewerConfig(config, old)) clash(`New replica set configuration version must be greater than ${old.version}`);
  if (config.settings.replicaSetId !== old.settings.replicaSetId)
    clash('New and old configurations differ in replica set ID');
  for (const member of config.members) {
    const before = old.members.find(({ _id }) => _id === member._id);
    const sameHost = old.members.find(({ host }) => host === member.host);
    if (sameHost && sameHost._id !== member._id)
      clash(`New and old configurations both have members with host ${member.host}, but with different _ids`);
    if (before && before.arbiterOnly !== member.arbiterOnly)
      clash('New and old configurations differ in the setting of the arbiterOnly field');
    if (before && before.buildIndexes !== member.buildIndexes)
      clash('New and old configurations differ in the setting of the buildIndexes field');
  }
  const voters = (of: ReplSetConfig) => new Set(of.members.filter(({ votes }) => votes === 1).map(({ _id }) => _id));
  const [was, is] = [voters(old), voters(config)];
  const changed = [...was].filter((id) => !is.has(id)).length + [...is].filter((id) => !was.has(id)).length;
  if (!force && changed > 1) clash('Non force replica set reconfig can only add or remove at most 1 voting member');
  if (!config.members.some(({ host }) => host === repl.core.host)) {
    throw new CommandError('NodeNotFound', `No host described in new configuration maps to this node`);
  }
}

/** A majority of voters has this config. */
function* waitForConfigCommitment(repl: Replication, timeoutMs: number): Operation<void> {
  const { topology, core } = repl;
  const config = topology.config!;
  const committed = (): boolean => {
    const having = topology.views.filter(
      (view) =>
        view.config.votes === 1 &&
        (view.index === topology.selfIndex ||
          (view.configVersion === config.version && view.configTerm === config.term)),
    );
    return topology.config !== config || having.length >= majorityVoteCount(config);
  };
  const deadlineMicros = core.now.monotonicMicros + timeoutMs * 1000;
  yield { type: 'wait', what: 'other', ready: committed, deadlineMicros };
  if (!committed())
    throw new CommandError(
      'CurrentConfigNotCommittedYet',
      'Cannot run replSetReconfig because the current config is not majority committed',
    );
}
