import { decodePromoted, encodeDocument, splitNamespace } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import type { Members } from '../stage/members.ts';

const $readPreference = { mode: 'secondaryPreferred' };

/**
 * Whether all running members with data hold the same, by `dbHash`; `local` is each member's own. A process that the set does not have, as it
 * was removed or never added, has data of its own.
 */
export function sameData(set: ReplicaSetApi, members: Members, namespaces: readonly string[] | 'all') {
  const asked = `same: ${namespaces === 'all' ? 'all' : namespaces.join(', ')}`;
  const answering = ofTheSet(
    set,
    members,
    members.withData().filter((member) => set.status(member).mode === 'replSet'),
  );
  const [first, ...others] = answering.map((member) => ({ member, hashes: hashesOf(set, member, namespaces) }));
  if (!first) return { asked, got: 'no member with data answers', unanswered: true };
  if (others.length === 0)
    return {
      asked,
      got: `only ${first.member} answers, so there is nothing to compare it with`,
      advice: 'use it in a set with at least two running members',
      unanswered: true,
    };
  for (const other of others) {
    const all = new Set([...first.hashes.keys(), ...other.hashes.keys()]);
    for (const namespace of all) {
      const [a, b] = [first.hashes.get(namespace), other.hashes.get(namespace)];
      if (a !== b)
        return {
          asked,
          got: `${namespace}: ${first.member} has ${a ?? 'no such collection'}, ${other.member} has ${b ?? 'no such collection'}`,
        };
    }
  }
  return undefined;
}

/** Those in the newest config of members that can be read; all of them where nobody can. */
function ofTheSet(set: ReplicaSetApi, members: Members, answering: readonly string[]): readonly string[] {
  const read = answering.filter((member) => {
    const { isWritablePrimary, secondary } = members.hello(member);
    return isWritablePrimary || secondary;
  });
  if (read.length === answering.length || read.length === 0) return answering;
  const configs = read.map((member) => decodePromoted(set.ask(member, GET_CONFIG)).config as Config | undefined);
  const newest = configs.reduce((one, other) => (isNewer(other, one) ? other : one));
  const hosts = new Set(newest?.members.map(({ host }) => members.at(host)));
  return answering.filter((member) => read.includes(member) || hosts.has(member));
}

interface Config {
  readonly version: number;
  readonly term?: number;
  readonly members: readonly { readonly host: string }[];
}

const GET_CONFIG = encodeDocument({ replSetGetConfig: 1, $db: 'admin' });

/** Upstream: ConfigVersionAndTerm, which orders by the term first. */
function isNewer(one: Config | undefined, other: Config | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  const [term = 0, otherTerm = 0] = [one.term, other.term];
  return term === otherTerm ? one.version > other.version : term > otherTerm;
}

/** A hash for each namespace; an error stands in a hash's place, so that it shows. */
function hashesOf(set: ReplicaSetApi, member: string, namespaces: readonly string[] | 'all'): Map<string, string> {
  const ask = (command: object) => decodePromoted(set.ask(member, encodeDocument({ ...command, $readPreference })));
  const hashes = new Map<string, string>();
  const databases =
    namespaces === 'all'
      ? ((ask({ listDatabases: 1, nameOnly: true, $db: 'admin' }).databases ?? []) as { name: string }[]).map(
          ({ name }) => name,
        )
      : [...new Set(namespaces.map((namespace) => splitNamespace(namespace)[0]))];
  for (const $db of databases.filter((name) => name !== 'local')) {
    const wanted =
      namespaces === 'all'
        ? undefined
        : namespaces
            .map(splitNamespace)
            .filter(([db]) => db === $db)
            .map(([, collection]) => collection);
    const reply = ask({ dbHash: 1, ...(wanted && { collections: wanted }), $db });
    if (reply.ok !== 1) hashes.set($db, `an error: ${reply.errmsg}`);
    for (const [collection, hash] of Object.entries(reply.collections ?? {}))
      hashes.set(`${$db}.${collection}`, String(hash));
  }
  return hashes;
}
