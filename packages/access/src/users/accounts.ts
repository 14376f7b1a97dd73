import { CommandError } from '@replsim/protocol';
import { SYSTEM_USER, sameUser, shownName, type UserName } from '../names.ts';
import type { ScramAccount } from '../scram/conversation.ts';
import { fakeCredentials, type ScramCredentials, scramCredentials, secretOf } from '../scram/credentials.ts';
import type { ScramMechanism } from '../scram/mechanisms.ts';
import type { StoredUser } from './userDocument.ts';

/** What a login is judged by. */
export interface AccountHost {
  user(name: UserName): StoredUser | undefined;
  /** A client that knows one of these is taken for any user it names who has no document: `--any-user`. */
  readonly anyUserPasswords: readonly string[];
  /** Those of the key file. */
  readonly keys: readonly string[];
  /** Known to the set alone. */
  readonly secret: Uint8Array;
  iterations(mechanism: ScramMechanism): number;
}

/** The fewest that drivers accept: nothing is kept that more of them would guard. */
const ANY_USER_ITERATIONS = 4096;
/** The salt of each, always the same, so that drivers compute a password's keys once. */
const ANY_USER_SALTS = {
  'SCRAM-SHA-256': Uint8Array.from({ length: 28 }, (_, i) => i),
  'SCRAM-SHA-1': Uint8Array.from({ length: 16 }, (_, i) => i),
} as const;

/**
 * What the server asks a client that names this user. A user who does not exist is asked for as well, so that nobody learns
 * who exists: the login fails after its proof, like one with a wrong password. A mongod refuses it before.
 * Upstream: sasl_scram_server_conversation.cpp, _firstStep.
 */
export function accountOf(host: AccountHost, mechanism: ScramMechanism, name: UserName): ScramAccount {
  if (sameUser(name, SYSTEM_USER)) return systemAccount(host, mechanism);
  const user = host.user(name);
  const credentials = user?.credentials(mechanism);
  if (credentials !== undefined && credentials !== 'damaged') return { credentials: [credentials] };
  if (!user) {
    const [first, ...others] = host.anyUserPasswords.map((password) => passwordKeys(mechanism, name, password));
    if (first) return { credentials: [first, ...others] };
  }
  return nobody(host, mechanism, name, failureOf(mechanism, name, user && (credentials ?? 'none')));
}

function passwordKeys(mechanism: ScramMechanism, { user }: UserName, password: string): ScramCredentials {
  const secret = secretOf(mechanism, user, password);
  return scramCredentials(mechanism, secret, ANY_USER_SALTS[mechanism], ANY_USER_ITERATIONS);
}

function failureOf(mechanism: ScramMechanism, name: UserName, has: 'damaged' | 'none' | undefined): CommandError {
  switch (has) {
    case 'damaged':
      return new CommandError(
        'AuthenticationFailed',
        `Unable to validate ${mechanism} authentication due to corrupted stored credentials`,
      );
    case 'none':
      return new CommandError(
        'MechanismUnavailable',
        `Unable to use ${mechanism} based authentication for user without any ${mechanism} credentials registered`,
      );
    default:
      return new CommandError('UserNotFound', `Could not find user "${name.user}" for db "${name.db}"`);
  }
}

/** Members among themselves, and whoever else knows the key. Upstream: security_key.cpp, setUpSecurityKey. */
function systemAccount(host: AccountHost, mechanism: ScramMechanism): ScramAccount {
  const [first, ...others] = host.keys.map((key) =>
    scramCredentials(
      mechanism,
      secretOf(mechanism, SYSTEM_USER.user, key),
      ANY_USER_SALTS[mechanism],
      host.iterations(mechanism),
    ),
  );
  if (first) return { credentials: [first, ...others] };
  const failure = new CommandError(
    'AuthenticationFailed',
    'It is not possible to authenticate as the __system user on servers started without a --keyFile parameter',
  );
  return nobody(host, mechanism, SYSTEM_USER, failure);
}

function nobody(host: AccountHost, mechanism: ScramMechanism, name: UserName, failure: CommandError): ScramAccount {
  const fake = fakeCredentials(mechanism, shownName(name), host.secret, host.iterations(mechanism));
  return { credentials: [fake], failure };
}
