import type { MemberServices } from '../member.ts';

const TMP_NAME_CHARS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A name for a collection that soon bears another. Upstream: database_impl.cpp, makeUniqueCollectionNamespace. */
export function passingName(db: string, purpose: string, ids: MemberServices['ids']): string {
  const chars = Array.from({ length: 5 }, () => TMP_NAME_CHARS[ids.below(TMP_NAME_CHARS.length)]);
  return `${db}.tmp${chars.join('')}.${purpose}`;
}
