import { expect, test } from 'vitest';
import { InvalidScenario, parseScenario } from '../../src/index.ts';
import { memberNamesOf } from '../../src/language/conf/memberNames.ts';

const MEMBERS = `
      { _id: 0, host: "db1.example.net:27017", priority: 5, secondaryDelaySecs: Long('0'), tags: { dc: east } },
      { _id: 1, host: "db2.example.net:27018", secondaryDelaySecs: { $numberLong: "0" } },
      { _id: 4, host: "db3.example.net:27017", priority: 0, hidden: true, votes: 0, secondaryDelaySecs: Long("3600") }`;
const SETTINGS = `electionTimeoutMillis: 5000, catchUpTimeoutMillis: -1, getLastErrorModes: { far: { dc: 1 } },
      getLastErrorDefaults: { w: 1, wtimeout: 0 }, replicaSetId: ObjectId('65a1f0c2b3d4e5f601234567')`;

function scenario(members = MEMBERS, settings = SETTINGS, beside = ''): string {
  return `name: as printed
${beside}
replicaSet:
  config: {
    _id: 'orders', version: 4, term: 3, protocolVersion: Long('1'), writeConcernMajorityJournalDefault: false,
    members: [${members}
    ],
    settings: { ${settings} }
    }
steps:
  - advance: 1s
`;
}

function mistakeIn(text: string): string {
  try {
    parseScenario(text, 'a.yaml');
  } catch (error) {
    if (error instanceof InvalidScenario)
      return error.mistakes.map(({ line, message }) => `${line}: ${message}`).join('\n');
    throw error;
  }
  return 'none';
}

test('all that a set is made with is taken over from what rs.conf() prints', () => {
  const { options } = parseScenario(scenario(), 'a.yaml');
  expect(options).toMatchObject({
    setName: 'orders',
    writeConcernMajorityJournalDefault: false,
    settings: { electionTimeoutMillis: 5000, catchUpTimeoutMillis: -1, getLastErrorModes: { far: { dc: 1 } } },
  });
  expect(options.members).toEqual([
    { name: 'db1', host: 'db1.example.net:27017', config: { priority: 5, tags: { dc: 'east' } } },
    { name: 'db2', host: 'db2.example.net:27018' },
    {
      name: 'db3',
      host: 'db3.example.net:27017',
      config: { priority: 0, hidden: true, votes: 0, secondaryDelaySecs: 3600 },
    },
  ]);
});

test('what has no effect is said', () => {
  const [warning] = parseScenario(scenario(), 'a.yaml').warnings;
  expect(warning?.message).toContain('version 4 and term 3');
  for (const told of ['replicaSetId', 'getLastErrorDefaults', '_id of members'])
    expect(warning?.message).toContain(told);
});

test('slaveDelay is the delay of a release before 5.0, and unknown to others', () => {
  const old = MEMBERS.replaceAll('secondaryDelaySecs', 'slaveDelay');
  const { options } = parseScenario(scenario(old, 'chainingAllowed: false', 'version: "4.4"'), 'a.yaml');
  expect(options.members[2]?.config).toMatchObject({ secondaryDelaySecs: 3600 });
  expect(mistakeIn(scenario(old))).toBe("7: BSON field 'ReplSetConfig.members.slaveDelay' is an unknown field.");
});

test.for([
  ['priority: 5', 'votes: 0', '7: priority must be 0 when non-voting (votes:0): db1.example.net:27017'],
  ['db2.example.net:27018', 'db1.example.net:27017', '8: Found two member configurations with same host field'],
  ['db2.example.net:27018', 'localhost:27018', '8: Either all host names in a replica set configuration'],
  ['_id: 4', '_id: 1', '9: Found two member configurations with same _id field'],
  ['hidden: true', 'hiden: true', "9: BSON field 'ReplSetConfig.members.hiden' is an unknown field."],
  ['priority: 0', 'priority: 2', '9: priority must be 0 when'],
  ['host: "db2.example.net:27018", ', '', "8: BSON field 'ReplSetConfig.members.host' is missing"],
] as const)(
  'a config with %s changed to %s is refused in the words of a mongod, where it stands',
  ([from, to, said]) => {
    expect(mistakeIn(scenario(MEMBERS.replace(from, to)))).toContain(said);
  },
);

test.for([
  ['electionTimeoutMillis: 5000', 'electionTimeoutMillis: 0', "11: BSON field 'ReplSetConfig.settings.electionTimeout"],
  ['far: { dc: 1 }', 'far: { rack: 1 }', '11: getLastErrorModes.far names the tag rack, which no member has'],
  ['w: 1, wtimeout', 'w: 2, wtimeout', '12: the config contains customized getLastErrorDefaults'],
] as const)('settings with %s changed to %s are refused', ([from, to, said]) => {
  expect(mistakeIn(scenario(MEMBERS, SETTINGS.replace(from, to)))).toContain(said);
});

test('a config says all of the set, and nothing stands beside it that it says', () => {
  expect(mistakeIn(scenario().replace('replicaSet:', 'replicaSet:\n  settings: {}'))).toBe(
    '4: "settings" cannot be combined with "config", which contains it',
  );
});

test.for([
  [
    ['mongo1.example.com:27017', 'mongo2.example.com:27017'],
    ['mongo1', 'mongo2'],
  ],
  [
    ['db.east.example.com:27017', 'db.west.example.com:27017'],
    ['db-east', 'db-west'],
  ],
  [
    ['localhost:27017', 'localhost:27018'],
    ['localhost-27017', 'localhost-27018'],
  ],
  [
    ['10.0.0.1:27017', '10.0.0.2:27017'],
    ['ip-10-0-0-1', 'ip-10-0-0-2'],
  ],
  [
    ['[fe80::1]:27017', '[fe80::2]:27017'],
    ['ip-fe80-1', 'ip-fe80-2'],
  ],
  [
    ['primary.example.com:27017', 'other.example.com:27017'],
    ['primary-example', 'other-example'],
  ],
  [
    ['all:27017', 'b:27017'],
    ['all-27017', 'b-27017'],
  ],
] as const)('the members at %s are called %s', ([hosts, names]) => {
  expect(memberNamesOf(hosts)).toEqual(names);
});
