import { CommandError, encodeName, splitNamespace } from '@replsim/protocol';

/** Bytes. Upstream: database_name.h, kMaxDatabaseNameLength less the NUL. */
const MAX_DB_NAME_BYTES = 63;
/** Bytes. Upstream: namespace_string.h, MaxNsCollectionLen. */
const MAX_NS_BYTES = 255;

/** Where those would be looked up whom somebody else has authenticated; it holds no collections. Upstream: DatabaseName::kExternal. */
const EXTERNAL = '$external';

/** Throws InvalidNamespace 73 unless `db` can name a database. Upstream: NamespaceString::validDBName. */
export function checkDbName(db: string): void {
  if (db === EXTERNAL) return;
  const illegal = db === '' || /[/\\. "$\0]/.test(db) || isLongerThan(db, MAX_DB_NAME_BYTES);
  if (illegal) throw new CommandError('InvalidNamespace', `Invalid database name: '${db}'`);
}

/** Throws InvalidNamespace 73 unless `collection` can name a collection, existing or not. */
export function checkCollectionName(db: string, collection: string): void {
  const illegal = collection === '' || collection.startsWith('.') || collection.includes('\0');
  if (illegal) throw new CommandError('InvalidNamespace', `Invalid namespace specified '${db}.${collection}'`);
}

/** What may be read may not always be created: no `$`, no final dot, not too long, no reserved names. */
export function checkCreatableName(db: string, collection: string): void {
  checkCollectionName(db, collection);
  const ns = `${db}.${collection}`;
  if (collection.includes('$')) throw new CommandError('InvalidNamespace', `Invalid collection name: ${collection}`);
  if (collection.endsWith('.') || db === EXTERNAL)
    throw new CommandError('InvalidNamespace', `Invalid namespace specified '${ns}'`);
  if (isLongerThan(ns, MAX_NS_BYTES)) {
    throw new CommandError(
      'InvalidNamespace',
      `Fully qualified namespace is too long. Namespace: ${ns} Max: ${MAX_NS_BYTES}`,
    );
  }
}

/**
 * Refuses what a client may not write by hand: InvalidNamespace 73. `system.js`, `system.users`, buckets, what a resharding fills,
 * `config.system.sessions` and the like are allowed. Upstream: NamespaceString::isLegalClientSystemNS.
 */
export function checkWritableName(db: string, collection: string): void {
  checkCollectionName(db, collection);
  const isSessions = db === 'config' && collection === 'system.sessions';
  const refused = db === 'local' ? collection.startsWith('oplog.') : isReserved(collection) && !isSessions;
  if (refused) throw new CommandError('InvalidNamespace', `cannot write to '${db}.${collection}'`);
}

function isReserved(collection: string): boolean {
  return (
    collection.startsWith('system.') &&
    !/^system\.((js|users|roles|version|backup_users)$|buckets\.|resharding\.)/.test(collection)
  );
}

/** @param bytes of UTF-8, of which no char takes more than three */
function isLongerThan(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && encodeName(text).length > bytes;
}

/** Splits at the first dot. Throws InvalidNamespace 73 where there is none. */
export function splitNs(ns: string): [db: string, collection: string] {
  if (ns.indexOf('.') <= 0) throw new CommandError('InvalidNamespace', `Invalid namespace specified '${ns}'`);
  return splitNamespace(ns);
}
