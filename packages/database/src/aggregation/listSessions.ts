import { documentOf, Fields, type Stage } from '@replsim/pipeline';
import { CommandError, encodeDocument, RawBson } from '@replsim/protocol';
import type { CommandContext } from '../definition.ts';
import type { ClientServices } from '../member.ts';
import { SESSIONS_NS } from '../sessions/logicalSessions.ts';

/** Upstream: list_sessions_user.idl, ListSessionsSpec. */
const options = new Set(['allUsers', 'users']);

/** `{ $listLocalSessions: {} }`: the sessions that clients use on this member. Upstream: document_source_list_local_sessions.cpp. */
export function listLocalSessions(stage: Stage, { member }: CommandContext<ClientServices>): Uint8Array[] {
  checkOptions(stage);
  return member.sessions.cache
    .list()
    .map(({ lsid, lastUseMs }) => encodeDocument({ _id: new RawBson(lsid.bytes), lastUse: new Date(lastUseMs) }));
}

/**
 * `{ $listSessions: {} }` on `config.system.sessions`: those that a refresh has written down there. A standalone writes none
 * down, and shows its own. Errors: InvalidNamespace 73 on another collection. Upstream: document_source_list_sessions.cpp.
 */
export function listSessions(stage: Stage, context: CommandContext, ns: string): Uint8Array[] {
  if (ns !== SESSIONS_NS) {
    throw new CommandError('InvalidNamespace', `$listSessions is only for ${SESSIONS_NS}`);
  }
  if (context.member.memberState === 'STANDALONE') return listLocalSessions(stage, context);
  checkOptions(stage);
  const listed: Uint8Array[] = [];
  for (const rows = context.data.collection(SESSIONS_NS)?.records(); rows?.next(); ) listed.push(rows.document.bytes);
  return listed;
}

/** Everybody is the same user, so that they choose nothing. */
function checkOptions(stage: Stage): void {
  const fields = new Fields(documentOf(stage), stage.name);
  fields.allow(options);
  fields.strictBool('allUsers');
}
