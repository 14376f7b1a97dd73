import { InvalidScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { IncidentError, readConf } from '../src/index.ts';

// In the shapes in which people post them.
const MONGOSH = `shop [direct: primary] test> rs.conf()
{
  _id: 'shop',
  version: 3,
  term: 12,
  members: [
    {
      _id: 0,
      host: 'store-a.example.org:27017',
      arbiterOnly: false,
      buildIndexes: true,
      hidden: false,
      priority: 2,
      tags: { rack: 'left' },
      secondaryDelaySecs: Long('0'),
      votes: 1
    },
    {
      _id: 1,
      host: 'store-b.example.org:27017', // the second
      secondaryDelaySecs: Long("0"),
      votes: 1
    }
  ],
  protocolVersion: Long('1'),
  writeConcernMajorityJournalDefault: true,
  settings: {
    chainingAllowed: false,
    electionTimeoutMillis: 4000,
    getLastErrorModes: {},
    getLastErrorDefaults: { w: 1, wtimeout: 0 },
    replicaSetId: ObjectId('64f0a1b2c3d4e5f607182930')
  }
}
shop [direct: primary] test> `;
const OLD_SHELL = `shop:PRIMARY> rs.conf()
{
\t"_id" : "shop",
\t"version" : 7,
\t"protocolVersion" : NumberLong(1),
\t"members" : [
\t\t{ "_id" : 0, "host" : "store-a:27017", "priority" : 1, "slaveDelay" : NumberLong(0), "votes" : 1 },
\t\t{ "_id" : 1, "host" : "store-b:27017", "priority" : 0, "hidden" : true, "slaveDelay" : NumberLong(3600), "votes" : 1 },
\t\t{ "_id" : 2, "host" : "watcher:27017", "arbiterOnly" : true, "priority" : 0, "votes" : 1 }
\t],
\t"settings" : { "heartbeatTimeoutSecs" : 10, "replicaSetId" : ObjectId("64f0a1b2c3d4e5f607182930") }
}
`;
const CANONICAL = JSON.stringify({
  _id: 'shop',
  version: { $numberInt: '1' },
  members: [
    {
      _id: { $numberInt: '0' },
      host: 'a:1',
      priority: { $numberDouble: '1.5' },
      secondaryDelaySecs: { $numberLong: '0' },
    },
    { _id: { $numberInt: '1' }, host: 'b:1', priority: { $numberInt: '0' }, secondaryDelaySecs: { $numberLong: '60' } },
  ],
  settings: { catchUpTimeoutMillis: { $numberInt: '-1' }, replicaSetId: { $oid: '64f0a1b2c3d4e5f607182930' } },
});
const ANSWER = `{ config: { _id: "shop", version: 1, members: [ { _id: 0, host: "only:27017", }, ] }, ok: 1,
  '$clusterTime': { clusterTime: Timestamp({ t: 1700000000, i: 1 }), signature: { hash: Binary.createFromBase64('AAAA', 0), keyId: Long('0') } },
  operationTime: Timestamp({ t: 1700000000, i: 1 }) }`;
const YAML = `_id: shop
version: 1
members:
  - { _id: 0, host: "store-a:27017", tags: { use: reports } }
  - { _id: 1, host: "store-b:27017" }
`;

test('as mongosh prints it, with prompts and comments', () => {
  expect(readConf(MONGOSH, 'conf.js')).toMatchObject({
    setName: 'shop',
    version: '8.0',
    members: [
      { name: 'store-a', host: 'store-a.example.org:27017', config: { priority: 2, tags: { rack: 'left' } } },
      { name: 'store-b', host: 'store-b.example.org:27017' },
    ],
    settings: { chainingAllowed: false, electionTimeoutMillis: 4000 },
  });
});

test('as the old shell prints it, with the words of its release', () => {
  const { version, members } = readConf(OLD_SHELL, 'conf.js');
  expect(version).toBe('4.4');
  expect(members[1]).toMatchObject({ config: { priority: 0, hidden: true, secondaryDelaySecs: 3600 } });
  expect(members[2]).toMatchObject({ config: { arbiterOnly: true } });
});

test('as canonical Extended JSON', () => {
  const { members, settings } = readConf(CANONICAL, 'conf.json');
  expect(members).toMatchObject([{ config: { priority: 1.5 } }, { config: { priority: 0, secondaryDelaySecs: 60 } }]);
  expect(settings).toEqual({ catchUpTimeoutMillis: -1 });
});

test('as the answer to replSetGetConfig, and as YAML', () => {
  expect(readConf(ANSWER, 'conf.js').members).toEqual([{ name: 'only', host: 'only:27017' }]);
  expect(readConf(YAML, 'conf.yaml').members[0]).toMatchObject({
    name: 'store-a',
    config: { tags: { use: 'reports' } },
  });
});

function errorOf(text: string): string {
  try {
    readConf(text, 'conf.js');
  } catch (error) {
    if (error instanceof IncidentError || error instanceof InvalidScenario) return error.message;
    throw error;
  }
  return 'none';
}

test.for<[what: string, text: string, message: string]>([
  ['priority: 2,', 'priority: 2000,', "conf.js:13:7: BSON field 'ReplSetConfig.members.priority'"],
  ["Long('0'),", "Long('0')", 'conf.js:16: the document that begins in line 2 cannot be read from here on'],
  ['priority: 2,', 'priority: process.exit(1),', 'conf.js:13: "process.exit'],
  ['priority: 2,', 'priority: 1 + 1,', 'conf.js:13: "1 + 1" is not a value that mongosh prints'],
  ['store-b.', 'store-a.', 'conf.js:20:7: Found two member configurations with same host'],
] as const)('%s changed to %s is an error with its line', ([from, to, said]) => {
  expect(errorOf(MONGOSH.replace(from, to))).toContain(said);
});

test('what is cut off, empty, or something else, says so', () => {
  expect(errorOf(MONGOSH.slice(0, 400))).toContain('the document that begins in line 2 is cut off here; copy it whole');
  expect(errorOf('')).toContain('the file is empty');
  expect(errorOf('hello')).toContain('a config is a map');
  expect(errorOf("{ ok: 0, errmsg: 'no replset config has been received' }")).toContain('this is not a config');
});

test.for<[what: string, text: string, message: string]>([
  ['a scenario', 'name: x\nsteps: []\n', 'scenario.yaml:2: this is a scenario, not a config'],
  ['a scenario whose set comes last', 'name: x\nsteps: []\nreplicaSet: { members: 3 }\n', 'replsim run" plays it'],
  [
    'a mongod.conf',
    '# a comment\nstorage:\n  dbPath: /data\n',
    'scenario.yaml:2: this is not a config: it has no members',
  ],
])('other YAML is named: %s', ([, text, message]) => {
  expect(() => readConf(text, 'scenario.yaml')).toThrow(IncidentError);
  expect(() => readConf(text, 'scenario.yaml')).toThrow(message);
});
