import { readFileSync } from 'node:fs';
import { FAIL_POINTS } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { FAIL_POINTS_ELSEWHERE, whyElsewhere } from '../../../../pipeline/src/upstream/failPointNames.ts';
import { AskedSet } from '../../askedSet.ts';
import { CENSUS, SEARCHED } from './failPointCensus.ts';

// Which fail points there are.

const docs = readFileSync(new URL('../../../../../docs/faults.md', import.meta.url), 'utf8');

/** The names in the first column of the table. */
function documented(): string[] {
  const [, section = ''] = docs.split('\n## Fail points\n');
  return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
}

test('the docs list all of them', () => {
  expect(documented().sort()).toEqual([...FAIL_POINTS].sort());
});

test('each can be switched in every mode; another name is refused', async () => {
  const asked = await AskedSet.start(1);
  const modes = ['alwaysOn', { times: 2 }, { skip: 2 }, { activationProbability: 0 }, 'off'];
  const others = [
    'shardWaitInHello',
    'waitInIsMaster',
    'dropDatabaseHangAfterLastCollectionDrop',
    'waitForIsMasterResponse',
    'hangWhileWaitingForIsMasterResponse',
    'shardWaitInFindBeforeMakingBatch',
    'skipTTLIndexInvalidExpireAfterSecondsValidationForCreateIndex',
  ];
  for (const name of [...FAIL_POINTS, ...others]) {
    for (const mode of modes) {
      const data = name === 'stopReplProducerOnDocument' ? { document: { op: 'i' } } : {};
      expect(await asked.run('n1', { configureFailPoint: name, mode, data }, 'admin'), name).toMatchObject({ ok: 1 });
    }
  }
  expect(await asked.run('n1', { configureFailPoint: 'rsSyncApplyStopp', mode: 'off' }, 'admin')).toMatchObject({
    code: 266,
    codeName: 'FailPointSetFailed',
  });
  await asked.set.close();
});

test('a name that mongod alone has is refused as such, in whatever command', async () => {
  const asked = await AskedSet.start(1);
  const message =
    /^rollbackHangBeforeFinish not found \(mongod has it, and replsim does not: a rollback undoes everything at one moment here\)$/;
  for (const command of [
    { configureFailPoint: 'rollbackHangBeforeFinish', mode: 'alwaysOn' },
    { waitForFailPoint: 'rollbackHangBeforeFinish', timesEntered: 1, maxTimeMS: 1000 },
  ]) {
    const reply = await asked.run('n1', command, 'admin');
    expect(reply).toMatchObject({ ok: 0, code: 266, errmsg: expect.stringMatching(message) });
  }
  await asked.set.close();
});

test('each of the census works, or is refused with the reason why replsim does not have it', async () => {
  const asked = await AskedSet.start(1);
  const refused: string[] = [];
  const names = [...CENSUS.map(([name]) => name), ...SEARCHED];
  for (const name of names) {
    const { ok, errmsg } = await asked.run('n1', { configureFailPoint: name, mode: 'off' }, 'admin');
    if (ok === 1) continue;
    expect(errmsg, name).toMatch(/\(mongod has it, and replsim does not: /);
    refused.push(name);
  }
  // What several tests set works.
  expect(CENSUS.filter(([name, files]) => files >= 3 && refused.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  await asked.set.close();
});

test('no name is both here and elsewhere, nor twice', () => {
  expect(FAIL_POINTS.filter((name) => whyElsewhere(name) !== undefined)).toEqual([]);
  expect(FAIL_POINTS_ELSEWHERE.filter((name, i) => FAIL_POINTS_ELSEWHERE.indexOf(name) !== i)).toEqual([]);
  expect(new Set(FAIL_POINTS).size).toBe(FAIL_POINTS.length);
});

test('voteNoInElection: nobody wins without the votes that are refused', async () => {
  const asked = await AskedSet.start([{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }]);
  await asked.untilPrimary('n1');
  for (const member of ['n2', 'n3'])
    await asked.ok(member, { configureFailPoint: 'voteNoInElection', mode: 'alwaysOn' }, 'admin');
  asked.set.kill('n1');
  await asked.pass(40_000);
  expect(asked.primaryIfAny()).toBeUndefined();
  for (const member of ['n2', 'n3'])
    await asked.ok(member, { configureFailPoint: 'voteNoInElection', mode: 'off' }, 'admin');
  await asked.until(() => asked.primaryIfAny() !== undefined);
  await asked.set.close();
});

test('one that is on at the start is on until the process ends, or a command says otherwise', async () => {
  const scenario = parseScenario(
    `name: Nobody wins while all refuse their votes
replicaSet:
  members:
    - { name: n1, parameters: { failpoint.voteNoInElection: { mode: alwaysOn, data: {} } } }
    - { name: n2, parameters: { failpoint.voteNoInElection: { mode: alwaysOn } } }
    - { name: n3, parameters: { failpoint.voteNoInElection: '{mode: "alwaysOn"}' } }
parameters: { failpoint.hangTTLMonitorBetweenPasses: { mode: alwaysOn } }
steps:
  - always: { for: 60s, primary: none }
  - restart: n2
  - always: { for: 60s, primary: none }
  - restart: { member: n2, parameters: { failpoint.voteNoInElection: { mode: 'off' } } }
  - eventually: { within: 90s, primary: any }
  - insert: { into: app.c, document: { at: { $now: -1h } }, writeConcern: { w: 1 } }
  - createIndex: { in: app.c, keys: { at: 1 }, options: { expireAfterSeconds: 1 }, writeConcern: { w: 1 } }
  - always: { for: 3m, count: app.c, is: 1 }
  - failPoint: { on: all, name: hangTTLMonitorBetweenPasses, mode: 'off' }
  - eventually: { within: 3m, count: app.c, is: 0 }
`,
    'started.yaml',
  );
  const { failure } = await playScenario(scenario, (options) => ReplSet.create(options));
  expect(failure, failure?.detail).toBeUndefined();
});

test('getParameter shows how it is set and how often it was entered', async () => {
  const startup = { 'failpoint.failCommand': { mode: { times: 3 }, data: { failCommands: ['ping'], errorCode: 6 } } };
  const asked = await AskedSet.start(1, { parameters: startup });
  expect(await asked.run('n1', { ping: 1 }, 'admin')).toMatchObject({ ok: 0, code: 6 });
  const read = { getParameter: 1, 'failpoint.failCommand': 1 };
  expect(await asked.run('n1', read, 'admin')).toMatchObject({
    'failpoint.failCommand': { mode: 3, data: { failCommands: ['ping'], errorCode: 6 }, timesEntered: 1 },
  });
  const set = { setParameter: 1, 'failpoint.failCommand': { mode: 'off' } };
  expect(await asked.run('n1', set, 'admin')).toMatchObject({ ok: 0, code: 20 });
  expect(await asked.run('n1', { getParameter: 1, 'failpoint.nope': 1 }, 'admin')).toMatchObject({ ok: 0, code: 72 });
  await asked.set.close();
});
