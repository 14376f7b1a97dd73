import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTINGS } from '@replsim/scenario';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, test } from 'vitest';
import { main } from '../src/main.ts';
import { isMongodConf, readMongodConf } from '../src/mongodConf/readMongodConf.ts';
import { testIo } from './io.ts';
import { serve } from './serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'replsim-conf-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(text: string): string {
  const path = join(folder, 'mongod.conf');
  writeFileSync(path, text);
  return path;
}

// In the form of the file that Debian's package brings, with a set.
const USUAL = `# mongod.conf
storage:
  dbPath: /var/lib/mongodb
  wiredTiger:
    engineConfig:
      cacheSizeGB: 4
systemLog:
  destination: file
  logAppend: true
  path: /var/log/mongodb/mongod.log
net:
  port: 0
  bindIp: 127.0.0.1,10.0.0.5
processManagement:
  timeZoneInfo: /usr/share/zoneinfo
#security:
replication:
  replSetName: orders
  oplogSizeMB: 64
setParameter:
  ttlMonitorSleepSecs: 5
operationProfiling:
`;
const AROUND = { version: '8.0' } as const;
const read = (text: string, around: Parameters<typeof readMongodConf>[2] = AROUND) =>
  readMongodConf(text, 'mongod.conf', around);

test('serve --config obeys what has a meaning, and lists what has none', async () => {
  const path = fileWith(USUAL);
  const serving = await serve('--config', path, '--quiet', '--speed', '0', '--members', '1');
  const client = new MongoClient(serving.uri);
  try {
    expect(serving.uri).toContain('replicaSet=orders');
    const admin = client.db('admin');
    expect(await admin.command({ getParameter: 1, ttlMonitorSleepSecs: 1 })).toMatchObject({ ttlMonitorSleepSecs: 5 });
    expect(await client.db('local').command({ collStats: 'oplog.rs' })).toMatchObject({ maxSize: 64 * 1024 * 1024 });
    const told = serving
      .err()
      .split('\n')
      .filter((line) => line.startsWith(`${path}: `));
    expect(
      told.map((line) =>
        line
          .slice(path.length + 2)
          .split(':')[1]
          ?.trim(),
      ),
    ).toEqual([
      'storage.dbPath',
      'storage.wiredTiger.engineConfig.cacheSizeGB',
      'systemLog.destination',
      'systemLog.logAppend',
      'systemLog.path',
      'net.bindIp',
      'processManagement.timeZoneInfo',
    ]);
  } finally {
    await client.close();
    await serving.interrupt();
  }
});

test('--oplogSize counts more than the file, and needs none', async () => {
  const path = fileWith(USUAL);
  for (const file of [['--config', path], []]) {
    const serving = await serve(
      ...file,
      '--port',
      '0',
      '--quiet',
      '--speed',
      '0',
      '--members',
      '1',
      '--oplogSize',
      '32',
    );
    const client = new MongoClient(serving.uri);
    try {
      const { maxSize } = await client.db('local').command({ collStats: 'oplog.rs' });
      expect(maxSize).toBe(32 * 1024 * 1024);
    } finally {
      await client.close();
      await serving.interrupt();
    }
  }
});

test('its numbers and names are those of the set', () => {
  const { conf } = read(USUAL);
  expect(conf).toEqual({ replSet: 'orders', port: 0, oplogSizeMB: 64, parameters: { ttlMonitorSleepSecs: 5 } });
});

test('what was called SSL before 4.2 is TLS', () => {
  const { conf } = read('net:\n  ssl:\n    mode: requireSSL\n    PEMKeyFile: a.pem\n    CAFile: ca.pem\n');
  expect(conf.tls).toEqual({ mode: 'requireSSL', certificateKeyFile: 'a.pem', CAFile: 'ca.pem' });
});

describe('what would change behaviour and is not there is an error with its line', () => {
  test.for<[text: string, message: string]>([
    [
      'security:\n  authorization: on\n',
      'mongod.conf:2: security.authorization: must be enabled or disabled, not "on"',
    ],
    ['security:\n  keyFile: 1\n', 'mongod.conf:2: security.keyFile: must be the path of a file'],
    [
      'security:\n  clusterAuthMode: x509\n',
      'mongod.conf:2: security.clusterAuthMode: members know each other by a key file',
    ],
    ['net:\n  tls:\n    CRLFile: a.pem\n', 'mongod.conf:3: net.tls.CRLFile: revocation lists are not supported'],
    ['net:\n  ssl:\n    CRLFile: a.pem\n', 'mongod.conf:3: net.ssl.CRLFile: write it under net.tls'],
    ['net:\n  tls:\n    mode: 1\n', 'mongod.conf:3: net.tls.mode: must be a string, not 1'],
    ['sharding:\n  clusterRole: shardsvr\n', 'mongod.conf:2: sharding.clusterRole: there is no sharding here'],
    ['storage:\n  engine: inMemory\n', 'mongod.conf:2: storage.engine: members behave as with wiredTiger'],
    ['operationProfiling: { mode: all }\n', 'mongod.conf:1: operationProfiling.mode: the profiler cannot be on'],
    [
      'replication:\n  enableMajorityReadConcern: false\n',
      'mongod.conf:2: replication.enableMajorityReadConcern: it was a startup option until 4.4, and always true since 5.0',
    ],
    [
      'replset:\n  oplogSizeMB: 1\nnet: {}\n',
      'mongod.conf:2: replset.oplogSizeMB: mongod has no such setting; did you mean',
    ],
    ['net: { prot: 1 }\n', 'mongod.conf:1: net.prot: mongod has no such setting; did you mean "net.port"?'],
    ['net: { port: many }\n', 'mongod.conf:1: net.port: must be a whole number from 0 to 65535, not "many"'],
    ['net:\n  port:\n    __exec: date\n', 'mongod.conf:3: net.port.__exec: values from a program or a server'],
    ['# old\nport = 27017\n', 'mongod.conf:2: this is a config file of the old form (name = value)'],
    ['net: [\n', 'this cannot be read as YAML'],
  ])('%j', ([text, message]) => {
    expect(isMongodConf(text)).toBe(true);
    expect(() => read(text)).toThrow(message);
  });

  test('every mistake is reported at once', () => {
    expect(() => read('net: { port: x }\nsharding: { clusterRole: shardsvr }\n')).toThrow(
      /net\.port[\s\S]*sharding\.clusterRole/,
    );
  });
});

test('what it says of access control', () => {
  const text = 'security: { authorization: enabled, keyFile: /etc/key, transitionToAuth: true }\n';
  expect(read(text).conf).toMatchObject({ authorization: 'enabled', keyFile: '/etc/key', transitionToAuth: true });
});

test('a setting that does nothing is listed', () => {
  for (const [path, { obey, refuse, unused }] of Object.entries(SETTINGS))
    expect(
      [obey, refuse, unused].some((each) => each !== undefined),
      path,
    ).toBe(true);
});

test.for<[what: string, text: string, message: string]>([
  ['a config', '_id: rs0\nmembers: []\n', 'this is a replica set config, as rs.conf() prints it, not a scenario'],
  ['a conf for mongos', 'sharding: { configDB: "c/a:1" }\n', 'sharding.configDB: there is no sharding here'],
])('serve --config names %s', async ([, text, message]) => {
  const io = testIo();
  expect(await main(['serve', '--config', fileWith(text)], io)).toBe(2);
  expect(io.stderr).toContain(message);
});

test('run names a mongod.conf', async () => {
  const io = testIo();
  expect(await main(['run', fileWith(USUAL)], io)).toBe(2);
  expect(io.stdout + io.stderr).toContain('this is a mongod.conf, not a scenario');
  expect(io.stdout + io.stderr).toContain('replsim serve --config');
});
