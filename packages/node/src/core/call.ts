import type { Operation } from '@replsim/operations';
import { type Channel, CommandError, type ErrorReply, type MemberCommand, type MemberReply } from '@replsim/protocol';
import type { Core } from './core.ts';

/**
 * Sends a command to another member and waits for the reply. It throws only if this operation itself is killed.
 * @returns undefined after `timeoutMs` of silence
 */
export function* ask<T extends MemberReply>(
  core: Core,
  to: string,
  channel: Channel,
  command: MemberCommand,
  timeoutMs = 30_000,
): Operation<T | ErrorReply | undefined> {
  let reply: MemberReply | ErrorReply | undefined;
  const id = core.request(to, channel, command, (answer) => {
    reply = answer;
    core.wake();
  });
  const deadlineMicros = core.now.monotonicMicros + timeoutMs * 1000;
  try {
    yield { type: 'wait', what: 'other', ready: () => reply !== undefined, deadlineMicros };
  } finally {
    core.forget(id);
  }
  return reply as T | ErrorReply | undefined;
}

/** Like `ask`, but an error reply, or silence for `timeoutMs`, is thrown as CommandError. */
export function* call<T extends MemberReply>(
  core: Core,
  to: string,
  channel: Channel,
  command: MemberCommand,
  timeoutMs = 30_000,
): Operation<T> {
  const answer = yield* ask<T>(core, to, channel, command, timeoutMs);
  if (!answer) throw new CommandError('NetworkTimeout', `${to} did not answer within ${timeoutMs} ms`);
  if (answer.ok === 0) throw new CommandError(answer.code, answer.errmsg);
  return answer;
}
