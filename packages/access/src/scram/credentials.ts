import { hmac } from '@noble/hashes/hmac.js';
import { md5 } from '@noble/hashes/legacy.js';
import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { base64Of, bytesOfBase64 } from './bytes.ts';
import { SCRAM_SHAPES, type ScramMechanism } from './mechanisms.ts';
import { saslPrepared } from './saslPrep.ts';

/** What a server keeps of a password: enough to recognise who knows it, and not enough to pretend to. Source: RFC 5802. */
export interface ScramCredentials {
  readonly iterationCount: number;
  readonly salt: Uint8Array;
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
}

/** The same as a user document holds it. */
export interface StoredCredentials {
  readonly iterationCount: number;
  readonly salt: string;
  readonly storedKey: string;
  readonly serverKey: string;
}

/**
 * What is hashed of a password. The older mechanism hashes the user's name into it first; the newer one prepares it.
 * Errors: those of `saslPrepared`. Source: the drivers' specification of authentication.
 */
export function secretOf(mechanism: ScramMechanism, user: string, password: string): string {
  return mechanism === 'SCRAM-SHA-1' ? passwordDigest(user, password) : saslPrepared(password);
}

/** Upstream: password_digest.cpp, createPasswordDigest. */
function passwordDigest(user: string, password: string): string {
  return bytesToHex(md5(utf8ToBytes(`${user}:mongo:${password}`)));
}

/** Keys take thousands of hashes to make, and a scenario that is played again makes the same ones. */
const knownKeys = new Map<string, ScramCredentials>();
const MAX_KNOWN_KEYS = 100;

/** @param secret what `secretOf` makes of a password */
export function scramCredentials(
  mechanism: ScramMechanism,
  secret: string,
  salt: Uint8Array,
  iterationCount: number,
): ScramCredentials {
  // The secret itself is not kept.
  const { hash } = SCRAM_SHAPES[mechanism];
  const name = `${mechanism} ${iterationCount} ${bytesToHex(salt)} ${bytesToHex(hmac(hash, salt, utf8ToBytes(secret)))}`;
  const known = knownKeys.get(name) ?? derived(mechanism, secret, salt, iterationCount);
  if (!knownKeys.has(name) && knownKeys.size >= MAX_KNOWN_KEYS) knownKeys.clear();
  knownKeys.set(name, known);
  return known;
}

function derived(
  mechanism: ScramMechanism,
  secret: string,
  salt: Uint8Array,
  iterationCount: number,
): ScramCredentials {
  const { hash } = SCRAM_SHAPES[mechanism];
  const salted = pbkdf2(hash, utf8ToBytes(secret), salt, { c: iterationCount, dkLen: hash.outputLen });
  return {
    iterationCount,
    salt,
    storedKey: hash(hmac(hash, salted, utf8ToBytes('Client Key'))),
    serverKey: hmac(hash, salted, utf8ToBytes('Server Key')),
  };
}

/**
 * What a user who does not exist is asked with: always the same for a name, so that nobody learns who exists by asking twice, and
 * keys that no password leads to.
 * @param serverSecret known to the members of the set alone
 */
export function fakeCredentials(
  mechanism: ScramMechanism,
  name: string,
  serverSecret: Uint8Array,
  iterationCount: number,
): ScramCredentials {
  const { hash, saltBytes } = SCRAM_SHAPES[mechanism];
  const drawn = (what: string) => hmac(hash, serverSecret, utf8ToBytes(`${what} ${mechanism} ${name}`));
  // A hash has more bytes than a salt.
  return {
    iterationCount,
    salt: drawn('salt').subarray(0, saltBytes),
    storedKey: drawn('stored key'),
    serverKey: drawn('server key'),
  };
}

export function storedCredentials(credentials: ScramCredentials): StoredCredentials {
  return {
    iterationCount: credentials.iterationCount,
    salt: base64Of(credentials.salt),
    storedKey: base64Of(credentials.storedKey),
    serverKey: base64Of(credentials.serverKey),
  };
}

/** Undefined for credentials that are damaged. Upstream: SCRAMCredentials::isValid. */
export function readCredentials(
  mechanism: ScramMechanism,
  stored: Record<string, unknown>,
): ScramCredentials | undefined {
  const { hash, saltBytes } = SCRAM_SHAPES[mechanism];
  const iterationCount = Number(stored.iterationCount);
  const [salt, storedKey, serverKey] = [stored.salt, stored.storedKey, stored.serverKey].map((text) =>
    bytesOfBase64(String(text)),
  ) as [Uint8Array, Uint8Array, Uint8Array];
  const fits =
    iterationCount >= 1 &&
    salt.length === saltBytes &&
    storedKey.length === hash.outputLen &&
    serverKey.length === hash.outputLen;
  return fits ? { iterationCount, salt, storedKey, serverKey } : undefined;
}
