/** Index specs as `createIndexes` takes and `listIndexes` shows them. Upstream: index_descriptor.cpp. */
import { CELL_LEVELS, type CellLevels, TWO_D_DEFAULTS, type TwoDParameters } from '@replsim/geo';
import { BsonType, type BsonValue, BsonWriter, CommandError, ElementCursor, readString } from '@replsim/protocol';
import { type Collator, compileCollator } from '@replsim/query';
import { readTextRules, type TextRules } from '@replsim/text';
import { isTrue, readAsNumber } from './bsonScalars.ts';
import { filterIdentity } from './filterIdentity.ts';
import { encodeKey } from './keys.ts';

/** One field of an index. */
export interface IndexPart {
  readonly path: string;
  readonly descending: boolean;
  /** What the keys hold in the place of the values: cells of the sphere, squares of the plane, terms or their weights. */
  readonly plugin?: GeoPlugin | 'text';
}

export type GeoPlugin = '2dsphere' | '2d';

/** A parsed index spec. Validity (of `expireAfterSeconds` for one) is for the command layer to judge. */
export interface IndexSpec {
  /** The whole spec, as stored and shown. */
  readonly bytes: Uint8Array;
  readonly name: string;
  /** The `key` document. */
  readonly keyPattern: Uint8Array;
  readonly parts: readonly IndexPart[];
  /** Special indexes (hashed, wildcard) stand in the catalog and hold no keys. */
  readonly kind: 'ordered' | GeoPlugin | 'text' | 'special';
  /** One of its fields is hashed, so that no document may have an array at any of them. */
  readonly hashed: boolean;
  /** How fine the cells of a 2dsphere index are. */
  readonly cellLevels: CellLevels;
  /** The square that a 2d index covers. */
  readonly square: TwoDParameters;
  /** What a text index has of which fields. */
  readonly text: TextRules | undefined;
  readonly unique: boolean;
  /** Not unique yet, but no write may add a key that another document has. */
  readonly prepareUnique: boolean;
  readonly sparse: boolean;
  readonly hidden: boolean;
  /** Of meaning before 4.2 only: the build lets others at the database. */
  readonly background: boolean;
  /** Not an index beside the records, but the order in which they are kept. */
  readonly clustered: boolean;
  readonly partialFilter: Uint8Array | undefined;
  /** By which strings are ordered and held equal; undefined for plain comparison. */
  readonly collator: Collator | undefined;
  /** Its presence makes this a TTL index; any BSON type may be found here. */
  readonly expireAfterSeconds: BsonValue | undefined;
  /** Equal for two specs that make the same index: see `sameIdentity`. */
  readonly identity: string;
  /** Equal for two specs that compare alike in what is left: see `samePlainOptions`. */
  readonly plainOptions: string;
  /** Equal for two specs that draw the same keys from every document. */
  readonly keySource: string;
}

/** Options that neither identify an index nor count in a comparison. */
const IGNORED = new Set([
  'v',
  'name',
  'background',
  'ns',
  'dropDups',
  'textIndexVersion',
  '2dsphereIndexVersion',
  'originalSpec',
]);
const IDENTIFYING = new Set(['key', 'unique', 'sparse', 'collation', 'partialFilterExpression', 'wildcardProjection']);

/** Parses a spec. Throws CommandError FailedToParse (9) without a document `key` and a string `name`. */
export function parseIndexSpec(bytes: Uint8Array): IndexSpec {
  const fields = new Map<string, BsonValue>();
  const cursor = new ElementCursor(bytes);
  while (cursor.next()) fields.set(cursor.name, cursor.value());
  const key = fields.get('key');
  const name = fields.get('name');
  if (key?.type !== BsonType.object) throw new CommandError('FailedToParse', "an index spec needs a 'key'");
  if (name?.type !== BsonType.string) throw new CommandError('FailedToParse', "an index spec needs a 'name'");
  const partial = fields.get('partialFilterExpression');
  const collation = fields.get('collation');
  const sparse = isTrue(fields.get('sparse'));
  // For an index on _id upstream takes uniqueness as given.
  const unique = isTrue(fields.get('unique')) || isIdKey(key);
  const keyOf = (option: string) => optionKey(fields.get(option));
  const { parts, kind, hashed } = parseParts(key);
  const optionSource = [...GEO_OPTIONS, ...TEXT_OPTIONS].map(keyOf).join('|');
  const keySource = `${encodeKey(key)}|${sparse}|${keyOf('partialFilterExpression')}|${keyOf('collation')}|${optionSource}`;
  return {
    bytes,
    name: readString(name),
    keyPattern: documentOf(key),
    parts,
    kind,
    hashed,
    ...geoOptions(fields),
    text: kind === 'text' ? readTextRules(fields) : undefined,
    unique,
    prepareUnique: isTrue(fields.get('prepareUnique')),
    sparse,
    hidden: isTrue(fields.get('hidden')),
    background: isTrue(fields.get('background')),
    clustered: isTrue(fields.get('clustered')),
    partialFilter: partial && documentOf(partial),
    expireAfterSeconds: fields.get('expireAfterSeconds'),
    collator: collation && compileCollator(documentOf(collation)),
    identity: [
      `${encodeKey(key)}|${sparse}|${unique}|${keyOf('collation')}|${keyOf('wildcardProjection')}`,
      partial && filterIdentity(partial),
    ].join('|'),
    plainOptions: plainOptions(fields),
    keySource,
  };
}

/**
 * True if two specs make the same index: equal key pattern (order of fields and values; 1 equals 1.0), uniqueness,
 * sparseness, collation, partial filter (however it is put: see `filterIdentity`) and wildcard projection.
 */
export function sameIdentity(a: IndexSpec, b: IndexSpec): boolean {
  return a.identity === b.identity;
}

/** True if all other options, `expireAfterSeconds` and `hidden` among them, are present in both with equal values (3600 equals 3600.0). */
export function samePlainOptions(a: IndexSpec, b: IndexSpec): boolean {
  return a.plainOptions === b.plainOptions;
}

/** What `collMod` may change of an index. */
export interface IndexOptionChange {
  /** Unit: seconds. Stored as an int32. */
  readonly expireAfterSeconds?: number;
  /** False removes the option. */
  readonly hidden?: boolean;
  /** Takes `prepareUnique` away, which has done its work. */
  readonly unique?: true;
  /** False removes the option. */
  readonly prepareUnique?: boolean;
  readonly forceNonUnique?: true;
}

/** The spec with options changed in place, or added at the end. */
export function withOptions(spec: IndexSpec, change: IndexOptionChange): IndexSpec {
  const put = changedFields(change);
  const writer = new BsonWriter();
  const write = (name: string) => {
    const value = put.get(name);
    if (typeof value === 'number') writer.int32(name, value);
    else if (value) writer.bool(name, true);
    put.delete(name);
  };
  const cursor = new ElementCursor(spec.bytes);
  while (cursor.next()) {
    if (put.has(cursor.name)) write(cursor.name);
    else writer.rawValue(cursor.name, cursor);
  }
  for (const name of [...put.keys()]) write(name);
  return parseIndexSpec(writer.finish());
}

/** The fields of a spec that a change touches; false takes one away. */
function changedFields(change: IndexOptionChange): Map<string, number | boolean> {
  const { expireAfterSeconds, forceNonUnique, hidden, prepareUnique, unique } = change;
  const put = new Map<string, number | boolean>();
  if (expireAfterSeconds !== undefined) put.set('expireAfterSeconds', expireAfterSeconds);
  if (hidden !== undefined) put.set('hidden', hidden);
  if (unique) put.set('unique', true).set('prepareUnique', false);
  if (prepareUnique !== undefined) put.set('prepareUnique', prepareUnique);
  if (forceNonUnique) put.set('unique', false);
  return put;
}

function isIdKey(key: BsonValue): boolean {
  const cursor = new ElementCursor(key.bytes, key.offset);
  return cursor.next() && cursor.name === '_id' && !cursor.next();
}

function parseParts(key: BsonValue): { parts: IndexPart[]; kind: IndexSpec['kind']; hashed: boolean } {
  const parts: IndexPart[] = [];
  let kind: IndexSpec['kind'] = 'ordered';
  let hashed = false;
  const cursor = new ElementCursor(key.bytes, key.offset);
  while (cursor.next()) {
    const path = cursor.name;
    const direction = readAsNumber(cursor);
    // A string names a plugin; the wildcard is a path.
    const plugin = cursor.type === BsonType.string ? readString(cursor) : undefined;
    if (plugin === '2dsphere' || plugin === '2d') {
      if (kind === 'ordered') kind = plugin;
      parts.push({ path, descending: false, plugin });
      continue;
    }
    if (plugin === 'text' || (kind === 'text' && path === '_ftsx')) {
      if (kind === 'ordered') kind = 'text';
      parts.push({ path, descending: false, plugin: 'text' });
      continue;
    }
    hashed ||= plugin === 'hashed';
    if (direction === undefined || path === '$**' || path.endsWith('.$**')) kind = 'special';
    parts.push({ path, descending: direction !== undefined && direction < 0 });
  }
  return { parts, kind, hashed };
}

/** Options of geographic indexes that say which keys they hold. */
const GEO_OPTIONS = ['bits', 'min', 'max', 'coarsestIndexedLevel', 'finestIndexedLevel'];

/** Those of text indexes. */
const TEXT_OPTIONS = ['weights', 'default_language', 'language_override'];

function geoOptions(fields: ReadonlyMap<string, BsonValue>): Pick<IndexSpec, 'cellLevels' | 'square'> {
  const given = (name: string, otherwise: number) => {
    const value = fields.get(name);
    return (value && readAsNumber(value)) ?? otherwise;
  };
  return {
    cellLevels: {
      coarsest: given('coarsestIndexedLevel', CELL_LEVELS.coarsest),
      finest: given('finestIndexedLevel', CELL_LEVELS.finest),
    },
    square: {
      min: given('min', TWO_D_DEFAULTS.min),
      max: given('max', TWO_D_DEFAULTS.max),
      bits: given('bits', TWO_D_DEFAULTS.bits),
    },
  };
}

function plainOptions(fields: ReadonlyMap<string, BsonValue>): string {
  const names = [...fields.keys()].filter((name) => !IGNORED.has(name) && !IDENTIFYING.has(name));
  return names
    .sort()
    .map((name) => `${name}=${optionKey(fields.get(name))}`)
    .join('|');
}

/** Equal for equal values, numbers of all types alike. */
function optionKey(value: BsonValue | undefined): string {
  return value === undefined ? '-' : encodeKey(value);
}

function documentOf(value: BsonValue): Uint8Array {
  return value.bytes.slice(value.offset, value.offset + value.size);
}
