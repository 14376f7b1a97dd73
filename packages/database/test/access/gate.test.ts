import { expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';
import { Clients } from './clients.ts';

function readerOf(db: string) {
  const clients = new Clients(new FakeMember());
  return clients.withRoles([{ role: 'read', db }]);
}

test('what may run on admin alone is said first, to strangers too and without access control', () => {
  const gist = 'getParameter may only be run against the admin database.';
  const open = new FakeMember();
  expect(open.run({ getParameter: 1, x: 1 })).toMatchObject({ ok: 0, code: 13, errmsg: gist });
  const stranger = new Clients(new FakeMember()).stranger();
  expect(stranger.run({ getParameter: 1, x: 1 })).toMatchObject({ code: 13, errmsg: gist });
});

test('a stranger learns nothing of the arguments', () => {
  const stranger = new Clients(new FakeMember()).stranger();
  const refused = { ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'Command find requires authentication' };
  expect(stranger.run({ find: 'c' })).toMatchObject(refused);
  expect(stranger.run({ find: 5, nope: 1 })).toMatchObject(refused);
  expect(stranger.run({ nope: 1 }).code).toBe(59);
});

test('what strangers may run', () => {
  const stranger = new Clients(new FakeMember()).stranger();
  for (const name of ['ping', 'buildInfo', 'listCommands', 'whatsmyuri', 'connectionStatus', 'features']) {
    expect(stranger.run({ [name]: 1 }), name).toMatchObject({ ok: 1 });
  }
  expect(stranger.run({ features: 1, oidReset: 1 }).code).toBe(13);
});

test('whoever lacks a privilege is told the command, and the log has it', () => {
  const reader = readerOf('app');
  expect(reader.run({ find: 'c', batchSize: 0 })).toMatchObject({ ok: 1 });
  const refused = reader.run({ delete: 'c', deletes: [{ q: {}, limit: 1 }] });
  const errmsg =
    'not authorized on app to execute command { delete: "c", deletes: [ { q: {}, limit: 1 } ], $db: "app" }';
  expect(refused).toMatchObject({ ok: 0, code: 13, codeName: 'Unauthorized', errmsg });
  const said = reader.member.logs.global.lines.at(-1)?.line;
  const error = { code: 13, codeName: 'Unauthorized', errmsg };
  expect(said).toMatchObject({ severity: 'I', component: 'ACCESS', id: 20436, attr: { error } });
});

test('commands without a connection are not judged', () => {
  const { member } = readerOf('app');
  expect(member.run({ delete: 'c', deletes: [{ q: {}, limit: 1 }] })).toMatchObject({ ok: 1 });
});

test('a state of the member is told only to whoever may run the command', () => {
  const reader = readerOf('app');
  reader.member.memberState = 'SECONDARY';
  reader.member.writable = false;
  expect(reader.run({ find: 'c' }).code).toBe(13435);
  expect(reader.run({ insert: 'c', documents: [{}] }).code).toBe(13);
});

test('failCommand comes before all that', () => {
  const stranger = new Clients(new FakeMember()).stranger();
  stranger.member.failPoints.configure('failCommand', 'alwaysOn', { failCommands: ['find'], errorCode: 11_600 });
  expect(stranger.run({ find: 'c' }).code).toBe(11_600);
});

test('a UUID needs its own privilege', () => {
  const clients = new Clients(new FakeMember());
  const { member } = clients;
  member.insert('c', { _id: 1 });
  const [{ info }] = member.ok({ listCollections: 1 }).cursor.firstBatch;
  const reader = clients.withRoles([{ role: 'read', db: 'app' }]);
  expect(reader.run({ find: info.uuid }).code).toBe(13);
  const backup = clients.withRoles([{ role: 'backup', db: 'admin' }]);
  expect(backup.run({ find: info.uuid }).cursor.firstBatch).toEqual([{ _id: 1 }]);
  const elsewhere = clients.withRoles([{ role: 'read', db: 'shop' }]);
  clients.grant(elsewhere, [{ resource: { kind: 'cluster' }, actions: new Set(['useUUID']) }]);
  expect(elsewhere.run({ find: info.uuid }).code).toBe(13);
});
