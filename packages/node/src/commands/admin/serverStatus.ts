import { encodeName, findField } from '@replsim/protocol';
import { ANYWHERE, atOnce } from '../atOnce.ts';
import type { CommandContext, CommandDefinition, MemberServices, Reply } from '../command.ts';
import { truthOf } from '../values.ts';

/**
 * `{ serverStatus: 1, SECTION: 0, … }`: what the process counts and is. A section can be left out by name.
 * Upstream: server_status_command.cpp, CmdServerStatus.
 */
const serverStatus: CommandDefinition = {
  name: 'serverStatus',
  ...ANYWHERE,
  run: atOnce(({ args, member }) => {
    const reply = { ...basics(member) };
    for (const [name, section] of Object.entries(sections(member))) {
      if (isWanted(args, name)) reply[name] = section;
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
    uptime: Math.floor(upMicros / 1_000_000),
    uptimeMillis: BigInt(Math.floor(upMicros / 1000)),
    uptimeEstimate: BigInt(Math.floor(upMicros / 1_000_000)),
    localTime: new Date(wallMs),
  };
}

function sections(member: MemberServices): Reply {
  const { counters, cursors } = member;
  return {
    batchedDeletes: asInt64s(counters.batchedDeletes),
    opcounters: asInt64s(counters.opcounters),
    opcountersRepl: asInt64s(counters.opcountersRepl),
    ...member.sections(),
    metrics: {
      cursor: { open: { total: BigInt(cursors.size) } },
      repl: member.replMetrics(),
      ttl: member.ttlMetrics(),
    },
  };
}

function isWanted(args: CommandContext['args'], section: string): boolean {
  const value = findField(args.bytes, encodeName(section));
  return !value || truthOf(value);
}

function asInt64s(counters: object): Reply {
  return Object.fromEntries(Object.entries(counters).map(([name, count]) => [name, BigInt(count as number)]));
}
