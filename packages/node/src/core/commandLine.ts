import { storageEngineOptions } from '@replsim/database';
import { VERSIONS } from '@replsim/protocol';
import { Double } from 'bson';
import type { StartupOptions } from './core.ts';

/** What a command line would have said, word by word, and as mongod understands it. Upstream: getCmdLineOpts. */
export interface CommandLine {
  readonly argv: readonly string[];
  readonly parsed: Record<string, unknown>;
}

/**
 * The command line that starts a mongod with these options: each option that was asked for, and no default. The parsed form is in the
 * order of its names. Upstream: server_options_helpers.cpp; environment.cpp, Environment::toBSON.
 */
export function commandLineOf(options: StartupOptions): CommandLine {
  const said = optionsOf(options).filter(({ value }) => value !== undefined);
  const set = Object.entries(options.parameters).map(([parameter, value]) => [parameter, textOf(value)] as const);
  const parsed: Record<string, Record<string, unknown>> = {};
  for (const { path, value, parsedAs = value } of said) {
    const [section, name] = path;
    parsed[section] = { ...parsed[section], [name]: parsedAs };
  }
  if (set.length > 0) parsed.setParameter = Object.fromEntries(set);
  return {
    argv: [
      'mongod',
      ...said.flatMap(({ flag, value }) => (value === true ? [flag] : [flag, String(value)])),
      ...set.flatMap(([parameter, text]) => ['--setParameter', `${parameter}=${text}`]),
    ],
    parsed: inOrder(parsed, (section) => inOrder(section, (value) => value)),
  };
}

/**
 * The options as logs and data keep them: without the folder of the data, so that a run on a disk is the same as one in memory,
 * wherever the folder is.
 */
export function recordedOptions(options: StartupOptions): CommandLine['parsed'] {
  return commandLineOf({ ...options, dbPath: undefined }).parsed;
}

/** An option of the command line, and where the parsed form has it. */
interface CommandLineOption {
  readonly flag: string;
  readonly path: readonly [section: string, name: string];
  /** Undefined where nobody asked for it; true for a flag that stands alone. */
  readonly value: string | number | true | undefined;
  /** How a reply shows it, if not as it is. */
  readonly parsedAs?: unknown;
}

/** Upstream: mongod_options_general.idl, mongod_options_replication.idl, mongod_options_storage.idl. */
function optionsOf(options: StartupOptions): readonly CommandLineOption[] {
  const { host, setName, mode, dbPath, oplogSizeMB, oplogMinRetentionHours: hours, queryableBackupMode } = options;
  const [name, port] = host.split(':');
  const { engine } = storageEngineOptions(VERSIONS[options.version]);
  // A size is a whole number of MB to a mongod. A member may have less here, which is told as the least that a mongod takes.
  const oplogSize = oplogSizeMB === undefined ? undefined : Math.max(1, Math.round(oplogSizeMB));
  return [
    { flag: '--bind_ip', path: ['net', 'bindIp'], value: name },
    { flag: '--port', path: ['net', 'port'], value: Number(port) },
    { flag: '--dbpath', path: ['storage', 'dbPath'], value: dbPath },
    { flag: '--replSet', path: ['replication', 'replSet'], value: mode === 'replSet' ? setName : undefined },
    { flag: '--oplogSize', path: ['replication', 'oplogSizeMB'], value: oplogSize },
    {
      flag: '--oplogMinRetentionHours',
      path: ['storage', 'oplogMinRetentionHours'],
      value: hours || undefined,
      ...(hours && { parsedAs: new Double(hours) }),
    },
    { flag: '--storageEngine', path: ['storage', 'engine'], value: engine },
    ...accessOptions(options),
    {
      flag: '--queryableBackupMode',
      path: ['storage', 'queryableBackupMode'],
      value: queryableBackupMode || undefined,
    },
  ];
}

/** Upstream: auth_options.idl, server_options_general.idl. */
function accessOptions({ authorization, access }: StartupOptions): readonly CommandLineOption[] {
  const { keyFile, transitionToAuth } = access ?? {};
  // The key file alone switches it on.
  const isSaid = authorization && keyFile === undefined;
  return [
    {
      flag: '--auth',
      path: ['security', 'authorization'],
      value: isSaid || undefined,
      parsedAs: 'enabled',
    },
    { flag: '--keyFile', path: ['security', 'keyFile'], value: keyFile },
    { flag: '--transitionToAuth', path: ['security', 'transitionToAuth'], value: transitionToAuth || undefined },
  ];
}

function inOrder<T>(fields: Readonly<Record<string, T>>, as: (value: T) => unknown): Record<string, unknown> {
  const names = Object.keys(fields).sort();
  return Object.fromEntries(names.map((name) => [name, as(fields[name] as T)]));
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
