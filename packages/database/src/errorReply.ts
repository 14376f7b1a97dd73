import type { CommandError } from '@replsim/protocol';
import { isStateChangeError } from './errorLabels.ts';
import type { MemberServices } from './member.ts';
import type { Reply } from './reply.ts';

/** A failed command's reply, but for what every reply ends with. */
export function errorReply(error: CommandError, member: MemberServices): Reply {
  const { code, codeName, message, extra } = error;
  return withTopologyVersion({ ok: 0, errmsg: message, code, codeName, ...extra }, member);
}

/**
 * Errors that tell of a change of state, those of a write concern among them, say which one, so that a client does not heed
 * one that is older than what it knows. Upstream: error_labels / service_entry_point, appendErrorLabelsAndTopologyVersion.
 */
export function withTopologyVersion(reply: Reply, member: MemberServices): Reply {
  const failed = reply.ok === 1 ? (reply.writeConcernError as Reply | undefined) : reply;
  const topologyVersion = failed && isStateChangeError(failed.code as number) && member.topologyVersion();
  return topologyVersion ? { ...reply, topologyVersion } : reply;
}
