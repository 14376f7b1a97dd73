import { FAULT_KINDS } from '@replsim/replset';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InvalidOptions, ReplicaSet } from '../src/index.ts';
import { MongoMemoryReplSet, MongoMemoryServer } from '../src/mongodb-memory-server.ts';
import { checkEnvironmentOptions } from '../src/optionSchema.ts';
import { replicaSetPerFile, replicaSetPerTest, replicaSetPerWorker } from '../src/vitest.ts';

// What would be dropped, and something else be done than was meant.

type Any = Record<string, (...given: unknown[]) => unknown>;

/** What a function says to too many arguments, however it says it. */
async function refusal(owner: object, name: string, ...given: unknown[]): Promise<unknown> {
  try {
    return await (owner as Any)[name]?.(...given);
  } catch (error) {
    return (error as Error).message;
  }
}

const tooMany = [1, 2, 3, 4];
const methodsOf = (owner: object) =>
  Object.getOwnPropertyNames(owner).filter((name) => {
    const { value } = Object.getOwnPropertyDescriptor(owner, name) ?? {};
    return typeof value === 'function' && !['constructor', 'prototype', 'launch', 'discard', 'debug'].includes(name);
  });

let set: ReplicaSet;

beforeAll(async () => {
  set = await ReplicaSet.start({ members: ['n1', 'n2', 'n3'], speed: 0 });
});

afterAll(() => set.stop());

describe('more than is taken is refused', () => {
  test.for([...methodsOf(ReplicaSet.prototype), ...FAULT_KINDS])('by %s of a set', async (name) => {
    expect(await refusal(set, name, ...tooMany)).toMatch(new RegExp(`^${name} takes .*, and 4 were given$`));
  });

  test.for<[what: string, owner: object]>([
    ['ReplicaSet', ReplicaSet],
    ['MongoMemoryReplSet', MongoMemoryReplSet],
    ['MongoMemoryServer', MongoMemoryServer],
    ['MongoMemoryReplSet.prototype', new MongoMemoryReplSet()],
    ['MongoMemoryServer.prototype', new MongoMemoryServer()],
  ])('by all of %s', async ([, owner]) => {
    const names = methodsOf(typeof owner === 'function' ? owner : Object.getPrototypeOf(owner));
    // It refuses whatever it is asked.
    for (const name of names.filter((each) => each !== 'createAuth'))
      expect(await refusal(owner, name, ...tooMany)).toMatch(new RegExp(`^${name} takes .*, and 4 were given$`));
  });

  test('by the helpers', () => {
    for (const [name, helper] of Object.entries({ replicaSetPerFile, replicaSetPerTest, replicaSetPerWorker }))
      expect(() => (helper as Any[''])({}, {})).toThrow(`${name} takes one argument, and 2 were given`);
  });

  test('several members are one list', async () => {
    expect(await refusal(set, 'kill', 'n2', 'n3')).toBe(
      "kill takes one argument, and 2 were given; several are one list: kill(['n2', 'n3'])",
    );
    expect(set.members.every(({ running }) => running)).toBe(true);
  });
});

describe('a name that there is not is refused', () => {
  test.for<[name: string, options: object, message: string]>([
    ['stop', { forse: true }, 'stop has no "forse"; did you mean "force"?'],
    ['cleanup', { forced: true }, 'cleanup has no "forced"; did you mean "force"?'],
    ['stop', { force: 'false' }, 'stop: force must be a boolean, not "false"'],
    ['untilPrimary', { withn: '1s' }, 'untilPrimary has no "withn"; did you mean "within"?'],
    ['untilTtlPass', { withn: '1s' }, 'untilTtlPass has no "withn"; did you mean "within"?'],
    ['stepDown', { seks: 1 }, 'stepDown has no "seks"; did you mean "secs"?'],
    ['restart', { member: 'n1', wiped: true }, 'restart.wiped: unknown key "wiped" in restart; did you mean "wipe"?'],
  ])('%s %j', async ([name, options, message]) => {
    expect(await refusal(set, name, options)).toContain(message);
    await expect(set.command('n1', { ping: 1 })).resolves.toMatchObject({ ok: 1 });
  });

  test('and a value that JSON has no words for is shown', async () => {
    expect(await refusal(set, 'stop', { force: 1n })).toBe('stop: force must be a boolean, not 1n');
    expect(await refusal(set, 'stepDown', { secs: 1n })).toBe('secs must be a number, not 1n');
    expect(await refusal(set, 'untilPrimary', 1n)).toMatch(/^untilPrimary expects options: .*, not 1n$/);
  });

  // What stops is meant in any case, and what is cleared away cannot be had back.
  test.for<[options: unknown, message: string]>([
    [{ docleanup: true }, 'unknown option "docleanup": did you mean "doCleanup"?'],
    [{ force: 'no' }, 'force: expected a boolean, not "no"'],
    [5, 'expected { doCleanup, force }, not 5'],
  ])('by stop and cleanup of mongodb-memory-server, with the data kept: %j', async ([options, message]) => {
    for (const create of [MongoMemoryServer.create, MongoMemoryReplSet.create]) {
      const server = await create();
      const who = server.constructor.name;
      const stopping = server.stop(options as object);
      await expect(stopping).rejects.toThrow(new InvalidOptions([message], `${who}.stop`));
      expect(server.state).toBe('stopped');
      await expect(server.cleanup(options as object)).rejects.toThrow(new InvalidOptions([message], `${who}.cleanup`));
      await server.start();
      await server.stop();
    }
  });

  test.for<[options: object, message: string]>([
    [{ replicaset: { members: 1 } }, 'testEnvironmentOptions: unknown option "replicaset": did you mean "replicaSet"?'],
    [{ members: 1 }, 'testEnvironmentOptions: members: write it inside "replicaSet"'],
  ])("of jest's environment: %j", ([options, message]) => {
    expect(() => checkEnvironmentOptions(options)).toThrow(message);
  });

  test("what jest's environment takes from others is none of ours", () => {
    const others = { url: 'http://localhost', html: '', customExportConditions: ['node'], globalsCleanup: 'on' };
    expect(() => checkEnvironmentOptions({ ...others, replicaSet: { members: 1 } })).not.toThrow();
  });
});
