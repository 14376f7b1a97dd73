import { describe, expect, test, vi } from 'vitest';
import { InvalidOptions, type ReplicaSetOptions } from '../src/index.ts';
import { readOptions } from '../src/readOptions.ts';

const served = (options: ReplicaSetOptions) => readOptions(options).serve;
const names = (options: ReplicaSetOptions) => {
  const { members } = served(options);
  return Array.isArray(members) ? members.map(({ name, spare }) => (spare ? `${name} (spare)` : name)) : members;
};

describe('who is in the set', () => {
  test.for<[options: ReplicaSetOptions, members: string[] | undefined]>([
    // The data under dbpath may say it; else three.
    [{}, undefined],
    [{ members: 5, name: 'orders' }, ['n1', 'n2', 'n3', 'n4', 'n5']],
    [{ count: 1 }, ['n1']],
    [{ replSet: { count: 2 } }, ['n1', 'n2']],
    [{ members: 2, count: 2, replSet: { count: 2 } }, ['n1', 'n2']],
    [{ members: ['a', { name: 'b', priority: 0 }] }, ['a', 'b']],
    [{ members: 1, spares: 2 }, ['n1', 'n2 (spare)', 'n3 (spare)']],
    [{ spares: ['x'] }, ['n1', 'n2', 'n3', 'x (spare)']],
    [{ instanceOpts: [{}, { port: 4711 }] }, ['n1', 'n2']],
    [{ instanceOpts: [{ port: 4711 }], count: 3 }, ['n1', 'n2', 'n3']],
  ])('%j', ([options, members]) => {
    expect(names(options)).toEqual(members);
  });
});

test.for([1, 2, 3, 4, 5, 6, 7])(
  '%i members and nothing else: the set that the reader of all options makes',
  (members) => {
    // Short and long way.
    const [plain, read] = [served({ members }), served({ members, seed: 1 })];
    expect(plain).toEqual({ members });
    expect(read).toEqual({ members: Array.from({ length: members }, (_, i) => ({ name: `n${i + 1}` })), seed: 1 });
  },
);

describe('names that mean the same', () => {
  test.for<[one: ReplicaSetOptions, other: ReplicaSetOptions]>([
    [{ name: 'orders' }, { replSet: 'orders' }],
    [{ name: 'orders' }, { replSet: { name: 'orders', storageEngine: 'wiredTiger' } }],
    [{ dbpath: '/data' }, { dbPath: '/data' }],
    [{ version: '7.0' }, { binary: { version: 'v7.0.14' } }],
    [{ ip: '::1' }, { replSet: { ip: '::1' } }],
    [{ settings: { electionTimeoutMillis: 500 } }, { replSet: { configSettings: { electionTimeoutMillis: 500 } } }],
    [{ epoch: '2030-01-01' }, { epoch: new Date('2030-01-01') }],
    [{ epoch: '2030-01-01' }, { epoch: Date.parse('2030-01-01') }],
    [
      { members: [{ name: 'n1', parameters: { ttlMonitorSleepSecs: 1, quiet: true }, oplogSizeMB: 5 }] },
      {
        instanceOpts: [
          { args: ['--setParameter', 'ttlMonitorSleepSecs=1', '--setParameter=quiet=true', '--oplogSize', '5'] },
        ],
      },
    ],
    [
      { members: [{ name: 'n1', priority: 2 }, 'n2'] },
      { instanceOpts: [{ replicaMemberConfig: { priority: 2 } }], count: 2 },
    ],
  ])('%j and %j', ([one, other]) => {
    expect(served(one)).toEqual(served(other));
  });
});

test('each member may have its port', () => {
  expect(served({ members: [{ name: 'a', port: 4711 }, 'b'] }).ports).toEqual([4711, 0]);
  expect(served({ instanceOpts: [{}, { port: 4712 }] }).ports).toEqual([0, 4712]);
  expect(served({ port: 4711 })).toMatchObject({ port: 4711 });
});

test('getUri names the database of replSet.dbName', () => {
  expect(readOptions({ replSet: { dbName: 'app' } }).database).toBe('app');
});

describe('mistakes', () => {
  test.for<[options: unknown, message: RegExp]>([
    [{ memebrs: 3 }, /unknown option "memebrs": did you mean "members"\?/],
    [{ setName: 'rs1' }, /unknown option "setName": write "name" for the name of the set/],
    [{ replSet: { auth: true } }, /unknown option "replSet.auth": write it at the top level/],
    [{ replSet: { cuont: 3 } }, /unknown option "replSet.cuont": did you mean "count"\?/],
    [{ instanceOpts: [{ prot: 1 }] }, /unknown option "instanceOpts.0.prot": did you mean "port"\?/],
    [{ instanceOpts: [{ dbPath: '/x' }] }, /instanceOpts.0.dbPath": give the set one "dbpath"/],
    [{ binary: { downloadDir: '/x' } }, /unknown option "binary.downloadDir": nothing is downloaded/],
    [{ anyUser: true }, /anyUser: expected a password, or a list of passwords/],
    [{ members: '3' }, /members: expected a number, or a list/],
    [{ members: 0 }, /^ReplicaSet.start: members: expected 1 or more$/],
    [{ members: -1 }, /^ReplicaSet.start: members: expected 1 or more$/],
    [{ count: 0 }, /^ReplicaSet.start: count: expected 1 or more$/],
    [{ replSet: { count: -1 } }, /^ReplicaSet.start: replSet.count: expected 1 or more$/],
    [{ members: [] }, /^ReplicaSet.start: members: expected 1 or more$/],
    [{ members: 51 }, /members: a replica set has at most 50 members/],
    [
      { members: 8 },
      /members: a replica set has at most 7 voting members, and this one has 8; give the others \{ votes: 0, priority: 0 \}/,
    ],
    [
      { members: [{ name: 'a', prioritty: 0 }] },
      /members.prioritty: unknown key "prioritty" in a member; did you mean "priority"\?/,
    ],
    [{ members: [{ name: 'a', hidden: true }, 'b'] }, /a hidden member needs priority 0; add priority: 0/],
    [{ members: ['a', 'a'] }, /members.*: two members are called "a"/],
    [{ members: ['primary'] }, /a member cannot be called "primary"/],
    [{ members: [{ priority: 1 }] }, /members.0.name: expected text/],
    [{ members: 3, count: 4 }, /members says 3, and count 4/],
    [{ name: 'a', replSet: 'b' }, /name says "a", and replSet "b"/],
    [{ dbpath: '/a', dbPath: '/b' }, /dbpath says "\/a", and dbPath "\/b"/],
    [{ version: '5.0' }, /version: expected one of .*"8.0"/],
    [{ speed: -1 }, /speed: expected virtual seconds per second, 0 or more/],
    [{ speed: 20_000 }, /speed: expected at most 10000/],
    [{ ledger: 'no' as never }, /ledger: expected true or false/],
    [{ maxLead: -1 }, /maxLead must be a duration/],
    [{ maxLead: '5 bananas' }, /maxLead must be a duration/],
    [{ maxLead: true as never }, /maxLead: expected a duration such as "250ms", or milliseconds/],
    [{ speed: 'fast' }, /speed: expected virtual seconds/],
    [{ seed: 1.5 }, /seed: expected a whole number/],
    [{ port: 70000 }, /port: expected a port, 0 to 65535/],
    [{ epoch: 'tomorrow' }, /epoch: "tomorrow" is not a time between 1970 and 2106/],
    [
      { settings: { electionTimeout: 5 } },
      /settings.electionTimeout: unknown key "electionTimeout" in settings; did you mean "electionTimeoutMillis"/,
    ],
    [{ network: { latencyMs: [5, 1] } }, /network.latencyMs: /],
    [
      { costs: { insertMicrosecs: 1 } },
      /costs.insertMicrosecs: unknown key "insertMicrosecs" in costs; did you mean "insertMicros"\?/,
    ],
    [{ instanceOpts: [{ args: ['--auth'] }] }, /instanceOpts.0.args: cannot use --auth/],
    [
      { instanceOpts: [{ args: ['--enableMajorityReadConcern', 'false'] }] },
      /instanceOpts.0.args: --enableMajorityReadConcern false: it was a startup option until 4.4, and always true since 5.0/,
    ],
    [{ instanceOpts: [{}, {}], count: 1 }, /2 entries for 1 members/],
    [
      { replSet: { storageEngine: 'ephemeralForTest' } },
      /replSet.storageEngine: expected "wiredTiger", the only storage engine/,
    ],
    [{ memebrs: 3, speeed: 0 }, /"memebrs"[\s\S]*"speeed": did you mean "speed"\?/],
    [null, /expected an object/],
    [{ version: 8 }, /version: expected a version in quotes, such as "8.0"/],
    [{ binary: '8.0' }, /binary: expected an object with a version/],
    [{ binary: { version: 8 } }, /binary.version: expected a version in quotes/],
    [{ ip: '0.0.0.0' }, /ip: cannot listen on 0.0.0.0: only on loopback/],
    [{ port: 65534 }, /port: 3 members need ports from 65534 to 65536, and 65535 is the last/],
    [{ settings: { electionTimeoutMillis: 'x' } }, /settings.electionTimeoutMillis: expected a whole number/],
    [{ network: { loss: 3 } }, /network.loss: expected a probability from 0 to 1/],
    [{ costs: { insertMicros: -1 } }, /costs.insertMicros: expected 0 or more/],
    [{ name: '' }, /name: a set has a name, such as rs0/],
    [{ instance: { port: 1 } }, /unknown option "instance": write its options at the top level/],
    [{ members: ['n1', { name: 'a b' }] }, /members.*: a member's name is made of letters/],
    [{ members: [{ name: 'a', clock: { drift: 'x' } }] }, /members.clock.drift: /],
    [{ spares: -1 }, /spares: expected 0 or more/],
    [{ initiate: 'no' }, /initiate: expected true or false/],
    [{ scenario: '/none.yaml' }, /scenario: cannot read .*none\.yaml: there is no such file, seen from /],
    [{ scenario: '/x.yaml', members: 3, seed: 4 }, /members: the scenario file says that/],
  ])('%j', ([options, message]) => {
    const read = () => readOptions(options as ReplicaSetOptions);
    expect(read).toThrow(message);
    expect(read).toThrow(InvalidOptions);
  });
});

test('a parameter that says nothing here is left out, with one warning', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  try {
    const args = ['--wiredTigerCacheSizeGB', '1', '--enableMajorityReadConcern=true'];
    const options = { parameters: { wiredTigerCursorCacheSize: -100, ttlMonitorSleepSecs: 5 }, replSet: { args } };
    expect(served(options).parameters).toEqual({ ttlMonitorSleepSecs: 5 });
    served(options);
    expect(warned.mock.calls.map(([text]) => text)).toEqual([
      'without effect: replSet.args --wiredTigerCacheSizeGB 1 (it affects only how the process runs)',
      'without effect: replSet.args --enableMajorityReadConcern=true (it affects only how the process runs)',
      'parameters.wiredTigerCursorCacheSize: "wiredTigerCursorCacheSize" has no effect here: the storage engine here has no such option',
    ]);
  } finally {
    warned.mockRestore();
  }
});
