import { nearestRank } from '@replsim/kernel';
import { required } from '@replsim/protocol';
import type { Batches } from './batches.ts';
import { CAUSES, type Cause, greatestCause, noParts, type Parts, PRIMARY_CAUSES } from './causes.ts';
import type { IndexDeletions } from './indexDeletions.ts';

/** Parts in milliseconds, as reports and checks have them: `sleepMs`. */
export type PartsMs = Record<`${Cause}Ms`, number>;

/**
 * How late the documents of one index went: from the primary, or from one member. Milliseconds, to the microsecond; of
 * what was never deleted there are only counts.
 */
export type LatenessSummary = LatenessCounts & (LatenessFigures | { readonly [Name in keyof LatenessFigures]?: never });

interface LatenessCounts {
  readonly ns: string;
  readonly index: string;
  /** The member; absent for the primary, whoever that was. */
  readonly on?: string;
  readonly count: number;
  /** Deletions that a rollback took back; the documents count when they are deleted for good. */
  readonly undone: number;
  /** Deleted by a primary, and still there on this member. */
  readonly waiting: number;
}

/** Nearest rank: each is some document's. */
interface LatenessFigures {
  readonly leastMs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /** The cause of most of the worst. */
  readonly because: Cause;
  /** The parts of the worst; they add up to it. */
  readonly worst: PartsMs & {
    /** When it was gone, after time zero. */
    readonly atMs: number;
  };
  /** The parts of all, added up. */
  readonly total: PartsMs;
  /** Of the time that all were late together, how much each cause made: 0 to 1. */
  readonly share: Readonly<Record<Cause, number>>;
}

/** Sums up rows; deletions that do not count are left out. */
export function summarize(rows: IndexDeletions, batches: Batches, on: string | undefined): LatenessSummary {
  const total = noParts();
  const all = new Float64Array(rows.length);
  let count = 0;
  let undone = 0;
  let waiting = 0;
  let worst: { readonly row: number; readonly late: number; readonly atMicros: number } | undefined;
  let batch = -1;
  let goneMicros: number | 'waiting' | 'undone' | undefined;
  for (let row = 0; row < rows.length; row++) {
    // Rows of a batch stand together.
    if (rows.batchOf(row) !== batch) {
      batch = rows.batchOf(row);
      goneMicros = batches.isUndone(batch) ? 'undone' : on === undefined ? batches.deletedMicros(batch) : batches.goneMicros(batch, on); // biome-ignore format: one line
    }
    if (goneMicros === 'undone') undone++;
    if (goneMicros === 'waiting') waiting++;
    if (typeof goneMicros !== 'number') continue;
    const lag = goneMicros - batches.deletedMicros(batch);
    const late = rows.lateness(row) + lag;
    all[count++] = late;
    for (const cause of PRIMARY_CAUSES) total[cause] += rows.part(row, cause);
    total.lag += lag;
    if (!worst || late > worst.late) worst = { row, late, atMicros: goneMicros };
  }
  const head = { ns: rows.ns, index: rows.index, ...(on !== undefined && { on }), count, undone, waiting };
  if (!worst) return head;
  const sorted = all.subarray(0, count).sort();
  const parts = partsOf(rows, worst.row, worst.late);
  return {
    ...head,
    leastMs: ranked(sorted, 0) / 1000,
    medianMs: ranked(sorted, 0.5) / 1000,
    p99Ms: ranked(sorted, 0.99) / 1000,
    worstMs: worst.late / 1000,
    because: greatestCause(parts),
    worst: { atMs: worst.atMicros / 1000, ...inMs(parts) },
    total: inMs(total),
    share: shares(total),
  };
}

/** @param sorted ascending, not empty */
function ranked(sorted: Float64Array, share: number): number {
  return required(sorted[nearestRank(sorted.length, share)], 'value of that rank');
}

function partsOf(rows: IndexDeletions, row: number, late: number): Parts {
  const parts = noParts();
  for (const cause of PRIMARY_CAUSES) parts[cause] = rows.part(row, cause);
  parts.lag = late - rows.lateness(row);
  return parts;
}

/** Parts as reports have them. @param parts in µs */
export function inMs(parts: Parts): PartsMs {
  return Object.fromEntries(CAUSES.map((cause) => [`${cause}Ms`, parts[cause] / 1000])) as PartsMs;
}

function shares(total: Parts): Record<Cause, number> {
  const sum = CAUSES.reduce((all, cause) => all + Math.abs(total[cause]), 0);
  return Object.fromEntries(CAUSES.map((cause) => [cause, sum === 0 ? 0 : Math.abs(total[cause]) / sum])) as Record<
    Cause,
    number
  >;
}

/** What a filter on a summary may speak of. */
export const SUMMARY_FIELDS: readonly string[] = [
  ...['ns', 'index', 'on', 'count', 'undone', 'waiting', 'leastMs', 'medianMs', 'p99Ms', 'worstMs', 'because'],
  ...['worst', 'total'].flatMap((which) => [which, ...CAUSES.map((cause) => `${which}.${cause}Ms`)]),
  'worst.atMs',
  ...['share', ...CAUSES.map((cause) => `share.${cause}`)],
];
