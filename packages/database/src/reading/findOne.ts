import type { Operation } from '@replsim/operations';
import { sorterOf } from '@replsim/pipeline';
import type { BsonValue } from '@replsim/protocol';
import { Meter } from '@replsim/query';
import type { CollectionView, ReadView } from '@replsim/storage';
import type { MemberServices } from '../member.ts';
import { nextMatch } from './matchScan.ts';
import { inTurns } from './namespaceSource.ts';
import { payFor } from './payFor.ts';
import { type CompiledFilter, scanOf } from './query.ts';

export interface OneRequest {
  readonly filter: CompiledFilter;
  readonly sort?: Uint8Array | undefined;
  readonly hint?: BsonValue | undefined;
}

/** A document as a search met it. */
export interface Found {
  readonly recordId: number;
  readonly bytes: Uint8Array;
}

/** Looks for the one document that a statement is about: the first match, by its sort if it has one. */
export function* findOne(
  member: Pick<MemberServices, 'costs' | 'debug' | 'parameters'>,
  view: ReadView,
  collection: CollectionView,
  { filter, sort, hint }: OneRequest,
): Operation<Found | undefined> {
  const sorter = sorterOf(sort, filter.collator, filter.scores);
  const scan = scanOf(view, collection, filter, { sort, hint });
  const found = new Map<Uint8Array, number>();
  while (yield* nextMatch(scan, member)) {
    found.set(scan.document.bytes, scan.recordId);
    if (!sorter || scan.plan.sorted) break;
  }
  yield* payFor(member, scan);
  const inOrder =
    sorter && found.size > 1 ? yield* inTurns(sorter([...found.keys()], filter.meter ?? new Meter())) : found.keys();
  const [first] = inOrder;
  const recordId = first && found.get(first);
  return first && recordId !== undefined ? { recordId, bytes: first } : undefined;
}

/**
 * The document as it is now, if it is still there and still matches: time has passed since it was found. One that nobody has
 * touched is not asked again: a filter may draw lots.
 */
export function stillMatching(
  view: ReadView,
  collection: CollectionView,
  { recordId, bytes: before }: Found,
  filter: CompiledFilter,
): Uint8Array | undefined {
  if (view.collection(collection.ns) !== collection) return undefined;
  const bytes = collection.get(recordId)?.bytes;
  return bytes && (bytes === before || filter.matches(bytes)) ? bytes : undefined;
}
