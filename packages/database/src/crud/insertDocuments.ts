import { failIfInsertsAre, failIfSet, type Operation, pauseWhileSet, spend, waitWhileSet } from '@replsim/operations';
import type { FailPointData } from '@replsim/pipeline';
import {
  checkCollectionMeant,
  checkCreatableName,
  checkNotView,
  hasUnusualNames,
  newDocument,
  splitNs,
  timeseriesCollection,
  type WriteTarget,
} from '@replsim/pipeline';
import { BsonType, CommandError, encodeName, findField, readString, type StatementLink } from '@replsim/protocol';
import type { StoredDocument } from '@replsim/storage';
import { checkValid } from '../catalog/validation.ts';
import type { CommandContext } from '../definition.ts';
import type { MemberFacts } from '../member.ts';
import { trimCapped } from './cappedTrim.ts';
import { insertMeasurements } from './insertMeasurements.ts';
import type { InsertOutcomes, InsertStatement } from './insertStatements.ts';
import { checkRetry } from './statements.ts';
import { checkTransactionalWrite } from './transactionalWrites.ts';
import { backOff, isWriteConflict } from './writeConflicts.ts';

const ID = encodeName('_id');

/** Documents of one storage transaction. Upstream: internalInsertMaxBatchSize. */
const GROUP = 64;

/**
 * Inserts documents into one collection, which is made where it is missing; those that a retryable write has inserted before
 * count without being inserted again. Upstream: write_ops_exec.cpp, performInserts.
 * @returns whether the statements after these are to be carried out
 */
export function* insertDocuments(
  context: CommandContext,
  target: WriteTarget,
  statements: readonly InsertStatement[],
  outcomes: InsertOutcomes,
): Operation<boolean> {
  const { member, retryable } = context;
  const { ns } = target;
  if (context.transaction) {
    try {
      checkTransactionalWrite(context, ns, 'insert');
    } catch (error) {
      return outcomes.failed(statements[0]!.index, error);
    }
  }
  const timeseries = timeseriesCollection(context.data, ns);
  if (timeseries) checkCollectionMeant(target.uuid, context.data, ns);
  if (timeseries) return yield* insertMeasurements(context, ns, timeseries, statements, outcomes);
  if (!context.data.collection(ns)) checkCreatableName(...splitNs(ns));
  const batch = new InsertBatch(context, target, outcomes);
  const fillsTimestamps = !context.args.strictBool('bypassEmptyTsReplacement');
  for (const { index, document: sent, stmtId } of statements) {
    if (batch.ended) break;
    let document: StoredDocument;
    try {
      const before = retryable?.executed(stmtId);
      if (before) {
        checkRetry(before, ['i'], 40636, 'insert');
        outcomes.inserted(index);
        continue;
      }
      document = newDocument(sent, member.ids, clockOf(member, index), { fillsTimestamps });
    } catch (error) {
      // What came before must be in place before an ordered command ends.
      yield* batch.flush();
      if (!batch.ended) batch.refuse(index, error);
      continue;
    }
    batch.add(index, document, retryable?.link(stmtId));
    if (batch.size === GROUP) yield* batch.flush();
  }
  yield* batch.flush();
  return !batch.ended;
}

/** Documents that are to be inserted together. */
class InsertBatch {
  /** An ordered command has met an error. */
  ended = false;
  /** An open transaction stands in the way of the next document. */
  #conflict: CommandError | undefined;
  readonly #context: CommandContext;
  readonly #ns: string;
  readonly #uuid: Uint8Array | undefined;
  readonly #outcomes: InsertOutcomes;
  readonly #bypassesValidation: boolean;
  readonly #documents: StoredDocument[] = [];
  /** Of a retryable write: one for each document. */
  readonly #statements: StatementLink[] = [];
  /** Which statement each is. */
  readonly #indexes: number[] = [];

  constructor(context: CommandContext, { ns, uuid }: WriteTarget, outcomes: InsertOutcomes) {
    this.#context = context;
    this.#ns = ns;
    this.#uuid = uuid;
    this.#outcomes = outcomes;
    this.#bypassesValidation = context.args.bool('bypassDocumentValidation');
  }

  get size(): number {
    return this.#documents.length;
  }

  add(index: number, document: StoredDocument, statement: StatementLink | undefined): void {
    this.#documents.push(document);
    if (statement) this.#statements.push(statement);
    this.#indexes.push(index);
  }

  refuse(index: number, error: unknown): void {
    this.ended = !this.#outcomes.failed(index, error);
  }

  /** Pays for the documents and inserts them; after a refused one goes on with the rest, unless the command is ordered. */
  *flush(): Operation<void> {
    const { costs, counters } = this.#context.member;
    let conflicts = 0;
    while (this.#documents.length > 0 && !this.ended) {
      const keys = this.#context.data.collection(this.#ns)?.indexes.length ?? 1;
      const each = costs.insertMicros + keys * costs.indexKeyMicros;
      yield* waitWhileSet(this.#context.member, 'hangDuringBatchInsert', { ns: this.#ns });
      failIfSet(this.#context.member, 'failAllInserts');
      yield* spend(costs.commitMicros + this.#documents.length * each);
      yield* this.#hang();
      const done = this.#insertAll();
      trimCapped(this.#context, this.#ns);
      const conflict = this.#conflict;
      this.#conflict = undefined;
      const tried = conflict ? done : Math.min(done + 1, this.#documents.length);
      counters.opcounters.insert += tried;
      this.#context.member.debug.nInserted += done;
      const unusual = this.#documents.slice(0, done).filter(({ bytes }) => hasUnusualNames(bytes));
      counters.dotsAndDollars.inserts += unusual.length;
      for (const index of this.#indexes.slice(0, done)) this.#outcomes.inserted(index);
      this.#documents.splice(0, tried);
      this.#indexes.splice(0, tried);
      this.#statements.splice(0, tried);
      if (conflict) yield* backOff(this.#context, conflict, ++conflicts);
    }
  }

  /**
   * `hangAfterCollectionInserts: { collectionNS?, first_id? }`. Upstream stands still with the documents written and not committed;
   * nobody sees them then, so that here they are written afterwards. Upstream: collection_internal.cpp, insertDocuments.
   */
  *#hang(): Operation<void> {
    const { member } = this.#context;
    const { failPoints } = member;
    if (!failPoints.areConfigured) return;
    const concerns = ({ collectionNS, first_id: first }: FailPointData) =>
      (collectionNS === undefined || collectionNS === this.#ns) && (first === undefined || first === this.#firstId());
    if (!failPoints.enter('hangAfterCollectionInserts', concerns)) return;
    member.log('I', 'STORAGE', 20289, 'Standing still until the fail point hangAfterCollectionInserts is off', {
      ns: this.#ns,
    });
    yield* pauseWhileSet(member, 'hangAfterCollectionInserts', { concerns });
  }

  /** What is not a string is as good as the empty one. */
  #firstId(): string {
    const id = findField(this.#documents[0]!.bytes, ID);
    return id?.type === BsonType.string ? readString(id) : '';
  }

  /** How many, from the first on, went in; what stopped the next one is noted. */
  #insertAll(): number {
    const documents = this.#documents;
    try {
      checkCollectionMeant(this.#uuid, this.#context.data, this.#ns);
      checkNotView(this.#context.data, this.#ns);
      const invalid = this.#firstInvalid();
      const valid = invalid ? documents.slice(0, invalid.at) : documents;
      if (valid.length > 0) this.#failIfInsertsAre(valid.length);
      if (valid.length > 0) this.#context.writes.insert(this.#ns, valid, this.#statements);
      if (invalid) this.refuse(this.#indexes[invalid.at]!, invalid.error);
      return valid.length;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const done = this.#countInserted();
      if (isWriteConflict(error) && !this.#context.transaction) this.#conflict = error;
      else this.refuse(this.#indexes[done]!, error);
      return done;
    }
  }

  /** Several that fail together are tried anew one by one. Upstream: insertBatchAndHandleErrors. */
  #failIfInsertsAre(count: number): void {
    const { member } = this.#context;
    try {
      failIfInsertsAre(member, this.#ns);
    } catch (error) {
      if (count === 1 || this.#context.transaction) throw error;
      failIfInsertsAre(member, this.#ns);
    }
  }

  #firstInvalid(): { readonly at: number; readonly error: CommandError } | undefined {
    const collection = this.#context.data.collection(this.#ns);
    if (!collection || this.#bypassesValidation) return undefined;
    for (const [at, { bytes }] of this.#documents.entries()) {
      try {
        checkValid(this.#context.member, collection, bytes);
      } catch (error) {
        if (error instanceof CommandError) return { at, error };
        throw error;
      }
    }
    return undefined;
  }

  /** A transaction that meets a duplicate keeps what went in before it. */
  #countInserted(): number {
    const collection = this.#context.data.collection(this.#ns);
    const missing = this.#documents.findIndex((document) => {
      const recordId = collection?.findById(document.idKey);
      return recordId === undefined || collection?.get(recordId) !== document;
    });
    return Math.max(missing, 0);
  }
}

function clockOf(member: MemberFacts, index: number): { secs: number; inc: number } {
  return { secs: Math.floor(member.now.wallMs / 1000), inc: index + 1 };
}
