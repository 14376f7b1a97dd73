import type { VersionTraits } from '@replsim/protocol';
import type { TtlParameters } from './parameters.ts';

/** What limits one visit and its batches; 0 means no limit. */
export interface VisitTargets {
  /** Documents staged, and time since the visit began, after which it stops at the end of a batch. */
  readonly docs: number;
  readonly timeMS: number;
  readonly batchDocs: number;
  readonly batchTimeMS: number;
  readonly stagedBytes: number;
  /** False: each document is a storage transaction of its own, to the end of the range. */
  readonly batched: boolean;
  /** A batch is deleted in reverse of the order in which its documents were found. */
  readonly reverse: boolean;
}

/** The targets as they stand when a visit begins. Upstream: ttl_monitor.cpp, getBatchedDeleteStageParams. */
export function targetsOf(parameters: TtlParameters, traits: VersionTraits): VisitTargets {
  return {
    docs: parameters.ttlIndexDeleteTargetDocs,
    timeMS: parameters.ttlIndexDeleteTargetTimeMS,
    batchDocs: parameters.batchedDeletesTargetBatchDocs,
    batchTimeMS: parameters.batchedDeletesTargetBatchTimeMS,
    stagedBytes: parameters.batchedDeletesTargetStagedDocBytes,
    batched: parameters.ttlMonitorBatchDeletes && traits.ttlBatched,
    reverse: traits.ttlReverseBatch,
  };
}

/** What to do next: find and stage a document, commit what is staged (again), or end the visit. */
export type VisitAction = 'stage' | 'commit' | 'over';

/** Upstream: batched_delete_stage.cpp, the estimate of what an applyOps entry takes, in bytes. */
const ENTRY_BYTES = 256;
const MAX_ENTRY_BYTES = 16 * 1024 * 1024;

/**
 * Keeps count of one visit and says what comes next; it holds no documents, allocates nothing once made, and is meant to
 * be called for each of a hundred thousand documents a second. In this order:
 *
 *     repeat: staged(bytes) or endOfRange() → 'stage' | 'commit' | 'over'
 *     on 'commit': beginBatch(); for each document while fits(idBytes): delete it, stop if batchTimeIsOver(elapsed);
 *                  committed(left, elapsed) → what next, with 'commit' while documents are left
 *
 * Elapsed times are microseconds, of the batch for `batchTimeIsOver`, of the whole visit for `committed`.
 * Upstream: batched_delete_stage.cpp, BatchedDeleteStage::doWork.
 */
export class VisitProgress {
  readonly #targets: VisitTargets;
  #staged = 0;
  #bufferDocs = 0;
  #bufferBytes = 0;
  #entryBytes = 0;
  #atEnd = false;
  #passTargetMet = false;

  constructor(targets: VisitTargets) {
    this.#targets = targets;
  }

  /** A target ended the visit, so that the index may have more. */
  get passTargetMet(): boolean {
    return this.#passTargetMet;
  }

  /** Documents found so far; those that the check before the deletion spared are among them. */
  get stagedDocs(): number {
    return this.#staged;
  }

  /** One more document is in the buffer. @param bytes its size in memory */
  staged(bytes: number): VisitAction {
    const { batchDocs, batched, stagedBytes } = this.#targets;
    this.#staged++;
    this.#bufferDocs++;
    this.#bufferBytes += bytes;
    if (!batched) return 'commit';
    const full = batchDocs !== 0 && this.#bufferDocs >= batchDocs;
    return full || (stagedBytes !== 0 && this.#bufferBytes >= stagedBytes) ? 'commit' : 'stage';
  }

  /** The scan found nothing more; what is in the buffer is still to be deleted. */
  endOfRange(): VisitAction {
    this.#atEnd = true;
    return this.#bufferDocs > 0 ? 'commit' : 'over';
  }

  /** A storage transaction begins. */
  beginBatch(): void {
    this.#entryBytes = ENTRY_BYTES;
  }

  /** Whether the next document still fits into the batch's oplog entry. @param idBytes size of its `_id` element */
  fits(idBytes: number): boolean {
    if (!this.#targets.batched) return true;
    const first = this.#entryBytes === ENTRY_BYTES;
    this.#entryBytes += ENTRY_BYTES + idBytes;
    return first || this.#entryBytes <= MAX_ENTRY_BYTES;
  }

  /** Asked after each deletion: whether the batch is to be committed as it is. @param elapsedMicros of this batch */
  batchTimeIsOver(elapsedMicros: number): boolean {
    const { batchTimeMS, batched } = this.#targets;
    return batched && batchTimeMS !== 0 && elapsedMicros >= batchTimeMS * 1000;
  }

  /**
   * The batch is committed. The visit's own targets are looked at only here, so it overshoots to the end of a batch.
   * @param left documents that were staged and not yet deleted or spared
   * @param elapsedMicros since the visit began
   */
  committed(left: number, elapsedMicros: number): VisitAction {
    const { batched, docs, timeMS } = this.#targets;
    this.#bufferDocs = left;
    if (left === 0) this.#bufferBytes = 0;
    if (batched && !this.#atEnd && !this.#passTargetMet) {
      const timeIsOver = timeMS !== 0 && elapsedMicros >= timeMS * 1000;
      this.#passTargetMet = timeIsOver || (docs !== 0 && this.#staged >= docs);
    }
    if (left > 0) return 'commit';
    return this.#atEnd || this.#passTargetMet ? 'over' : 'stage';
  }
}
