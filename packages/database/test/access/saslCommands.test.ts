import { Binary } from 'bson';
import { beforeEach, expect, test } from 'vitest';
import { OpenConnection } from '../../../operations/src/connections/openConnection.ts';
import { type Doc, FakeMember } from '../fakeMember.ts';

let member: FakeMember;
let connection: OpenConnection;
beforeEach(() => {
  member = new FakeMember();
  member.parameters.set('anyUserPasswords', ['secret']);
  connection = new OpenConnection(1, '127.0.0.1:4711', 0);
});

const run = (command: object, db = 'admin'): Doc => member.start(command, db, {}, connection).finish();
const payload = (text: string) => new Binary(new TextEncoder().encode(text));
const start = (text = 'n,,n=me,r=abcdefgh', more: object = {}) =>
  run({ saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: payload(text), ...more });
const proceed = (text: string, db = 'admin', conversationId = 1) =>
  run({ saslContinue: 1, conversationId, payload: payload(text) }, db);
const causes = () =>
  member.logs.global.lines.filter(({ line }) => line.id === 5286307).map(({ line }) => line.attr?.error);

test('the challenge goes on from the nonce of the client', () => {
  const { conversationId, done, payload: challenge } = start();
  expect({ conversationId, done }).toEqual({ conversationId: 1, done: false });
  expect(challenge.toString('utf8')).toMatch(/^r=abcdefgh[\w+/=]{32},s=[\w+/=]{40},i=4096$/);
});

test('who sends base64 gets base64', () => {
  const { payload: challenge } = start('', { payload: payload('n,,n=me,r=abcdefgh').toString('base64') });
  expect(Buffer.from(challenge, 'base64').toString()).toMatch(/^r=abcdefgh/);
});

test.for([
  ['', 'Incorrect number of arguments'],
  ['p=tls-unique,,n=me,r=abcdefgh', 'Server does not support channel binding'],
  ['n,,n=,r=abcdefgh', 'Invalid SCRAM user name'],
  ['n,,m=x,n=me,r=abcdefgh', 'SCRAM mandatory extensions'],
  ['n,,n=me,r=abc', 'Invalid SCRAM client nonce'],
])('a first message %s: the log says what was wrong, the client hears nothing of it', ([text, cause]) => {
  expect(start(text)).toMatchObject({ code: 18, errmsg: 'Authentication failed.' });
  expect(causes()).toEqual([expect.stringContaining(`BadValue: ${cause}`)]);
  expect(proceed('c=biws,r=x,p=x')).toMatchObject({ code: 17 });
});

test.for<[reason: string, text: (nonce: string) => string, cause: string]>([
  ['no proof', (nonce) => `c=biws,r=${nonce}`, 'BadValue: Incorrect number of arguments'],
  ['another nonce', (nonce) => `c=biws,r=${nonce}x,p=AAAA`, 'BadValue: Unmatched SCRAM nonce'],
  ['a proof of nothing', (nonce) => `c=biws,r=${nonce},p=AAAA`, 'AuthenticationFailed: SCRAM'],
  ['a proof that is no base64', (nonce) => `c=biws,r=${nonce},p=!`, 'AuthenticationFailed: SCRAM'],
])('%s in the second message', ([, text, cause]) => {
  const nonce = /r=([^,]*)/.exec(start().payload.toString('utf8'))![1]!;
  expect(proceed(text(nonce))).toMatchObject({ code: 18, errmsg: 'Authentication failed.' });
  expect(causes()).toEqual([expect.stringContaining(cause)]);
  expect(connection.user).toBeUndefined();
});

test('the time that conversations took is summed up, of those too that led to nothing', () => {
  const total = () => run({ serverStatus: 1 }).security.authentication.totalAuthenticationTimeMicros;
  expect(total()).toBe(0);
  start();
  member.advance(300);
  expect(proceed('c=biws,r=x,p=AAAA').code).toBe(18);
  const failed = total();
  expect(failed).toBeGreaterThanOrEqual(300);
  start();
  member.advance(70);
  start();
  expect(total()).toBeGreaterThanOrEqual(failed + 70);
});

test('a conversation is gone on with as it was begun', () => {
  expect(proceed('')).toMatchObject({ code: 17, errmsg: 'No SASL session state found' });
  start();
  expect(proceed('', 'admin', 2)).toMatchObject({ code: 17, errmsg: 'sasl: Mismatched conversation id' });
  expect(proceed('', 'app')).toMatchObject({ code: 17 });
});

test.for([
  [{ saslStart: 1, payload: '' }, 40414],
  [{ saslStart: 1, mechanism: 'PLAIN', payload: '' }, 2],
  [{ saslStart: 1, mechanism: 'SCRAM-SHA-1', payload: 1 }, 14],
  [{ saslStart: 1, mechanism: 'SCRAM-SHA-1', payload: '', nonsense: 1 }, 40415],
  [{ authenticate: 1, mechanism: 'MONGODB-X509' }, 17],
] as const)('%o is refused by %i', ([command, code]) => {
  expect(run(command)).toMatchObject({ ok: 0, code });
});

test('a mechanism that is switched off lets nobody in', () => {
  expect(member.parameters.texts('authenticationMechanisms')).toEqual(['MONGODB-X509', 'SCRAM-SHA-1', 'SCRAM-SHA-256']);
  member.parameters.set('authenticationMechanisms', ['SCRAM-SHA-1']);
  expect(start()).toMatchObject({
    code: 2,
    errmsg: "Unsupported mechanism 'SCRAM-SHA-256' on authentication database 'admin'",
  });
  expect(start('n,,n=me,r=abcdefgh', { mechanism: 'SCRAM-SHA-1' })).toMatchObject({ ok: 1 });
});

test('who is somebody logs out of its own database', () => {
  connection.user = { user: 'me', db: 'admin' };
  run({ logout: 1 }, 'app');
  expect(connection.user).toBeDefined();
  run({ logout: 1 });
  expect(connection.user).toBeUndefined();
});
