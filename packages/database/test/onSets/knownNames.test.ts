import { parametersOf } from '@replsim/pipeline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { knowsCommand } from '../../../pipeline/src/since.ts';
import { stageRules } from '../../../pipeline/src/stages/stageRules.ts';
import { COMMAND_NAMES, COMMANDS_SINCE, MONGOD_COMMANDS } from '../../../pipeline/src/upstream/commandNames.ts';
import { MONGOD_PARAMETERS, PARAMETER_NAMES } from '../../../pipeline/src/upstream/parameterNames.ts';
import { MONGOD_STAGES, STAGE_NAMES } from '../../../pipeline/src/upstream/stageNames.ts';
import { VERSIONS } from '../../../protocol/src/index.ts';
import {
  ACCUMULATOR_NAMES,
  EXPRESSION_NAMES,
  expressionRules,
  MATCH_OPERATOR_NAMES,
  UPDATE_OPERATOR_NAMES,
  WINDOW_FUNCTION_NAMES,
} from '../../../query/src/index.ts';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';

// Whatever a mongod knows by name works here, or is refused with a word that mongod has it: nobody looks for a typing error.

const WIRE_8_0 = VERSIONS['8.0'].maxWireVersion;
const SAYS_SO = /mongod has it, and replsim does not/;

let asked: AskedSet;
beforeAll(async () => {
  asked = await AskedSet.start(1);
  await asked.ok('n1', { insert: 'c', documents: [{ a: 1 }] });
});
afterAll(() => asked.set.close());

const expression = (name: string) => ({ find: 'c', filter: { $expr: { [name]: {} } } });
const group = (name: string) => ({ aggregate: 'c', pipeline: [{ $group: { _id: 1, x: { [name]: {} } } }], cursor: {} });
const windows = (name: string) => ({ aggregate: 'c', pipeline: [{ $setWindowFields: { output: { x: { [name]: {} } } } }], cursor: {} }); // biome-ignore format: one line
const stage = (name: string) => ({ aggregate: 'c', pipeline: [{ [name]: {} }], cursor: {} });
const match = (name: string) => ({ find: 'c', filter: { a: { [name]: {} } } });
const top = (name: string) => ({ find: 'c', filter: { [name]: {} } });
const update = (name: string) => ({ findAndModify: 'c', update: { [name]: {} } });

/** What is wrong with a kind of names, and with which code the unknown ones are refused. */
const kinds: readonly [
  kind: string,
  names: Iterable<string>,
  command: (name: string) => Doc,
  unknown: RegExp,
  code: number,
][] = [
  // biome-ignore format: one line
  ['expression', EXPRESSION_NAMES, expression, /^.*Unrecognized expression '\$\w+'/s, 168],
  ['accumulator', ACCUMULATOR_NAMES, group, /unknown group operator/, 15952],
  ['window function', WINDOW_FUNCTION_NAMES, windows, /Unrecognized window function/, 9],
  ['stage', MONGOD_STAGES, stage, /Unrecognized pipeline stage name/, 40324],
  ['match operator', MATCH_OPERATOR_NAMES, match, /unknown operator/, 2],
  ['update operator', UPDATE_OPERATOR_NAMES, update, /Unknown modifier/, 9],
];

describe.for(kinds)('each %s of mongod', ([, names, command, unknown, code]) => {
  test('works, or is known by name', async () => {
    const wrong: string[] = [];
    for (const name of names) {
      const { errmsg = '' } = await asked.run('n1', command(name));
      if (unknown.test(errmsg) && !SAYS_SO.test(errmsg)) wrong.push(`${name}: ${errmsg}`);
    }
    expect(wrong).toEqual([]);
  });

  test('and one that it has not is refused as mongod does', async () => {
    const reply = await asked.run('n1', command('$nonsense'));
    expect(reply).toMatchObject({ ok: 0, code, errmsg: expect.stringMatching(unknown) });
    expect(reply.errmsg).not.toMatch(SAYS_SO);
  });
});

test('a match operator at the top, too', async () => {
  expect(await asked.run('n1', top('$_internalSchemaXor'))).toMatchObject({
    code: 2,
    errmsg: expect.stringMatching(SAYS_SO),
  });
  expect((await asked.run('n1', top('$nonsense'))).errmsg).not.toMatch(SAYS_SO);
});

test('each command of mongod is answered, or refused by 59 with a word that mongod has it', () => {
  const wrong: string[] = [];
  for (const name of MONGOD_COMMANDS) {
    // One ends the process, and the others came after 8.0.
    if (name === 'shutdown' || !knowsCommand(name, WIRE_8_0)) continue;
    const { code, errmsg = '' } = asked.now('n1', { [name]: 1 });
    if (code === 59 && !SAYS_SO.test(errmsg)) wrong.push(`${name}: ${errmsg}`);
  }
  expect(wrong).toEqual([]);
  expect(asked.now('n1', { nonsense: 1 })).toMatchObject({ code: 59, errmsg: "no such command: 'nonsense'" });
  expect(asked.now('n1', { startRecordingTraffic: 1 })).toMatchObject({ code: 59, codeName: 'CommandNotFound' });
});

test('each parameter of mongod can be read, or is refused by 72 with a word that mongod has it', () => {
  const here = Object.keys(asked.now('n1', { getParameter: '*' }));
  const refusal = { ok: 0, code: 72, errmsg: expect.stringMatching(SAYS_SO) };
  for (const name of [...MONGOD_PARAMETERS, 'featureFlagGetExecutorDeferredEngineChoice']) {
    const reply = asked.now('n1', { getParameter: 1, [name]: 1 });
    if (here.includes(name)) {
      expect(reply).toMatchObject({ ok: 1, [name]: expect.anything() });
      continue;
    }
    expect(reply).toMatchObject(refusal);
    // Beside one that is here it is not passed over in silence.
    expect(asked.now('n1', { getParameter: 1, quiet: 1, [name]: 1 })).toMatchObject(refusal);
    // Setting it does nothing, and says so.
    expect(asked.now('n1', { setParameter: 1, [name]: 1 })).toMatchObject(refusal);
  }
  for (const command of [
    { getParameter: 1, nonsense: 1 },
    { setParameter: 1, nonsense: 1 },
  ]) {
    const reply = asked.now('n1', command);
    expect(reply).toMatchObject({ ok: 0, code: 72 });
    expect(reply.errmsg).not.toMatch(SAYS_SO);
  }
});

test('parameters of other releases, cluster parameters and options of the command line are none', () => {
  // Gone before 8.0; a cluster's; an option; a command.
  for (const name of [
    'internalQueryForceClassicEngine',
    'waitForStepDownOnNonCommandShutdown',
    'numInitialSyncListDatabasesAttempts',
    'internalSearchOptions',
    'zstdDefaultCompressionLevel',
    'repairShardedCollectionChunksHistory',
  ]) {
    expect(PARAMETER_NAMES.ownerOf(name), name).toBeUndefined();
  }
  for (const name of ['processUmask', 'maxIndexBuildDrainBatchSize', 'internalCascadesOptimizerSampleChunks']) {
    expect(PARAMETER_NAMES.ownerOf(name), name).toBe('mongod');
  }
  expect(PARAMETER_NAMES.ownerOf('loadBalancerPort')).toBe('mongos');
  expect(PARAMETER_NAMES.ownerOf('authFailedDelayMs')).toBe('MongoDB Enterprise');
});

test('what a mongos or the Enterprise edition has alone is refused with a word about that', () => {
  expect(asked.now('n1', { shardCollection: 'a.b', key: { _id: 1 } })).toMatchObject({
    code: 59,
    errmsg: "no such command: 'shardCollection' (mongos has it, and replsim does not)",
  });
  expect(asked.now('n1', { setAuditConfig: 1 })).toMatchObject({
    code: 59,
    errmsg: "no such command: 'setAuditConfig' (MongoDB Enterprise has it, and replsim does not)",
  });
  const suffix = (owner: string) => expect.stringContaining(`(${owner} has it, and replsim does not)`);
  expect(asked.now('n1', { setParameter: 1, ldapServers: 'x' })).toMatchObject({ code: 72, errmsg: suffix('MongoDB Enterprise') }); // biome-ignore format: one line
  expect(asked.now('n1', { setParameter: 1, readHedgingMode: 'off' })).toMatchObject({ code: 72, errmsg: suffix('mongos') }); // biome-ignore format: one line
  // A mongod knows nothing of them, so that they are passed over beside others.
  expect(asked.now('n1', { getParameter: 1, quiet: 1, readHedgingMode: 1 })).toMatchObject({ ok: 1, quiet: false });
  expect(asked.now('n1', stage('$backupCursor'))).toMatchObject({ code: 40324, errmsg: suffix('MongoDB Enterprise') });
});

test('what came with a later release is unknown before', () => {
  const { errmsg } = asked.now('n1', { releaseMemory: [] });
  expect(errmsg).toBe("no such command: 'releaseMemory'");
  const names = COMMANDS_SINCE.flatMap(([, each]) => each);
  expect(names.filter((name) => !MONGOD_COMMANDS.includes(name))).toEqual([]);
  expect(names).toEqual([...new Set(names)]);
});

test('so are parameters; who asks a 4.4 for one of 8.0 beside others gets the others', async () => {
  const old = await AskedSet.start(1, { version: '4.4' });
  try {
    const reply = old.now('n1', { getParameter: 1, quiet: 1, ttlMonitorBatchDeletes: 1 });
    expect(reply).toMatchObject({ ok: 1, quiet: false });
    expect(reply).not.toHaveProperty('ttlMonitorBatchDeletes');
    const { errmsg } = old.now('n1', { setParameter: 1, ttlMonitorBatchDeletes: true });
    expect(errmsg).not.toMatch(SAYS_SO);
  } finally {
    await old.set.close();
  }
});

test('no list names anything twice', () => {
  const twice = (names: readonly string[]) => names.filter((name, i) => names.indexOf(name) !== i);
  for (const names of [MONGOD_COMMANDS, MONGOD_PARAMETERS, MONGOD_STAGES]) expect(twice(names)).toEqual([]);
});

/** What replsim has and no mongod of today. */
const OWN = [
  'anyUserPasswords',
  'clientLogLinesPerSecond',
  'configCommitmentCountQuirk',
  'maxCursorsPerUser',
  'maxSessionsPerUser',
  'networkMessageCompressors',
];
const OLD_OR_OWN = /^replsim/;

test('the lists have all that replsim has', () => {
  const { commands } = asked.now('n1', { listCommands: 1 });
  expect(Object.keys(commands).filter((name) => !COMMAND_NAMES.has(name) && !OLD_OR_OWN.test(name))).toEqual([]);
  expect([...stageRules.keys()].filter((name) => !STAGE_NAMES.has(name))).toEqual([]);
  expect(Object.keys(expressionRules).filter((name) => !EXPRESSION_NAMES.has(name))).toEqual([]);
  const parameters = parametersOf(VERSIONS['8.0']).map(({ name }) => name);
  expect(parameters.filter((name) => !PARAMETER_NAMES.has(name) && !OWN.includes(name))).toEqual([]);
});
