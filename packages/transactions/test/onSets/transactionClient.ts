import { Binary, Long } from 'bson';
import type { AskedSet, Doc } from '../../../replset/test/askedSet.ts';

/** A session that sends statements of transactions as a driver does, one command at a time. */
export class TransactionClient {
  readonly asked: AskedSet;
  readonly lsid: Doc;
  txnNumber = 0;
  #isFirst = false;

  /** @param n tells sessions apart */
  constructor(asked: AskedSet, n = 1) {
    this.asked = asked;
    this.lsid = { id: new Binary(new Uint8Array(16).fill(n), Binary.SUBTYPE_UUID) };
  }

  begin(): this {
    this.txnNumber += 1;
    this.#isFirst = true;
    return this;
  }

  /** The command with the fields of a statement. */
  statement(command: Doc): Doc {
    const first = this.#isFirst && { startTransaction: true };
    this.#isFirst = false;
    return { ...command, lsid: this.lsid, txnNumber: Long.fromNumber(this.txnNumber), autocommit: false, ...first };
  }

  run(command: Doc, member = this.asked.primary, db = 'app'): Promise<Doc> {
    return this.asked.run(member, this.statement(command), db);
  }

  ok(command: Doc, member = this.asked.primary, db = 'app'): Promise<Doc> {
    return this.asked.ok(member, this.statement(command), db);
  }

  insert(collection: string, ...documents: Doc[]): Promise<Doc> {
    return this.ok({ insert: collection, documents });
  }

  update(collection: string, q: Doc, u: Doc): Doc {
    return { update: collection, updates: [{ q, u }] };
  }

  async find(collection: string, filter: Doc = {}): Promise<Doc[]> {
    return (await this.ok({ find: collection, filter, sort: { _id: 1 } })).cursor.firstBatch;
  }

  commit(more: Doc = {}, member = this.asked.primary): Promise<Doc> {
    return this.run({ commitTransaction: 1, ...more }, member, 'admin');
  }

  abort(more: Doc = {}, member = this.asked.primary): Promise<Doc> {
    return this.run({ abortTransaction: 1, ...more }, member, 'admin');
  }
}
