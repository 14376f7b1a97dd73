/** The database of a namespace: what stands before the first dot. */
export function databaseOf(ns: string): string {
  return ns.slice(0, ns.indexOf('.'));
}

/** `db.collection` at its first dot. */
export function splitNamespace(ns: string): [db: string, collection: string] {
  const dot = ns.indexOf('.');
  return [ns.slice(0, dot), ns.slice(dot + 1)];
}

/** True for `local`, every member's own database: it is neither copied by an initial sync nor rolled back. */
export function isLocal(ns: string): boolean {
  return ns.startsWith('local.');
}

/**
 * True for what all members hold alike: everything but `local` and the profiler's collections.
 * Upstream: namespace_string.cpp, NamespaceString::isReplicated.
 */
export function isReplicated(ns: string): boolean {
  return !isLocal(ns) && !ns.endsWith('.system.profile');
}

/** Where every member keeps for itself what change streams show of documents before they were changed. Upstream: kChangeStreamPreImagesNamespace. */
export const PRE_IMAGES_NS = 'config.system.preimages';

/** True for what is equal on all members that are equally far: each of them removes old images by itself. */
export function isAlikeOnAll(ns: string): boolean {
  return isReplicated(ns) && ns !== PRE_IMAGES_NS;
}
