import { decodePromoted } from '@replsim/protocol';
import type { CollectionView, IndexSpec, IndexView } from '@replsim/storage';
import type { FilterTree } from './filterTree.ts';
import { readableIndexes } from './readableIndexes.ts';

const WILDCARD = '$**';
/** What a hashed field finds. */
const BY_HASH: ReadonlySet<string> = new Set(['$eq', '$in']);

/**
 * Whether a hashed or wildcard index would serve a query. Such an index holds no keys here, so the collection is scanned in its place; to a
 * client the query has an index all the same.
 */
export function hasKeylessIndex(collection: CollectionView, conjuncts: readonly FilterTree[]): boolean {
  return readableIndexes(collection).some((index) => isKeyless(index) && conjuncts.some((node) => serves(index, node)));
}

/** Hidden ones serve nobody. */
export function isKeyless({ spec }: IndexView): boolean {
  return spec.kind === 'special' && !spec.hidden;
}

function serves({ spec }: IndexView, node: FilterTree): boolean {
  if (node.kind !== 'leaf' || node.negated) return false;
  const path = spec.parts[0]?.path ?? '';
  if (path.endsWith(WILDCARD)) return node.path.startsWith(path.slice(0, -WILDCARD.length));
  return node.path === path && (!beginsHashed(spec) || BY_HASH.has(node.operator));
}

function beginsHashed({ hashed, keyPattern }: IndexSpec): boolean {
  return hashed === true && Object.values(decodePromoted(keyPattern) as object)[0] === 'hashed';
}
