import { EXTERNAL_DB, enabledMechanisms, SCRAM_MECHANISMS, type UserName } from '@replsim/access';
import { bytesOf, Fields, type Reply } from '@replsim/pipeline';
import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import type { CommandContext } from '../definition.ts';
import { findUser } from './accessStore.ts';
import { type LoginContext, startSasl } from './authentication.ts';
import { logInByCertificate } from './certificateLogin.ts';

/**
 * What a `hello` shows of logins: the mechanisms of a user, and the answer to a first step that comes with it. Of a user who does not
 * exist it shows the mechanisms that are on, so that nobody learns who does; a mongod leaves the field out.
 * Errors: BadValue 2 for a name or a step that is none. Upstream: hello_auth.cpp, handleHelloAuth.
 */
export function helloLogin({ args, member, connection, data }: CommandContext): Reply {
  const asked = args.value('saslSupportedMechs');
  const step = args.value('speculativeAuthenticate');
  const reply: Reply = {};
  if (asked) {
    member.counters.authentication.mechanismsAsked += 1;
    const name = userNameIn(asked);
    if (connection) connection.askedMechanismsOf = name;
    const user = findUser(data, name);
    const enabled = enabledMechanisms(member.parameters);
    reply.saslSupportedMechs = user ? enabled.filter((each) => user.mechanisms.includes(each)) : [...enabled];
  }
  if (step && connection) {
    const context = { member, connection, data, isStrict: args.bool('apiStrict') };
    const speculative = firstStep(context, step);
    if (speculative) reply.speculativeAuthenticate = speculative;
  }
  return reply;
}

/** `"DB.USER"`, or `{ user, db }`. Upstream: user_name.h, UserName::parse. */
function userNameIn(value: BsonValue): UserName {
  if (value.type === BsonType.string) {
    const text = readString(value);
    const dot = text.indexOf('.');
    if (dot >= 0) return { db: text.slice(0, dot), user: text.slice(dot + 1) };
  } else if (value.type === BsonType.object) {
    const fields = new Fields(bytesOf(value), 'saslSupportedMechs');
    return { user: fields.requiredString('user'), db: fields.requiredString('db') };
  }
  throw new CommandError('BadValue', "UserName must contain a '.' separated database.user pair");
}

/** What fails in it is not the handshake's failure: the client tries again by itself, and is told then. */
function firstStep(context: LoginContext, value: BsonValue): Reply | undefined {
  if (value.type !== BsonType.object) {
    throw new CommandError('BadValue', 'hello.speculativeAuthenticate must be a non-empty document');
  }
  const fields = new Fields(bytesOf(value), 'hello.speculativeAuthenticate');
  const [name] = fields.names;
  if (name === undefined) {
    throw new CommandError('BadValue', 'hello.speculativeAuthenticate must be a non-empty document');
  }
  const begin = Object.hasOwn(FIRST_STEPS, name) ? FIRST_STEPS[name] : undefined;
  if (!begin) throw new CommandError(51769, `hello.speculativeAuthenticate unknown command: ${name}`);
  try {
    return begin(context, fields);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

/** How a login may begin in a handshake, by the first field of the document. */
const FIRST_STEPS: Readonly<Record<string, (context: LoginContext, fields: Fields) => Reply | undefined>> = {
  saslStart(context, fields) {
    const db = fields.string('db');
    if (db === undefined || !SCRAM_MECHANISMS.some((each) => each === fields.string('mechanism'))) return undefined;
    return startSasl(context, { fields, db, isSpeculative: true });
  },
  authenticate: (context, fields) =>
    logInByCertificate(context, { fields, db: fields.string('db') ?? EXTERNAL_DB, isSpeculative: true }),
};
