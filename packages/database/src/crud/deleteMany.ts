import { type Operation, spend } from '@replsim/operations';
import { keepsPreImages } from '@replsim/pipeline';
import type { StatementLink } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import type { CommandContext } from '../definition.ts';
import type { MemberFacts, MemberServices } from '../member.ts';
import { type Found, stillMatching } from '../reading/findOne.ts';
import { type MatchScan, nextMatch } from '../reading/matchScan.ts';
import { noteWork } from '../reading/payFor.ts';
import { type CompiledFilter, type hintOf, scanOf } from '../reading/query.ts';
import { backOff } from './writeConflicts.ts';

/** One delete, compiled. */
export interface DeleteStatement {
  readonly filter: CompiledFilter;
  readonly one: boolean;
  readonly hint: ReturnType<typeof hintOf>;
  /** Of a retryable write. */
  readonly link?: StatementLink | undefined;
}

/** @param worth what one document counts for in the result: the measurements of a bucket */
export function* deleteMany(
  context: CommandContext,
  ns: string,
  statement: DeleteStatement,
  worth: (document: Uint8Array) => number = () => 1,
): Operation<number> {
  const { data, member } = context;
  const collection = data.collection(ns);
  if (!collection) {
    member.debug.missedCollection();
    return 0;
  }
  const scan = scanOf(data, collection, statement.filter, { hint: statement.hint });
  let n = 0;
  for (;;) {
    const { found, bytes, micros } = yield* stageBatch(member, scan);
    if (found.length === 0) return n;
    yield* spend(micros + member.costs.commitMicros);
    if (data.collection(ns) !== collection) return n;
    const still = yield* deleteBatch(context, collection, found, statement);
    const worths = still.reduce((sum, document) => sum + worth(document), 0);
    n += worths;
    member.debug.nDeleted += worths;
    if (batches(member, scan.collection)) {
      const { batchedDeletes } = member.counters;
      batchedDeletes.batches += 1;
      batchedDeletes.docs += still.length;
      batchedDeletes.stagedSizeBytes += bytes;
      batchedDeletes.timeInBatchMillis += Math.floor(micros / 1000);
    }
    if (scan.done) return n;
    scan.resume();
  }
}

/** One storage transaction, which is tried again as a whole. @returns what went */
function* deleteBatch(
  context: CommandContext,
  collection: CollectionView,
  found: readonly Found[],
  { filter }: DeleteStatement,
): Operation<readonly Uint8Array[]> {
  const { data, writes } = context;
  for (let conflicts = 0; ; ) {
    const recordIds: number[] = [];
    const documents: Uint8Array[] = [];
    for (const each of found) {
      const document = stillMatching(data, collection, each, filter);
      if (!document) continue;
      recordIds.push(each.recordId);
      documents.push(document);
    }
    if (documents.length === 0) return documents;
    try {
      writes.delete(collection, recordIds, { grouped: found.length > 1 });
      return documents;
    } catch (error) {
      yield* backOff(context, error, ++conflicts);
    }
  }
}

/** Where change streams want to see each document, none shares a transaction. Upstream: get_executor.cpp, getExecutorDelete. */
function batches({ traits }: MemberFacts, collection: CollectionView): boolean {
  return traits.ttlBatched && !keepsPreImages(collection);
}

interface Batch {
  readonly found: readonly Found[];
  readonly bytes: number;
  readonly micros: number;
}

/**
 * Finds documents for one transaction: until there are enough, by number, size or time. A release that does not batch has
 * enough of one. Upstream: BatchedDeleteStage.
 */
function* stageBatch(member: MemberServices, scan: MatchScan): Operation<Batch> {
  const { parameters, costs } = member;
  const docs = batches(member, scan.collection) ? parameters.number('batchedDeletesTargetBatchDocs') || Infinity : 1;
  const limitMicros = parameters.number('batchedDeletesTargetBatchTimeMS') * 1000 || Infinity;
  const limitBytes = parameters.number('batchedDeletesTargetStagedDocBytes') || Infinity;
  const each = deleteMicros(member, scan.collection);
  const found: Found[] = [];
  let bytes = 0;
  let micros = 0;
  while (found.length < docs && bytes < limitBytes && micros < limitMicros) {
    if (!(yield* nextMatch(scan, member))) break;
    const document = scan.document.bytes;
    found.push({ recordId: scan.recordId, bytes: document });
    bytes += document.length;
    micros += each;
  }
  const work = scan.takeWork();
  noteWork(member, work);
  return { found, bytes, micros: micros + work.charged * costs.scanKeyMicros };
}

/** What removing one document costs, its transaction aside. Unit: µs. */
export function deleteMicros({ costs }: MemberFacts, { indexes }: CollectionView): number {
  return costs.deleteMicros + indexes.length * costs.indexKeyMicros;
}
