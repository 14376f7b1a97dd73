import {
  CommandError,
  decodePromoted,
  encodeDocument,
  type HeartbeatReply,
  isNewerConfig,
  majorityVoteCount,
  type ReplSetConfig,
  toHex,
} from '@replsim/protocol';
import type { CommandContext, CommandDefinition, Reply } from '../commands/command.ts';
import type { Mongod } from '../mongod.ts';
import { call } from '../operations/call.ts';
import type { Operation } from '../operations/operation.ts';
import type { Replication } from '../replication/replication.ts';
import { stepDownGracefully } from '../replication/stepDown.ts';
import { parseReplSetConfig } from '../topology/replSetConfig.ts';
import { replicationOf } from './status.ts';

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(context: CommandContext): Fields {
  return decodePromoted(context.args.bytes) as Fields;
}

function secondsOf(fields: Fields, name: string, fallback: number): number {
  const value = fields[name];
  if (value === undefined || value === null) return fallback;
  const seconds = typeof value === 'bigint' ? Number(value) : value;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) {
    throw new CommandError('TypeMismatch', `Expected field "${name}" to be a number`);
  }
  return Math.trunc(seconds);
}

/** Commands that change a set. Upstream: repl_set_commands.cpp. */
export function replicationAdminCommands(mongod: Mongod): CommandDefinition[] {
  const always = { secondaries: 'always', maintenanceOk: true, adminOnly: true } as const;
  const define = (name: string, run: (context: CommandContext) => Operation<Reply>): CommandDefinition => ({
    name,
    ...always,
    run,
  });
  return [
    define('replSetInitiate', (context) => initiate(mongod, context)),
    define('replSetReconfig', (context) => reconfig(mongod, context)),
    define('replSetStepDown', (context) => stepDown(mongod, fieldsOf(context))),
    define('replSetStepUp', (context) => stepUp(mongod, fieldsOf(context))),
    define('replSetFreeze', (context) => freeze(mongod, fieldsOf(context))),
  ];
}

/** Upstream: ReplicationCoordinatorImpl::processReplSetInitiate. */
function* initiate(mongod: Mongod, context: CommandContext): Operation<Reply> {
  const repl = replicationOf(mongod);
  const { core } = mongod;
  if (repl.topology.config) throw new CommandError('AlreadyInitialized', 'already initialized');
  const given = context.args.document('replSetInitiate');
  const isEmpty = given === undefined || given.length <= 5;
  const document = isEmpty
    ? encodeDocument({ _id: core.options.setName, version: 1, members: [{ _id: 0, host: core.host }] })
    : given;
  const replicaSetId = toHex(core.ids.objectId(Math.floor(core.now.wallMs / 1000)));
  const fields = decodePromoted(document) as { version?: unknown; settings?: Fields };
  const config: ReplSetConfig = { ...parseReplSetConfig(document, replicaSetId), term: 0 };
  checkInitialConfig(repl, config, fields);
  yield* checkInitiateQuorum(repl, config);
  if (repl.topology.config) throw new CommandError('AlreadyInitialized', 'already initialized');
  core.log('I', 'REPL', 21356, 'replSetInitiate admin command received from client', {
    numMembers: config.members.length,
  });
  repl.initiate(config);
  yield { type: 'wait', what: 'other', ready: () => repl.topology.config !== undefined };
  return isEmpty
    ? { info2: 'no configuration specified. Using a default configuration for the set', me: core.host }
    : {};
}

function checkInitialConfig(repl: Replication, config: ReplSetConfig, fields: { settings?: Fields }): void {
  const { host, options } = repl.core;
  const bad = (reason: string): never => {
    throw new CommandError('InvalidReplicaSetConfig', reason);
  };
  if (config._id !== options.setName) {
    bad(
      `Rejecting initiate with a set name that differs from command line set name, initiate set name: ${config._id}, command line set name: ${options.setName}`,
    );
  }
  if (config.version !== 1) bad(`Replica set configuration version must be 1, but found ${config.version}`);
  if (fields.settings?.replicaSetId !== undefined)
    bad('replica set configuration cannot contain settings.replicaSetId');
  const self = config.members.find((member) => member.host === host);
  if (!self) bad(`No host described in new configuration for replica set ${config._id} maps to this node`);
  if (self!.priority === 0) bad(`This node, ${host}, is not electable under the new configuration (NodeNotElectable)`);
}

/** Everybody must answer, and hold no data. Upstream: check_quorum_for_config_change.cpp. */
function* checkInitiateQuorum(repl: Replication, config: ReplSetConfig): Operation<void> {
  for (const { host } of config.members) {
    if (host === repl.core.host) continue;
    let reply: HeartbeatReply;
    try {
      reply = yield* call<HeartbeatReply>(
        repl.core,
        host,
        'heartbeat',
        {
          replSetHeartbeat: config._id,
          checkEmpty: true,
          configVersion: 0,
          configTerm: -1,
          from: repl.core.host,
          fromId: -1,
          term: 0,
          primaryId: -1,
        },
        config.settings.heartbeatTimeoutSecs * 1000,
      );
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      throw new CommandError(
        'NodeNotFound',
        `replSetInitiate quorum check failed because not all proposed set members responded affirmatively: ${host} failed with ${error.message}`,
      );
    }
    if (reply.hasData) {
      throw new CommandError(
        'NewReplicaSetConfigurationIncompatible',
        `'${host}' has data already, cannot initiate set.`,
      );
    }
  }
}

/**
 * A change of config in its plain form: on a primary, one version up, at most one voter changed, the old config on a
 * majority first. Upstream: ReplicationCoordinatorImpl::_doReplSetReconfig.
 */
function* reconfig(mongod: Mongod, context: CommandContext): Operation<Reply> {
  const repl = replicationOf(mongod);
  const { topology, elections, core } = repl;
  const old = topology.config;
  if (!old) throw new CommandError('NotYetInitialized', 'Node not yet initialized; use the replSetInitiate command');
  const force = Boolean(fieldsOf(context).force);
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
  repl.storeConfig(config, () => {
    stored = true;
    core.wake();
  });
  yield { type: 'wait', what: 'journal', ready: () => stored };
  repl.installConfig(config);
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

/** Upstream: CmdReplSetStepDown. */
function* stepDown(mongod: Mongod, fields: Fields): Operation<Reply> {
  const repl = replicationOf(mongod);
  const force = Boolean(fields.force);
  const asked = secondsOf(fields, 'replSetStepDown', 60);
  const stepDownSecs = asked === 0 ? 60 : asked;
  if (stepDownSecs < 0) throw new CommandError('BadValue', 'stepdown period must be a positive integer');
  const catchUpSecs = secondsOf(fields, 'secondaryCatchUpPeriodSecs', force ? 0 : Math.min(10, stepDownSecs));
  if (catchUpSecs < 0)
    throw new CommandError('BadValue', 'secondaryCatchUpPeriodSecs period must be a positive or absent');
  if (catchUpSecs > stepDownSecs) {
    throw new CommandError('BadValue', 'stepdown period must be longer than secondaryCatchUpPeriodSecs');
  }
  yield* stepDownGracefully(repl, { stepDownSecs, catchUpMillis: catchUpSecs * 1000, force });
  return {};
}

/** Upstream: CmdReplSetStepUp. */
function* stepUp(mongod: Mongod, fields: Fields): Operation<Reply> {
  const { elections } = replicationOf(mongod);
  if (elections.isLeader) return {};
  const started = elections.stand(fields.skipDryRun ? 'stepUpRequestSkipDryRun' : 'stepUpRequest');
  if (started) yield { type: 'wait', what: 'election', ready: () => !elections.isCandidate };
  if (!elections.isLeader) throw new CommandError('CommandFailed', 'Election failed.');
  return {};
}

/** Upstream: TopologyCoordinator::prepareFreezeResponse. */
function* freeze(mongod: Mongod, fields: Fields): Operation<Reply> {
  const repl = replicationOf(mongod);
  const { elections, topology, core } = repl;
  const seconds = secondsOf(fields, 'replSetFreeze', 0);
  if (elections.isLeader || elections.isCandidate) {
    throw new CommandError('NotSecondary', 'cannot freeze node when primary or running for election. state: Primary');
  }
  if (seconds < 0) throw new CommandError('BadValue', 'freeze period must not be negative');
  if (seconds === 0) {
    elections.stepDownUntilMicros = 0;
    if (topology.others.length === 0) elections.stand('singleNodePromptElection');
    return { info: 'unfreezing' };
  }
  const until = core.now.monotonicMicros + seconds * 1_000_000;
  elections.stepDownUntilMicros = Math.max(elections.stepDownUntilMicros, until);
  if (topology.others.length === 0) core.setTimer('stepDownUntil', seconds * 1_000_000);
  return seconds === 1 ? { warning: 'you really want to freeze for only 1 second?' } : {};
}
