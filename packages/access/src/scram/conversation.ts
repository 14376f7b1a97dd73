import { hmac } from '@noble/hashes/hmac.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { CommandError } from '@replsim/protocol';
import { base64Of, bytesOfBase64, sameSecret } from './bytes.ts';
import type { ScramCredentials } from './credentials.ts';
import { SCRAM_SHAPES, type ScramMechanism } from './mechanisms.ts';
import { type ClientFinal, parseClientFinal, parseClientFirst } from './messages.ts';

/** What a server knows of somebody who wants to log in. */
export interface ScramAccount {
  /** Any of these will do; all have the salt and the count of the first. */
  readonly credentials: readonly [ScramCredentials, ...ScramCredentials[]];
  /** Why it cannot succeed, whatever the proof: the client is asked for one all the same, and does not learn the reason. */
  readonly failure?: CommandError | undefined;
}

interface FirstExchange {
  readonly account: ScramAccount;
  readonly nonce: string;
  /** The client's bare message and our answer, with which what is signed begins. */
  readonly text: string;
}

/**
 * The server's side of one SCRAM conversation.
 * Errors: BadValue 2 for a malformed message, AuthenticationFailed 18 for a wrong password, and those of `accountOf`.
 * Source: RFC 5802. Upstream: sasl_scram_server_conversation.cpp.
 */
export class ScramConversation {
  readonly mechanism: ScramMechanism;
  readonly #ownNonce: string;
  readonly #accountOf: (user: string) => ScramAccount;
  #user = '';
  #first: FirstExchange | undefined;
  #isProven = false;

  /** @param ownNonce printable, without commas */
  constructor(mechanism: ScramMechanism, ownNonce: string, accountOf: (user: string) => ScramAccount) {
    this.mechanism = mechanism;
    this.#ownNonce = ownNonce;
    this.#accountOf = accountOf;
  }

  /** Who wants to be let in, once that has been said. */
  get user(): string {
    return this.#user;
  }

  /** Whether the client has shown that it knows the password. */
  get isProven(): boolean {
    return this.#isProven;
  }

  /** How many messages of the client have been answered. */
  get stepsDone(): number {
    return this.#isProven ? 2 : this.#first ? 1 : 0;
  }

  /** The answer to the client's next message. */
  answer(message: string): string {
    if (this.#isProven) throw new CommandError('AuthenticationFailed', 'Invalid SCRAM authentication step: 3');
    return this.#first ? this.#signature(parseClientFinal(message), this.#first) : this.#challenge(message);
  }

  /** `n,,n=USER,r=NONCE` → `r=NONCES,s=SALT,i=ROUNDS` */
  #challenge(message: string): string {
    const { user, nonce: clientNonce, bare } = parseClientFirst(message);
    this.#user = user;
    const account = this.#accountOf(user);
    const [{ salt, iterationCount }] = account.credentials;
    const nonce = clientNonce + this.#ownNonce;
    const answer = `r=${nonce},s=${base64Of(salt)},i=${iterationCount}`;
    this.#first = { account, nonce, text: `${bare},${answer}` };
    return answer;
  }

  /** `c=biws,r=NONCES,p=PROOF` → `v=SIGNATURE`: a server that did not know the password could not sign. */
  #signature({ nonce, proof, withoutProof }: ClientFinal, { account, nonce: expected, text }: FirstExchange): string {
    if (nonce !== expected) {
      throw new CommandError(
        'BadValue',
        `Unmatched SCRAM nonce received from client in second step, expected ${expected} but received ${nonce}`,
      );
    }
    const { hash } = SCRAM_SHAPES[this.mechanism];
    const signed = utf8ToBytes(`${text},${withoutProof}`);
    const shown = bytesOfBase64(proof);
    // All are tried, and whoever cannot succeed is found out after them: an answer takes the same time whatever is wrong.
    const matching = account.credentials.filter(({ storedKey }) =>
      sameSecret(hash(xor(hmac(hash, storedKey, signed), shown)), storedKey),
    );
    if (account.failure) throw account.failure;
    const [match] = matching;
    if (!match || shown.length !== hash.outputLen)
      throw new CommandError('AuthenticationFailed', 'SCRAM authentication failed, storedKey mismatch');
    this.#isProven = true;
    return `v=${base64Of(hmac(hash, match.serverKey, signed))}`;
  }
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, i) => byte ^ (b[i] ?? 0));
}
