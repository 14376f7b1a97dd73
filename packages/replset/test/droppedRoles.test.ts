import { afterEach, beforeEach, expect, test } from 'vitest';
import { AskedSet, type Doc } from './askedSet.ts';

// A role that is dropped is gone for everybody at once, on every member, whatever dies in between.

let asked: AskedSet;

beforeEach(async () => {
  asked = await AskedSet.start(3);
  const ok = (command: Doc) => asked.ok(asked.primary, { ...command, writeConcern: { w: 3 } }, 'admin');
  await ok({ createRole: 'gone', privileges: [], roles: [] });
  await ok({ createRole: 'heir', privileges: [], roles: ['gone', 'read'] });
  for (const user of ['alice', 'bob']) await ok({ createUser: user, pwd: 'secret', roles: ['gone', 'read'] });
});
afterEach(() => asked.set.close());

/** How many documents of a member name the role: itself, the other role, and two users. */
function naming(member: string): number {
  const count = (collection: string, query: Doc) =>
    asked.now(member, { count: collection, query, $readPreference: { mode: 'nearest' } }).n as number;
  const inRoles = { 'roles.role': 'gone' };
  return count('system.roles', { $or: [{ role: 'gone' }, inRoles] }) + count('system.users', inRoles);
}

const drops = [
  ['dropRole', { dropRole: 'gone' }],
  ['dropAllRolesFromDatabase', { dropAllRolesFromDatabase: 1 }],
] as const;

test.for(drops)('%s is one entry of the oplog', async ([, command]) => {
  const { primary } = asked;
  const entries = async () => (await asked.documents(primary, 'oplog.rs', 'local')).filter(({ op }) => op !== 'n');
  const before = (await entries()).length;
  await asked.ok(primary, command, 'admin');
  const added = (await entries()).slice(before);
  expect(added).toMatchObject([{ op: 'c', ns: 'admin.$cmd' }]);
  const written = added[0]!.o.applyOps.map(({ op, ns }: Doc) => `${op} ${ns}`);
  const [user, role] = ['admin.system.users', 'admin.system.roles'];
  const all = [`u ${user}`, `u ${user}`, `u ${role}`, `d ${role}`];
  expect(written).toEqual('dropRole' in command ? all : [...all, `d ${role}`]);
});

test('a role that nobody has is an ordinary entry', async () => {
  const { primary } = asked;
  await asked.ok(primary, { createRole: 'idle', privileges: [], roles: [] }, 'admin');
  await asked.ok(primary, { dropRole: 'idle' }, 'admin');
  const [newest] = (await asked.documents(primary, 'oplog.rs', 'local')).filter(({ op }) => op !== 'n').slice(-1);
  expect(newest).toMatchObject({ op: 'd', ns: 'admin.system.roles' });
});

test('no member ever shows a part of it', async () => {
  const { primary } = asked;
  const seen = new Set<number>();
  const dropped = asked.send(primary, { dropRole: 'gone', writeConcern: { w: 3 } }, 'admin');
  await asked.until(() => {
    for (const member of asked.set.memberNames) seen.add(naming(member));
    return dropped.reply() !== undefined;
  });
  expect(dropped.reply()).toMatchObject({ ok: 1 });
  expect([...seen]).toEqual([4, 0]);
});

test.for(Array.from({ length: 12 }, (_, turns) => turns))(
  'if the primary dies %s turns after it, the next one has all of it or nothing',
  async (turns) => {
    const { primary } = asked;
    asked.send(primary, { dropRole: 'gone' }, 'admin');
    await asked.until(() => naming(primary) === 0);
    let left = turns;
    await asked.until(() => left-- === 0);
    const { old, primary: next } = await asked.failOver();
    expect([0, 4]).toContain(naming(next));
    await asked.set.start(old);
    await asked.until(() => naming(old) === naming(next));
  },
);
