import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DataFileError, documentOfJson, documentsOf } from '@replsim/scenario';
import { shown } from '../files.ts';
import { InputError } from '../io.ts';
import { unpackedFile } from './unpackedFile.ts';

/** What a folder holds for a set. */
export interface Dump {
  /** Views after what they show. */
  readonly collections: readonly DumpedCollection[];
  /** What lies there and is not loaded. */
  readonly ignored: readonly string[];
}

export interface DumpedCollection {
  readonly db: string;
  readonly name: string;
  /** Which file says so, as it is shown. */
  readonly file: string;
  /** For `create`; undefined where nothing is known of the collection but its documents. */
  readonly options: ReadonlyMap<string, unknown> | undefined;
  /** Without the one on `_id`. */
  readonly indexes: readonly ReadonlyMap<string, unknown>[];
  /** As BSON. */
  readonly documents: readonly Uint8Array[];
}

/** What members keep of themselves: a new set has its own. */
const OWN_DATABASES = ['admin', 'config', 'local'];
const DUMPED = /^(.+?)(\.metadata\.json|\.bson)(\.gz)?$/;
const EXPORTED = /^([^.]+)\.(.+)\.(json|jsonl|ndjson)(\.gz)?$/;
/** What mongodump writes beside the databases: the oplog of `--oplog`, and which version wrote the dump. */
const BESIDE = /^(oplog\.bson|prelude\.json)(\.gz)?$/;

/**
 * Reads a folder of mongodump (`<db>/<collection>.bson`, with `.metadata.json`) or of files of mongoexport (`<db>.<collection>.json`), each
 * packed or not. Everything is read and checked before anything is loaded.
 * @throws InputError for what cannot be loaded
 */
export function readDump(folder: string): Dump {
  if (!existsSync(folder)) throw new InputError(`--load: ${folder}: no such folder`);
  if (!statSync(folder).isDirectory())
    throw new InputError(
      `--load: ${folder} is a file; name the folder that mongodump --out wrote (an --archive cannot be read)`,
    );
  const names = readdirSync(folder).sort();
  const stray = names.find((name) => DUMPED.test(name) && !BESIDE.test(name) && !EXPORTED.test(name));
  if (stray !== undefined)
    throw new InputError(
      `--load: ${join(folder, stray)} belongs to a database, and its name is not known; name the folder above ${folder}`,
    );
  const ignored: string[] = [];
  const collections: DumpedCollection[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const exported = EXPORTED.exec(name);
    if (statSync(path).isDirectory() && !OWN_DATABASES.includes(name))
      collections.push(...databaseIn(path, name, ignored));
    else if (exported && !BESIDE.test(name))
      collections.push({ ...bare(exported[1]!, exported[2]!, path), documents: documentsIn(path) });
    else ignored.push(name);
  }
  if (collections.length === 0)
    throw new InputError(
      `--load: ${folder} has no collections; it must hold DB/COLLECTION.bson of mongodump or DB.COLLECTION.json of mongoexport`,
    );
  const isView = ({ options }: DumpedCollection) => options?.has('viewOn') ?? false;
  return { collections: [...collections.filter((each) => !isView(each)), ...collections.filter(isView)], ignored };
}

const bare = (db: string, name: string, path: string): DumpedCollection => ({
  db,
  name,
  file: shown(path),
  options: undefined,
  indexes: [],
  documents: [],
});

/** One database of a dump. */
function databaseIn(folder: string, db: string, ignored: string[]): readonly DumpedCollection[] {
  const collections = new Map<string, DumpedCollection>();
  const files = readdirSync(folder).sort();
  for (const name of files) {
    const path = join(folder, name);
    const [, escaped, ending] = DUMPED.exec(name) ?? [];
    if (escaped?.startsWith('system.buckets.'))
      throw new InputError(
        `--load: ${shown(path)} holds the buckets of a time series, which cannot be loaded; load what mongoexport writes of it`,
      );
    if (escaped === undefined || ending === undefined || escaped.startsWith('system.')) ignored.push(join(db, name));
    else {
      const known = collections.get(escaped) ?? bare(db, unescaped(escaped), path);
      collections.set(
        escaped,
        ending === '.bson'
          ? { ...known, file: shown(path), documents: documentsIn(path) }
          : { ...known, ...metadataIn(path) },
      );
    }
  }
  return [...collections.values()];
}

/** The options, the indexes, and the name where the file's is short for it. Upstream: mongo-tools, mongodump/metadata_dump.go, Metadata. */
function metadataIn(path: string): Partial<DumpedCollection> {
  const metadata = told(path, () => documentOfJson(unpackedFile(path)));
  const { collectionName, options = new Map(), indexes = [] } = Object.fromEntries(metadata);
  if (!(options instanceof Map) || !Array.isArray(indexes) || !indexes.every((each) => each instanceof Map))
    throw new InputError(`--load: ${shown(path)}: expected "options", a document, and "indexes", a list of documents`);
  if (options.has('timeseries'))
    throw new InputError(
      `--load: ${shown(path)} is of a time series, which cannot be loaded; load what mongoexport writes of it`,
    );
  return {
    ...(typeof collectionName === 'string' && { name: collectionName }),
    options: withIdIndex(options, indexes.find(isOnId)),
    indexes: indexes.filter((each) => !isOnId(each)).map(withoutNamespace),
  };
}

/** mongod before 4.4 named the namespace in each index, and refuses it since. */
function withoutNamespace(index: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  return new Map([...index].filter(([key]) => key !== 'ns' && key !== 'background'));
}

function isOnId(index: ReadonlyMap<string, unknown>): boolean {
  const key = index.get('key');
  return key instanceof Map && key.size === 1 && key.has('_id') && key.get('_id') !== 'hashed';
}

/** An option of releases long gone is left out, as mongorestore does. Upstream: mongo-tools, mongorestore/metadata.go. */
function withIdIndex(
  options: ReadonlyMap<string, unknown>,
  onId: ReadonlyMap<string, unknown> | undefined,
): ReadonlyMap<string, unknown> {
  const kept = [...options].filter(([key]) => key !== 'autoIndexId');
  const needsOne = onId?.has('collation') === true && !options.has('viewOn') && !options.has('clusteredIndex');
  return new Map(needsOne ? [...kept, ['idIndex', withoutNamespace(onId)]] : kept);
}

function documentsIn(path: string): readonly Uint8Array[] {
  return told(path, () => [...documentsOf(path, unpackedFile(path))]);
}

function told<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof DataFileError)
      throw new InputError(`--load: ${shown(path)}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** mongodump escapes what not every file system allows in a name. */
function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
