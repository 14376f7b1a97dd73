import type { MemberAuth } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { MemberKeys } from '../../src/access/memberKeys.ts';
import type { AccessOptions } from '../../src/core/core.ts';
import { LoneMember } from '../loneMember.ts';

const request = (auth?: MemberAuth) =>
  ({
    kind: 'request',
    id: 1,
    from: 'b:1',
    to: 'a:1',
    channel: 'heartbeat',
    command: {
      replSetHeartbeat: 'rs0',
      configVersion: 1,
      configTerm: 1,
      from: 'b:1',
      fromId: 1,
      term: 1,
      primaryId: -1,
    },
    ...(auth && { auth }),
  }) as const;

describe('who is let in', () => {
  const none = undefined;
  const shows = (optional: boolean, ...keys: string[]): MemberAuth => ({ keys, optional });
  test.for<
    [
      what: string,
      authorization: boolean,
      own: AccessOptions | undefined,
      auth: MemberAuth | undefined,
      code: number | undefined,
    ]
  >([
    ['nobody has keys', false, none, none, undefined],
    ['the same key', true, { keys: ['one'] }, shows(false, 'one'), undefined],
    ['another key', true, { keys: ['one'] }, shows(false, 'two'), 18],
    ['the new key of two', true, { keys: ['one', 'two'] }, shows(false, 'two'), undefined],
    ['the old key of two', true, { keys: ['one'] }, shows(false, 'two', 'one'), undefined],
    ['no key, where one is needed', true, { keys: ['one'] }, none, 13],
    ['a key, where nobody knows any', false, none, shows(false, 'one'), 18],
    ['a key in a transition, where nobody knows any', false, none, shows(true, 'one'), undefined],
    ['no key, in a transition', false, { keys: ['one'], transitionToAuth: true }, none, undefined],
    ['another key in a transition, where one is needed', true, { keys: ['one'] }, shows(true, 'two'), 13],
  ])('%s', ([, authorization, access, auth, code]) => {
    const { core } = new LoneMember({}, { authorization, ...(access && { access }) }).mongod;
    expect(new MemberKeys(core).refusal(request(auth))?.code).toBe(code);
  });
});

test('the log names each connection that was let in once, and each that was not every time', () => {
  const member = new LoneMember({}, { authorization: true, access: { keys: ['one'] } });
  const keys = new MemberKeys(member.mongod.core);
  const { logs } = member.mongod.core;
  for (const key of ['one', 'one', 'two', 'two']) keys.refusal(request({ keys: [key], optional: false }));
  const ids = logs.global.lines.map(({ line }) => line.id).filter((id) => id === 5286306 || id === 5286307);
  expect(ids).toEqual([5286306, 5286307, 5286307]);
});
