import { expect, test } from 'vitest';
import { InvalidScenario } from '../../src/file/scenarioError.ts';
import { parseScenario } from '../../src/language/parse.ts';

const STEPS = 'steps: [{ expect: { primary: any } }]\n';
const told = (errors: readonly { readonly line: number; readonly message: string }[]) =>
  errors.map(({ line, message }) => `${line}: ${message}`);

function mistakesIn(text: string): string[] {
  try {
    parseScenario(text, 'a.yaml');
    return [];
  } catch (error) {
    if (error instanceof InvalidScenario) return told(error.mistakes);
    throw error;
  }
}

test('what a mongod has and is without effect here is a warning, and left out', () => {
  const { warnings, options } = parseScenario(
    `name: pasted
wiredTigerCacheSizeGB: 1
storage: { wiredTiger: { engineConfig: { cacheSizeGB: 1 } }, dbPath: /data/db }
enableMajorityReadConcern: true
parameters: { ttlMonitorSleepSecs: 5, wiredTigerEngineRuntimeConfig: "cache_size=1G" }
replicaSet:
  protocolVersion: 1
  members:
    - { name: n1, storageEngine: wiredTiger, parameters: { tcmallocReleaseRate: 1.0 } }
    - { name: n2, wiredTigerCacheSizeGB: 2 }
${STEPS}`,
    'a.yaml',
  );
  expect(told(warnings)).toEqual([
    '2: "wiredTigerCacheSizeGB" has no effect here: the storage engine here has no such option',
    '3: "cacheSizeGB" has no effect here: the storage engine here has no such option',
    '3: "dbPath" has no effect here: the folder belongs to a mongod; --dbpath DIR stores the data of this set',
    '4: "enableMajorityReadConcern" has no effect here: it was a startup option until 4.4, and always true since 5.0',
    '5: "wiredTigerEngineRuntimeConfig" has no effect here: the storage engine here has no such option',
    '7: "protocolVersion" has no effect here: it was a choice until 3.6, and always 1 since 4.0',
    '9: "storageEngine" has no effect here',
    '9: "tcmallocReleaseRate" has no effect here: memory is managed by Node.js',
    '10: "wiredTigerCacheSizeGB" has no effect here: the storage engine here has no such option',
  ]);
  expect(options.parameters).toEqual({ ttlMonitorSleepSecs: 5 });
  expect(options.members).toMatchObject([{ name: 'n1', parameters: {} }, { name: 'n2' }]);
});

test.for<[text: string, mistake: string]>([
  ['enableMajorityReadConcern: false\n', 'a startup option until 4.4, and always true since 5.0; remove it'],
  ['parameters: { enableMajorityReadConcern: false }\n', 'a startup option until 4.4, and always true since 5.0'],
  ['storage: { engine: inMemory }\n', 'members behave as with wiredTiger'],
  ['replication: { oplogSizeMB: 5 }\n', '"replication.oplogSizeMB" is a setting of a mongod.conf'],
  ['net: { prot: 5 }\n', '"net.prot" is neither a field of a scenario nor a setting of mongod'],
  ['replicaSet: { members: [{ name: n1, slaveDelay: 5 }] }\n', 'the name of "secondaryDelaySecs" before 5.0'],
  ['replicaSet: { settings: { getLastErrorDefaults: { w: 2 } } }\n', 'the default write concern until 4.4'],
])('%s is a mistake', ([head, mistake]) => {
  expect(mistakesIn(`name: pasted\n${head}${STEPS}`)).toEqual([expect.stringContaining(mistake)]);
});

test('a step that sets such a parameter would be refused, and one that starts a member leaves it out', () => {
  const steps = (step: string) => `name: pasted\nsteps:\n  - ${step}\n  - expect: { primary: any }\n`;
  expect(mistakesIn(steps('setParameter: { on: primary, parameters: { wiredTigerCursorCacheSize: 1 } }'))).toEqual([
    '3: members refuse "wiredTigerCursorCacheSize", which has no effect here: the storage engine here has no such option',
  ]);
  const start = parseScenario(steps('restart: { member: n1, parameters: { wiredTigerCacheSizeGB: 1 } }'), 'a.yaml');
  expect(told(start.warnings)).toEqual([
    '3: "wiredTigerCacheSizeGB" has no effect here: the storage engine here has no such option',
  ]);
  const create = parseScenario(
    steps('run: { on: primary, db: app, command: { create: a, storageEngine: { wiredTiger: {} } } }'),
    'a',
  );
  expect(told(create.warnings)).toEqual([
    '3: "storageEngine" has no effect here: the storage engine has no such options',
  ]);
});
