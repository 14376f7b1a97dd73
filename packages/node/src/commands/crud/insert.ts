import { CommandError, type StatementLink } from '@replsim/protocol';
import type { StoredDocument } from '@replsim/storage';
import type { Operation } from '../../operations/operation.ts';
import { spend } from '../../operations/operation.ts';
import { timeseriesCollection } from '../../timeseries/options.ts';
import { fieldSet } from '../arguments.ts';
import { ON_PRIMARY } from '../atOnce.ts';
import { checkNotView } from '../catalog/viewDefinitions.ts';
import type { CommandContext, CommandDefinition, MemberServices, Reply } from '../command.ts';
import { checkCreatableName, checkWritableName } from '../namespaces.ts';
import { insertMeasurements } from '../timeseries/insertMeasurements.ts';
import { trimCapped } from './cappedTrim.ts';
import { newDocument } from './newDocument.ts';
import { checkRetry, checkStatementCount, retriedReply, statementIds, WriteErrors } from './statements.ts';

const fields = fieldSet(
  'insert',
  'documents',
  'ordered',
  'bypassDocumentValidation',
  'collectionUUID',
  'encryptionInformation',
);

/** Documents of one storage transaction. Upstream: internalInsertMaxBatchSize. */
const GROUP = 64;

/**
 * `{ insert, documents, ordered? }` → `{ n, writeErrors?, retriedStmtIds? }`. The collection is made where it is missing.
 * Errors: InvalidLength 16 for none or too many documents; DuplicateKey 11000, BSONObjectTooLarge 10334, InvalidIdField
 * 53 in `writeErrors`. Upstream: write_commands.cpp, CmdInsert.
 */
export const insert: CommandDefinition = {
  name: 'insert',
  ...ON_PRIMARY,
  retryable: true,
  tellsOpTime: true,
  countedAs: 'itself',
  run,
};

function* run(context: CommandContext): Operation<Reply> {
  const { args, member, retryable } = context;
  args.allow(fields);
  const { ns, collection, db } = args;
  const sent = args.requiredDocuments('documents');
  checkStatementCount(sent.length);
  checkWritableName(db, collection);
  const timeseries = timeseriesCollection(member.engine, ns);
  if (timeseries) return yield* insertMeasurements(context, timeseries);
  if (!member.engine.collection(ns)) checkCreatableName(db, collection);
  const errors = new WriteErrors(args.bool('ordered', true));
  const batch = new InsertBatch(member, ns, errors);
  const stmtId = statementIds(args, sent.length);
  for (let index = 0; index < sent.length && !batch.ended; index++) {
    let document: StoredDocument;
    try {
      const before = retryable?.executed(stmtId(index));
      if (before) {
        checkRetry(before, ['i'], 40636, 'insert');
        batch.inserted += 1;
        continue;
      }
      document = newDocument(sent[index]!, member.ids, clockOf(member, index));
    } catch (error) {
      // What came before must be in place before an ordered command ends.
      yield* batch.flush();
      if (!batch.ended) batch.refuse(index, error);
      continue;
    }
    batch.add(index, document, retryable?.link(stmtId(index)));
    if (batch.size === GROUP) yield* batch.flush();
  }
  yield* batch.flush();
  return { n: batch.inserted, ...errors.reply(), ...retriedReply(retryable) };
}

/** Documents that are to be inserted together. */
class InsertBatch {
  /** An ordered command has met an error. */
  ended = false;
  inserted = 0;
  readonly #member: MemberServices;
  readonly #ns: string;
  readonly #errors: WriteErrors;
  #documents: StoredDocument[] = [];
  /** Of a retryable write: one for each document. */
  #statements: StatementLink[] = [];
  /** Which statement each is. */
  #indexes: number[] = [];

  constructor(member: MemberServices, ns: string, errors: WriteErrors) {
    this.#member = member;
    this.#ns = ns;
    this.#errors = errors;
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
    this.ended = !this.#errors.add(index, error);
  }

  /** Pays for the documents and inserts them; after a refused one goes on with the rest, unless the command is ordered. */
  *flush(): Operation<void> {
    const { costs, counters, engine } = this.#member;
    while (this.#documents.length > 0 && !this.ended) {
      const keys = engine.collection(this.#ns)?.indexes.length ?? 1;
      const each = costs.insertMicros + keys * costs.indexKeyMicros;
      yield* spend(costs.commitMicros + this.#documents.length * each);
      const done = this.#insertAll();
      trimCapped(this.#member, this.#ns);
      counters.opcounters.insert += done;
      this.inserted += done;
      this.#documents = this.#documents.slice(done);
      this.#indexes = this.#indexes.slice(done);
      this.#statements = this.#statements.slice(done);
      if (this.#documents.length > 0) {
        counters.opcounters.insert += 1;
        this.#documents.shift();
        this.#indexes.shift();
        this.#statements.shift();
      }
    }
  }

  /** How many, from the first on, went in; what stopped the next one is noted. */
  #insertAll(): number {
    const documents = this.#documents;
    try {
      checkNotView(this.#member.engine, this.#ns);
      this.#member.writes.insert(this.#ns, documents, this.#statements);
      return documents.length;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const done = this.#countInserted();
      this.refuse(this.#indexes[done]!, error);
      return done;
    }
  }

  /** A transaction that meets a duplicate keeps what went in before it. */
  #countInserted(): number {
    const collection = this.#member.engine.collection(this.#ns);
    const missing = this.#documents.findIndex((document) => {
      const recordId = collection?.findById(document.idKey);
      return recordId === undefined || collection?.get(recordId) !== document;
    });
    return Math.max(missing, 0);
  }
}

function clockOf(member: MemberServices, index: number): { secs: number; inc: number } {
  return { secs: Math.floor(member.now.wallMs / 1000), inc: index + 1 };
}
