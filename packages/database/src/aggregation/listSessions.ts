import { digestOfUser } from '@replsim/access';
import { SESSIONS_NS } from '@replsim/operations';
import { anySessionId, type CommandArguments, documentOf, Fields, isSessionOf, type Stage } from '@replsim/pipeline';
import { CommandError, encodeDocument, encodeName, RawBson, subdocument } from '@replsim/protocol';
import type { CommandContext } from '../definition.ts';
import type { ClientServices } from '../member.ts';

const ID = encodeName('_id');
/** Upstream: list_sessions_user.idl, ListSessionsSpec. */
const options = new Set(['allUsers', 'users']);

/** `{ $listLocalSessions: {} }`: the sessions that clients use on this member. Upstream: document_source_list_local_sessions.cpp. */
export function listLocalSessions(stage: Stage, { args, member }: CommandContext<ClientServices>): Uint8Array[] {
  const isMeant = chosen(stage, args);
  return member.sessions.cache
    .list()
    .filter(({ lsid }) => isMeant(lsid.key))
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
  const isMeant = chosen(stage, context.args);
  const listed: Uint8Array[] = [];
  for (const rows = context.data.collection(SESSIONS_NS)?.records(); rows?.next(); ) {
    const { bytes } = rows.document;
    if (isMeant(keyOf(bytes))) listed.push(bytes);
  }
  return listed;
}

function keyOf(row: Uint8Array): string {
  return anySessionId(subdocument(row, ID), '_id').key;
}

/** Those of all users, of some, or one's own. Errors: UnsupportedFormat 12. Upstream: listSessionsParseSpec. */
function chosen(stage: Stage, { uid }: CommandArguments): (key: string) => boolean {
  const fields = new Fields(documentOf(stage), stage.name);
  fields.allow(options);
  const all = fields.strictBool('allUsers') ?? false;
  const users = fields.documents('users')?.map((bytes) => {
    const named = new Fields(bytes, `${stage.name}.users`);
    return digestOfUser({ user: named.requiredString('user'), db: named.requiredString('db') });
  });
  const isOwn = users === undefined || users.length === 0;
  if (all && !isOwn) {
    throw new CommandError('UnsupportedFormat', `${stage.name} takes either {allUsers: true} or {users: [...]}`);
  }
  return (key) => all || (isOwn ? [uid] : users).some((each) => isSessionOf(key, each));
}
