import { fieldSet, type Reply } from '@replsim/pipeline';
import type { CommandDefinition } from '../definition.ts';
import type { MemberFacts } from '../member.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

const fields = fieldSet('hostInfo');

/** The machine that every member is said to run on. Unit: MB. */
const MEMORY_MB = 4096n;
const CORES = 2;

/** `{ hostInfo: 1 }` → `{ system, os, extra }`: a machine that there is not. Upstream: generic_servers.cpp, HostInfoCmd. */
export const hostInfo: CommandDefinition = {
  name: 'hostInfo',
  help: 'shows the machine that the server runs on',
  auth: { action: 'hostInfo', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  run: atOnce(({ args, member }) => {
    args.allow(fields);
    return hostInfoReply(member);
  }),
};

function hostInfoReply({ now, host }: MemberFacts): Reply {
  return {
    system: {
      currentTime: new Date(now.wallMs),
      hostname: host,
      cpuAddrSize: 64,
      memSizeMB: MEMORY_MB,
      memLimitMB: MEMORY_MB,
      numCores: CORES,
      numCoresAvailableToProcess: CORES,
      numPhysicalCores: CORES,
      numCpuSockets: 1,
      cpuArch: 'simulated',
      numaEnabled: false,
      numNumaNodes: 1,
    },
    os: { type: 'simulated', name: 'replsim', version: '' },
    extra: { versionString: 'replsim', pageSize: 4096, numPages: Number(MEMORY_MB) * 256 },
  };
}
