import { ANYWHERE, atOnce, type CommandContext, type CommandDefinition } from '@replsim/database';
import { type Operation, spend } from '@replsim/operations';
import { maxTimestamp } from '@replsim/oplog';
import {
  CLUSTER_PARAMETERS_NS,
  clusterParameter,
  clusterParameterNames,
  Fields,
  fieldSet,
  newClusterParameter,
  type Reply,
} from '@replsim/pipeline';
import { BsonType, CommandError, readString, toBsonTimestamp } from '@replsim/protocol';
import { Timestamp } from 'bson';
import type { ReplCommandHost } from './replCommandHost.ts';

const getFields = fieldSet('getClusterParameter', 'omitInFTDC');
const setFields = fieldSet('setClusterParameter');
/** It takes no write concern of the client's. Upstream: set_cluster_parameter_command.cpp, kMajorityWriteConcern. */
const MAJORITY = { w: 'majority', wtimeoutMS: 0 } as const;

/**
 * `{ getClusterParameter: NAME | [NAMES] | "*" }` and `{ setClusterParameter: { NAME: { … } } }`: parameters that all members
 * have in common. Errors: NoSuchKey 4, BadValue 2, InvalidOptions 72 for several at once.
 * Upstream: get_cluster_parameter_invocation.cpp, set_cluster_parameter_invocation.cpp.
 */
export function clusterParameterCommands(host: ReplCommandHost): readonly CommandDefinition[] {
  return [
    {
      name: 'getClusterParameter',
      help: 'shows parameters that all members have in common',
      auth: { action: 'getClusterParameter', resource: 'cluster' },
      api: 'none',
      ...ANYWHERE,
      adminOnly: true,
      run: atOnce((context) => show(host, context)),
    },
    {
      name: 'setClusterParameter',
      help: 'sets a parameter that all members have in common',
      auth: { action: 'setClusterParameter', resource: 'cluster' },
      api: 'none',
      kind: 'other',
      secondaries: 'never',
      maintenanceOk: false,
      adminOnly: true,
      writes: true,
      run: (context) => set(host, context),
    },
  ];
}

function show({ core, repl }: ReplCommandHost, { args }: CommandContext): Reply {
  args.allow(getFields);
  args.strictBool('omitInFTDC');
  const { maxWireVersion } = core.traits;
  const names = namesOf(args, maxWireVersion);
  const shown = names.map((name) => {
    const { clusterParameterTime, ...parameter } = clusterParameter(core.engine, name, maxWireVersion);
    const { _id, ...value } = parameter;
    // There is no such time without a set.
    return repl ? { _id, clusterParameterTime, ...value } : parameter;
  });
  return { clusterParameters: shown };
}

function namesOf(args: Fields, maxWireVersion: number): readonly string[] {
  const value = args.presentValue('getClusterParameter');
  if (value.type !== BsonType.string) {
    const names = args.strings('getClusterParameter') ?? args.missing('getClusterParameter');
    if (names.length > 0) return names;
    throw new CommandError('BadValue', 'Must supply at least one cluster server parameter name to getClusterParameter');
  }
  const name = readString(value);
  return name === '*' ? clusterParameterNames(maxWireVersion) : [name];
}

function* set({ core, oplog, writes }: ReplCommandHost, { args, member }: CommandContext): Operation<Reply> {
  args.allow(setFields);
  const request = new Fields(args.requiredDocument('setClusterParameter'), 'setClusterParameter');
  const [name, ...others] = request.names;
  if (name === undefined) throw new CommandError('NoSuchKey', 'No cluster parameter provided');
  if (others.length > 0) {
    throw new CommandError('InvalidOptions', 'setClusterParameter only supports setting exactly one parameter');
  }
  if (request.presentValue(name).type !== BsonType.object) {
    // Whether it exists is asked first.
    clusterParameter(core.engine, name, core.traits.maxWireVersion);
    throw new CommandError('BadValue', 'Cluster parameter value must be an object');
  }
  const time = toBsonTimestamp(maxTimestamp(core.clusterTime, oplog.last.ts), Timestamp);
  const document = newClusterParameter(name, request.requiredDocument(name), time, core.traits.maxWireVersion);
  yield* spend(core.costs.updateMicros + core.costs.commitMicros);
  const collection = core.engine.collection(CLUSTER_PARAMETERS_NS);
  const recordId = collection?.findById(document.idKey);
  if (!collection || recordId === undefined) writes.insert(CLUSTER_PARAMETERS_NS, [document]);
  else writes.update(collection, recordId, document, undefined);
  const failure = yield* member.awaitWriteConcern(MAJORITY);
  return failure ? { writeConcernError: failure } : {};
}
