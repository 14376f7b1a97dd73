import { decodePromoted, required, splitNamespace } from '@replsim/protocol';
import { endingOf } from '../stage/answers.ts';
import type { KnownIndex } from './lateness.ts';

/** Which documents a TTL index, or a collection's own option, is to delete. */
export interface Due {
  readonly path: string;
  readonly seconds: number;
  /** What else a document must match. */
  readonly filters: readonly object[];
}

/**
 * What an index is to delete, as a member has it; undefined where it has no such index, or one without a number. Buckets of time series
 * are left out: their dates are in no field.
 * @param ask puts a command to the database of the collection
 */
export function dueBy({ ns, index }: KnownIndex, ask: (command: object) => Uint8Array): Due | undefined {
  const [, collection] = splitNamespace(ns);
  if (collection.startsWith('system.buckets.')) return undefined;
  if (index === '_id_') {
    const reply = ask({ listCollections: 1, filter: { name: collection } });
    const options = endingOf(reply).ok ? decodePromoted(reply).cursor.firstBatch[0]?.options : undefined;
    if (typeof options?.expireAfterSeconds !== 'number') return undefined;
    return { path: '_id', seconds: options.expireAfterSeconds, filters: [{ _id: { $gte: new Date(0) } }] };
  }
  const reply = ask({ listIndexes: collection });
  if (!endingOf(reply).ok) return undefined;
  const specs: readonly Record<string, unknown>[] = decodePromoted(reply).cursor.firstBatch;
  const spec = specs.find(({ name }) => name === index);
  if (typeof spec?.expireAfterSeconds !== 'number') return undefined;
  const { partialFilterExpression } = spec;
  const [path] = Object.keys(spec.key as object);
  return {
    path: required(path, 'field in the key of the index'),
    seconds: spec.expireAfterSeconds,
    filters: partialFilterExpression ? [partialFilterExpression] : [],
  };
}

/**
 * The filter of what has expired by an instant and is still there; undefined where no date is that far back.
 * @param nowMs since 1970
 */
export function expiredFilter({ path, seconds, filters }: Due, nowMs: number): object | undefined {
  const limit = new Date(Math.floor(nowMs - seconds * 1000));
  if (Number.isNaN(limit.getTime())) return undefined;
  return { $and: [{ [path]: { $lte: limit } }, ...filters] };
}
