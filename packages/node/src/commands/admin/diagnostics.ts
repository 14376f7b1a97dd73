import type { VersionTraits } from '@replsim/protocol';
import { NO_ADDRESS } from '../../connections/connections.ts';
import { ANYWHERE, atOnce } from '../atOnce.ts';
import type { CommandDefinition, Reply } from '../command.ts';

/** Bytes. Upstream: bson_util, BSONObjMaxUserSize. */
export const MAX_BSON_OBJECT_SIZE = 16_777_216;

const ping: CommandDefinition = { name: 'ping', ...ANYWHERE, run: atOnce(() => ({})) };

const buildInfo: CommandDefinition = {
  name: 'buildInfo',
  aliases: ['buildinfo'],
  ...ANYWHERE,
  run: atOnce(({ member }) => buildInfoReply(member.traits)),
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
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_BSON_OBJECT_SIZE,
    storageEngines: ['replsim'],
  };
}

/** `{ connectionStatus: 1, showPrivileges? }`. Nobody logs in. Upstream: user_management_commands' connection_status.cpp. */
const connectionStatus: CommandDefinition = {
  name: 'connectionStatus',
  ...ANYWHERE,
  run: atOnce(({ args }) => ({
    authInfo: {
      authenticatedUsers: [],
      authenticatedUserRoles: [],
      ...(args.bool('showPrivileges') && { authenticatedUserPrivileges: [] }),
    },
  })),
};

const whatsmyuri: CommandDefinition = {
  name: 'whatsmyuri',
  ...ANYWHERE,
  run: atOnce(({ connection }) => ({ you: connection?.remote ?? NO_ADDRESS })),
};

const getCmdLineOpts: CommandDefinition = {
  name: 'getCmdLineOpts',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce(({ member }) => ({ ...member.commandLine() })),
};

const hostInfo: CommandDefinition = {
  name: 'hostInfo',
  ...ANYWHERE,
  run: atOnce(({ member }) => ({
    system: { currentTime: new Date(member.now.wallMs), hostname: member.host, cpuAddrSize: 64, numCores: 2 },
    os: { type: 'simulated', name: 'replsim', version: '' },
    extra: {},
  })),
};

export const diagnosticCommands: readonly CommandDefinition[] = [
  ping,
  buildInfo,
  connectionStatus,
  whatsmyuri,
  getCmdLineOpts,
  hostInfo,
];
