import { Decimal128, Double, Int32, Long } from 'bson';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// The booleans of a set's own commands; packages/database/test/requests/booleans.test.ts has the rest, and says what there is.
// Sources: hello.idl, fsync.idl, shutdown.idl, rwc_defaults_commands.idl, set_feature_compatibility_version.idl,
// cluster_server_parameter_cmds.idl, repl_set_config.idl, member_config.idl, bson_extract.cpp, repl_set_commands.cpp.

const numbers = [new Int32(1), Long.ONE, new Double(5.5), Decimal128.fromString('1')];
const others = ['x', {}, [true], new Date(0)];

let asked: AskedSet;
beforeAll(async () => {
  asked = await AskedSet.start(1, { version: '8.2' });
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }] });
});
afterAll(() => asked.set.close());

type Command = (value: unknown) => Doc;

async function codesOf(command: Command, values: readonly unknown[], of = asked): Promise<(number | undefined)[]> {
  const codes: (number | undefined)[] = [];
  for (const value of values) {
    codes.push((await of.run('n1', command(value), 'admin')).code);
    if (of.now('n1', { currentOp: 1 }).fsyncLock) await of.ok('n1', { fsyncUnlock: 1 }, 'admin');
  }
  return codes;
}

/** A reconfig by a document that differs in `more`, or in those of its member. */
function config(more: Doc, ofMember: Doc = {}): Doc {
  const { config: current } = asked.now('n1', { replSetGetConfig: 1 });
  const members = [{ ...current.members[0], ...ofMember }];
  return { replSetReconfig: { ...current, version: current.version + 1, members, ...more } };
}

describe('a boolean and nothing else', () => {
  test.for<[name: string, command: Command]>([
    ['hello.loadBalanced', (loadBalanced) => ({ hello: 1, loadBalanced })],
    ['shutdown.force', (force) => ({ shutdown: 1, force })],
    ['getDefaultRWConcern.inMemory', (inMemory) => ({ getDefaultRWConcern: 1, inMemory })],
    ['getClusterParameter.omitInFTDC', (omitInFTDC) => ({ getClusterParameter: '*', omitInFTDC })],
    ['setUserWriteBlockMode.global', (global) => ({ setUserWriteBlockMode: 1, global })],
    ['replSetReconfig.configsvr', (configsvr) => config({ configsvr })],
    ['replSetReconfig.members.newlyAdded', (newlyAdded) => config({}, { newlyAdded })],
  ])('$0', async ([name, command]) => {
    const codes = await codesOf(command, [...numbers, ...others]);
    const refused = name.startsWith('replSetReconfig') ? 93 : 14;
    expect(codes).toEqual(codes.map(() => refused));
  }); // biome-ignore format: a table
});

describe('numbers as well', () => {
  test.for<[name: string, command: Command]>([
    ...['helloOk', 'hangUpOnStepDown', 'forShell'].flatMap((name) =>
      ['hello', 'isMaster'].map((spelling): [string, Command] => [`${spelling}.${name}`, (value) => ({ [spelling]: 1, [name]: value })])),
    ...['lock', 'forBackup', 'allowFsyncFailure'].map((name): [string, Command] => [`fsync.${name}`, (value) => ({ fsync: 1, [name]: value })]),
    ['setFeatureCompatibilityVersion.confirm', (confirm) => ({ setFeatureCompatibilityVersion: '8.2', confirm })],
    ['setFeatureCompatibilityVersion.fromConfigServer', (fromConfigServer) => ({ setFeatureCompatibilityVersion: '8.2', confirm: true, fromConfigServer })],
    ['replSetGetConfig.commitmentStatus', (commitmentStatus) => ({ replSetGetConfig: 1, commitmentStatus })],
  ])('$0', async ([, command]) => {
    expect(await codesOf(command, [...numbers, true, false].slice(0, 5))).toEqual(Array(5).fill(undefined));
    expect(await codesOf(command, others)).toEqual(Array(4).fill(14));
  }); // biome-ignore format: a table
});

describe('anything', () => {
  // Each of them ends behind its flag with a code that tells that the flag was read.
  test.for<[name: string, command: Command, code: number]>([
    ['replSetReconfig.force', (force) => ({ replSetReconfig: {}, force }), 93],
    ['replSetStepDown.force', (force) => ({ replSetStepDown: -1, force }), 2],
    ['replSetMaintenance', (replSetMaintenance) => ({ replSetMaintenance }), 95],
  ])('$0', async ([, command, code]) => {
    const codes = await codesOf(command, [...numbers, ...others]);
    expect(codes).toEqual(codes.map(() => code));
  }); // biome-ignore format: a table
});

test('compact and fsync looked at no type before they had definitions', async () => {
  const old = await AskedSet.start(1, { version: '7.0' });
  try {
    await old.ok('n1', { insert: 'c', documents: [{ _id: 1 }] }, 'admin');
    expect(await codesOf((force) => ({ compact: 'c', force }), [1, 'x', {}, false], old)).toEqual([undefined, undefined, undefined, 20]); // biome-ignore format: one line
    expect(await codesOf((lock) => ({ fsync: 1, lock }), [1, 'x', {}], old)).toEqual([undefined, undefined, undefined]);
  } finally {
    await old.set.close();
  }
});
