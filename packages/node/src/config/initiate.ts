import type { CommandContext } from '@replsim/database';
import type { Operation } from '@replsim/operations';
import { noopOperation } from '@replsim/oplog';
import { isEmptyDocument, parseReplSetConfig, type Reply, validateReplSetConfig } from '@replsim/pipeline';
import { BsonType, CommandError, encodeDocument, isElectable, type ReplSetConfig, toHex } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import { createVersionDocument } from '../data/systemCollections.ts';
import { invalidConfig, wrapErrors } from './configErrors.ts';
import type { ConfigHost } from './configHost.ts';
import { findSelf } from './findSelf.ts';
import { checkQuorum } from './quorum.ts';

/** Upstream: OpTime::kInitialTerm. */
const INITIAL_TERM = 0;

/**
 * `replSetInitiate`: the set's first config, its first entry, and the way to SECONDARY, from which an ordinary election
 * makes the first primary. Upstream: repl_set_commands.cpp, CmdReplSetInitiate;
 * ReplicationCoordinatorImpl::processReplSetInitiate.
 */
export function* initiate(host: ConfigHost, { args }: CommandContext): Operation<Reply> {
  const { core, configuration, topology, localOplog, positions, progress } = host;
  core.log('I', 'REPL', 21356, 'replSetInitiate admin command received from client');
  if (configuration.state !== 'uninitialized') {
    throw new CommandError('AlreadyInitialized', 'already initialized');
  }
  const isDocument = args.value('replSetInitiate')?.type === BsonType.object;
  const given = isDocument ? args.document('replSetInitiate') : undefined;
  const isEmpty = !given || isEmptyDocument(given);
  const document = isEmpty ? defaultConfig(host) : given;
  configuration.send({ type: 'initiate' });
  let stored = false;
  try {
    const config = readFirstConfig(host, document);
    core.log('I', 'REPL', 21357, 'replSetInitiate config object parses ok', { numMembers: config.members.length });
    yield* checkQuorum(host, config, true);
    createVersionDocument(host);
    const entry = localOplog.writeEntry(noopOperation('initiating set'));
    positions.initialData = entry.opTime;
    core.log('I', 'REPL', 5872101, 'A new set begins with a checkpoint of its first entry');
    progress.initiated(entry);
    stored = true;
    configuration.send({ type: 'store', config });
  } finally {
    if (!stored) configuration.send({ type: 'refused' });
  }
  yield { type: 'wait', what: 'journal', ready: () => topology.config !== undefined };
  if (!isEmpty) return {};
  return { info2: 'no configuration specified. Using a default configuration for the set', me: core.host };
}

/** What an empty document stands for: a set of this one member. */
function defaultConfig({ core }: ConfigHost): Uint8Array {
  return encodeDocument({ _id: core.options.setName, version: 1, members: [{ _id: 0, host: core.host }] });
}

/** Throws InvalidReplicaSetConfig 93, whatever is wrong. Upstream: validateConfigForInitiate. */
function readFirstConfig({ core, configuration }: ConfigHost, document: Uint8Array): ReplSetConfig {
  const replicaSetId = toHex(core.ids.objectId(Math.floor(core.now.wallMs / 1000)));
  const { config, ...facts } = wrapErrors('InvalidReplicaSetConfig', () =>
    parseReplSetConfig(document, { replicaSetId, term: INITIAL_TERM, isFirst: true, traits: core.traits }),
  );
  const { setName } = core.options;
  if (config._id !== setName) {
    invalidConfig(
      `Rejecting initiate with a set name that differs from command line set name, initiate set name: ${config._id}, command line set name: ${setName}`,
    );
  }
  if (facts.hasReplicaSetId) {
    invalidConfig("replica set configuration cannot contain 'replicaSetId' field when called from replSetInitiate");
  }
  wrapErrors('InvalidReplicaSetConfig', () => validateReplSetConfig(config, configuration.validationRules));
  // A mongod dies of this one (5624101); here nothing is gained by it.
  if (facts.customGetLastErrorDefaults) {
    invalidConfig('Failed to initiate: the config contains customized getLastErrorDefaults (5624101)');
  }
  if (config.members.some(({ newlyAdded }) => newlyAdded)) {
    invalidConfig('newlyAdded is not valid for the initial configuration of a replica set');
  }
  if (config.version !== 1) {
    invalidConfig(
      `Configuration used to initiate a replica set must have version 1, but found ${config.version} (NewReplicaSetConfigurationIncompatible)`,
    );
  }
  checkSelf(core, config);
  return config;
}

function checkSelf(core: Core, config: ReplSetConfig): void {
  const self = findSelf(core, config);
  if (!self) {
    return invalidConfig(
      `No host described in new configuration for replica set ${config._id} maps to this node (NodeNotFound)`,
    );
  }
  if (isElectable(self)) return;
  invalidConfig(
    `This node, ${self.host}, with _id ${self._id} is not electable under the new configuration (NodeNotElectable)`,
  );
}
