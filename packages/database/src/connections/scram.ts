import { hmac } from '@noble/hashes/hmac.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { CommandError } from '@replsim/protocol';
import { Binary } from 'bson';

/** The mechanisms by which a client may show that it knows a password, the strongest first, as `saslSupportedMechs` lists them. */
export const SCRAM_MECHANISMS = ['SCRAM-SHA-256', 'SCRAM-SHA-1'] as const;
export type ScramMechanism = (typeof SCRAM_MECHANISMS)[number];

/** Those that `authenticationMechanisms` leaves on. */
export function enabledMechanisms(parameters: { texts(name: string): readonly string[] }): readonly ScramMechanism[] {
  const enabled = parameters.texts('authenticationMechanisms');
  return SCRAM_MECHANISMS.filter((mechanism) => enabled.includes(mechanism));
}

/** The fewest that drivers accept: nothing is kept that more of them would guard. */
const ITERATIONS = 4096;
/** The hash of each, and its salt: as long as a mongod's, and always the same, so that drivers compute a password's keys once. */
const SHAPES = {
  'SCRAM-SHA-256': { hash: sha256, salt: Uint8Array.from({ length: 28 }, (_, i) => i) },
  'SCRAM-SHA-1': { hash: sha1, salt: Uint8Array.from({ length: 16 }, (_, i) => i) },
} as const;

/** What a server keeps of a password. */
interface Keys {
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
}

interface FirstExchange {
  readonly nonce: string;
  /** The client's bare message and our answer, with which what is signed begins. */
  readonly text: string;
}

/**
 * The server's side of one SCRAM conversation, in which any user is known by any of a few passwords: the client's proof tells
 * which of them it has. Errors: BadValue 2 for a message that is none, AuthenticationFailed 18 for another password.
 * Source: RFC 5802. Upstream: sasl_scram_server_conversation.cpp.
 */
export class ScramConversation {
  readonly mechanism: ScramMechanism;
  readonly #passwords: readonly string[];
  readonly #ownNonce: string;
  #user = '';
  #first: FirstExchange | undefined;

  /** @param ownNonce printable, without commas */
  constructor(mechanism: ScramMechanism, passwords: readonly string[], ownNonce: string) {
    this.mechanism = mechanism;
    this.#passwords = passwords;
    this.#ownNonce = ownNonce;
  }

  /** Who wants to be let in, once that has been said. */
  get user(): string {
    return this.#user;
  }

  /** Whether the next message is the one with the proof. */
  get awaitsProof(): boolean {
    return this.#first !== undefined;
  }

  /** `n,,n=USER,r=NONCE` → `r=NONCES,s=SALT,i=ROUNDS` */
  challenge(message: string): string {
    const [, bare] = /^[ny],(?:a=[^,]*)?,(.*)$/s.exec(message) ?? [];
    const [, name, clientNonce] = /^n=([^,]+),r=([^,]{4,})/.exec(bare ?? '') ?? [];
    if (bare === undefined || name === undefined || clientNonce === undefined)
      throw new CommandError('BadValue', 'the first SCRAM message has to be n,,n=USER,r=NONCE');
    this.#user = name.replaceAll('=2C', ',').replaceAll('=3D', '=');
    const nonce = clientNonce + this.#ownNonce;
    const answer = `r=${nonce},s=${base64Of(SHAPES[this.mechanism].salt)},i=${ITERATIONS}`;
    this.#first = { nonce, text: `${bare},${answer}` };
    return answer;
  }

  /** `c=biws,r=NONCES,p=PROOF` → `v=SIGNATURE`: a server that did not know the password could not sign. */
  signature(message: string): string {
    const [, withoutProof, nonce, proof] = /^(c=[^,]+,r=([^,]*).*),p=([^,]+)$/s.exec(message) ?? [];
    if (withoutProof === undefined || proof === undefined)
      throw new CommandError('BadValue', 'the second SCRAM message has to be c=BINDING,r=NONCE,p=PROOF');
    const first = this.#first;
    if (!first || nonce !== first.nonce)
      throw new CommandError('BadValue', 'the nonce of the second SCRAM message is not that of the first');
    const { hash } = SHAPES[this.mechanism];
    const signed = utf8ToBytes(`${first.text},${withoutProof}`);
    for (const password of this.#passwords) {
      const { storedKey, serverKey } = keysOf(this.mechanism, this.#user, password);
      const clientKey = xor(hmac(hash, storedKey, signed), bytesOfBase64(proof));
      if (sameBytes(hash(clientKey), storedKey)) return `v=${base64Of(hmac(hash, serverKey, signed))}`;
    }
    throw new CommandError('AuthenticationFailed', 'SCRAM authentication failed, storedKey mismatch');
  }
}

/** Keys take thousands of hashes to make and follow from their name alone, which each connection of a client asks for again. */
const knownKeys = new Map<string, Keys>();
const MAX_KNOWN_KEYS = 100;

function keysOf(mechanism: ScramMechanism, user: string, password: string): Keys {
  // The older one hashes the user's name into the password. Source: the drivers' specification of authentication.
  const secret = mechanism === 'SCRAM-SHA-1' ? bytesToHex(md5(utf8ToBytes(`${user}:mongo:${password}`))) : password;
  const name = `${mechanism} ${secret}`;
  const known = knownKeys.get(name) ?? derivedKeys(mechanism, secret);
  if (knownKeys.size >= MAX_KNOWN_KEYS) knownKeys.clear();
  knownKeys.set(name, known);
  return known;
}

function derivedKeys(mechanism: ScramMechanism, secret: string): Keys {
  const { hash, salt } = SHAPES[mechanism];
  const salted = pbkdf2(hash, utf8ToBytes(secret), salt, { c: ITERATIONS, dkLen: hash.outputLen });
  return {
    storedKey: hash(hmac(hash, salted, utf8ToBytes('Client Key'))),
    serverKey: hmac(hash, salted, utf8ToBytes('Server Key')),
  };
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, i) => byte ^ (b[i] ?? 0));
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function base64Of(bytes: Uint8Array): string {
  return new Binary(bytes).toString('base64');
}

/** Empty for what is no base64. */
export function bytesOfBase64(text: string): Uint8Array {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Binary.createFromBase64(text).buffer : new Uint8Array();
}
