import { decodePromoted, type OplogEntry, splitNamespace } from '@replsim/protocol';

type Document = Readonly<Record<string, unknown>>;

/** A TTL index as an entry makes it. */
interface TtlIndex {
  readonly path: string;
  readonly expireAfterMs: number;
}

/** What of a collection a TTL index leaves alone, and what it will take later. */
export interface Undue {
  /** The field that has the date. */
  readonly path: string;
  /** Documents without a date there: they never expire. */
  readonly dateless: number;
  readonly notYet: number;
  /** When the first of those that are not due yet will be, ms since 1970. */
  readonly nextMs: number;
}

/**
 * What a collection's documents are to its TTL index, by the entries that made both. A document that was updated is left out:
 * its bytes are not in the entry.
 */
export function undueOf(entries: readonly OplogEntry[], ns: string, nowMs: number): Undue | undefined {
  let index: TtlIndex | undefined;
  const documents = new Map<string, Document>();
  for (const entry of entries) {
    index = ttlIndexOf(entry, ns) ?? index;
    for (const { op, ns: of, o, o2 } of entry.operations) {
      if (of !== ns) continue;
      if (op === 'i') documents.set(keyOf(o), decodePromoted(o) as Document);
      else if (op === 'd') documents.delete(keyOf(o));
      else if (op === 'u' && o2) documents.delete(keyOf(o2));
    }
  }
  return index && judged(index, [...documents.values()], nowMs);
}

function judged({ path, expireAfterMs }: TtlIndex, documents: readonly Document[], nowMs: number): Undue {
  const dues = documents.map((document) => dateAt(document, path)).map((date) => date && date + expireAfterMs);
  const later = dues.filter((due) => due !== undefined && due > nowMs) as number[];
  return {
    path,
    dateless: dues.filter((due) => due === undefined).length,
    notYet: later.length,
    nextMs: Math.min(...later),
  };
}

/** The earliest date there: an array counts by it. Unit: ms since 1970. */
function dateAt(document: Document, path: string): number | undefined {
  const value = path.split('.').reduce<unknown>((at, name) => (at as Document | undefined)?.[name], document);
  const dates = (Array.isArray(value) ? value : [value]).filter((each) => each instanceof Date);
  return dates.length === 0 ? undefined : Math.min(...dates.map((date) => date.getTime()));
}

interface IndexSpec {
  readonly key?: Document;
  readonly expireAfterSeconds?: number;
}

function ttlIndexOf({ operation }: OplogEntry, ns: string): TtlIndex | undefined {
  const [db, collection] = splitNamespace(ns);
  if (operation.op !== 'c' || operation.ns !== `${db}.$cmd`) return undefined;
  const o = decodePromoted(operation.o) as IndexSpec & {
    readonly createIndexes?: string;
    readonly commitIndexBuild?: string;
    readonly indexes?: readonly IndexSpec[];
  };
  if ((o.createIndexes ?? o.commitIndexBuild) !== collection) return undefined;
  for (const { key, expireAfterSeconds } of o.indexes ?? [o]) {
    const [path] = Object.keys(key ?? {});
    if (path !== undefined && typeof expireAfterSeconds === 'number')
      return { path, expireAfterMs: expireAfterSeconds * 1000 };
  }
  return undefined;
}

function keyOf(document: Uint8Array): string {
  return JSON.stringify((decodePromoted(document) as { _id?: unknown })._id);
}
