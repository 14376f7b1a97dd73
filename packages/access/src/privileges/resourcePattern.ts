/** What a privilege is about: one thing, or all that fit. Upstream: resource_pattern.h, ResourcePattern. */
export type ResourcePattern =
  | { readonly kind: 'cluster' | 'anyResource' | 'anyNormal' | 'anyBuckets' }
  /** The collections of a database that are not the system's, and the database itself. */
  | { readonly kind: 'database'; readonly db: string }
  /** Collections of this name in every database, those of the system too. */
  | { readonly kind: 'collection'; readonly collection: string }
  | { readonly kind: 'exact'; readonly db: string; readonly collection: string }
  /** What stores the measurements of time-series collections; `collection` is the name without `system.buckets.`. */
  | { readonly kind: 'bucketsOfDatabase'; readonly db: string }
  | { readonly kind: 'bucketsNamed'; readonly collection: string }
  | { readonly kind: 'exactBuckets'; readonly db: string; readonly collection: string };

/** What somebody wants to do something to. */
export type Target =
  | { readonly kind: 'cluster' | 'anyNormal' }
  | { readonly kind: 'database'; readonly db: string }
  | { readonly kind: 'namespace'; readonly db: string; readonly collection: string };

export const CLUSTER: Target = { kind: 'cluster' };
export const ANY_NORMAL: Target = { kind: 'anyNormal' };

export function database(db: string): Target {
  return { kind: 'database', db };
}

/** @param ns `db.collection`; without a dot it is a database */
export function namespace(ns: string): Target {
  const dot = ns.indexOf('.');
  return dot === -1 ? database(ns) : { kind: 'namespace', db: ns.slice(0, dot), collection: ns.slice(dot + 1) };
}

const BUCKETS = 'system.buckets.';

/** Whether roles that are about all normal collections leave this database out. Upstream: resource_pattern_search_list.h. */
function isApart(db: string): boolean {
  return db === 'local' || db === 'config';
}

/** Upstream: namespace_string.h, NamespaceString::isNormalCollection. */
function isNormal(db: string, collection: string): boolean {
  return !collection.startsWith('system.') && !(db === 'local' && collection.startsWith('replset.'));
}

/** Whether a privilege about `pattern` is one about `target`. Upstream: resource_pattern_search_list.h, ResourcePatternSearchList. */
export function matches(pattern: ResourcePattern, target: Target): boolean {
  switch (pattern.kind) {
    case 'anyResource':
      return true;
    case 'cluster':
      return target.kind === 'cluster';
    case 'anyNormal':
      return target.kind === 'anyNormal' || (isInsideNormal(target) && !isApart(target.db));
    case 'database':
      return isInsideNormal(target) && pattern.db === target.db;
    case 'collection':
      return target.kind === 'namespace' && pattern.collection === target.collection;
    case 'exact':
      return target.kind === 'namespace' && pattern.db === target.db && pattern.collection === target.collection;
    case 'anyBuckets':
      return bucketsOf(target) !== undefined;
    case 'bucketsOfDatabase':
      return bucketsOf(target)?.db === pattern.db;
    case 'bucketsNamed':
      return bucketsOf(target)?.collection === pattern.collection;
    case 'exactBuckets': {
      const buckets = bucketsOf(target);
      return buckets?.db === pattern.db && buckets.collection === pattern.collection;
    }
  }
}

/** Whether it is a database, or a collection that a privilege on its database covers. */
function isInsideNormal(target: Target): target is Exclude<Target, { kind: 'cluster' | 'anyNormal' }> {
  if (target.kind === 'database') return true;
  return target.kind === 'namespace' && isNormal(target.db, target.collection);
}

function bucketsOf(target: Target): { readonly db: string; readonly collection: string } | undefined {
  if (target.kind !== 'namespace' || !target.collection.startsWith(BUCKETS)) return undefined;
  return { db: target.db, collection: target.collection.slice(BUCKETS.length) };
}

/** Whether a privilege about `pattern` is one about something in a database. */
export function touchesDatabase(pattern: ResourcePattern, db: string): boolean {
  switch (pattern.kind) {
    case 'cluster':
      return false;
    case 'anyNormal':
      return !isApart(db);
    case 'database':
    case 'exact':
    case 'bucketsOfDatabase':
    case 'exactBuckets':
      return pattern.db === db;
    default:
      return true;
  }
}

/** The same text for the same pattern. */
export function patternKey(pattern: ResourcePattern): string {
  const { db = '', collection = '' } = pattern as { db?: string; collection?: string };
  return `${pattern.kind}\0${db}\0${collection}`;
}
