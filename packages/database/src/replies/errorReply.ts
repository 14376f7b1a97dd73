import type { Reply } from '@replsim/pipeline';
import { type CommandError, ErrorCodes } from '@replsim/protocol';
import type { MemberServices } from '../member.ts';
import { isNotPrimaryError, isShutdownError } from './errorLabels.ts';

/** A failed command's reply, but for what every reply ends with. */
export function errorReply(error: CommandError, member: MemberServices): Reply {
  const { code, message, extra } = error;
  // Of all names this one alone has changed.
  const codeName = code === ErrorCodes.WriteConcernFailed ? member.traits.writeConcernTimeoutName : error.codeName;
  return withTopologyVersion({ ok: 0, errmsg: message, code, codeName, ...extra }, member);
}

/**
 * Errors that tell of a change of state, those of a write concern among them, say which one, so that a client does not heed
 * one that is older than what it knows. A step-down raises the counter, a shutdown only where it enters quiesce mode: outside
 * of that its errors name none, or clients would take them for what they know already.
 * Upstream: service_entry_point_shard_role.cpp, appendErrorLabelsAndTopologyVersion.
 */
export function withTopologyVersion(reply: Reply, member: MemberServices): Reply {
  const failures = [reply.ok === 1 ? undefined : reply, reply.writeConcernError as Reply | undefined];
  const tells = (code: number) => isNotPrimaryError(code) || (isShutdownError(code) && member.inQuiesceMode);
  if (!failures.some((failed) => failed && tells(failed.code as number))) return reply;
  const topologyVersion = member.topologyVersion();
  return topologyVersion ? { ...reply, topologyVersion } : reply;
}
