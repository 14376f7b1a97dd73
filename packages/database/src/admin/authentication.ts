import { utf8ToBytes } from '@noble/hashes/utils.js';
import { type CommandArguments, Fields, fieldSet, jsValueOf, type Reply } from '@replsim/pipeline';
import { BsonType, CommandError } from '@replsim/protocol';
import { Binary } from 'bson';
import type { OpenConnection } from '../connections/openConnection.ts';
import { bytesOfBase64, enabledMechanisms, SCRAM_MECHANISMS, ScramConversation } from '../connections/scram.ts';
import type { CommandContext, CommandDefinition, CommandDescription } from '../definition.ts';
import type { MemberServices, ProcessServices } from '../member.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

/** The only conversation that a connection has at a time. Upstream: sasl_commands.cpp. */
const CONVERSATION_ID = 1;

const startFields = fieldSet('saslStart', 'mechanism', 'payload', 'options', 'autoAuthorize');
const continueFields = fieldSet('saslContinue', 'conversationId', 'payload');

/**
 * `{ saslStart: 1, mechanism, payload, options: { skipEmptyExchange? } }`: who is there, on a set that was told the passwords of
 * `anyUserPasswords`. Errors: AuthenticationFailed 18 whatever was wrong with the message, which the log tells; BadValue 2 for a
 * mechanism that is unknown or switched off. Upstream: sasl_commands.cpp, CmdSaslStart; sasl_mechanism_registry.cpp, getServerMechanism.
 */
const saslStart: CommandDefinition = {
  name: 'saslStart',
  help: 'begins to show who a client is',
  auth: 'none',
  api: 'v1',
  ...ANYWHERE,
  ownWriteConcern: true,
  run: atOnce(({ args, member, connection }) => {
    args.allow(startFields);
    args.bool('autoAuthorize');
    const passwords = passwordsOf(member);
    const given = args.requiredString('mechanism');
    const mechanism = SCRAM_MECHANISMS.find((each) => each === given);
    if (!mechanism) {
      throw new CommandError('BadValue', `Unsupported mechanism '${given}' on authentication database '${args.db}'`);
    }
    if (!enabledMechanisms(member.parameters).includes(mechanism)) {
      throw new CommandError('BadValue', `${mechanism} authentication is disabled`);
    }
    const options = args.document('options');
    const skipsEmpty = options !== undefined && new Fields(options, 'saslStart.options').bool('skipEmptyExchange');
    if (!connection) throw noSession();
    member.counters.authentication.received(mechanism);
    const scram = new ScramConversation(mechanism, passwords, new Binary(member.ids.uuid()).toString('base64'));
    const sasl = { scram, db: args.db, skipsEmpty, proven: false };
    connection.sasl = sasl;
    const { payload } = answered(args, member, connection, sasl);
    return { conversationId: CONVERSATION_ID, done: false, payload };
  }),
};

/** `{ saslContinue: 1, conversationId, payload }`. Errors: ProtocolError 17 without a conversation that it goes on with; see above. */
const saslContinue: CommandDefinition = {
  name: 'saslContinue',
  help: 'goes on with showing who a client is',
  auth: 'none',
  api: 'v1',
  ...ANYWHERE,
  ownWriteConcern: true,
  run: atOnce(({ args, member, connection }) => {
    passwordsOf(member);
    args.allow(continueFields);
    const sasl = connection?.sasl;
    if (!connection || !sasl) throw noSession();
    if (args.number('conversationId') !== CONVERSATION_ID) {
      throw new CommandError('ProtocolError', 'sasl: Mismatched conversation id');
    }
    if (args.db !== sasl.db) {
      throw new CommandError('ProtocolError', 'Attempt to switch database target during SASL authentication.');
    }
    const reply = answered(args, member, connection, sasl);
    const done = sasl.proven && (sasl.skipsEmpty || reply.isLast);
    if (done) welcome(member, connection, sasl);
    return { conversationId: CONVERSATION_ID, done, payload: reply.payload };
  }),
};

type Sasl = NonNullable<OpenConnection['sasl']>;

/** What the client's message leads to, in the form in which it came: bytes, or their base64. */
function answered(
  args: CommandArguments,
  member: ProcessServices,
  connection: OpenConnection,
  sasl: Sasl,
): { readonly payload: unknown; readonly isLast: boolean } {
  const value = args.value('payload');
  const isText = value?.type === BsonType.string;
  if (!value || (!isText && value.type !== BsonType.binData)) {
    throw new CommandError('TypeMismatch', `${args.name}.payload must be binary data, or their base64 as a string`);
  }
  const { scram } = sasl;
  try {
    const message = textOf(jsValueOf(value));
    // After the proof an empty message asks for the end, where the client did not do without.
    const isLast = sasl.proven && message === '';
    const answer = isLast ? '' : scram.awaitsProof ? scram.signature(message) : scram.challenge(message);
    sasl.proven ||= answer.startsWith('v=');
    const bytes = new Binary(utf8ToBytes(answer));
    return { payload: isText ? bytes.toString('base64') : bytes, isLast };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    connection.sasl = undefined;
    const attr = { ...attrOf(connection, sasl), error: `${error.codeName}: ${error.message}`, result: error.code };
    member.log('I', 'ACCESS', 5286307, 'Failed to authenticate', { ...attr, extraInfo: {} });
    throw new CommandError('AuthenticationFailed', 'Authentication failed.');
  }
}

function textOf(payload: unknown): string {
  const binary = payload instanceof Binary ? payload : new Binary(bytesOfBase64(String(payload)));
  return binary.toString('utf8');
}

/** Errors: 5626701 and 5626702 for a connection on which somebody else is. Upstream: addAndAuthorizeUser. */
function welcome(member: MemberServices, connection: OpenConnection, sasl: Sasl): void {
  const { user: before } = connection;
  const user = { user: sasl.scram.user, db: sasl.db };
  connection.sasl = undefined;
  if (before && (before.user !== user.user || before.db !== user.db)) {
    throw new CommandError(
      before.db === user.db ? 5626701 : 5626702,
      `Each client connection may only be authenticated once. Previously authenticated as: ${before.user}@${before.db}`,
    );
  }
  connection.user = user;
  member.counters.authentication.successful(sasl.scram.mechanism);
  const attr = { ...attrOf(connection, sasl), result: 0, extraInfo: {} };
  member.log('I', 'ACCESS', 5286306, 'Successfully authenticated', attr);
}

function attrOf({ remote }: OpenConnection, { scram, db }: Sasl): Reply {
  const { mechanism, user } = scram;
  return { client: remote, isSpeculative: false, isClusterMember: false, mechanism, user, db };
}

function noSession(): CommandError {
  return new CommandError('ProtocolError', 'No SASL session state found');
}

/** The passwords that any user is known by. Throws AuthenticationFailed 18 if there are none. */
function passwordsOf(member: ProcessServices): readonly string[] {
  const passwords = member.parameters.texts('anyUserPasswords');
  if (passwords.length > 0) return passwords;
  throw new CommandError(
    'AuthenticationFailed',
    'Authentication failed: replsim has no authentication. Leave user name and password out of the connection string, or start the set with --any-user PASSWORD (anyUser)',
  );
}

/** Whoever is authenticated on the connection is no more, if it is a user of this database. Upstream: CmdLogout. */
function logOut({ args, connection }: CommandContext): Reply {
  if (connection && connection.user?.db === args.db) connection.user = undefined;
  return {};
}

const x509: CommandDescription = {
  name: 'authenticate',
  help: 'shows who a client is by its certificate; there are none here',
  auth: 'none',
  api: 'v1',
};

/** How a client shows who it is. There is no access control: whoever does not may do just as much. */
export const authenticationCommands: readonly CommandDefinition[] = [
  saslStart,
  saslContinue,
  {
    ...x509,
    ...ANYWHERE,
    ownWriteConcern: true,
    run: atOnce(({ member }) => {
      passwordsOf(member);
      throw new CommandError('AuthenticationFailed', 'Authentication failed.');
    }),
  },
  {
    name: 'logout',
    help: 'forgets who is authenticated on this connection',
    auth: 'none',
    api: 'none',
    ...ANYWHERE,
    run: atOnce(logOut),
  },
];
