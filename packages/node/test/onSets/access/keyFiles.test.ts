import { afterEach, expect, test } from 'vitest';
import { AskedSet } from '../../../../replset/test/askedSet.ts';

// Members whose key files differ. Upstream: jstests/auth/keyfile_rollover.js.

let asked: AskedSet;
afterEach(() => asked.set.close());

const access = { keys: ['sharedKey'] };
const members = (own: (name: string) => object) => ['n1', 'n2', 'n3'].map((name) => ({ name, ...own(name) }));
const seenBy = (member: string) =>
  asked
    .now(member, { replSetGetStatus: 1 })
    .members.map(({ stateStr, authenticated, self }: Record<string, unknown>) => [
      stateStr,
      self ? undefined : authenticated,
    ]);

const restart = async (keys: readonly string[]) => {
  asked.set.kill('n3');
  await asked.set.start('n3', { keys });
};

test('who shares a key is a set', async () => {
  asked = await AskedSet.start(3, { access });
  expect(
    seenBy('n1')
      .map(([state]: [string]) => state)
      .sort(),
  ).toEqual(['PRIMARY', 'SECONDARY', 'SECONDARY']);
});

test('initiating with a member of another key fails, and says why', async () => {
  asked = await AskedSet.create({ access, members: members((name) => (name === 'n1' ? {} : { access: { keys: ['otherKey'] } })), initiate: false }); // biome-ignore format: one line
  const config = { _id: 'rs0', members: ['n1', 'n2', 'n3'].map((name, _id) => ({ _id, host: `${name}:27017` })) };
  const reply = await asked.run('n1', { replSetInitiate: config }, 'admin');
  expect(reply).toMatchObject({ ok: 0, code: 74, errmsg: expect.stringContaining('Authentication failed.') });
});

test('a member that restarts with another key is alone: it is RECOVERING, and the others see UNKNOWN', async () => {
  asked = await AskedSet.start(3, { access });
  await restart(['otherKey']);
  await asked.pass(30_000);
  expect(seenBy('n1')[2]).toEqual(['(not reachable/healthy)', false]);
  expect(asked.state('n3')).toBe(3);
  await restart(['otherKey', 'sharedKey']);
  await asked.untilState('n3', 2);
  const refusals = asked.now('n1', { getLog: 'global' }).log.filter((line: string) => line.includes('"id":5286307'));
  expect(refusals.length).toBeGreaterThan(1);
});
