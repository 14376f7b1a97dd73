import { anySession, digestOfUser, killSessionsNeeds, patternNeeds, sessionsListed } from '@replsim/access';
import type { LogicalSessionServices, Operation } from '@replsim/operations';
import {
  type CommandArguments,
  digestOf,
  Fields,
  fieldSet,
  isSessionOf,
  parseSessionId,
  type Reply,
  type SessionId,
  sessionIdOf,
} from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import { Binary } from 'bson';
import type { CommandContext, CommandDefinition, CommandDescription } from '../definition.ts';
import type { ClientServices } from '../member.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

const patternFields = new Set(['lsid', 'uid', 'users', 'roles']);

/** A command about sessions that does its work at one instant, wherever it is asked. */
function aboutSessions(described: CommandDescription, answer: (context: CommandContext) => Reply): CommandDefinition {
  return { ...described, ...ANYWHERE, run: atOnce(answer) };
}

/** A job that has its times, now. Upstream: refresh_logical_session_cache_now.cpp, reap_logical_session_cache_now.cpp. */
function sessionJob(
  described: CommandDescription,
  job: (jobs: LogicalSessionServices) => Operation<void>,
): CommandDefinition {
  const known = fieldSet(described.name);
  return {
    ...described,
    ...ANYWHERE,
    adminOnly: true,
    *run({ args, member }) {
      args.allow(known);
      yield* job(member.logicalSessions);
      return {};
    },
  };
}

/**
 * Commands about sessions. Ending one forgets it, with its cursors; killing one also ends what it has under way. What it wrote
 * stays known either way. Errors: those of a session's id, TypeMismatch 14. Upstream: logical_session_cache.cpp,
 * kill_sessions_local.cpp.
 */
export const sessionCommands: readonly CommandDefinition[] = [
  aboutSessions({ name: 'startSession', help: 'begins a session', auth: 'user', api: 'none' }, startSession),
  aboutSessions(
    { name: 'refreshSessions', help: 'says that sessions are still in use', auth: 'user', api: 'v1' },
    (context) => {
      for (const lsid of sessionsNamed(context)) context.member.sessions.cache.used(lsid);
      return {};
    },
  ),
  {
    ...aboutSessions(
      { name: 'endSessions', help: 'ends sessions that their client does not need any more', auth: 'user', api: 'v1' },
      (context) => {
        for (const lsid of sessionsNamed(context)) context.member.sessions.cache.end(lsid);
        return {};
      },
    ),
    // Drivers that close send `w: 0` with it, and hear nothing of what became of it.
    ownWriteConcern: true,
  },
  sessionJob(
    { name: 'refreshLogicalSessionCacheNow', help: 'writes down which sessions are in use', auth: 'user', api: 'none' },
    (jobs) => jobs.refresh(),
  ),
  sessionJob(
    { name: 'reapLogicalSessionCacheNow', help: 'forgets sessions that have expired', auth: 'user', api: 'none' },
    (jobs) => jobs.reap(),
  ),
  aboutSessions(
    { name: 'killSessions', help: 'ends what sessions have under way', auth: killSessionsNeeds, api: 'none' },
    (context) => {
      const { args } = context;
      const named = new Set(sessionsListed(args).map((bytes, i) => anySession(bytes, `${args.name}.${i}`, args).key));
      return kill(context, (key) => (named.size === 0 ? isSessionOf(key, args.uid) : named.has(key)));
    },
  ),
  aboutSessions(
    {
      name: 'killAllSessions',
      help: 'ends what all sessions, or those of some users, have under way',
      auth: { action: 'killAnySession', resource: 'cluster' },
      api: 'none',
    },
    (context) => {
      const users = context.args.documents('killAllSessions') ?? context.args.missing('killAllSessions');
      const uids = users.map((user, i) => digestOfNamed(new Fields(user, `killAllSessions.${i}`)));
      return kill(context, (key) => uids.length === 0 || uids.some((uid) => isSessionOf(key, uid)));
    },
  ),
  aboutSessions(
    {
      name: 'killAllSessionsByPattern',
      help: 'ends what sessions that match a pattern have under way',
      auth: patternNeeds,
      api: 'none',
    },
    (context) => kill(context, matchesPattern(context)),
  ),
];

function startSession({ args, member }: CommandContext): Reply {
  const uuid = member.ids.uuid();
  member.sessions.cache.used(sessionIdOf(uuid, args.uid));
  const id = new Binary(uuid, Binary.SUBTYPE_UUID);
  return { id: { id }, timeoutMinutes: member.sessions.timeoutMinutes };
}

/** The sessions that the command's own field lists. */
function sessionsNamed({ args }: CommandContext): SessionId[] {
  return sessionsListed(args).map((bytes, index) => parseSessionId(bytes, `${args.name}.${index}`, args.uid));
}

/** A user or a role. Errors: IDLFailedToParse 40414, IDLUnknownField 40415, TypeMismatch 14. Upstream: kill_sessions.idl. */
function checkNamed(named: Fields, kind: 'user' | 'role'): void {
  named.allow(new Set([kind, 'db']));
  for (const name of [kind, 'db']) named.string(name) ?? named.missing(name);
}

/** The digest of a user who is named. */
function digestOfNamed(named: Fields): Uint8Array {
  checkNamed(named, 'user');
  return digestOfUser({ user: named.requiredString('user'), db: named.requiredString('db') });
}

/** A pattern names a session, or a user. What names neither means all. Upstream: KillAllSessionsByPattern. */
function matchesPattern({ args }: CommandContext): (key: string) => boolean {
  const patterns = sessionsListed(args).map((bytes, index) =>
    patternOf(new Fields(bytes, `${args.name}.${index}`), args),
  );
  return (key) => patterns.length === 0 || patterns.some((matches) => matches(key));
}

/** Errors: those of a session's id, IDLUnknownField 40415, TypeMismatch 14. */
function patternOf(pattern: Fields, args: CommandArguments): (key: string) => boolean {
  pattern.allow(patternFields);
  for (const user of pattern.documents('users') ?? []) checkNamed(new Fields(user, `${pattern.path}.users`), 'user');
  for (const role of pattern.documents('roles') ?? []) checkNamed(new Fields(role, `${pattern.path}.roles`), 'role');
  const uid = pattern.value('uid');
  if (uid) {
    const digest = digestOf(uid, `${pattern.path}.uid`);
    return (key) => isSessionOf(key, digest);
  }
  const lsid = pattern.document('lsid');
  const named = lsid && anySession(lsid, `${pattern.path}.lsid`, args).key;
  return (key) => named === undefined || key === named;
}

/** Ends what the chosen sessions have under way, and their cursors. */
function kill({ member, opId: own }: CommandContext<ClientServices>, chosen: (key: string) => boolean): Reply {
  for (const operation of [...member.operations()]) {
    const { session, opId } = operation;
    if (session === undefined || opId === own || !chosen(session)) continue;
    operation.kill(new CommandError('Interrupted', 'operation was interrupted'));
  }
  member.sessions.abortAll(({ lsid }) => chosen(lsid.key));
  member.cursors.closeAll(({ session }) => session !== undefined && chosen(session));
  return {};
}
