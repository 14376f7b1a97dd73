import type { AskedSet, Doc } from '../../../replset/test/askedSet.ts';

/** A change stream that a test reads batch by batch, without a driver that would resume it. */
export class Watch {
  readonly asked: AskedSet;
  readonly member: string;
  readonly db: string;
  /** The newest reply's `cursor`. */
  cursor: Doc;

  private constructor(asked: AskedSet, member: string, db: string, cursor: Doc) {
    this.asked = asked;
    this.member = member;
    this.db = db;
    this.cursor = cursor;
  }

  /** Opens one. @param of what the command says besides, its target and options */
  static async open(asked: AskedSet, of: WatchOptions = {}): Promise<Watch> {
    const { member = asked.primary, db = 'app' } = of;
    const { cursor } = await asked.ok(member, aggregateOf(of), db);
    return new Watch(asked, member, db, cursor);
  }

  get token(): Doc {
    return this.cursor.postBatchResumeToken;
  }

  get events(): Doc[] {
    return this.cursor.firstBatch ?? this.cursor.nextBatch;
  }

  /** Asks for more: what comes within a second, of virtual time. */
  async more(options: Doc = {}): Promise<Doc[]> {
    this.cursor = (await this.asked.ok(this.member, this.#getMore(options), this.db)).cursor;
    return this.events;
  }

  /** Asks for more without waiting for the answer. */
  ask(options: Doc = {}): { reply(): Doc | undefined } {
    return this.asked.send(this.member, this.#getMore(options), this.db);
  }

  /** The failure of the next `getMore`. */
  async failure(): Promise<Doc> {
    return this.asked.run(this.member, this.#getMore({}), this.db);
  }

  /** So many events, however many batches they take. */
  async next(count: number): Promise<Doc[]> {
    const events: Doc[] = [];
    for (let tries = 0; events.length < count; tries++) {
      if (tries > 30) throw new Error(`only ${events.length} of ${count} events came`);
      events.push(...(await this.more()));
    }
    return events;
  }

  #getMore(options: Doc): Doc {
    const [, ...collection] = this.cursor.ns.split('.');
    return { getMore: BigInt(this.cursor.id), collection: collection.join('.'), ...options };
  }
}

export interface WatchOptions {
  readonly member?: string;
  readonly db?: string;
  /** A collection, or 1. */
  readonly of?: string | number;
  /** Of the stage. */
  readonly spec?: unknown;
  readonly stages?: readonly Doc[];
  readonly cursor?: Doc;
  /** Further fields of the command. */
  readonly command?: Doc;
}

/** The command that opens a stream. */
export function aggregateOf({ of = 'c', spec = {}, stages = [], cursor = {}, command = {} }: WatchOptions): Doc {
  const pipeline = [{ $changeStream: spec }, ...stages];
  return { aggregate: of, pipeline, cursor, $readPreference: { mode: 'primaryPreferred' }, ...command };
}

/** Inserts documents, all of which are committed when it is done. */
export async function insert(asked: AskedSet, documents: readonly Doc[], collection = 'c', db = 'app'): Promise<void> {
  await asked.ok(asked.primary, { insert: collection, documents, writeConcern: { w: 'majority' } }, db);
}

/** What matters of events: their types, and the keys of documents. */
export function brief(events: readonly Doc[]): unknown[] {
  return events.map(({ operationType, documentKey }) =>
    documentKey ? [operationType, documentKey._id] : operationType,
  );
}
