import { BsonType } from '@replsim/protocol';
import { Double } from 'bson';
import { ANYWHERE, atOnce } from '../atOnce.ts';
import type { CommandContext, CommandDefinition, MemberServices, Reply } from '../command.ts';
import { numberOf, truthOf } from '../values.ts';
import { storageEngineSection } from './storageEngines.ts';

/** Upstream: what a plausible server's limit of open files leaves. */
const MAX_CONNECTIONS = 838_860;

/**
 * `{ serverStatus: 1, SECTION: 0, … }`: what the process counts and is. A section is left out by 0, and with `none: 1` all
 * are but those that are asked for; `repl: 1` shows more. Upstream: server_status_command.cpp, CmdServerStatus.
 */
const serverStatus: CommandDefinition = {
  name: 'serverStatus',
  ...ANYWHERE,
  run: atOnce(({ args, member }) => {
    const reply = basics(member);
    const all = sections(member, (name) => levelOf(args, name));
    const names = Object.keys(all).sort();
    for (const name of [...names, 'metrics']) {
      if (isWanted(args, name)) reply[name] = name === 'metrics' ? metrics(member) : all[name];
    }
    return reply;
  }),
};

export const serverStatusCommands: readonly CommandDefinition[] = [serverStatus];

function basics(member: MemberServices): Reply {
  const { monotonicMicros, wallMs } = member.now;
  const upMicros = monotonicMicros - member.startedMicros;
  return {
    host: member.host,
    version: member.traits.versionString,
    process: 'mongod',
    pid: 1n,
    uptime: new Double(Math.floor(upMicros / 1_000_000)),
    uptimeMillis: BigInt(Math.floor(upMicros / 1000)),
    uptimeEstimate: BigInt(Math.floor(upMicros / 1_000_000)),
    localTime: new Date(wallMs),
  };
}

function sections(member: MemberServices, level: (section: string) => number): Reply {
  const { counters } = member;
  return {
    asserts: { ...counters.asserts },
    ...(member.traits.ttlBatched && { batchedDeletes: asInt64s(counters.batchedDeletes) }),
    connections: connections(member),
    network: asInt64s(counters.network),
    opcounters: asInt64s(counters.opcounters),
    opcountersRepl: { ...asInt64s(counters.opcountersRepl), ...member.relaxedConstraints() },
    storageEngine: storageEngineSection(member.traits, member.isReadOnly),
    ...member.sections(level),
  };
}

function metrics(member: MemberServices): Reply {
  return {
    cursor: { open: { total: BigInt(member.cursors.size) } },
    repl: member.replMetrics(),
    ttl: member.ttlMetrics(),
  };
}

/** Simplification: a client's command is a connection for as long as it lasts. */
function connections(member: MemberServices): Reply {
  const clients = [...member.operations()].filter(({ desc }) => desc.startsWith('conn'));
  const awaiting = clients.filter(({ waitingFor }) => waitingFor === 'topologyChange').length;
  return {
    current: clients.length,
    available: MAX_CONNECTIONS - clients.length,
    totalCreated: member.counters.network.numRequests,
    rejected: 0,
    active: clients.length - awaiting,
    threaded: clients.length,
    exhaustIsMaster: 0n,
    exhaustHello: 0n,
    awaitingTopologyChanges: BigInt(awaiting),
    loadBalanced: 0n,
  };
}

/** Whether a section is shown: as the request says, else by `none`. */
function isWanted(args: CommandContext['args'], section: string): boolean {
  const value = args.rawValue(section);
  if (value) return truthOf(value);
  const none = args.value('none');
  return !none || !truthOf(none);
}

/** What stands beside a section's name in the request: 0 for nothing. */
function levelOf(args: CommandContext['args'], section: string): number {
  const value = args.value(section);
  if (!value) return 0;
  return value.type === BsonType.bool ? Number(truthOf(value)) : Math.trunc(numberOf(value)) || 0;
}

function asInt64s(counters: object): Reply {
  return Object.fromEntries(Object.entries(counters).map(([name, count]) => [name, BigInt(count as number)]));
}
