import { ObjectId } from 'bson';
import type { CommandDefinition, Reply } from '../commands/command.ts';
import type { Mongod } from '../mongod.ts';
import type { Operation } from '../operations/operation.ts';
import { opTimeReply } from './replyValues.ts';

/** `hello`, and `isMaster` as it was called before. Upstream: replication_info.cpp, topology_coordinator.cpp fillHelloForReplSet. */
export function helloCommands(mongod: Mongod): CommandDefinition[] {
  const define = (name: string, aliases: readonly string[], primaryField: string): CommandDefinition => ({
    name,
    aliases,
    secondaries: 'always',
    maintenanceOk: true,
    *run(): Operation<Reply> {
      return helloReply(mongod, primaryField);
    },
  });
  return [define('hello', [], 'isWritablePrimary'), define('isMaster', ['ismaster'], 'ismaster')];
}

/** @param primaryField `isWritablePrimary`, or the old name */
export function helloReply(mongod: Mongod, primaryField: string): Reply {
  const { core, repl } = mongod;
  const limits = {
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(core.now.wallMs),
    logicalSessionTimeoutMinutes: 30,
    connectionId: 1,
    minWireVersion: 0,
    maxWireVersion: core.traits.maxWireVersion,
    readOnly: false,
  };
  const topologyVersion = {
    processId: new ObjectId(core.options.processId),
    counter: BigInt(repl?.topology.topologyVersion ?? 0),
  };
  if (!repl) return { topologyVersion, [primaryField]: true, ...limits };
  return { topologyVersion, ...setFields(mongod, primaryField), ...limits };
}

function setFields(mongod: Mongod, primaryField: string): Reply {
  const { topology, elections, positions } = mongod.repl!;
  const { config, self, state } = topology;
  if (!config || !self) {
    return {
      [primaryField]: false,
      secondary: false,
      info: 'Does not have a valid replica set config',
      isreplicaset: true,
      ...(config && { setName: config._id }),
    };
  }
  const listed = config.members.filter(({ hidden, secondaryDelaySecs }) => !hidden && secondaryDelaySecs === 0);
  const hostsOf = (choose: (member: (typeof listed)[number]) => boolean): string[] =>
    listed.filter(choose).map(({ host }) => host);
  const passives = hostsOf(({ arbiterOnly, priority }) => !arbiterOnly && priority === 0);
  const arbiters = hostsOf(({ arbiterOnly }) => arbiterOnly);
  const attempting = elections.mode === 'attemptingStepDown';
  return {
    hosts: hostsOf(({ arbiterOnly, priority }) => !arbiterOnly && priority > 0),
    ...(passives.length > 0 && { passives }),
    ...(arbiters.length > 0 && { arbiters }),
    setName: config._id,
    setVersion: config.version,
    [primaryField]: elections.acceptsWrites,
    // Elected but not writable yet counts as a secondary; one that is trying to step down is neither.
    secondary: state === 'SECONDARY' || (elections.isLeader && !elections.acceptsWrites && !attempting),
    ...(topology.primaryHost !== undefined && { primary: topology.primaryHost }),
    ...(self.arbiterOnly && { arbiterOnly: true }),
    ...(self.priority === 0 && !self.arbiterOnly && { passive: true }),
    ...(self.hidden && { hidden: true }),
    ...(!self.buildIndexes && { buildIndexes: false }),
    ...(self.secondaryDelaySecs > 0 && { secondaryDelaySecs: BigInt(self.secondaryDelaySecs) }),
    ...(Object.keys(self.tags).length > 0 && { tags: self.tags }),
    me: self.host,
    ...(elections.isLeader && { electionId: electionId(topology.term) }),
    lastWrite: {
      opTime: opTimeReply(positions.applied.opTime),
      lastWriteDate: new Date(positions.applied.wallMs),
      majorityOpTime: opTimeReply(positions.commitPoint.opTime),
      majorityWriteDate: new Date(positions.commitPoint.wallMs),
    },
  };
}

/** `7fffffff`, then the term: equal in all runs of one term, and growing with it. */
export function electionId(term: number): ObjectId {
  return new ObjectId(`7fffffff${term.toString(16).padStart(16, '0')}`);
}
