import type { HeartbeatReply, OpTime } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { MemberView } from '../../src/topology/memberView.ts';
import { set } from '../config/support.ts';

const at = (secs: number): OpTime => ({ ts: { t: secs, i: 1 }, t: 1 });

function reply(secs: number): HeartbeatReply {
  const [opTime, wallMs] = [at(secs), secs * 1000];
  return {
    ok: 1,
    state: 'SECONDARY',
    ...{ opTime, writtenOpTime: opTime, durableOpTime: opTime },
    ...{ wallTimeMs: wallMs, writtenWallTimeMs: wallMs, durableWallTimeMs: wallMs },
  } as HeartbeatReply;
}

test('what is tracked of a member only moves forward; what its last answer said is kept beside it', () => {
  const view = new MemberView(set('PS', 1, 1).members[1]!, 1);
  view.answered(reply(5), 1);
  view.answered(reply(3), 2);
  for (const { opTime } of [view.written, view.applied, view.durable]) expect(opTime).toEqual(at(5));
  expect(view.heartbeat).toEqual({ written: at(3), applied: at(3), durable: at(3) });
});
