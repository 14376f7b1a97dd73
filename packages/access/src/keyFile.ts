import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { CommandError } from '@replsim/protocol';
import { base64Of, bytesOfBase64 } from './scram/bytes.ts';

/** Upstream: security_key.cpp, kMinKeyLength and kMaxKeyLength. */
const MIN_LENGTH = 6;
const MAX_LENGTH = 1024;
const MAX_KEYS = 2;

/** Of characters that a key may have. */
const STAND_IN = 'replsim/in/place/of/a/key/';

/**
 * The keys of a key file, without white space: one, or two in a YAML list while they are being changed.
 * @param name how messages call the file
 * Errors: UnsupportedFormat 12 for another character, BadValue 2 for a length or a number of keys.
 * Upstream: security_file.cpp, readSecurityFile; security_key.cpp.
 */
export function parseKeyFile(text: string, name: string): readonly string[] {
  const isList = /^\s*-\s/.test(text);
  const written = isList ? text.split(/^\s*-\s+/m).slice(1) : [text];
  const keys = written.map((each) => each.replace(/[\t-\r ]/g, '').replace(/^(["'])(.*)\1$/s, '$2'));
  if (keys.length > MAX_KEYS) {
    throw new CommandError('BadValue', `${name} has ${keys.length} keys; a key file has at most ${MAX_KEYS}`);
  }
  for (const key of keys) {
    if (!/^[A-Za-z0-9+/=]*$/.test(key)) {
      throw new CommandError(
        'UnsupportedFormat',
        `invalid char in key file ${name}: a key consists of A-Z a-z 0-9 + / =`,
      );
    }
    if (key.length < MIN_LENGTH || key.length > MAX_LENGTH) {
      throw new CommandError(
        'BadValue',
        `the key in ${name} has ${key.length} characters; it must have ${MIN_LENGTH} to ${MAX_LENGTH}`,
      );
    }
  }
  return keys;
}

/**
 * What members know and nobody else does, from which salts and nonces follow. Without keys there is nothing to hide: then a run is
 * the same every time.
 */
export function setSecret(keys: readonly string[]): Uint8Array {
  const [key] = keys;
  return key === undefined ? new Uint8Array(32) : secretOfKey(key);
}

/** In the place of a key, in recordings: the secret that follows from it, with which nobody can join or log in as a member. */
export function standInOf(key: string): string {
  return STAND_IN + base64Of(secretOfKey(key));
}

/** A stand-in's is that of the key in whose place it is. */
function secretOfKey(key: string): Uint8Array {
  const secret = key.startsWith(STAND_IN) ? key.slice(STAND_IN.length) : '';
  return /^[\w+/]{43}=$/.test(secret) ? bytesOfBase64(secret) : sha256(utf8ToBytes(`secret of a set: ${key}`));
}
