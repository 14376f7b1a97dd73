import type { Reply } from '@replsim/pipeline';
import { CommandError, encodeDocument } from '@replsim/protocol';
import { Double } from 'bson';
import type { BulkOp } from './bulkWriteOps.ts';
import type { InsertOutcomes } from './insertStatements.ts';
import { endsStatements } from './statements.ts';
import type { UpdateOutcome } from './update.ts';

/** How a bulkWrite is carried out and reported. */
export interface BulkWriteManner {
  readonly ordered: boolean;
  readonly errorsOnly: boolean;
  /** Where the first error ends it in any case. */
  readonly inTransaction: boolean;
}

/**
 * What became of the entries of a bulkWrite: counters, and a document for each one that is to be reported.
 * Upstream: bulk_write.cpp, BulkWriteReplies; bulk_write_reply_item.cpp.
 */
export class BulkWriteResults implements InsertOutcomes {
  readonly #ordered: boolean;
  readonly #errorsOnly: boolean;
  readonly #inTransaction: boolean;
  readonly #items: { readonly idx: number; readonly item: Reply }[] = [];
  #nErrors = 0;
  #nInserted = 0;
  #nMatched = 0;
  #nModified = 0;
  #nUpserted = 0;
  #nDeleted = 0;

  constructor({ ordered, errorsOnly, inTransaction }: BulkWriteManner) {
    this.#ordered = ordered || inTransaction;
    this.#errorsOnly = errorsOnly;
    this.#inTransaction = inTransaction;
  }

  inserted(idx: number): void {
    this.#nInserted += 1;
    this.#succeeded(idx, { n: 1 });
  }

  updated(idx: number, { matched, modified, upserted }: UpdateOutcome): void {
    this.#nMatched += matched;
    this.#nModified += modified;
    if (upserted) this.#nUpserted += 1;
    const n = matched + (upserted ? 1 : 0);
    this.#succeeded(idx, { n, nModified: modified, ...(upserted && { upserted: { _id: upserted } }) });
  }

  deleted(idx: number, n: number): void {
    this.#nDeleted += n;
    this.#succeeded(idx, { n });
  }

  failed(idx: number, error: unknown, kind: BulkOp['kind'] = 'insert'): boolean {
    if (!(error instanceof CommandError) || endsStatements(error.code, this.#inTransaction)) throw error;
    this.#nErrors += 1;
    const { code, extra, message: errmsg } = error;
    const figures = kind === 'update' ? { n: 0, nModified: 0 } : { n: 0 };
    this.#items.push({ idx, item: { ok: new Double(0), idx, code, errmsg, ...extra, ...figures } });
    return !this.#ordered;
  }

  /** Int32s, as drivers want them. */
  counters(): Reply {
    return {
      nErrors: this.#nErrors,
      nInserted: this.#nInserted,
      nMatched: this.#nMatched,
      nModified: this.#nModified,
      nUpserted: this.#nUpserted,
      nDeleted: this.#nDeleted,
    };
  }

  /** The documents of the cursor, in the order of the entries that they are about. */
  documents(): Uint8Array[] {
    // An insert that is refused is heard of before those that its group writes.
    return this.#items.sort((a, b) => a.idx - b.idx).map(({ item }) => encodeDocument(item));
  }

  #succeeded(idx: number, figures: Reply): void {
    if (!this.#errorsOnly) this.#items.push({ idx, item: { ok: new Double(1), idx, ...figures } });
  }
}
