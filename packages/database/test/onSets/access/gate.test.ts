import { beforeAll, describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../../../../node/test/loneMember.ts';
import { COMMANDS, isOpenRow, mayRun, ON_ADMIN, ON_DATABASE, type Row } from './commandsByRole.ts';

// Every command, tried by a user of each built-in role on a member with access control.

let member: LoneMember;
const connections = new Map<string, number>();

beforeAll(() => {
  member = LoneMember.primary(0, {}, { options: { authorization: true } });
  const roles = [
    ...ON_DATABASE.map((role) => ({ role, db: 'app' })),
    ...ON_ADMIN.map((role) => ({ role, db: 'admin' })),
  ];
  for (const role of roles) {
    const reply = member.run({ createUser: role.role, pwd: 'p', roles: [role] }, 'admin');
    if (reply.ok !== 1) throw new Error(String(reply.errmsg));
    connections.set(role.role, connect(role.role));
  }
  connections.set('nothing', connect('nobody'));
  member.run({ createUser: 'nobody', pwd: 'p', roles: [] }, 'admin');
});

function connect(user: string | undefined): number {
  const id = member.open('10.0.0.1:50001');
  const connection = member.mongod.connections.find(id);
  if (connection && user !== undefined) connection.user = { user, db: 'admin' };
  return id;
}

/** Behind the gate it fails for its time limit, so that nothing is done. */
function isRefused(connection: number, command: Doc, db: string): boolean {
  const { code, errmsg } = member.runOn(connection, { ...command, maxTimeMS: -1 }, db);
  if (code !== 13 && code !== 2) throw new Error(`${JSON.stringify(Object.keys(command))}: ${code} ${errmsg}`);
  return code === 13;
}

test('the table has every command', () => {
  const { commands } = member.run({ listCommands: 1 }, 'admin') as { commands: Doc };
  expect(Object.keys(COMMANDS).sort()).toEqual(Object.keys(commands).sort());
  for (const [name, [plainest]] of Object.entries(COMMANDS)) {
    const { requiresAuth, adminOnly } = commands[name] as Doc;
    expect([name, requiresAuth]).toEqual([name, !isOpenRow(plainest as Row)]);
    expect([name, adminOnly && plainest?.on !== 'admin']).toEqual([name, false]);
  }
});

describe.for(Object.entries(COMMANDS))('%s', ([, rows]) => {
  test.for(rows)('$command', (row) => {
    const places = row.on === 'admin' ? (['admin'] as const) : (['app', 'shop'] as const);
    for (const db of places) {
      const allowed = [...connections].filter(([, id]) => !isRefused(id, row.command, db)).map(([role]) => role);
      const expected = [...connections.keys()].filter((role) => mayRun(row, role, db));
      expect(allowed, `on ${db}`).toEqual(expected);
    }
    expect(isRefused(connect(undefined), row.command, places[0])).toBe(!isOpenRow(row));
  });
});
