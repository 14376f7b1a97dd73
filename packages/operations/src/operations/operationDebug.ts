import type { Needed } from '@replsim/access';
import { type Plan, planSummary } from '@replsim/pipeline';
import { type BsonValue, BsonWriter, encodeName, findField, type VersionTraits } from '@replsim/protocol';
import type { ReadConcernRequest, WriteConcernRequest } from '../concernRequests.ts';
import type { ScanWork } from './scanWork.ts';

const COMMENT = encodeName('comment');

/** The concerns of a command, as they were sent. */
export interface AskedConcerns {
  readonly read: ReadConcernRequest;
  /** Set where the command takes one. */
  readonly write?: { readonly request: WriteConcernRequest | undefined };
}

/** What a getMore goes on with. */
export interface ReadsOn {
  readonly cursorId: bigint;
  readonly originatingCommand: Uint8Array;
  /** What the operation that opened the cursor has to say. */
  readonly opening: Pick<OperationDebug, 'planSummary' | 'concerns'> | undefined;
}

/**
 * What one operation has done so far, for the slow query log, the profiler and `currentOp`.
 * Upstream: op_debug.h, OpDebug.
 */
export class OperationDebug {
  keysExamined = 0;
  docsExamined = 0;
  numYields = 0;
  /** Documents that it has put in, found to update, taken away and given to its client. Upstream: OpDebug::AdditiveMetrics. */
  nInserted = 0;
  nMatched = 0;
  nDeleted = 0;
  nReturned = 0;
  /** How often it began to read all of a collection, and to look for a document by its `_id` alone. */
  collectionScans = 0;
  plansById = 0;
  /** Its scan waits at the end for what comes. */
  isTailable = false;
  /** Whether documents were looked for at all. */
  hasLooked = false;
  /** Spent waiting for locks, other members, the journal. Unit: µs. */
  waitedMicros = 0;
  /** Spent waiting for what the client wanted to wait for. Unit: µs. */
  pausedMicros = 0;
  /** Its time limit is that which a cluster parameter gives to reads. */
  usesDefaultMaxTimeMS = false;
  /** It has taken a change stream's cursor: its errors say whether the client may resume. */
  usesChangeStream = false;
  /** What a findAndModify has changed, of which its reply tells a part. */
  wrote: Readonly<Record<string, number>> | undefined;
  /** What its client had to be allowed to do: whoever reads on from its cursor must be allowed to still. */
  needs: readonly Needed[] = [];
  /** What its command is about, said elsewhere: by who opened the cursor, or within what is explained. */
  comment: BsonValue | undefined;
  /** What its client says of reading and writing; undefined until it is known. */
  concerns: AskedConcerns | undefined;
  /** Of a getMore: the cursor that it reads on from, and what opened that. */
  readsOn: ReadsOn | undefined;
  #plan: Plan | undefined;
  #hasMissed = false;

  examined({ keysExamined, docsExamined, yields, plan }: ScanWork): void {
    this.hasLooked = true;
    this.keysExamined += keysExamined;
    this.docsExamined += docsExamined;
    this.numYields += yields;
    if (plan && plan !== this.#plan) this.#began(plan);
  }

  #began(plan: Plan): void {
    this.#plan = plan;
    if (plan.stage === 'COLLSCAN') this.collectionScans += 1;
    else if (plan.byId) this.plansById += 1;
  }

  /** There is no collection to look into, which is a plan, too. */
  missedCollection(): void {
    this.hasLooked = true;
    this.#hasMissed = true;
  }

  /** As `IXSCAN { a: 1 }`; undefined for what has no plan. @param traits of the release, which has a name for lookups by `_id` */
  planSummary(traits: VersionTraits): string | undefined {
    if (this.#plan) return planSummary(this.#plan, traits.expressPlans);
    return this.#hasMissed ? 'EOF' : this.readsOn?.opening?.planSummary(traits);
  }

  /** The command as others are shown it: a comment of its own comes before one from elsewhere. Upstream: curop.cpp, appendCommentField. */
  commented(command: Uint8Array): Uint8Array {
    if (!this.comment || findField(command, COMMENT)) return command;
    const writer = new BsonWriter(command.length + this.comment.size + 16);
    writer.rawElements(command, 4, command.length - 1);
    writer.rawValue('comment', this.comment);
    return writer.finish();
  }

  /** Whether documents had to be put in order. */
  get hasSortStage(): boolean {
    return this.#plan?.sorted === false;
  }
}
