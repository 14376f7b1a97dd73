import { type CommandArguments, numberOf, type Reply, truthOf } from '@replsim/pipeline';
import { BsonType } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { Double } from 'bson';
import { storageEngineSection } from '../catalog/storageEngines.ts';
import type { CommandDefinition } from '../definition.ts';
import type { MemberFacts, MemberServices, StatusServices } from '../member.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';
import { catalogStats, indexStats } from './catalogSections.ts';
import { connectionsSection } from './connectionsSection.ts';
import { compatibilityVersionIn } from './featureCompatibility.ts';
import { metricsSection } from './metricsSection.ts';
import { preImagesSection } from './preImagesSection.ts';
import { serverSections } from './serverSections.ts';
import { queuesSection, snapshotWindowSection, wiredTigerSection } from './wiredTiger.ts';

/**
 * `{ serverStatus: 1, SECTION: 0, … }`: what the process counts and is. A section is left out by 0, and with `none: 1` all
 * are but those that are asked for; `repl: 1` shows more. Some are there only for those who ask, by name or with `all: 1`.
 * Upstream: server_status_command.cpp, CmdServerStatus.
 */
const serverStatus: CommandDefinition = {
  name: 'serverStatus',
  refusesClusterTime: true,
  help: 'shows what the server counts and is',
  auth: { action: 'serverStatus', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  run: atOnce(({ args, member, data }) => {
    const reply = basics(member);
    const images = member.traits.preImages && { changeStreamPreImages: preImagesSection(member, data) };
    const all: Reply = {
      ...images,
      ...sections(member, args),
      ...catalogSections(member, data),
      ...engineSections(member, data),
    };
    for (const name of Object.keys(all).sort()) if (isWanted(args, name)) reply[name] = all[name];
    if (isWanted(args, 'metrics')) reply.metrics = metricsSection(member, args);
    return reply;
  }),
};

export const serverStatusCommands: readonly CommandDefinition[] = [serverStatus];

function basics(member: MemberFacts): Reply {
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

function sections(member: MemberServices, args: CommandArguments): Reply {
  const { counters, parameters } = member;
  return {
    asserts: { ...counters.asserts },
    ...(member.traits.ttlBatched && { batchedDeletes: asInt64s(counters.batchedDeletes) }),
    connections: connectionsSection(member),
    network: network(member),
    opcounters: asInt64s(counters.opcounters),
    opcountersRepl: { ...asInt64s(counters.opcountersRepl), ...member.relaxedConstraints() },
    security: counters.authentication.report(parameters.texts('authenticationMechanisms'), member.traits),
    storageEngine: storageEngineSection(member.traits, member.isReadOnly),
    ...serverSections(member, args),
    ...member.sections((name) => levelOf(args, name)),
    ...(levelOf(args, 'mirroredReads') > 0 && { mirroredReads: mirroredReads(member) }),
  };
}

/** No read is mirrored here; those that could have been count. Upstream: mirror_maestro.cpp, MirroredReadsSection. */
function mirroredReads({ counters, traits }: MemberServices): Reply {
  const later = { processedAsSecondary: 0n, pending: 0n, scheduled: 0n };
  return { seen: BigInt(counters.mirrorableReads), sent: 0n, ...(traits.maxWireVersion >= 21 && later) };
}

/** From 4.4, 6.0, 6.1 and 8.0 on. Nobody runs internal transactions here. Upstream: fcv_server_status_section.cpp and others. */
function catalogSections(member: MemberFacts, data: ReadView): Reply {
  const { traits } = member;
  const [major, minor] = compatibilityVersionIn(data, member).split('.').map(Number);
  const internalTransactions = { started: 0n, retriedTransactions: 0n, retriedCommits: 0n, succeeded: 0n };
  return {
    ...(traits.maxWireVersion >= 25 && { featureCompatibilityVersion: { major, minor, transitioning: 0 } }),
    ...(traits.maxWireVersion >= 17 && { internalTransactions }),
    ...(traits.maxWireVersion >= 9 && { catalogStats: catalogStats(data) }),
    ...(traits.maxWireVersion >= 21 && { indexStats: indexStats(data) }),
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

/** Nothing is compressed, so that what is sent is what there is to say; names of hosts are looked up, and keys agreed on, in no time. */
function network({ counters: { network } }: StatusServices): Reply {
  const { bytesIn, bytesOut, numRequests } = asInt64s(network);
  return {
    bytesIn,
    bytesOut,
    physicalBytesIn: bytesIn,
    physicalBytesOut: bytesOut,
    numSlowDNSOperations: 0n,
    numSlowSSLOperations: 0n,
    numRequests,
  };
}

/** Whether a section is shown: as the request says, else by `none`. */
function isWanted(args: CommandArguments, section: string): boolean {
  const value = args.rawValue(section);
  if (value) return truthOf(value);
  return args.truth('all') || !args.truth('none');
}

/** What stands beside a section's name in the request: 0 for nothing. */
function levelOf(args: CommandArguments, section: string): number {
  const value = args.value(section);
  if (!value) return args.truth('all') ? 1 : 0;
  if (value.type === BsonType.object) return 1;
  return value.type === BsonType.bool ? Number(truthOf(value)) : Math.trunc(numberOf(value)) || 0;
}

function asInt64s(counters: object): Reply {
  return Object.fromEntries(Object.entries(counters).map(([name, count]) => [name, BigInt(count as number)]));
}
