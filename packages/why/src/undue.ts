import { decodePromoted } from '@replsim/protocol';
import type { CollectionHistory } from './collectionHistory.ts';
import type { TtlIndex } from './ttlIndexes.ts';

type Document = Readonly<Record<string, unknown>>;

/** Reads an MQL filter; what it returns tells whether a document matches. Both are BSON. */
export type CompileFilter = (filter: Uint8Array) => (document: Uint8Array) => boolean;

/** What of a collection a TTL index leaves alone, and what it will take later. */
export interface Undue {
  readonly index: TtlIndex;
  /** Documents that the index's filter leaves out: it never takes them. */
  readonly unmatched: number;
  /** Nobody can tell which documents its filter leaves out. */
  readonly doubtful: boolean;
  /** Documents without a date there: it never takes them. */
  readonly dateless: number;
  /** When the last of them was made so. Unit: µs. */
  readonly datelessMicros: number;
  readonly notYet: number;
  /** When the first of those that are not due yet will be, ms since 1970. */
  readonly nextMs: number;
}

/**
 * What a collection's documents are to its TTL indexes, by the entries that made both. A document of which the entries do not
 * say how it is now is left out.
 */
export function undueOf({ documents, indexes }: CollectionHistory, nowMs: number, compile?: CompileFilter): Undue[] {
  const present = [...documents.values()].flatMap((changes) => {
    const last = changes.findLast(({ kind }) => kind !== 'renamed');
    if (!last?.document) return [];
    return [{ bytes: last.document, document: decodePromoted(last.document), atMicros: last.batch.atMicros }];
  });
  return indexes.map((index) => {
    const lets = compiled(index, compile);
    const within = present.filter(({ bytes }) => lets === undefined || lets(bytes));
    const dues = within.map(({ document, atMicros }) => ({ dueMs: dueOf(document, index), atMicros }));
    const dateless = dues.filter(({ dueMs }) => dueMs === undefined);
    const later = dues.flatMap(({ dueMs }) => (dueMs !== undefined && dueMs > nowMs ? [dueMs] : []));
    return {
      index,
      unmatched: present.length - within.length,
      doubtful: lets === undefined,
      dateless: dateless.length,
      datelessMicros: Math.max(0, ...dateless.map(({ atMicros }) => atMicros)),
      notYet: later.length,
      nextMs: Math.min(...later),
    };
  });
}

/** Tells whether an index's filter lets a document in; undefined where nobody can. */
export function compiled(
  { filter, collated }: TtlIndex,
  compile: CompileFilter | undefined,
): ((document: Uint8Array) => boolean) | undefined {
  if (!filter) return () => true;
  return collated ? undefined : compile?.(filter);
}

/** When a document is due by an index; undefined for never. Unit: ms since 1970. */
function dueOf(document: Document, { path, expireAfterSeconds }: TtlIndex): number | undefined {
  const date = dateAt(document, path);
  return date === undefined ? undefined : date + expireAfterSeconds * 1000;
}

/** The earliest date there: an array counts by it. Unit: ms since 1970. */
export function dateAt(document: Document, path: string): number | undefined {
  const dates = valuesAt(document, path.split('.')).filter((each) => each instanceof Date);
  return dates.length === 0 ? undefined : dates.reduce((least, date) => Math.min(least, date.getTime()), Infinity);
}

/** All that an index has of a path: arrays on the way fan out, and those at its end too. */
function valuesAt(value: unknown, [name, ...rest]: readonly string[]): unknown[] {
  if (Array.isArray(value)) {
    if (name === undefined) return value;
    const byPosition = /^\d+$/.test(name) ? valuesAt(value[Number(name)], rest) : [];
    return [...byPosition, ...value.flatMap((each) => (Array.isArray(each) ? [] : valuesAt(each, [name, ...rest])))];
  }
  if (name === undefined) return [value];
  return typeof value === 'object' && value !== null ? valuesAt((value as Document)[name], rest) : [];
}
