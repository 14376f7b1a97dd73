import { type Operation, sleep } from '@replsim/operations';
import { fieldSet, type Reply } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';
import { checkAnybody, continueSasl, type LoginContext, startSasl } from './authentication.ts';
import { logInByCertificate } from './certificateLogin.ts';

const startFields = fieldSet('saslStart', 'mechanism', 'payload', 'options', 'autoAuthorize');
const authenticateFields = fieldSet('authenticate', 'mechanism', 'user');
const continueFields = fieldSet('saslContinue', 'conversationId', 'payload');

/** How a client shows who it is, by a password or a certificate. Upstream: sasl_commands.cpp, authentication_commands.cpp. */
export const saslCommands: readonly CommandDefinition[] = [
  {
    name: 'saslStart',
    help: 'begins to show who a client is',
    auth: 'none',
    sensitive: ['payload'],
    api: 'v1',
    ...ANYWHERE,
    ownWriteConcern: true,
    run: loggingIn((context, { args }) => {
      args.allow(startFields);
      return startSasl(context, { fields: args, db: args.db, isSpeculative: false });
    }),
  },
  {
    name: 'saslContinue',
    help: 'goes on with showing who a client is',
    auth: 'none',
    sensitive: ['payload'],
    api: 'v1',
    ...ANYWHERE,
    ownWriteConcern: true,
    run: loggingIn((context, { args }) => {
      args.allow(continueFields);
      return continueSasl(context, args, args.db);
    }),
  },
  {
    name: 'logout',
    help: 'forgets who is authenticated on this connection',
    auth: 'user',
    api: 'none',
    ...ANYWHERE,
    run: atOnce(logOut),
  },
  {
    name: 'authenticate',
    help: 'shows who a client is by its certificate',
    auth: 'none',
    api: 'v1',
    ...ANYWHERE,
    ownWriteConcern: true,
    run: loggingIn((context, { args }) => {
      args.allow(authenticateFields);
      return logInByCertificate(context, { fields: args, db: args.db, isSpeculative: false });
    }),
  },
];

/** A step of a login: one that fails takes as long as `authFailedDelayMs` says. Upstream: authentication_commands.cpp, sleepmillis. */
function loggingIn(step: (context: LoginContext, command: CommandContext) => Reply): CommandDefinition['run'] {
  return function* run(command): Operation<Reply> {
    const { member, connection, data, args } = command;
    checkAnybody(command);
    if (!connection) throw new CommandError('ProtocolError', 'No SASL session state found');
    try {
      return step({ member, connection, data, isStrict: args.bool('apiStrict') }, command);
    } catch (error) {
      if (error instanceof CommandError && error.codeName === 'AuthenticationFailed')
        yield* sleep(member.parameters.number('authFailedDelayMs') * 1000);
      throw error;
    }
  };
}

/** Whoever is authenticated on the connection is no more, if it is a user of this database. Upstream: CmdLogout. */
function logOut({ args, connection, member }: CommandContext): Reply {
  const { authentication } = member.counters;
  if (!authentication.hasSeenLogout) {
    authentication.hasSeenLogout = true;
    const msg = 'The logout command has been deprecated, clients should end their session instead';
    member.log('W', 'ACCESS', 5626600, msg);
  }
  if (connection?.user?.db === args.db) connection.user = undefined;
  return {};
}
