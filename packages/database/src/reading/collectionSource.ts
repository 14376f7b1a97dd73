import type { DocumentSource } from '@replsim/operations';
import { choosePlan, isCovered, type KeyLimits, keyDocuments, type ScanStart, sorterOf } from '@replsim/pipeline';
import { type BsonValue, CommandError } from '@replsim/protocol';
import type { CollectionView, ReadView } from '@replsim/storage';
import { MatchScan } from './matchScan.ts';
import { type CompiledFilter, noteUse, planned } from './query.ts';
import { MappedSource, ScanSource, SortedSource } from './sources.ts';

/** What is asked of one collection. */
export interface CollectionQuery {
  readonly filter: CompiledFilter;
  readonly sort?: Uint8Array | undefined;
  readonly hint?: BsonValue | undefined;
  readonly limits?: KeyLimits | undefined;
  readonly skip: number;
  readonly tailable?: boolean;
  /** What will be shown, so that it is known whether an index holds it; it is not carried out here. */
  readonly projection?: Uint8Array | undefined;
  readonly returnKey?: boolean;
  readonly showRecordId?: boolean;
  /** A scan in natural order that says where it is; `start` where another ended. */
  readonly resuming?: { readonly start: ScanStart | undefined; readonly namesCopy: boolean } | undefined;
}

/** The documents of a collection that a query asks for, in its order. Errors: those of the planner, BadValue 2. */
export function collectionSource(view: ReadView, collection: CollectionView, query: CollectionQuery): DocumentSource {
  const { filter, sort, skip, tailable = false, projection, showRecordId = false, returnKey, resuming } = query;
  const sorter = sorterOf(sort, filter.collator, filter.scores);
  const plan = choosePlan(collection, { ...query, ...planned(filter) });
  noteUse(plan);
  const scan = new MatchScan(view, collection, plan, filter, isCovered(plan, projection), resuming?.start);
  const needsSort = sorter !== undefined && !plan.sorted;
  const scores = filter.scores;
  const source = new ScanSource(scan, { skip: needsSort ? 0 : skip, tailable, showRecordId, scores, tells: resuming });
  const inOrder = needsSort ? new SortedSource(source, sorter, skip) : source;
  return returnKey ? new MappedSource(inOrder, keyDocuments(plan)) : inOrder;
}

/** For a cursor that is to follow the insertions. */
export function badTailable(): CommandError {
  return new CommandError('BadValue', 'cannot use tailable option with a sort other than {$natural: 1}');
}
