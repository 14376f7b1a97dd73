import { DEFAULT_COSTS } from '@replsim/protocol';
import { Double } from 'bson';
import { expect, test } from 'vitest';
import { commandLineOf } from '../../src/core/commandLine.ts';
import type { StartupOptions } from '../../src/core/core.ts';

const OPTIONS: StartupOptions = {
  host: 'n1:27018',
  mode: 'replSet',
  setName: 'rs0',
  version: '8.0',
  parameters: {},
  costs: DEFAULT_COSTS,
  oplogSizeBytes: 1e6,
  idSeed: [1, 2],
  processId: new Uint8Array(12),
  tracing: false,
};

test.for<[options: Partial<StartupOptions>, argv: string, parsed: object]>([
  [
    {},
    'mongod --bind_ip n1 --port 27018 --replSet rs0',
    { net: { bindIp: 'n1', port: 27018 }, replication: { replSet: 'rs0' } },
  ],
  [
    { oplogSizeMB: 20, oplogMinRetentionHours: 72, dbPath: '/data/n1' },
    'mongod --bind_ip n1 --port 27018 --dbpath /data/n1 --replSet rs0 --oplogSize 20 --oplogMinRetentionHours 72',
    {
      net: { bindIp: 'n1', port: 27018 },
      replication: { oplogSizeMB: 20, replSet: 'rs0' },
      storage: { dbPath: '/data/n1', oplogMinRetentionHours: new Double(72) },
    },
  ],
  [
    { mode: 'standalone', oplogSizeMB: 0.25, version: '3.2', queryableBackupMode: true },
    'mongod --bind_ip n1 --port 27018 --oplogSize 1 --storageEngine mmapv1 --queryableBackupMode',
    {
      net: { bindIp: 'n1', port: 27018 },
      replication: { oplogSizeMB: 1 },
      storage: { engine: 'mmapv1', queryableBackupMode: true },
    },
  ],
  [{ mode: 'standalone' }, 'mongod --bind_ip n1 --port 27018', { net: { bindIp: 'n1', port: 27018 } }],
  [
    { mode: 'standalone', parameters: { ttlMonitorSleepSecs: 5, logComponentVerbosity: { verbosity: 1 } } },
    'mongod --bind_ip n1 --port 27018 --setParameter ttlMonitorSleepSecs=5 --setParameter logComponentVerbosity={"verbosity":1}',
    {
      net: { bindIp: 'n1', port: 27018 },
      setParameter: { ttlMonitorSleepSecs: '5', logComponentVerbosity: '{"verbosity":1}' },
    },
  ],
])('%o', ([options, argv, parsed]) => {
  const commandLine = commandLineOf({ ...OPTIONS, ...options });
  expect(commandLine.argv.join(' ')).toBe(argv);
  expect(commandLine.parsed).toEqual(parsed);
});
