import type { Operation } from '@replsim/operations';
import { isCovered, type KeyLimits, type Plan, sorterOf } from '@replsim/pipeline';
import type { BsonValue } from '@replsim/protocol';
import { Meter } from '@replsim/query';
import type { CollectionView, ReadView } from '@replsim/storage';
import type { MemberServices } from '../member.ts';
import { MatchScan, nextMatch, type ScanCounts } from '../reading/matchScan.ts';
import { inTurns } from '../reading/namespaceSource.ts';
import { payFor } from '../reading/payFor.ts';
import type { CompiledFilter } from '../reading/query.ts';

/** What is asked of one collection, and what becomes of the documents. */
export interface ReadSpec {
  readonly filter: CompiledFilter;
  readonly sort?: Uint8Array | undefined;
  readonly hint?: BsonValue | undefined;
  readonly limits?: KeyLimits | undefined;
  readonly tailable?: boolean;
  readonly skip: number;
  /** Infinity for none. */
  readonly limit: number;
  readonly projection?: Uint8Array | undefined;
  /** Only their number is wanted, so that documents need not be fetched where the keys answer alone. */
  readonly counted?: boolean;
}

/** What carrying out a plan gave. */
export interface ReadRun {
  readonly counts: ScanCounts;
  /** The scan came to its end. */
  readonly isEOF: boolean;
  /** In the order that was asked for. */
  readonly documents: readonly Uint8Array[];
  /** Documents that were put in order. */
  readonly sorted: readonly Uint8Array[];
}

/** Whether documents stay where they are: the keys hold all that is wanted. */
export function needsNoDocuments(plan: Plan, { counted, projection }: ReadSpec): boolean {
  return counted ? plan.stage === 'IXSCAN' && plan.residual.length === 0 : isCovered(plan, projection);
}

/** Upstream: the trial period of plans ends with so many results (internalQueryPlanEvaluationMaxResults). */
export const TRIAL_RESULTS = 101;

/**
 * Carries out a plan as the command would, and takes the time for it.
 * @param enough ends it after so many documents, as a trial of plans does
 */
export function* executePlan(
  member: MemberServices,
  view: ReadView,
  collection: CollectionView,
  plan: Plan,
  spec: ReadSpec,
  enough = Infinity,
): Operation<ReadRun> {
  const { filter, sort, skip, limit } = spec;
  const sorter = plan.sorted ? undefined : sorterOf(sort, filter.collator, filter.scores);
  const scan = new MatchScan(view, collection, plan, filter, needsNoDocuments(plan, spec));
  const wanted = Math.min(sorter ? Infinity : skip + limit, enough);
  const found: Uint8Array[] = [];
  while (found.length < wanted && (yield* nextMatch(scan, member))) found.push(scan.document.bytes);
  yield* payFor(member, scan);
  const sorted = sorter ? yield* inTurns(sorter(found, filter.meter ?? new Meter())) : [];
  return {
    counts: scan.counts,
    isEOF: scan.done,
    documents: (sorter ? sorted : found).slice(skip, skip + limit),
    sorted,
  };
}
