import type { ServerCounters } from '@replsim/operations';
import { encodeName, requiredField } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import type { VisitProgress, VisitTargets } from '@replsim/ttl';
import type { Core } from '../core/core.ts';
import type { ExpiredScan, Found } from './expiredScan.ts';

/** One storage transaction to be. */
export interface Batch {
  /** What it deletes, in this order, each as it is now. */
  readonly doomed: readonly Found[];
  /** Documents of the buffer that it deals with, by deleting or by sparing them. */
  readonly evaluated: number;
  /** One oplog entry for all of it. */
  readonly grouped: boolean;
  /** The fail point said that others have written to the same documents. */
  readonly conflict: boolean;
  /** What it takes, its commit aside. */
  readonly micros: number;
}

/** The documents that a visit has staged and not yet deleted or spared. Upstream: batched_delete_stage.cpp, _commitBatch. */
export class BatchBuffer {
  readonly #core: Core;
  readonly #counters: ServerCounters;
  readonly #collection: CollectionView;
  readonly #scan: ExpiredScan;
  readonly #targets: VisitTargets;
  readonly #progress: VisitProgress;
  #staged: Found[] = [];
  /** They were found in an earlier snapshot than the next transaction has. */
  #outdated = false;

  constructor(
    core: Core,
    counters: ServerCounters,
    collection: CollectionView,
    scan: ExpiredScan,
    targets: VisitTargets,
    progress: VisitProgress,
  ) {
    this.#core = core;
    this.#counters = counters;
    this.#collection = collection;
    this.#scan = scan;
    this.#targets = targets;
    this.#progress = progress;
  }

  get size(): number {
    return this.#staged.length;
  }

  /** A document is staged once, for however many of its dates it comes up. */
  has({ recordId }: Found): boolean {
    return this.#scan.repeats && this.#staged.some((staged) => staged.recordId === recordId);
  }

  add(found: Found): void {
    this.#staged.push(found);
    if (this.#targets.batched) this.#counters.batchedDeletes.stagedSizeBytes += found.document.bytes.length;
  }

  /** Time has passed without a commit: what is staged has to be read again. */
  refetchAll(): void {
    this.#outdated = true;
  }

  /**
   * Goes through the buffer until the transaction has lasted long enough, or its oplog entry would be too large.
   * @param deleted documents that the visit has deleted before
   */
  evaluate(deleted: number): Batch {
    const { failPoints } = this.#core;
    const { batched, reverse } = this.#targets;
    const staged = this.#staged;
    const grouped = batched && staged.length > 1;
    const each = this.#microsEach();
    const doomed: Found[] = [];
    let micros = 0;
    let evaluated = 0;
    this.#progress.beginBatch();
    for (; evaluated < staged.length; evaluated++) {
      if (batched && failPoints.enter('throwWriteConflictExceptionInBatchedDeleteStage')) {
        return { doomed: [], evaluated: 0, grouped, conflict: true, micros };
      }
      const found = this.#stillDue(staged[reverse ? staged.length - 1 - evaluated : evaluated]!);
      if (!found) continue;
      if (!this.#progress.fits(idElementSize(found))) break;
      doomed.push(found);
      micros += each + this.#sleepAfter(deleted + doomed.length);
      if (this.#progress.batchTimeIsOver(micros)) {
        evaluated += 1;
        break;
      }
    }
    return { doomed, evaluated, grouped, conflict: false, micros };
  }

  committed({ doomed, evaluated, micros }: Batch, commitMicros: number): void {
    const rest = this.#staged.length - evaluated;
    this.#staged = this.#targets.reverse ? this.#staged.slice(0, rest) : this.#staged.slice(evaluated);
    this.#outdated = rest > 0;
    if (!this.#targets.batched) return;
    const { batchedDeletes } = this.#counters;
    batchedDeletes.batches += 1;
    batchedDeletes.docs += doomed.length;
    batchedDeletes.timeInBatchMillis += Math.floor((micros + commitMicros) / 1000);
  }

  /** An update may have saved it, another delete may have taken it. Upstream: write_stage_common.cpp, ensureStillMatches. */
  #stillDue(found: Found): Found | undefined {
    if (!this.#outdated) return found;
    if (this.#targets.batched) this.#counters.batchedDeletes.refetchesDueToYield += 1;
    const { recordId } = found;
    const document = this.#collection.get(recordId);
    if (document === found.document) return found;
    return document && this.#scan.dueDate(document) !== undefined ? { recordId, document } : undefined;
  }

  #microsEach(): number {
    const { costs } = this.#core;
    return costs.deleteMicros + this.#collection.indexes.length * costs.indexKeyMicros;
  }

  /** The fail point `batchedDeleteStageSleepAfterNDocuments`: `{ ns, nDocs, sleepMs }`. Unit: µs. */
  #sleepAfter(deleted: number): number {
    if (!this.#targets.batched) return 0;
    const data = this.#core.failPoints.enter(
      'batchedDeleteStageSleepAfterNDocuments',
      ({ ns, nDocs, sleepMs }) =>
        ns === this.#collection.ns && sleepMs !== undefined && nDocs !== undefined && deleted >= Number(nDocs),
    );
    return Number(data?.sleepMs ?? 0) * 1000;
  }
}

const ID = encodeName('_id');

/** Of the element with its type and its name. Unit: bytes. */
function idElementSize({ document }: Found): number {
  return 1 + ID.length + 1 + requiredField(document.bytes, ID).size;
}
