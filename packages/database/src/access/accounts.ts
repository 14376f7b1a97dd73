import {
  fakeCredentials,
  SCRAM_SHAPES,
  type ScramAccount,
  type ScramCredentials,
  type ScramMechanism,
  SYSTEM_USER,
  sameUser,
  scramCredentials,
  secretOf,
  shownName,
  type UserName,
} from '@replsim/access';
import { CommandError } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import type { MemberServices } from '../member.ts';
import { findUser, USERS_NS } from './accessStore.ts';

/** What of its member a login is judged by. */
export type AccountServices = Pick<MemberServices, 'access' | 'parameters'>;

/** The fewest that drivers accept: nothing is kept that more of them would guard. */
const ANY_USER_ITERATIONS = 4096;
/** The salt of each, always the same, so that drivers compute a password's keys once. */
const ANY_USER_SALTS = {
  'SCRAM-SHA-256': Uint8Array.from({ length: 28 }, (_, i) => i),
  'SCRAM-SHA-1': Uint8Array.from({ length: 16 }, (_, i) => i),
} as const;

/**
 * What somebody is asked with who says that it is this user. Whoever does not exist is asked all the same, so that nobody learns
 * who does: it fails after its proof, as a wrong password does. A mongod refuses such a one before.
 * Upstream: sasl_scram_server_conversation.cpp, _firstStep.
 */
export function accountOf(
  data: ReadView,
  member: AccountServices,
  mechanism: ScramMechanism,
  name: UserName,
): ScramAccount {
  if (sameUser(name, SYSTEM_USER)) return systemAccount(member, mechanism);
  const user = findUser(data, name);
  const credentials = user?.credentials(mechanism);
  if (credentials !== undefined && credentials !== 'damaged') return { credentials: [credentials] };
  if (!user) {
    const [first, ...others] = member.parameters
      .texts('anyUserPasswords')
      .map((password) => passwordKeys(mechanism, name, password));
    if (first) return { credentials: [first, ...others] };
  }
  return nobody(member, mechanism, name, failureOf(mechanism, name, user && (credentials ?? 'none')));
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
function systemAccount(member: AccountServices, mechanism: ScramMechanism): ScramAccount {
  const [first, ...others] = member.access.keys.map((key) =>
    scramCredentials(
      mechanism,
      secretOf(mechanism, SYSTEM_USER.user, key),
      ANY_USER_SALTS[mechanism],
      iterations(member, mechanism),
    ),
  );
  if (first) return { credentials: [first, ...others] };
  const failure = new CommandError(
    'AuthenticationFailed',
    'It is not possible to authenticate as the __system user on servers started without a --keyFile parameter',
  );
  return nobody(member, mechanism, SYSTEM_USER, failure);
}

function nobody(
  member: AccountServices,
  mechanism: ScramMechanism,
  name: UserName,
  failure: CommandError,
): ScramAccount {
  const fake = fakeCredentials(mechanism, shownName(name), member.access.secret, iterations(member, mechanism));
  return { credentials: [fake], failure };
}

function iterations({ parameters }: Pick<AccountServices, 'parameters'>, mechanism: ScramMechanism): number {
  return parameters.number(SCRAM_SHAPES[mechanism].iterations);
}

/** Whether anybody could log in: else whoever tries is told what to do. */
export function knowsAnybody(data: ReadView, { access, parameters }: AccountServices): boolean {
  return (
    access.isEnabled || parameters.texts('anyUserPasswords').length > 0 || (data.collection(USERS_NS)?.count ?? 0) > 0
  );
}
