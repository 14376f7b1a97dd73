import { EXTERNAL_DB, type UserName } from '@replsim/access';
import type { Fields, Reply } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import { findUser } from './accessStore.ts';
import { type LoginContext, welcome } from './authentication.ts';

const MECHANISM = 'MONGODB-X509';

/** Where a client asks to be let in by its certificate: a command, or a part of its `hello`. */
export interface CertificateLogin {
  readonly fields: Fields;
  readonly db: string;
  readonly isSpeculative: boolean;
}

/**
 * Lets a client in by the certificate that it has shown to the member's port: its subject is the name of a user in `$external`.
 * Errors: ProtocolError 17 for another database, UserNotFound 11 for a subject that nobody has; AuthenticationFailed 18 for everything else,
 * which the log tells. Upstream: authentication_commands.cpp, _authenticateX509 and its caller.
 */
export function logInByCertificate(context: LoginContext, login: CertificateLogin): Reply {
  const { member, connection } = context;
  const { isSpeculative } = login;
  const startedMicros = member.now.monotonicMicros;
  const named = { user: connection.peer.subject ?? login.fields.string('user') ?? '', db: login.db };
  const log = (id: number, msg: string, result: object): void => {
    const micros = member.now.monotonicMicros - startedMicros;
    member.log('I', 'ACCESS', id, msg, {
      client: connection.remote,
      isSpeculative,
      isClusterMember: false,
      mechanism: MECHANISM,
      ...named,
      ...result,
      metrics: {
        conversation_duration: { micros, summary: { 0: { step: 1, step_total: 1, duration_micros: micros } } },
      },
      extraInfo: {},
    });
  };
  member.counters.authentication.received(MECHANISM, isSpeculative);
  try {
    const user = certified(context, login);
    welcome(context, user);
    member.counters.authentication.successful(MECHANISM, isSpeculative);
    log(5286306, 'Successfully authenticated', { result: 0 });
    return { dbname: user.db, user: user.user };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    log(5286307, 'Failed to authenticate', { error: `${error.codeName}: ${error.message}`, result: error.code });
    if (error.codeName === 'UserNotFound' || error.codeName === 'ProtocolError') throw error;
    throw new CommandError('AuthenticationFailed', 'Authentication failed.');
  }
}

/** The user of the certificate. @throws CommandError with what is wrong */
function certified({ data, member, connection }: LoginContext, { fields, db }: CertificateLogin): UserName {
  const mechanism = fields.string('mechanism');
  if (!mechanism) throw new CommandError('BadValue', 'Auth mechanism not specified');
  if (mechanism !== MECHANISM) throw new CommandError('BadValue', `Unsupported mechanism: ${mechanism}`);
  if (db !== EXTERNAL_DB) {
    throw new CommandError('ProtocolError', 'X.509 authentication must always use the $external database.');
  }
  if (!member.parameters.texts('authenticationMechanisms').includes(MECHANISM)) {
    throw new CommandError('BadValue', 'x.509 authentication is disabled.');
  }
  const { subject } = connection.peer;
  if (subject === undefined) {
    throw new CommandError('AuthenticationFailed', 'No verified subject name available from client');
  }
  const asked = fields.string('user');
  if (asked !== undefined && asked !== subject) {
    throw new CommandError('AuthenticationFailed', 'There is no x.509 client certificate matching the user.');
  }
  const name = { user: subject, db };
  if (findUser(data, name)) return name;
  throw new CommandError('UserNotFound', `Could not find user "${subject}" for db "${db}"`);
}
