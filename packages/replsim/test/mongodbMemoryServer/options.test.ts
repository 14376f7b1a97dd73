import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { InvalidOptions } from '../../src/index.ts';
import {
  errors,
  MongoMemoryReplSet,
  type MongoMemoryReplSetOpts,
  MongoMemoryServer,
  type MongoMemoryServerOpts,
} from '../../src/mongodb-memory-server.ts';
import { cleanupOf } from '../../src/mongodbMemoryServer/cleanupOf.ts';
import {
  keepsItsPort,
  replSetStart,
  type SetOptions,
  serverStart,
} from '../../src/mongodbMemoryServer/startOptions.ts';

// Every option that mongodb-memory-server 11.3.0 declares (MongoMemoryServer.d.ts, MongoMemoryReplSet.d.ts, util/MongoInstance.d.ts,
// util/DryMongoBinary.d.ts, util/MongoBinary.d.ts), and what becomes of it.

const lines: string[] = [];

beforeEach(() => {
  vi.stubEnv('DEBUG', 'replsim*');
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
});

afterEach(() => {
  lines.length = 0;
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const server = (opts: object) => serverStart(opts as MongoMemoryServerOpts);
const replSet = ({ replSet, instanceOpts = [], binary = {}, ...others }: Partial<MongoMemoryReplSetOpts> = {}) =>
  replSetStart({
    replSet: { name: 'testset', count: 1, ...replSet } as SetOptions['replSet'],
    instanceOpts,
    binary,
    others,
  });

describe('what does what it says', () => {
  test.for<[opts: MongoMemoryServerOpts, start: object]>([
    [{}, { options: { members: [{ name: 'n1', standalone: true }], version: '8.2' }, ports: [0] }],
    [{ instance: { port: 4711 } }, { ports: [4711] }],
    [{ instance: { ip: '::1' } }, { options: { ip: '::1' } }],
    [{ instance: { dbPath: '/data' } }, { options: { dbpath: '/data' } }],
    [{ instance: { replSet: 'rs1' } }, { options: { name: 'rs1', initiate: false, members: [{ name: 'n1' }] } }],
    [
      { instance: { args: ['--setParameter', 'quiet=true'] } },
      { options: { members: [{ parameters: { quiet: true } }] } },
    ],
    [{ instance: { storageEngine: 'wiredTiger' } }, {}],
    [{ instance: { portGeneration: false } }, {}],
    [{ binary: { version: '7.0.14' } }, { options: { version: '7.0' } }],
    [{ auth: { enable: false } }, {}],
    [{ auth: {} }, {}],
    [{ dispose: { enabled: false, cleanup: { doCleanup: true, force: true } } }, {}],
  ])('MongoMemoryServer %j', ([opts, start]) => {
    expect(server(opts)).toMatchObject(start);
    expect(lines).toEqual([]);
  });

  test.for<[opts: Partial<MongoMemoryReplSetOpts>, start: object]>([
    [{}, { options: { members: [{ name: 'n1' }], name: 'testset', version: '8.2' }, ports: [0] }],
    [{ replSet: { count: 2 } }, { options: { members: [{ name: 'n1' }, { name: 'n2' }] }, ports: [0, 0] }],
    [{ replSet: { name: 'rs1' } }, { options: { name: 'rs1' } }],
    [{ replSet: { ip: '::1' } }, { options: { ip: '::1' } }],
    [{ replSet: { args: ['--oplogSize=7'] } }, { options: { members: [{ oplogSizeMB: 7 }] } }],
    [{ replSet: { storageEngine: 'wiredTiger' } }, {}],
    [{ replSet: { auth: { enable: false }, dispose: { enabled: false }, spawn: {}, dbName: '' } }, {}],
    [
      { replSet: { configSettings: { chainingAllowed: false } } },
      { options: { settings: { electionTimeoutMillis: 5000, chainingAllowed: false } } },
    ],
    [
      { replSet: { configSettings: { electionTimeoutMillis: 900 } } },
      { options: { settings: { electionTimeoutMillis: 900 } } },
    ],
    [{ instanceOpts: [{ port: 4711 }, {}] }, { ports: [4711, 0] }],
    [{ instanceOpts: [{ dbPath: '/data' }] }, { options: { dbpath: '/data' } }],
    [{ instanceOpts: [{ replicaMemberConfig: { priority: 2 } }] }, { options: { members: [{ priority: 2 }] } }],
    [{ instanceOpts: [{ storageEngine: 'wiredTiger' }] }, {}],
    [
      {
        replSet: { args: ['--setParameter', 'quiet=true'] },
        instanceOpts: [{ args: ['--setParameter=ttlMonitorSleepSecs=2'] }],
      },
      { options: { members: [{ parameters: { quiet: true, ttlMonitorSleepSecs: 2 } }] } },
    ],
    [{ binary: { version: '8.0.4' } }, { options: { version: '8.0' } }],
  ])('MongoMemoryReplSet %j', ([opts, start]) => {
    expect(replSet(opts)).toMatchObject(start);
    expect(lines).toEqual([]);
  });
});

describe('what has no meaning here is accepted, and a line says so', () => {
  const binary: [opts: object, said: string][] = [
    [{ binary: { downloadDir: '/x' } }, 'binary.downloadDir (nothing is downloaded)'],
    [{ binary: { os: { os: 'linux' } } }, 'binary.os (nothing is downloaded)'],
    [{ binary: { arch: 'x64' } }, 'binary.arch (nothing is downloaded)'],
    [{ binary: { platform: 'linux' } }, 'binary.platform (nothing is downloaded)'],
    [{ binary: { systemBinary: '/usr/bin/mongod' } }, 'binary.systemBinary (there is no mongod to run)'],
    [{ binary: { checkMD5: true } }, 'binary.checkMD5 (nothing is downloaded)'],
    [{ binary: { version: '5.0.9' } }, 'version 5.0.9 (6.0 is imitated)'],
    [{ binary: { version: '9.1.0' } }, 'version 9.1.0 (8.2 is imitated)'],
  ];

  test.for<[opts: object, said: string]>([
    ...binary,
    [{ instance: { launchTimeout: 5000 } }, 'instance.launchTimeout (nothing is launched)'],
    [{ instance: { auth: true } }, 'instance.auth ("auth" beside "instance" decides, as in mongodb-memory-server)'],
    [{ instance: { keyfileLocation: '/x' } }, 'instance.keyfileLocation (it is for members with access control)'],
    [
      { instance: { replicaMemberConfig: {} } },
      'instance.replicaMemberConfig (it is for members of a MongoMemoryReplSet)',
    ],
    [
      { instance: { dbName: 'x' } },
      'instance.dbName (it appears only in instanceInfo; getUri(NAME) names a database, as in mongodb-memory-server)',
    ],
    [
      { instance: { storageEngine: 'ephemeralForTest' } },
      'instance.storageEngine (wiredTiger is imitated, as since MongoDB 7.0)',
    ],
    [
      { instance: { args: ['--quiet', '-vv'] } },
      'instance.args --quiet (it affects only how the process runs); instance.args -vv (it affects only how the process runs)',
    ],
    [
      { instance: { args: ['--bind_ip_all', '--bind_ip', '::1', '--nojournal', '--ipv6'] } },
      ['--bind_ip_all', '--bind_ip ::1', '--nojournal', '--ipv6']
        .map((arg) => `instance.args ${arg} (it affects only how the process runs)`)
        .join('; '),
    ],
    [{ instance: { args: ['--logpath', '/x'] } }, 'instance.args --logpath /x (it affects only how the process runs)'],
    [{ spawn: { env: {} } }, 'spawn (no process is spawned)'],
    [{ auth: { customRootName: 'me' } }, 'auth (without enable: true it does nothing)'],
  ])('MongoMemoryServer %j', ([opts, said]) => {
    server(opts);
    expect(lines).toEqual([
      `replsim:mongodb-memory-server MongoMemoryServer: without meaning here, and ignored: ${said}\n`,
    ]);
  });

  test.for<[opts: object, said: string]>([
    ...binary,
    [{ replSet: { spawn: { env: {} } } }, 'replSet.spawn (no process is spawned)'],
    [{ replSet: { auth: { customRootPwd: 'x' } } }, 'replSet.auth (without enable: true it does nothing)'],
    [{ replSet: { auth: { keyfileContent: 'x' } } }, 'replSet.auth (without enable: true it does nothing)'],
    [{ replSet: { auth: { extraUsers: [] } } }, 'replSet.auth (without enable: true it does nothing)'],
    [{ replSet: { auth: { force: true } } }, 'replSet.auth (without enable: true it does nothing)'],
    [
      { replSet: { dbName: 'x' } },
      'replSet.dbName (it appears only in instanceInfo; getUri(NAME) names a database, as in mongodb-memory-server)',
    ],
    [
      { replSet: { storageEngine: 'ephemeralForTest' } },
      'replSet.storageEngine (wiredTiger is imitated, as since MongoDB 7.0)',
    ],
    [
      { replSet: { args: ['--wiredTigerCacheSizeGB=1'] } },
      'replSet.args --wiredTigerCacheSizeGB=1 (it affects only how the process runs)',
    ],
    [{ instanceOpts: [{}, { launchTimeout: 1 }] }, 'instanceOpts.1.launchTimeout (nothing is launched)'],
    [
      { instanceOpts: [{ storageEngine: 'ephemeralForTest' }] },
      'instanceOpts.0.storageEngine (wiredTiger is imitated, as since MongoDB 7.0)',
    ],
    [{ instanceOpts: [{ args: ['--noauth'] }] }, 'instanceOpts.0.args --noauth (it affects only how the process runs)'],
  ])('MongoMemoryReplSet %j', ([opts, said]) => {
    replSet(opts);
    expect(lines).toEqual([
      `replsim:mongodb-memory-server MongoMemoryReplSet: without meaning here, and ignored: ${said}\n`,
    ]);
  });

  test('one line for all', () => {
    server({ spawn: {}, binary: { arch: 'x64', checkMD5: true } });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('spawn (no process is spawned); binary.arch (nothing is downloaded); binary.checkMD5');
  });
});

describe('what mongodb-memory-server does not know, either, is a typo, and warned of once', () => {
  test.for<[start: (opts: object) => unknown, opts: object, warning: string]>([
    [server, { instanc: {} }, 'MongoMemoryServer has no option instanc: did you mean "instance"?'],
    [server, { instance: { prot: 1 } }, 'MongoMemoryServer has no option instance.prot: did you mean "port"?'],
    [server, { debug: true }, 'MongoMemoryServer has no option debug'],
    [
      server,
      { dispose: { enabeld: true } },
      'MongoMemoryServer has no option dispose.enabeld: did you mean "enabled"?',
    ],
    [server, { dispose: { cleanup: { all: true } } }, 'MongoMemoryServer has no option dispose.cleanup.all'],
    [replSet, { replSet: { cuont: 3 } }, 'MongoMemoryReplSet has no option replSet.cuont: did you mean "count"?'],
    [
      replSet,
      { instanceOpts: [{}, { prot: 1 }] },
      'MongoMemoryReplSet has no option instanceOpts.1.prot: did you mean "port"?',
    ],
    [replSet, { autoStart: true }, 'MongoMemoryReplSet has no option autoStart'],
  ])('%o %j', ([start, opts, warning]) => {
    vi.stubEnv('DEBUG', '');
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    start(opts);
    start(opts);
    expect(warned.mock.calls).toEqual([[warning, { code: 'REPLSIM_UNKNOWN_OPTION' }]]);
    expect(lines).toEqual([]);
  });

  test('what has no meaning here, and is known, is not', () => {
    const warned = vi.spyOn(process, 'emitWarning');
    server({ spawn: {}, instanc: undefined, binary: { checkMD5: true } });
    expect(warned).not.toHaveBeenCalled();
  });
});

test.for<[call: 'stop' | 'cleanup', asked: boolean, meant: string]>([
  ['stop', false, '{"doCleanup":false,"force":false}'],
  ['stop', true, '{"doCleanup":true,"force":false}'],
  ['cleanup', false, '{"doCleanup":true,"force":false}'],
  ['cleanup', true, '{"doCleanup":true,"force":true}'],
])('a boolean is what it was in release 8: %s(%s)', ([call, asked, meant]) => {
  expect(JSON.stringify(cleanupOf('MongoMemoryServer', call, asked))).toBe(meant);
  expect(lines).toEqual([
    `replsim:mongodb-memory-server ${call}(${asked}) means ${meant}, as in mongodb-memory-server 8\n`,
  ]);
});

describe('what would change how it behaves, and cannot be had, is refused', () => {
  test.for<[opts: object, message: RegExp]>([
    [{ instance: { storageEngine: 'inMemory' } }, /instance\.storageEngine: expected "wiredTiger" or/],
    [{ instance: { args: ['--auth'] } }, /instance\.args: cannot use --auth/],
    [
      {
        instance: {
          args: ['--quiet', '--tlsMode', 'requireTLS', '--auth', '--setParameter', 'quiet=true', '--shardsvr'],
        },
      },
      /instance\.args: cannot use --tlsMode requireTLS, --auth, --shardsvr: only --setParameter NAME=VALUE, --oplogSize MB and --networkMessageCompressors LIST are supported; arguments that affect only how the process runs or logs, such as --quiet, are ignored$/,
    ],
    [{ instance: { args: ['--oplogSize'] } }, /instance\.args: cannot use --oplogSize: /],
    [{ instance: [] }, /instance: expected an object/],
  ])('MongoMemoryServer %j', ([opts, message]) => {
    expect(() => server(opts)).toThrow(message);
    expect(() => server(opts)).toThrow(InvalidOptions);
  });

  test.for<[opts: object, message: RegExp]>([
    [{ replSet: { storageEngine: 'inMemory' } }, /replSet\.storageEngine: expected "wiredTiger" or/],
    [{ replSet: { args: ['--auth'] } }, /replSet\.args: cannot use --auth/],
    [{ instanceOpts: [{ dbPath: '/a' }, { dbPath: '/b' }] }, /instanceOpts\.0\.dbPath: a set of several members keeps/],
    [{ instanceOpts: {} }, /instanceOpts: expected a list of objects/],
    [
      { replSet: { args: ['--auth'] }, instanceOpts: [{}, { args: ['--shardsvr'] }] },
      /replSet\.args: cannot use --auth: [^\n]*\ninstanceOpts\.1\.args: cannot use --shardsvr: /,
    ],
    [
      { instanceOpts: [{ replicaMemberConfig: { slaveDelay: 5, priority: 0 } }] },
      /instanceOpts\.0\.replicaMemberConfig\.slaveDelay: since MongoDB 5\.0 it is called secondaryDelaySecs/,
    ],
  ])('MongoMemoryReplSet %j', ([opts, message]) => {
    expect(() => replSet(opts as object)).toThrow(message);
    expect(() => replSet(opts as object)).toThrow(InvalidOptions);
  });

  test('a path of data that were in memory', async () => {
    const server = await MongoMemoryServer.create();
    const { dbPath } = await server.ensureInstance();
    await server.stop();
    expect(existsSync(dbPath)).toBe(false);
    const message = `dbPath: there is nothing at ${dbPath}, because that server kept its data in memory`;
    expect(() => serverStart({ instance: { dbPath } })).toThrow(`MongoMemoryServer: instance.${message}`);
    expect(() => replSet({ instanceOpts: [{ dbPath }] })).toThrow(`MongoMemoryReplSet: instanceOpts.0.${message}`);
  });

  test('auth that is no object', () => {
    expect(() => server({ auth: true })).toThrow(errors.AuthNotObjectError);
  });

  test('a version that is none', () => {
    expect(() => server({ binary: { version: 'newest' } })).toThrow(errors.UnknownVersionError);
  });
});

describe.each([null, undefined])('%s says nothing, wherever it stands', (nothing) => {
  const all = (...names: string[]) => Object.fromEntries(names.map((name) => [name, nothing]));
  const OF_AN_INSTANCE = ['args', 'port', 'dbPath', 'storageEngine', 'replicaMemberConfig', 'launchTimeout'];

  test.for<[opts: object | null | undefined]>([
    [nothing],
    [all('instance', 'binary', 'spawn', 'auth', 'dispose')],
    [{ instance: all(...OF_AN_INSTANCE, 'ip', 'replSet', 'dbName', 'auth', 'keyfileLocation', 'portGeneration') }],
    [{ binary: all('version', 'downloadDir', 'os'), auth: all('enable'), dispose: all('enabled', 'cleanup') }],
  ])('MongoMemoryServer %j', async ([opts]) => {
    await using server = await MongoMemoryServer.create(opts as MongoMemoryServerOpts);
    expect(server.getUri()).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\/$/);
    expect(server.instanceInfo).toMatchObject({ dbName: '', ip: '127.0.0.1', storageEngine: 'wiredTiger' });
  });

  test('nor does it keep a server to its port', () => {
    expect(keepsItsPort(nothing as never, undefined)).toBe(false);
    expect(keepsItsPort(all('portGeneration'), undefined)).toBe(false);
  });

  test.for<[opts: object | null | undefined]>([
    [nothing],
    [all('replSet', 'instanceOpts', 'binary')],
    [{ instanceOpts: [nothing] }],
    [{ instanceOpts: [all(...OF_AN_INSTANCE)] }],
    [
      {
        replSet: all(
          'auth',
          'args',
          'name',
          'count',
          'dbName',
          'ip',
          'spawn',
          'storageEngine',
          'configSettings',
          'dispose',
        ),
      },
    ],
  ])('MongoMemoryReplSet %j', async ([opts]) => {
    await using replSet = await MongoMemoryReplSet.create(opts as MongoMemoryReplSetOpts);
    expect(replSet.getUri()).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\/\?replicaSet=testset$/);
    expect(replSet.replSetOpts).toEqual(new MongoMemoryReplSet().replSetOpts);
  });
});

test.for<[version: string, release: string]>([
  ['8.2.6', '8.2'],
  ['v8.0-latest', '8.0'],
  ['8.0', '8.0'],
  ['8', '8.0'],
  ['8.1.2', '8.0'],
  ['8.10.0', '8.2'],
  ['latest', '8.2'],
  ['7.0.24', '7.0'],
  ['7.3.1', '7.0'],
  ['6.0.0', '6.0'],
  ['6.3.1', '6.0'],
  ['5.0.31', '6.0'],
  ['5', '6.0'],
  ['4.4.29', '4.4'],
  ['4.2.0', '4.4'],
  ['3.6.23', '4.4'],
  ['3.2.22', '3.2'],
])('version %s is imitated by %s', ([version, release]) => {
  expect(server({ binary: { version } }).options.version).toBe(release);
});

test.for(['4.4.29', '3.6.23', 'v4.2-latest'])('slaveDelay is the delay of version %s', (version) => {
  const replicaMemberConfig = { slaveDelay: 30, priority: 0 };
  const { options } = replSet({ binary: { version }, instanceOpts: [{}, { replicaMemberConfig }] });
  expect(options.members[1]).toMatchObject({ secondaryDelaySecs: 30, priority: 0 });
  expect(options.members[1]).not.toHaveProperty('slaveDelay');
});

describe('beside the options', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'replsim-mms-'));
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
    return () => rmSync(folder, { recursive: true, force: true });
  });

  const config = (mongodbMemoryServer: object) =>
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ config: { mongodbMemoryServer } }));

  test('MONGOMS_VERSION says the version', () => {
    vi.stubEnv('MONGOMS_VERSION', '7.0.5');
    expect(server({}).options.version).toBe('7.0');
    expect(server({ binary: { version: '8.0.0' } }).options.version).toBe('8.0');
  });

  test("package.json's config does, too", () => {
    config({ version: '7.0.5' });
    expect(server({}).options.version).toBe('7.0');
    expect(lines).toEqual([]);
    vi.stubEnv('MONGOMS_VERSION', '8.0.1');
    expect(server({}).options.version).toBe('8.0');
  });

  test('the rest has no meaning', () => {
    config({ downloadDir: '/x' });
    vi.stubEnv('MONGOMS_DOWNLOAD_DIR', '/x');
    expect(server({}).options.version).toBe('8.2');
    expect(lines).toHaveLength(1);
    for (const name of ['MONGOMS_DOWNLOAD_DIR', "package.json's config.mongodbMemoryServer.downloadDir"])
      expect(lines[0]).toContain(`${name} (there is no mongod to download or to run)`);
  });

  test('a package.json that is broken is no concern of ours', () => {
    writeFileSync(join(folder, 'package.json'), '{');
    expect(server({}).options.version).toBe('8.2');
  });
});

describe('who asks for the line', () => {
  test.for<[env: Record<string, string>, said: boolean]>([
    [{ DEBUG: '' }, false],
    [{ DEBUG: 'express:*' }, false],
    [{ DEBUG: 'express:*, replsim:*' }, true],
    [{ DEBUG: 'replsim:mongodb-memory-server' }, true],
    [{ DEBUG: 'replsim' }, false],
    [{ DEBUG: '*' }, true],
    [{ DEBUG: '*,-replsim*' }, false],
    [{ DEBUG: 'MongoMS:*' }, true],
    [{ DEBUG: '', MONGOMS_DEBUG: '1' }, true],
    [{ DEBUG: '', MONGOMS_DEBUG: 'yes' }, true],
    [{ DEBUG: '', MONGOMS_DEBUG: '0' }, false],
  ])('%j', ([env, said]) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    server({ spawn: {} });
    expect(lines).toHaveLength(said ? 1 : 0);
  });
});
