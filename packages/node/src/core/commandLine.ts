import { storageEngineOptions } from '@replsim/database';
import { VERSIONS } from '@replsim/protocol';
import type { StartupOptions } from './core.ts';

/** What a command line would have said, word by word, and as mongod understands it. Upstream: getCmdLineOpts. */
export interface CommandLine {
  readonly argv: readonly string[];
  readonly parsed: Record<string, unknown>;
}

/** The command line that starts a mongod with these options. */
export function commandLineOf(options: StartupOptions): CommandLine {
  const { host, setName, mode, parameters, queryableBackupMode, version } = options;
  const { engine } = storageEngineOptions(VERSIONS[version]);
  const storage = { ...(engine && { engine }), ...(queryableBackupMode && { queryableBackupMode }) };
  const [name, port] = host.split(':');
  const replSet = mode === 'replSet' ? setName : undefined;
  const set = Object.entries(parameters).map(([parameter, value]) => [parameter, textOf(value)] as const);
  return {
    argv: [
      ...['mongod', '--bind_ip', name!, '--port', port!],
      ...(replSet ? ['--replSet', replSet] : []),
      ...(engine ? ['--storageEngine', engine] : []),
      ...(queryableBackupMode ? ['--queryableBackupMode'] : []),
      ...set.flatMap(([parameter, text]) => ['--setParameter', `${parameter}=${text}`]),
    ],
    parsed: {
      net: { bindIp: name, port: Number(port) },
      ...(replSet && { replication: { replSet } }),
      ...(Object.keys(storage).length > 0 && { storage }),
      ...(set.length > 0 && { setParameter: Object.fromEntries(set) }),
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
