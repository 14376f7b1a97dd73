import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parametersOf } from '../packages/database/src/parameters.ts';
import { stageRules } from '../packages/database/src/pipeline/stageRules.ts';
import { COMMAND_NAMES } from '../packages/database/src/upstream/commandNames.ts';
import { PARAMETER_COUNT, PARAMETER_NAMES } from '../packages/database/src/upstream/parameterNames.ts';
import { STAGE_NAMES } from '../packages/database/src/upstream/stageNames.ts';
import { VERSIONS } from '../packages/protocol/src/index.ts';
import {
  ACCUMULATOR_NAMES,
  EXPRESSION_NAMES,
  expressionRules,
  MATCH_OPERATOR_NAMES,
  UPDATE_OPERATOR_NAMES,
  WINDOW_FUNCTION_NAMES,
} from '../packages/query/src/index.ts';
import { AskedSet, type Doc } from './askedSet.ts';

// Whatever a mongod knows by name works here, or is refused with a word that mongod has it: nobody looks for a typing error.

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
  names: ReadonlySet<string>,
  command: (name: string) => Doc,
  unknown: RegExp,
  code: number,
][] = [
  // biome-ignore format: one line
  ['expression', EXPRESSION_NAMES, expression, /^.*Unrecognized expression '\$\w+'/s, 168],
  ['accumulator', ACCUMULATOR_NAMES, group, /unknown group operator/, 15952],
  ['window function', WINDOW_FUNCTION_NAMES, windows, /Unrecognized window function/, 9],
  ['stage', STAGE_NAMES, stage, /Unrecognized pipeline stage name/, 40324],
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
  for (const name of COMMAND_NAMES) {
    if (name === 'shutdown') continue;
    const { code, errmsg = '' } = asked.now('n1', { [name]: 1 });
    if (code === 59 && !SAYS_SO.test(errmsg)) wrong.push(`${name}: ${errmsg}`);
  }
  expect(wrong).toEqual([]);
  expect(asked.now('n1', { nonsense: 1 })).toMatchObject({ code: 59, errmsg: "no such command: 'nonsense'" });
  expect(asked.now('n1', { startRecordingTraffic: 1 })).toMatchObject({ code: 59, codeName: 'CommandNotFound' });
});

test('each parameter of mongod can be read, or is refused by 72 with a word that mongod has it', () => {
  for (const name of [
    'planCacheSize',
    'internalQueryExecYieldIterations',
    'featureFlagGetExecutorDeferredEngineChoice',
  ]) {
    for (const command of [
      { getParameter: 1, [name]: 1 },
      { setParameter: 1, [name]: 1 },
    ])
      expect(asked.now('n1', command)).toMatchObject({ ok: 0, code: 72, errmsg: expect.stringMatching(SAYS_SO) });
  }
  for (const command of [
    { getParameter: 1, nonsense: 1 },
    { setParameter: 1, nonsense: 1 },
  ]) {
    const reply = asked.now('n1', command);
    expect(reply).toMatchObject({ ok: 0, code: 72 });
    expect(reply.errmsg).not.toMatch(SAYS_SO);
  }
  expect(PARAMETER_COUNT).toBeGreaterThan(500);
});

/** What replsim has and no mongod of today. */
const OWN = ['anyUserPasswords', 'configCommitmentCountQuirk'];
const OLD_OR_OWN = /^replsim/;

test('the lists have all that replsim has', () => {
  const { commands } = asked.now('n1', { listCommands: 1 });
  expect(Object.keys(commands).filter((name) => !COMMAND_NAMES.has(name) && !OLD_OR_OWN.test(name))).toEqual([]);
  expect([...stageRules.keys()].filter((name) => !STAGE_NAMES.has(name))).toEqual([]);
  expect(Object.keys(expressionRules).filter((name) => !EXPRESSION_NAMES.has(name))).toEqual([]);
  const parameters = parametersOf(VERSIONS['8.0']).map(({ name }) => name);
  expect(parameters.filter((name) => !PARAMETER_NAMES.has(name) && !OWN.includes(name))).toEqual([]);
});
