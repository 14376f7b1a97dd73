import type { Collection, MongoClient } from 'mongodb';
import { expect } from 'vitest';

interface Item {
  _id: number;
  turns?: number;
}

/** Enough to fail any test; a writer whose client is closed does not go on for ever. */
const MOST_ERRORS = 100;

/** What a writer was told. */
export interface Ledger {
  readonly acknowledged: readonly number[];
  readonly errors: readonly Error[];
}

/** Writes one after the other, without a pause: an insert, then an increment, which done twice would show. */
export class Writer {
  readonly #items: Collection<Item>;
  readonly #acknowledged: number[] = [];
  readonly #errors: Error[] = [];
  #increments = 0;
  #unsure = 0;
  #next = 0;
  #stopped = false;
  #writing: Promise<void> | undefined;
  #heard: (() => void)[] = [];

  constructor(client: MongoClient, collection: string) {
    this.#items = client.db('app').collection<Item>(collection);
  }

  async start(): Promise<this> {
    await this.#items.insertOne({ _id: -1, turns: 0 });
    this.#writing = this.#write();
    return this;
  }

  /** Waits until so many writes more have been acknowledged, each asked for after this call. */
  async untilAcknowledged(more: number): Promise<void> {
    const from = this.#next;
    while (this.#acknowledged.filter((_id) => _id > from).length < more) {
      if (this.#errors.length >= MOST_ERRORS) throw this.#errors[0]!;
      await new Promise<void>((resolve) => this.#heard.push(resolve));
    }
  }

  async stop(): Promise<Ledger> {
    this.#stopped = true;
    await this.#writing;
    return { acknowledged: this.#acknowledged, errors: this.#errors };
  }

  /** Every acknowledged write is there, once; what failed is there once or not at all. */
  async expectExactlyOnce(): Promise<void> {
    const found = await this.#items.find({ _id: { $gte: 0 } }, { projection: { _id: 1 } }).toArray();
    const ids = new Set(found.map(({ _id }) => _id));
    expect(ids.size).toBe(found.length);
    expect(this.#acknowledged.filter((_id) => !ids.has(_id))).toEqual([]);
    if (this.#unsure === 0) expect(ids.size).toBe(this.#acknowledged.length);
    const turns = (await this.#items.findOne({ _id: -1 }))?.turns ?? 0;
    expect(turns).toBeGreaterThanOrEqual(this.#increments);
    expect(turns).toBeLessThanOrEqual(this.#increments + this.#unsure);
  }

  async #write(): Promise<void> {
    while (!this.#stopped && this.#errors.length < MOST_ERRORS) {
      const _id = this.#next++;
      try {
        await this.#items.insertOne({ _id });
        this.#acknowledged.push(_id);
        await this.#items.updateOne({ _id: -1 }, { $inc: { turns: 1 } });
        this.#increments++;
      } catch (error) {
        this.#unsure++;
        this.#errors.push(error as Error);
      }
      for (const heard of this.#heard.splice(0)) heard();
    }
  }
}
