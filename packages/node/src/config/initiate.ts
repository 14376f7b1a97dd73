import {
  CommandError,
  decodePromoted,
  encodeDocument,
  type HeartbeatReply,
  type ReplSetConfig,
  toHex,
} from '@replsim/protocol';
import type { CommandContext, Reply } from '../commands/command.ts';
import type { Mongod } from '../mongod.ts';
import { call } from '../operations/call.ts';
import type { Operation } from '../operations/operation.ts';
import { replicationOf } from '../replCommands/status.ts';
import type { Replication } from '../replication/replication.ts';
import { parseReplSetConfig } from './replSetConfig.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Upstream: ReplicationCoordinatorImpl::processReplSetInitiate. */
export function* initiate(mongod: Mongod, context: CommandContext): Operation<Reply> {
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
  repl.configuration.initiate(config);
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
