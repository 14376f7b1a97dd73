import { BsonType, CommandError } from '@replsim/protocol';
import { Binary } from 'bson';
import { ANYWHERE, atOnce } from '../commands/atOnce.ts';
import type { CommandContext, CommandDefinition, MemberServices, Reply } from '../commands/command.ts';
import { Fields } from '../commands/fields.ts';
import { bytesOf } from '../commands/values.ts';
import { parseSessionId } from './sessionId.ts';

/** Upstream: localLogicalSessionTimeoutMinutes. */
const SESSION_TIMEOUT_MINUTES = 30;

/** A command about sessions that does its work at one instant, wherever it is asked. */
function aboutSessions(name: string, answer: (context: CommandContext) => Reply): CommandDefinition {
  return { name, ...ANYWHERE, run: atOnce(answer) };
}

/**
 * Commands about sessions. A session lives as long as its newest write is in `config.transactions`; ending it forgets only
 * what it began without writing. Errors: those of a session's id, TypeMismatch 14. Upstream: logical_session_cache.cpp,
 * kill_sessions_local.cpp.
 */
export const sessionCommands: readonly CommandDefinition[] = [
  aboutSessions('startSession', startSession),
  aboutSessions('refreshSessions', (context) => {
    sessionsNamed(context);
    return {};
  }),
  aboutSessions('endSessions', (context) => {
    context.member.sessions.end(sessionsNamed(context));
    return {};
  }),
  aboutSessions('killSessions', (context) => kill(context, sessionsNamed(context))),
  aboutSessions('killAllSessions', (context) => {
    context.args.documents('killAllSessions');
    return kill(context, []);
  }),
  aboutSessions('killAllSessionsByPattern', (context) => kill(context, patterns(context))),
];

function startSession({ member }: { readonly member: MemberServices }): Reply {
  const id = new Binary(member.ids.uuid(), Binary.SUBTYPE_UUID);
  return { id: { id }, timeoutMinutes: SESSION_TIMEOUT_MINUTES };
}

/** The sessions that the command's own field lists. */
function sessionsNamed({ args }: CommandContext): string[] {
  const listed = args.documents(args.name) ?? args.missing(args.name);
  return listed.map((bytes, index) => parseSessionId(bytes, `${args.name}.${index}`).key);
}

/** Sessions by `lsid`; a pattern without one means everybody's. */
function patterns({ args }: CommandContext): string[] {
  const listed = args.documents(args.name) ?? args.missing(args.name);
  const named = listed.map((bytes) => new Fields(bytes, args.name).value('lsid'));
  if (named.some((lsid) => lsid === undefined)) return [];
  return named.map((lsid) => {
    if (lsid!.type !== BsonType.object) {
      throw new CommandError(
        'TypeMismatch',
        `BSON field '${args.name}.lsid' is the wrong type, expected type 'object'`,
      );
    }
    return parseSessionId(bytesOf(lsid!), `${args.name}.lsid`).key;
  });
}

/** Ends what these sessions have under way; of all sessions if none is named. */
function kill({ member, opId: own }: CommandContext, keys: readonly string[]): Reply {
  for (const operation of [...member.operations()]) {
    const { session, opId } = operation;
    if (session === undefined || opId === own || (keys.length > 0 && !keys.includes(session))) continue;
    operation.kill(new CommandError('Interrupted', 'operation was interrupted'));
  }
  return {};
}
