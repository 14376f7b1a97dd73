import { placeOf, type Track } from './timeline.ts';

/** A client in the background, as a scenario has it, and what speaks for it. */
export interface Load {
  readonly workload: Readonly<Record<string, unknown>>;
  readonly because: string;
}

const LEAST_MS = 20;
const MOST_MS = 60_000;
const KINDS = new Set(['insert', 'update', 'find']);

/** What clients did, as far as it was slow: faster operations are in no log, so that this is the least. */
export function readLoad(tracks: readonly Track[], lengthMs: number): readonly Load[] {
  const sums = new Map<string, { count: number; writeConcern: unknown; places: string[] }>();
  for (const { log } of tracks)
    for (const [what, { count, writeConcern, seen }] of log.slow) {
      const sum = sums.get(what) ?? { count: 0, writeConcern, places: [] };
      sums.set(what, { ...sum, count: sum.count + count, places: [...sum.places, placeOf(seen)] });
    }
  return [...sums].flatMap(([what, { count, writeConcern, places }], i): Load[] => {
    const [kind = '', ns = ''] = what.split(' ');
    if (!KINDS.has(kind) || !/^[^.$\s/\\]+\.[^\s]+$/.test(ns)) return [];
    const every = Math.round(Math.min(MOST_MS, Math.max(LEAST_MS, lengthMs / count)));
    return [
      {
        workload: {
          name: `seen${i + 1}`,
          every: `${every}ms`,
          ...operation(kind, ns),
          ...(kind !== 'find' && isConcern(writeConcern) && { writeConcern }),
        },
        because: `${count} slow × ${what}, the first at ${places.join(', ')}; faster operations are in no log`,
      },
    ];
  });
}

function operation(kind: string, ns: string): Readonly<Record<string, unknown>> {
  if (kind === 'insert') return { insert: { into: ns, document: { _id: '$i' } } };
  if (kind === 'update') return { update: { in: ns, filter: { _id: 1 }, update: { $inc: { n: 1 } }, upsert: true } };
  return { find: { in: ns, filter: {} } };
}

function isConcern(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && 'w' in value && !('provenance' in value);
}
