import { ObjectId } from 'bson';
import { ANYWHERE, atOnce } from '../atOnce.ts';
import { notSupported } from '../catalog/notSupported.ts';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { fieldSet } from '../fields/arguments.ts';
import type { MemberServices } from '../member.ts';
import type { Reply } from '../reply.ts';

/** A command of the admin database that every member answers in every state. */
function internal(name: string, answer: (context: CommandContext) => Reply, ...fields: string[]): CommandDefinition {
  const known = fieldSet(name, ...fields);
  return {
    name,
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
  ...ANYWHERE,
  run: atOnce(({ member }) => ({ js: { utf8: true }, oidMachine: oidMachine(member) })),
};

/**
 * Commands about a process' insides. Simplifications: there are no locks to show, no connection pools (members talk without
 * any), no sessions that are kept outside of memory, and no log file to rotate. Errors: CommandNotSupported 115 for
 * diagnostic data, which nobody gathers. Upstream: isself.cpp, lock_info.cpp, conn_pool_stats.cpp, log_rotate in generic_servers.cpp,
 * logical_session_cache commands, ftdc_commands.cpp.
 */
export const internalCommands: readonly CommandDefinition[] = [
  features,
  internal('_isSelf', ({ member }) => ({ id: new ObjectId(member.processId) })),
  internal('lockInfo', () => ({ lockInfo: [] })),
  internal('connPoolStats', connPoolStats),
  internal('refreshLogicalSessionCacheNow', () => ({})),
  internal('reapLogicalSessionCacheNow', () => ({})),
  internal('logRotate', ({ member }) => {
    member.log('I', 'CONTROL', 23166, 'Log rotation initiated', { suffix: '', logType: 'server' });
    return {};
  }),
  internal('getDiagnosticData', () => {
    throw notSupported('full-time diagnostic data capture');
  }),
];

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
function oidMachine({ processId }: MemberServices): number {
  return (processId[4]! << 16) | (processId[5]! << 8) | processId[6]!;
}
