import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import {
  type AccountHost,
  accountOf,
  base64Of,
  bytesOfBase64,
  enabledMechanisms,
  SCRAM_SHAPES,
  ScramConversation,
  type ScramMechanism,
  sameUser,
  scramMechanism,
  shownName,
  type UserName,
} from '@replsim/access';
import type { OpenConnection, SaslSession } from '@replsim/operations';
import { Fields, jsValueOf, type Reply } from '@replsim/pipeline';
import { BsonType, CommandError } from '@replsim/protocol';
import { Binary } from 'bson';
import type { CommandContext } from '../definition.ts';
import type { MemberServices } from '../member.ts';
import { findUser, USERS_NS } from './accessStore.ts';
import { abandonLogin, logFailure, loginAttr, loginEnded } from './loginLog.ts';

/** The only conversation that a connection has at a time. Upstream: sasl_commands.cpp. */
const CONVERSATION_ID = 1;

/** 32 characters. Upstream: sasl_scram_server_conversation.cpp, kSaltLength. */
const NONCE_BYTES = 24;

/** Where a login comes from, and who judges it. */
export type LoginContext = Pick<CommandContext, 'data' | 'member'> & {
  readonly connection: OpenConnection;
  /** `apiStrict` came with the command. */
  readonly isStrict: boolean;
};

/** What `saslStart` says, as a command or within a `hello`. */
export interface SaslStart {
  readonly fields: Fields;
  readonly db: string;
  readonly isSpeculative: boolean;
}

/**
 * Begins a conversation, in the place of one that may be under way.
 * Errors: BadValue 2 for a mechanism that is unknown or switched off; AuthenticationFailed 18 whatever was wrong with the message,
 * which the log tells. Upstream: sasl_commands.cpp, runSaslStart; sasl_mechanism_registry.cpp, getServerMechanism.
 */
export function startSasl(context: LoginContext, { fields, db, isSpeculative }: SaslStart): Reply {
  const { member, connection } = context;
  abandonLogin(member, connection);
  const mechanism = mechanismNamed(member, fields.requiredString('mechanism'), db);
  const options = fields.document('options');
  const skipsEmpty = options !== undefined && new Fields(options, 'saslStart.options').bool('skipEmptyExchange');
  member.counters.authentication.received(mechanism, isSpeculative);
  const scram = new ScramConversation(mechanism, nonce(member), (user) => {
    const name = { user, db };
    noteOtherName(context, name);
    const account = accountOf(accountHost(context), mechanism, name);
    // The handshake tells the mechanisms of the user beside it: the client is to take another, and would take a challenge for this one.
    if (isSpeculative && isUnavailable(account.failure)) throw account.failure;
    return account;
  });
  const startedMicros = member.now.monotonicMicros;
  const session = { scram, db, skipsEmpty, isSpeculative, startedMicros };
  connection.sasl = session;
  return { conversationId: CONVERSATION_ID, done: false, payload: answered(context, session, fields).payload };
}

/** Goes on with it. Errors: ProtocolError 17 without a conversation that it goes on with; see above, and `welcome`. */
export function continueSasl(context: LoginContext, fields: Fields, db: string): Reply {
  const { sasl } = context.connection;
  if (!sasl) {
    const begun = context.connection.askedMechanismsOf !== undefined;
    throw new CommandError(
      'ProtocolError',
      begun ? 'saslContinue must follow saslStart' : 'No SASL session state found',
    );
  }
  if (fields.number('conversationId') !== CONVERSATION_ID) {
    throw new CommandError('ProtocolError', 'sasl: Mismatched conversation id');
  }
  if (db !== sasl.db) {
    throw new CommandError('ProtocolError', 'Attempt to switch database target during SASL authentication.');
  }
  const { payload, isLast } = answered(context, sasl, fields);
  const done = sasl.scram.isProven && (sasl.skipsEmpty || isLast);
  if (done) finish(context, sasl);
  return { conversationId: CONVERSATION_ID, done, payload };
}

function accountHost({ data, member: { access, parameters } }: LoginContext): AccountHost {
  return {
    user: (name) => findUser(data, name),
    anyUserPasswords: parameters.texts('anyUserPasswords'),
    keys: access.keys,
    secret: access.secret,
    iterations: (mechanism) => parameters.number(SCRAM_SHAPES[mechanism].iterations),
  };
}

function mechanismNamed({ parameters }: MemberServices, given: string, db: string): ScramMechanism {
  const mechanism = scramMechanism(given);
  if (mechanism && enabledMechanisms(parameters).includes(mechanism)) return mechanism;
  throw new CommandError('BadValue', `Unsupported mechanism '${given}' on authentication database '${db}'`);
}

/** It follows from what has been drawn before, and from what only the members know: a run can be repeated, and nobody can guess it. */
function nonce({ ids, access }: MemberServices): string {
  return base64Of(hmac(sha256, access.secret, ids.bytes(NONCE_BYTES)).slice(0, NONCE_BYTES));
}

/** Throws AuthenticationFailed 18 where nobody can log in, and nobody needs to. */
export function checkAnybody({ data, member }: Pick<LoginContext, 'data' | 'member'>): void {
  const { access, parameters } = member;
  if (access.isEnabled || parameters.texts('anyUserPasswords').length > 0) return;
  if ((data.collection(USERS_NS)?.count ?? 0) > 0) return;
  throw new CommandError(
    'AuthenticationFailed',
    'Authentication failed: this set has no users. Leave user name and password out of the connection string, create the user with createUser, or start the set with --any-user PASSWORD (anyUser)',
  );
}

/** Upstream: authentication_session.cpp, updateUserName. */
function noteOtherName({ member, connection: { askedMechanismsOf: asked } }: LoginContext, name: UserName): void {
  if (!asked || sameUser(asked, name)) return;
  const errmsg = `Attempt to switch user during SASL authentication from ${shownName(asked)} to ${shownName(name)}`;
  const error = { code: 17, codeName: 'ProtocolError', errmsg };
  member.log('I', 'ACCESS', 5286202, 'Different user name was supplied to saslSupportedMechs', { error });
}

/** What the client's message leads to, in the form in which it came: bytes, or their base64. */
function answered(
  context: LoginContext,
  session: SaslSession,
  fields: Fields,
): { readonly payload: unknown; readonly isLast: boolean } {
  const value = fields.value('payload') ?? fields.missing('payload');
  const isText = value.type === BsonType.string;
  if (!isText && value.type !== BsonType.binData) {
    throw new CommandError('TypeMismatch', `${fields.path}.payload must be binary data, or their base64 as a string`);
  }
  const { scram } = session;
  try {
    const message = textOf(jsValueOf(value));
    // After the proof an empty message asks for the end, where the client did not do without.
    const isLast = scram.isProven && !session.skipsEmpty && message === '';
    const bytes = utf8ToBytes(isLast ? '' : scram.answer(message));
    return { payload: isText ? base64Of(bytes) : new Binary(bytes), isLast };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    context.connection.sasl = undefined;
    if (!session.isSpeculative || !isUnavailable(error)) logFailure(context, session, error);
    throw new CommandError('AuthenticationFailed', 'Authentication failed.');
  }
}

function isUnavailable(error: CommandError | undefined): error is CommandError {
  return error?.codeName === 'MechanismUnavailable';
}

function textOf(payload: unknown): string {
  const binary = payload instanceof Binary ? payload : new Binary(bytesOfBase64(String(payload)));
  return binary.toString('utf8');
}

function finish(context: LoginContext, session: SaslSession): void {
  const { member, connection } = context;
  const { mechanism, user } = session.scram;
  connection.sasl = undefined;
  welcome(context, { user, db: session.db });
  member.counters.authentication.successful(mechanism, session.isSpeculative);
  loginEnded(member, session);
  const { metrics, extraInfo, ...who } = loginAttr(member, connection, session);
  member.log('I', 'ACCESS', 5286306, 'Successfully authenticated', { ...who, result: 0, metrics, extraInfo });
}

/**
 * From now on the connection is this user's.
 * Errors: Location5626701 and Location5626702 where it is another's, Location5626703 where it is this user's and the client asked for
 * a strict API; AuthenticationFailed 18 from where the user may not connect. Upstream: authorization_session_impl.cpp,
 * addAndAuthorizeUser.
 */
export function welcome({ member, connection, isStrict }: LoginContext, user: UserName): void {
  const { user: before } = connection;
  if (before && !sameUser(before, user)) {
    const once = `Each client connection may only be authenticated once. Previously authenticated as: ${shownName(before)}`;
    const several = `Client has attempted to authenticate on multiple databases.Already authenticated as: ${shownName(before)}`;
    throw before.db === user.db ? new CommandError(5626701, once) : new CommandError(5626702, several);
  }
  if (before) {
    if (isStrict) throw new CommandError(5626703, 'Each client connection may only be authenticated once');
    member.log('W', 'ACCESS', 5626700, 'Client has attempted to reauthenticate as a single user', { user });
  }
  const unmet = member.access.logIn(connection, user);
  if (unmet === undefined) return;
  const attr = { user, reason: `AuthenticationRestrictionUnmet: ${unmet}` };
  member.log('I', 'ACCESS', 20240, 'Failed to acquire user because of unmet authentication restrictions', attr);
  throw new CommandError('AuthenticationFailed', 'Authentication failed.');
}
