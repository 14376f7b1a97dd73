import { NOTHING, on, onCluster } from '@replsim/access';
import { fieldSet, notSupported, type Reply } from '@replsim/pipeline';
import { BsonType, CommandError, readString } from '@replsim/protocol';
import { ObjectId } from 'bson';
import type { CommandContext, CommandDefinition, CommandDescription } from '../definition.ts';
import type { MemberFacts } from '../member.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

/** A command of the admin database that every member answers in every state. */
function internal(
  described: CommandDescription,
  answer: (context: CommandContext) => Reply,
  ...fields: string[]
): CommandDefinition {
  const known = fieldSet(described.name, ...fields);
  return {
    ...described,
    ...ANYWHERE,
    adminOnly: true,
    run: atOnce((context) => {
      context.args.allow(known);
      return answer(context);
    }),
  };
}

/** `{ features: 1 }` → `{ js: { utf8 }, oidMachine }`. Upstream: generic.cpp, FeaturesCmd. */
const features: CommandDefinition = {
  name: 'features',
  help: 'shows what the build can do',
  auth: ({ args }) => (args.has('oidReset') ? onCluster('oidReset') : NOTHING),
  strangers: true,
  api: 'none',
  ...ANYWHERE,
  run: atOnce(({ member }) => ({ js: { utf8: true }, oidMachine: oidMachine(member) })),
};

/**
 * Commands about a process' insides. Simplifications: there are no locks to show, no connection pools (members talk without
 * any), and no log file to rotate. Errors: CommandNotSupported 115 for
 * diagnostic data, which nobody gathers. Upstream: isself.cpp, lock_info.cpp, conn_pool_stats.cpp, log_rotate in generic_servers.cpp,
 * ftdc_commands.cpp.
 */
export const internalCommands: readonly CommandDefinition[] = [
  features,
  internal({ name: '_isSelf', help: 'says which process answers', auth: 'none', api: 'none' }, ({ member }) => ({
    id: new ObjectId(member.processId),
  })),
  internal(
    {
      name: 'lockInfo',
      help: 'shows who holds locks and who waits for them',
      auth: { action: 'serverStatus', resource: 'cluster' },
      api: 'none',
    },
    () => ({ lockInfo: [] }),
  ),
  internal(
    {
      name: 'connPoolStats',
      help: 'shows the connections to other servers',
      auth: { action: 'connPoolStats', resource: 'cluster' },
      api: 'none',
    },
    connPoolStats,
  ),
  internal(
    {
      name: 'logRotate',
      help: 'begins a new log file',
      auth: { action: 'logRotate', resource: 'cluster' },
      api: 'none',
    },
    rotateLog,
  ),
  internal(
    {
      name: 'getDiagnosticData',
      help: 'shows the newest diagnostic data, which nobody gathers here',
      auth: () => [...onCluster('serverStatus', 'replSetGetStatus', 'connPoolStats'), ...on(OPLOG_NS, 'collStats')],
      api: 'none',
    },
    () => {
      throw notSupported('full-time diagnostic data capture');
    },
  ),
];

/** `{ logRotate: 1 | 'server' }`; of all logs, or of one, which there is. Errors: NoSuchKey 4. Upstream: log_util.cpp, rotateLogs. */
function rotateLog({ args, member }: CommandContext): Reply {
  const named = args.presentValue(args.name);
  const logType = named.type === BsonType.string ? readString(named) : undefined;
  member.log('I', 'CONTROL', 23166, 'Log rotation initiated', { suffix: '', logType: logType ?? 'server' });
  if (logType === undefined || logType === 'server') return {};
  member.log('W', 'CONTROL', 6221500, 'Unknown log type for rotate', { logType });
  throw new CommandError('NoSuchKey', `there is no log '${logType}' to rotate`);
}

function connPoolStats(): Reply {
  return {
    numClientConnections: 0,
    numAScopedConnections: 0,
    totalInUse: 0,
    totalAvailable: 0,
    totalLeased: 0,
    totalCreated: 0,
    totalRefreshing: 0,
    totalRefreshed: 0,
    replicaSetMatchingStrategy: 'matchPrimaryNode',
    pools: {},
    hosts: {},
    replicaSets: {},
  };
}

/** A number that tells machines apart, as parts of ObjectIds once did. */
function oidMachine({ processId }: MemberFacts): number {
  return new DataView(processId.buffer, processId.byteOffset).getUint32(3) & 0xffffff;
}
