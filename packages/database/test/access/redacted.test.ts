import { CommandArguments } from '@replsim/pipeline';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { redacted } from '../../src/access/redacted.ts';

test.each([
  [['pwd'], { createUser: 'u', pwd: 'p', roles: ['pwd'] }, { createUser: 'u', pwd: 'xxx', roles: ['pwd'] }],
  [['pwd'], { dropUser: 'u' }, { dropUser: 'u' }],
  [['payload'], { saslStart: 1, payload: { a: 1 } }, { saslStart: 1, payload: 'xxx' }],
  [undefined, { createUser: 'u', pwd: 'p' }, { createUser: 'u', pwd: 'p' }],
])('with %j of %j others see %j', (sensitive, command, seen) => {
  const described = { name: 'x', help: '', auth: 'none', api: 'none', ...(sensitive && { sensitive }) } as const;
  const args = new CommandArguments(encodeDocument({ ...command, $db: 'admin' }));
  expect(decodePromoted(redacted(described, args))).toEqual({ ...seen, $db: 'admin' });
});
