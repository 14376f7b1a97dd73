import { encodeDocument, VERSIONS } from '@replsim/protocol';
import { idText } from './documentId.ts';

/** A TTL index, or a clustered collection's own option, as the entries made it. */
export interface TtlIndex {
  readonly name: string;
  /** The field that has the date. */
  readonly path: string;
  readonly expireAfterSeconds: number;
  /** It has only documents that match this filter. */
  readonly filter?: Uint8Array;
  /** The filter compares strings by a collation. */
  readonly collated?: true;
  /** Since when it is so. Unit: µs. */
  readonly madeMicros: number;
  /** Why the monitor leaves it alone: `is compound`, `is hashed`, `has NaN for its seconds` and the like. */
  readonly unfit?: string;
}

/** A TTL index that takes nothing, as it is not there: `was dropped at 12.445s`. */
export interface GoneIndex {
  readonly name: string;
  readonly happened: 'dropped' | 'droppedWithCollection' | 'switchedOff' | 'isBuilt' | 'buildAborted';
  readonly atMicros: number;
}

interface IndexSpec {
  readonly name?: string;
  readonly key?: Readonly<Record<string, unknown>>;
  readonly expireAfterSeconds?: unknown;
  readonly partialFilterExpression?: object;
  readonly collation?: unknown;
}

/** An entry that changes the catalog, as far as it matters to TTL. */
export interface CatalogChange extends IndexSpec {
  readonly create?: string;
  readonly drop?: string;
  readonly renameCollection?: string;
  readonly to?: string;
  readonly dropTarget?: unknown;
  readonly createIndexes?: string;
  readonly startIndexBuild?: string;
  readonly commitIndexBuild?: string;
  readonly abortIndexBuild?: string;
  readonly indexes?: readonly IndexSpec[];
  readonly collMod?: string;
  readonly dropIndexes?: string;
  /** The name of one that is dropped, or what changes of one. */
  readonly index?: string | IndexSpec;
  readonly keys?: unknown;
}

/** The TTL indexes of collections, as the entries that change the catalog make and take them. */
export class TtlIndexes {
  /** All of them by collection, as `collMod` makes a TTL index of a plain one. */
  readonly #indexes = new Map<string, Map<string, KnownIndex>>();
  /** By collection and name. */
  readonly #gone = new Map<string, Map<string, GoneIndex>>();
  readonly #secondsOf: SecondsOf;

  /** @param version the release, on which it depends which seconds a monitor takes */
  constructor(version: string) {
    this.#secondsOf = secondsOf(version);
  }

  /** Those of a collection, fit for the monitor or not. */
  of(ns: string): TtlIndex[] {
    return [...(this.#indexes.get(ns)?.values() ?? [])].flatMap(({ raw, ...index }) => {
      if (raw === undefined) return [];
      const seconds = this.#secondsOf(raw);
      return typeof seconds === 'number'
        ? { ...index, expireAfterSeconds: seconds }
        : { ...index, expireAfterSeconds: 0, unfit: index.unfit ?? seconds };
    });
  }

  goneFrom(ns: string): GoneIndex[] {
    const there = new Set(this.of(ns).map(({ name }) => name));
    return [...(this.#gone.get(ns)?.values() ?? [])].filter(({ name }) => !there.has(name));
  }

  renamed(from: string, to: string): void {
    for (const map of [this.#indexes, this.#gone] as Map<string, never>[]) {
      const moved = map.get(from);
      map.delete(to);
      if (moved) map.set(to, moved);
      map.delete(from);
    }
  }

  take(ns: string, o: CatalogChange, atMicros: number): void {
    const indexes = this.#indexes.get(ns) ?? new Map<string, KnownIndex>();
    this.#indexes.set(ns, indexes);
    if (o.drop !== undefined) {
      for (const index of indexes.values()) this.#went(ns, index, 'droppedWithCollection', atMicros);
      indexes.clear();
    } else if (buildOf(o) !== undefined) this.#built(ns, o, atMicros);
    else if (o.dropIndexes !== undefined) {
      this.#went(ns, indexes.get(o.index as string), 'dropped', atMicros);
      indexes.delete(o.index as string);
    } else if (o.collMod !== undefined) {
      if (o.expireAfterSeconds === 'off') this.#went(ns, indexes.get(OWN), 'switchedOff', atMicros);
      collMod(indexes, o, atMicros);
    } else if (o.create !== undefined) own(indexes, o.expireAfterSeconds, atMicros);
    else for (const spec of o.indexes ?? [o]) add(indexes, spec, atMicros);
  }

  /** An index build begins, or is given up. */
  #built(ns: string, o: CatalogChange, atMicros: number): void {
    const happened = o.startIndexBuild === undefined ? 'buildAborted' : 'isBuilt';
    for (const { name = '', expireAfterSeconds: raw } of o.indexes ?? [])
      this.#went(ns, { name, raw }, happened, atMicros);
  }

  #went(
    ns: string,
    index: Pick<KnownIndex, 'name' | 'raw'> | undefined,
    happened: GoneIndex['happened'],
    atMicros: number,
  ): void {
    if (index?.raw === undefined) return;
    const gone = this.#gone.get(ns) ?? new Map<string, GoneIndex>();
    this.#gone.set(ns, gone.set(index.name, { name: index.name, happened, atMicros }));
  }
}

/** A collection whose index is being built, or is built no more. */
export function buildOf({ startIndexBuild, abortIndexBuild }: CatalogChange): string | undefined {
  return startIndexBuild ?? abortIndexBuild;
}

/** An index with its `expireAfterSeconds` as the entry has it, if it has one. */
type KnownIndex = Omit<TtlIndex, 'expireAfterSeconds'> & { readonly raw: unknown };

function add(indexes: Map<string, KnownIndex>, spec: IndexSpec, madeMicros: number): void {
  const { name, key, expireAfterSeconds: raw, partialFilterExpression: filter, collation } = spec;
  const [field, ...others] = Object.entries(key ?? {});
  if (name === undefined || !field) return;
  const [path, direction] = field;
  const unfit = others.length > 0 ? 'is compound' : typeof direction === 'string' ? `is ${direction}` : undefined;
  indexes.set(name, {
    name,
    path,
    raw,
    madeMicros,
    ...(filter !== undefined && { filter: encodeDocument({ ...filter }) }),
    ...(collation !== undefined && { collated: true }),
    ...(unfit !== undefined && { unfit }),
  });
}

function collMod(indexes: Map<string, KnownIndex>, change: CatalogChange, madeMicros: number): void {
  const { index, expireAfterSeconds } = change;
  if (typeof index === 'object' && index.name !== undefined) {
    const known = indexes.get(index.name);
    if (known && index.expireAfterSeconds !== undefined)
      indexes.set(index.name, { ...known, raw: index.expireAfterSeconds, madeMicros });
  }
  if (expireAfterSeconds !== undefined) own(indexes, expireAfterSeconds, madeMicros);
}

/** The name under which the monitor knows a collection's own option. */
const OWN = '_id_';

/** A clustered collection expires by its `_id`. */
function own(indexes: Map<string, KnownIndex>, raw: unknown, madeMicros: number): void {
  if (raw === 'off') indexes.delete(OWN);
  else if (raw !== undefined) indexes.set(OWN, { name: OWN, path: '_id', raw, madeMicros });
}

/** Seconds as a monitor takes them, or why it leaves the index alone. */
type SecondsOf = (raw: unknown) => number | string;

const LARGEST_SECONDS = 2 ** 31 - 1;

/** Upstream: ttl_monitor.cpp, getValidTTLIndex; before it, any number would do, and NaN was 0. */
function secondsOf(version: string): SecondsOf {
  const legacy = version in VERSIONS && !VERSIONS[version as keyof typeof VERSIONS].ttlBatched;
  return (raw) => {
    const number = typeof raw === 'object' && raw !== null && '_bsontype' in raw ? Number(String(raw)) : raw;
    if (typeof number !== 'number' && typeof number !== 'bigint') return `has ${idText(raw)} for its seconds`;
    const seconds = Math.trunc(Number(number));
    if (legacy) return Number.isNaN(seconds) ? 0 : seconds;
    return seconds >= 0 && seconds <= LARGEST_SECONDS ? seconds : `has ${number} for its seconds`;
  };
}
