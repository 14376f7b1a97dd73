import {
  BsonType,
  databaseOf,
  encodeName,
  findField,
  firstKey,
  type OplogOperation,
  readString,
  splitNamespace,
} from '@replsim/protocol';

/** What a stream watches. */
export type StreamTarget =
  | { readonly kind: 'collection'; readonly ns: string }
  | { readonly kind: 'database'; readonly db: string }
  | { readonly kind: 'cluster' };

export interface ScopeOptions {
  readonly showExpandedEvents: boolean;
  readonly showSystemEvents: boolean;
  /** That an index build has begun, or was given up. */
  readonly showIndexBuilds: boolean;
}

/** Commands that name a collection first, and are shown if it is watched. */
const ON_COLLECTION: ReadonlySet<string> = new Set([
  'drop',
  'create',
  'createIndexes',
  'commitIndexBuild',
  'dropIndexes',
  'collMod',
]);
const OF_INDEX_BUILDS: ReadonlySet<string> = new Set(['startIndexBuild', 'abortIndexBuild']);
const SYSTEM_DATABASES: ReadonlySet<string> = new Set(['admin', 'config', 'local']);
const TO = encodeName('to');
const VIEWS = 'system.views';

/**
 * Which operations a stream is about, by their namespaces alone. A collection is known by its name: one that is made anew under
 * it is watched too. Upstream: change_stream_filter_helpers.cpp; change_stream_helpers' namespace regular expressions.
 */
export class StreamScope {
  readonly target: StreamTarget;
  readonly #showsViews: boolean;
  readonly #showsSystem: boolean;
  readonly #showsIndexBuilds: boolean;

  constructor(target: StreamTarget, { showExpandedEvents, showSystemEvents, showIndexBuilds }: ScopeOptions) {
    this.target = target;
    this.#showsViews = showExpandedEvents && target.kind !== 'collection';
    this.#showsSystem = showSystemEvents;
    this.#showsIndexBuilds = showIndexBuilds;
  }

  /** Whether the stream has something to say of an operation; groups are for those who look into them. */
  includes(operation: OplogOperation): boolean {
    switch (operation.op) {
      case 'n':
        return false;
      case 'c':
        return this.#includesCommand(operation);
      default:
        return this.watches(operation.ns) || this.#isView(operation.ns);
    }
  }

  /** Whether the stream watches the collection of that name. */
  watches(ns: string): boolean {
    const { target } = this;
    if (target.kind === 'collection') return ns === target.ns;
    const [db, collection] = splitNamespace(ns);
    return this.#watchesDatabase(db) && this.#watchesName(collection);
  }

  /** Whether nothing comes after this operation. A whole database ends with it, a collection also with its name. */
  isInvalidatedBy({ op, ns, o }: OplogOperation): boolean {
    if (op !== 'c') return false;
    const command = firstKey(o);
    if (this.target.kind === 'database') return command === 'dropDatabase' && databaseOf(ns) === this.target.db;
    return this.target.kind === 'collection' && (command === 'drop' || command === 'renameCollection');
  }

  #includesCommand({ ns, o }: OplogOperation): boolean {
    const command = firstKey(o);
    const isOnCollection = ON_COLLECTION.has(command) || (this.#showsIndexBuilds && OF_INDEX_BUILDS.has(command));
    if (isOnCollection) return this.watches(`${databaseOf(ns)}.${text(o, encodeName(command))}`);
    if (command === 'renameCollection') return this.watches(text(o, RENAME)) || this.watches(text(o, TO));
    return command === 'dropDatabase' && this.target.kind !== 'collection' && this.#watchesDatabase(databaseOf(ns));
  }

  #watchesDatabase(db: string): boolean {
    return this.target.kind === 'database' ? db === this.target.db : !SYSTEM_DATABASES.has(db);
  }

  #watchesName(collection: string): boolean {
    if (collection.startsWith('$')) return false;
    if (!collection.startsWith('system.')) return true;
    return this.#showsSystem && /^system\.(js$|resharding\.|buckets\.|views$)/.test(collection);
  }

  /** Views are documents of their database's catalog. */
  #isView(ns: string): boolean {
    if (!this.#showsViews || !ns.endsWith(VIEWS)) return false;
    const [db, collection] = splitNamespace(ns);
    return collection === VIEWS && this.#watchesDatabase(db);
  }
}

const RENAME = encodeName('renameCollection');

function text(document: Uint8Array, name: Uint8Array): string {
  const value = findField(document, name);
  return value?.type === BsonType.string ? readString(value) : '';
}
