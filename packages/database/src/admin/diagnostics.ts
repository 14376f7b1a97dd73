import { NO_ADDRESS } from '@replsim/operations';
import { fieldSet, MAX_BSON_OBJECT_SIZE, type Reply } from '@replsim/pipeline';
import type { VersionTraits } from '@replsim/protocol';
import type { CommandDefinition } from '../definition.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';
import { hostInfo } from './hostInfo.ts';

const ping: CommandDefinition = {
  name: 'ping',
  help: 'answers',
  auth: 'none',
  api: 'v1',
  ...ANYWHERE,
  run: atOnce(() => ({})),
};

const buildInfoFields = fieldSet('buildInfo');

const buildInfo: CommandDefinition = {
  name: 'buildInfo',
  help: 'shows what was built and how',
  auth: 'none',
  api: 'none',
  aliases: ['buildinfo'],
  ...ANYWHERE,
  run: atOnce(({ args, member }) => {
    args.allow(buildInfoFields);
    return buildInfoReply(member.traits);
  }),
};

/** What was built and how; the log tells a part of it at startup. Upstream: version.cpp, VersionInfoInterface. */
export function buildInfoReply({ versionString }: VersionTraits): Reply {
  return {
    version: versionString,
    gitVersion: '0'.repeat(40),
    modules: [],
    allocator: 'system',
    javascriptEngine: 'none',
    sysInfo: 'deprecated',
    versionArray: [...versionString.split('.').map(Number), 0],
    // Nothing is encrypted, so that no library for it runs.
    openssl: { running: 'disabled', compiled: 'disabled' },
    buildEnvironment: { distmod: '', distarch: 'simulated', target_arch: 'simulated', target_os: 'simulated' },
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_BSON_OBJECT_SIZE,
    storageEngines: ['replsim'],
  };
}

const whatsmyuri: CommandDefinition = {
  name: 'whatsmyuri',
  help: "shows the client's address",
  auth: 'none',
  api: 'none',
  ...ANYWHERE,
  run: atOnce(({ connection }) => ({ you: connection?.remote ?? NO_ADDRESS })),
};

const commandLineFields = fieldSet('getCmdLineOpts');

const getCmdLineOpts: CommandDefinition = {
  name: 'getCmdLineOpts',
  help: 'shows how the server was started',
  auth: { action: 'getCmdLineOpts', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce(({ args, member }) => {
    args.allow(commandLineFields);
    return { ...member.commandLine() };
  }),
};

export const diagnosticCommands: readonly CommandDefinition[] = [ping, buildInfo, whatsmyuri, getCmdLineOpts, hostInfo];
