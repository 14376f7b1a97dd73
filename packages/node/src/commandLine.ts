import type { StartupOptions } from './core.ts';

/** What a command line would have said, word by word, and as mongod understands it. Upstream: getCmdLineOpts. */
export interface CommandLine {
  readonly argv: readonly string[];
  readonly parsed: Record<string, unknown>;
}

/** The command line that starts a mongod with these options. */
export function commandLineOf({ host, setName, mode, parameters, queryableBackupMode }: StartupOptions): CommandLine {
  const [name, port] = host.split(':');
  const replSet = mode === 'replSet' ? setName : undefined;
  const set = Object.entries(parameters).map(([parameter, value]) => [parameter, textOf(value)] as const);
  return {
    argv: [
      ...['mongod', '--bind_ip', name!, '--port', port!],
      ...(replSet ? ['--replSet', replSet] : []),
      ...(queryableBackupMode ? ['--queryableBackupMode'] : []),
      ...set.flatMap(([parameter, text]) => ['--setParameter', `${parameter}=${text}`]),
    ],
    parsed: {
      net: { bindIp: name, port: Number(port) },
      ...(replSet && { replication: { replSet } }),
      ...(queryableBackupMode && { storage: { queryableBackupMode } }),
      ...(set.length > 0 && { setParameter: Object.fromEntries(set) }),
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
