import { parseReplSetConfig } from '@replsim/pipeline';
import { encodeDocument, type MemberConfig, type ReplSetConfig, type Term, VERSIONS } from '@replsim/protocol';

export const REPLICA_SET_ID = '0123456789abcdef01234567';
export const NO_EXCEPTIONS = { allowMultipleArbiters: false, skipShardingConfigurationChecks: false };

export type Document = Readonly<Record<string, unknown>>;

/** Three members with nothing but `_id` and `host`. */
export const three: Document[] = [0, 1, 2].map((_id) => ({ _id, host: `n${_id + 1}:27017` }));

/** The three, one of them with other fields. */
export function changed(index: number, fields: Document): Document[] {
  return three.map((member, i) => (i === index ? { ...member, ...fields } : member));
}

/** A config as a client sends it. */
export function document(members: readonly Document[], more: Document = {}): Uint8Array {
  return encodeDocument({ _id: 'rs0', version: 1, members, ...more });
}

export function parse(members: readonly Document[], more: Document = {}): ReplSetConfig {
  const options = { replicaSetId: REPLICA_SET_ID, traits: VERSIONS['8.0'] };
  return parseReplSetConfig(document(members, more), options).config;
}

/**
 * A config from letters: P and S hold data and vote, A is an arbiter, h has a vote and priority 0, n has neither, w is a
 * newly added voter that waits for its vote. Ids are the places in the word, but `.` leaves one out.
 */
export function set(letters: string, version = 1, term: Term = 1): ReplSetConfig {
  const kinds: Readonly<Record<string, Document>> = {
    A: { arbiterOnly: true },
    h: { priority: 0 },
    n: { priority: 0, votes: 0 },
    w: { newlyAdded: true },
  };
  const members = Array.from(letters, (letter, _id) => ({ letter, _id, host: `n${_id + 1}` }))
    .filter(({ letter }) => letter !== '.')
    .map(({ letter, _id, host }) => ({ _id, host, ...kinds[letter] }));
  return { ...parse(members), version, term };
}

export function memberOf(config: ReplSetConfig, id: number): MemberConfig {
  return config.members.find(({ _id }) => _id === id)!;
}
