import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { CommandError } from '@replsim/protocol';
import { shownName, type UserName } from '../names.ts';
import { type StoredCredentials, scramCredentials, secretOf, storedCredentials } from '../scram/credentials.ts';
import { SCRAM_SHAPES, type ScramMechanism, scramMechanism } from '../scram/mechanisms.ts';

/** Not mongod's: in the place of a password, what is kept of one. So recordings can be played again that hold no password. */
export const KEPT_CREDENTIALS = 'replsimCredentials';

/** A password as a client sends it. */
export interface NewPassword {
  readonly pwd: string;
  /** False: it is hashed with the user's name already, as `SCRAM-SHA-1` does it. */
  readonly digestPassword: boolean;
}

/** How often, and with what, passwords are hashed. */
export interface HashSettings {
  /** Known to the members of the set alone. Salts follow from it and from the name, so that a run can be repeated. */
  readonly serverSecret: Uint8Array;
  iterations(mechanism: ScramMechanism): number;
}

/**
 * The mechanisms that a command asks for, all that are on where it says nothing.
 * Errors: BadValue 2. Upstream: user_management_commands.cpp, parseAndValidateMechanisms.
 */
export function wantedMechanisms(
  asked: readonly string[] | undefined,
  enabled: readonly ScramMechanism[],
): readonly ScramMechanism[] {
  if (asked === undefined) return enabled;
  if (asked.length === 0) throw new CommandError('BadValue', 'mechanisms field must not be empty');
  return [...new Set(asked)].map((name) => {
    const mechanism = scramMechanism(name);
    if (!mechanism) throw new CommandError('BadValue', `Unknown auth mechanism '${name}'`);
    if (!enabled.includes(mechanism)) throw new CommandError('BadValue', `${name} not supported in authMechanisms`);
    return mechanism;
  });
}

/**
 * The `credentials` of a user document.
 * Errors: BadValue 2 for a digest where the password itself is needed, and for one that SASLprep refuses.
 * Upstream: user_management_commands.cpp, buildCredentials.
 */
export function newCredentials(
  name: UserName,
  { pwd, digestPassword }: NewPassword,
  mechanisms: readonly ScramMechanism[],
  settings: HashSettings,
): Record<string, StoredCredentials> {
  if (!digestPassword && mechanisms.includes('SCRAM-SHA-256')) {
    throw new CommandError('BadValue', 'Use of SCRAM-SHA-256 requires undigested passwords');
  }
  const credentials: Record<string, StoredCredentials> = {};
  // In the order in which a mongod writes them.
  for (const mechanism of ['SCRAM-SHA-1', 'SCRAM-SHA-256'] as const) {
    if (!mechanisms.includes(mechanism)) continue;
    const secret = digestPassword ? secretOf(mechanism, name.user, pwd) : pwd;
    const salt = saltOf(settings.serverSecret, mechanism, name);
    credentials[mechanism] = storedCredentials(
      scramCredentials(mechanism, secret, salt, settings.iterations(mechanism)),
    );
  }
  return credentials;
}

function saltOf(serverSecret: Uint8Array, mechanism: ScramMechanism, name: UserName): Uint8Array {
  const { saltBytes } = SCRAM_SHAPES[mechanism];
  return hmac(sha256, serverSecret, utf8ToBytes(`${mechanism} ${shownName(name)}`)).slice(0, saltBytes);
}
