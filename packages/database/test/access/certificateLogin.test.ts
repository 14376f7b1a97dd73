import { beforeEach, expect, test } from 'vitest';
import { OpenConnection } from '../../../operations/src/connections/openConnection.ts';
import { type Doc, FakeMember } from '../fakeMember.ts';

const SUBJECT = 'CN=client,OU=Drivers,O=MongoDB';

let member: FakeMember;
let connection: OpenConnection;
beforeEach(() => {
  member = new FakeMember();
  // Somebody could log in; else a client is told that nobody can.
  member.parameters.set('anyUserPasswords', ['secret']);
  connection = new OpenConnection(1, '127.0.0.1:4711', 0);
  connection.peer = { protocol: 'TLSv1.3', subject: SUBJECT };
});

const run = (command: object, db = '$external'): Doc => member.start(command, db, {}, connection).finish();
const failures = () =>
  member.logs.global.lines.flatMap(({ line }) => (line.id === 5286307 ? [line.attr as Record<string, unknown>] : []));

test.for<[fields: object, db: string, code: number, cause: string]>([
  [{}, '$external', 18, 'BadValue: Auth mechanism not specified'],
  [{ mechanism: 'SCRAM-SHA-1' }, '$external', 18, 'BadValue: Unsupported mechanism: SCRAM-SHA-1'],
  [{ mechanism: 'MONGODB-X509' }, 'admin', 17, 'ProtocolError: X.509 authentication must always use'],
  [{ mechanism: 'MONGODB-X509', user: 'CN=else' }, '$external', 18, 'AuthenticationFailed: There is no x.509 client'],
  [{ mechanism: 'MONGODB-X509' }, '$external', 11, `UserNotFound: Could not find user "${SUBJECT}"`],
  [{ mechanism: 'MONGODB-X509', user: SUBJECT }, '$external', 11, 'UserNotFound'],
])('%j on %s: %i', ([fields, db, code, cause]) => {
  expect(run({ authenticate: 1, ...fields }, db)).toMatchObject({ ok: 0, code });
  expect(failures()).toMatchObject([
    { client: '127.0.0.1:4711', isSpeculative: false, mechanism: 'MONGODB-X509', user: SUBJECT, db },
  ]);
  expect(failures()[0]!.error).toContain(cause);
  expect(connection.user).toBeUndefined();
});

test.for([
  ['without TLS', {}],
  ['without a certificate', { protocol: 'TLSv1.3', certificate: 'missing' }],
] as const)('%s nobody is known', ([, peer]) => {
  connection.peer = peer;
  expect(run({ authenticate: 1, mechanism: 'MONGODB-X509' })).toMatchObject({
    code: 18,
    errmsg: 'Authentication failed.',
  });
  expect(failures()).toMatchObject([{ error: 'AuthenticationFailed: No verified subject name available from client' }]);
});

test('the mechanism may be off', () => {
  member.parameters.set('authenticationMechanisms', ['SCRAM-SHA-1']);
  expect(run({ authenticate: 1, mechanism: 'MONGODB-X509' })).toMatchObject({ code: 18 });
  expect(failures()).toMatchObject([{ error: 'BadValue: x.509 authentication is disabled.' }]);
});
