import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { CommandError } from '@replsim/protocol';
import { shownName, type UserName } from '../names.ts';

/** Upstream: logical_session_id.h, kMaximumUserNameLengthForLogicalSessions. */
const MAX_NAME = 10_000;

/** Equal arrays for equal users: sessions are remembered by them. */
const recent = new Map<string, Uint8Array>();
/** How many users are remembered. */
const CAPACITY = 64;

/**
 * What stands for a user in the ids of its sessions: the SHA-256 of `name@db`. Errors: BadValue 2 for a name that is too long.
 * Upstream: logical_session_id_helpers.cpp, getLogicalSessionUserDigestFor.
 */
export function digestOfUser(user: UserName): Uint8Array {
  const name = shownName(user);
  const known = recent.get(name);
  if (known) return known;
  if (name.length >= MAX_NAME) {
    throw new CommandError('BadValue', `Username too long to use with logical sessions: ${name.length} characters`);
  }
  const digest = sha256(utf8ToBytes(name));
  if (recent.size >= CAPACITY) recent.clear();
  recent.set(name, digest);
  return digest;
}
