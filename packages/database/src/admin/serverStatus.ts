import { BsonType } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { Double } from 'bson';
import { storageEngineSection } from '../catalog/storageEngines.ts';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { numberOf, truthOf } from '../fields/values.ts';
import type { MemberServices } from '../member.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';
import type { Reply } from '../reply.ts';
import { connectionsSection } from './connectionsSection.ts';
import { preImagesSection } from './preImagesSection.ts';
import { commandMetrics, serverSections } from './serverSections.ts';
import { queuesSection, snapshotWindowSection, wiredTigerSection } from './wiredTiger.ts';

/**
 * `{ serverStatus: 1, SECTION: 0, … }`: what the process counts and is. A section is left out by 0, and with `none: 1` all
 * are but those that are asked for; `repl: 1` shows more. Upstream: server_status_command.cpp, CmdServerStatus.
 */
const serverStatus: CommandDefinition = {
  name: 'serverStatus',
  help: 'shows what the server counts and is',
  auth: { action: 'serverStatus', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  run: atOnce(({ args, member, data }) => {
    const reply = basics(member);
    const images = member.traits.preImages && { changeStreamPreImages: preImagesSection(member, data) };
    const all: Reply = {
      ...images,
      ...sections(member, (name) => levelOf(args, name)),
      ...engineSections(member, data),
    };
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
    connections: connectionsSection(member),
    network: network(member),
    opcounters: asInt64s(counters.opcounters),
    opcountersRepl: { ...asInt64s(counters.opcountersRepl), ...member.relaxedConstraints() },
    storageEngine: storageEngineSection(member.traits, member.isReadOnly),
    ...serverSections(member),
    ...member.sections(level),
  };
}

/** What the storage engine tells. 8.0 shows tickets beside it. */
function engineSections(member: MemberServices, data: ReadView): Reply {
  const { storageEngine, maxWireVersion } = member.traits;
  if (storageEngine !== 'wiredTiger') return {};
  const hasQueues = maxWireVersion >= 25;
  const wiredTiger = {
    ...wiredTigerSection(data, !hasQueues),
    'snapshot-window-settings': snapshotWindowSection(member.snapshotWindow(), member.parameters),
  };
  return { wiredTiger, ...(hasQueues && { queues: queuesSection() }) };
}

/** Nothing is compressed, so that what is sent is what there is to say. */
function network({ counters: { network } }: MemberServices): Reply {
  const { bytesIn, bytesOut, numRequests } = asInt64s(network);
  return { bytesIn, bytesOut, physicalBytesIn: bytesIn, physicalBytesOut: bytesOut, numRequests };
}

function metrics(member: MemberServices): Reply {
  return {
    ...commandMetrics(member),
    repl: member.replMetrics(),
    ttl: member.ttlMetrics(),
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
