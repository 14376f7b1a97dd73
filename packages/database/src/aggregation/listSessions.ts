import { CommandError, encodeDocument, RawBson } from '@replsim/protocol';
import type { CommandContext } from '../definition.ts';
import { Fields } from '../fields/fields.ts';
import { documentOf, type Stage } from '../pipeline/stages.ts';

/** Upstream: list_sessions_user.idl, ListSessionsSpec. */
const options = new Set(['allUsers', 'users']);
const SESSIONS_NS = 'config.system.sessions';

/** `{ $listLocalSessions: {} }`: the sessions that clients use on this member. Upstream: document_source_list_local_sessions.cpp. */
export function listLocalSessions(stage: Stage, { member }: CommandContext): Uint8Array[] {
  new Fields(documentOf(stage), stage.name).allow(options);
  return member.sessions.cache
    .list()
    .map(({ lsid, lastUseMs }) => encodeDocument({ _id: new RawBson(lsid.bytes), lastUse: new Date(lastUseMs) }));
}

/**
 * `{ $listSessions: {} }` on `config.system.sessions`: no members tell each other of sessions, so that these are the member's
 * own. Errors: InvalidNamespace 73 on another collection. Upstream: document_source_list_sessions.cpp.
 */
export function listSessions(stage: Stage, context: CommandContext, ns: string): Uint8Array[] {
  if (ns !== SESSIONS_NS) {
    throw new CommandError('InvalidNamespace', `$listSessions is only for ${SESSIONS_NS}`);
  }
  return listLocalSessions(stage, context);
}
