import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';

interface Kept {
  readonly _id: number;
}

/** How long a client looks for a primary, or waits for an answer, while the process is being started. Unit: ms. */
const [PATIENCE_MS, ANSWER_MS] = [2000, 20_000];
const OPTIONS = { serverSelectionTimeoutMS: PATIENCE_MS, connectTimeoutMS: PATIENCE_MS, socketTimeoutMS: ANSWER_MS };
/** Documents that are kept for the count; the oldest go, so that the data stay as large as they are. */
const MOST_KEPT = 2000;

/** Clients of every kind, at a set that comes and goes. */
export class Load {
  readonly #kept = new Set<number>();
  #next = 0;
  #over = false;
  #uri = '';
  acknowledged = 0;
  connections = 0;
  polls = 0;

  /** Where the set is now. */
  set uri(uri: string) {
    this.#uri = uri;
  }

  /** Resolves when all have ended. */
  async run(): Promise<void> {
    const works = [
      this.#writes,
      this.#writes,
      this.#transactions,
      this.#expiring,
      this.#comingAndGoing,
      this.#watching,
    ];
    await Promise.all(works.map((work) => this.#repeatedly(work)));
  }

  stop(): void {
    this.#over = true;
  }

  /** @returns how many acknowledged writes are missing */
  async lost(): Promise<number> {
    // Those that are being removed now are in it no more.
    const expected = [...this.#kept];
    const client = new MongoClient(this.#uri, { readConcern: { level: 'majority' } });
    try {
      const found = await client.db('app').collection<Kept>('kept').find().toArray();
      const there = new Set(found.map(({ _id }) => _id));
      return expected.filter((id) => this.#kept.has(id) && !there.has(id)).length;
    } finally {
      await client.close();
    }
  }

  /** A work has a client for some seconds; errors come from kills, and it begins anew. */
  async #repeatedly(work: (client: MongoClient) => Promise<void>): Promise<void> {
    while (!this.#over) {
      const client = new MongoClient(this.#uri, OPTIONS);
      const uri = this.#uri;
      try {
        while (!this.#over && this.#uri === uri) await work.call(this, client);
      } catch {
        await sleep(100);
      }
      await client.close();
    }
  }

  async #writes(client: MongoClient): Promise<void> {
    const id = this.#next++;
    const kept = client.db('app').collection<Kept>('kept', { writeConcern: { w: 'majority' } });
    await kept.insertOne({ _id: id });
    this.#kept.add(id);
    this.acknowledged += 1;
    if (this.#kept.size <= MOST_KEPT) return;
    const [oldest] = this.#kept;
    this.#kept.delete(oldest!);
    await kept.deleteOne({ _id: oldest! });
  }

  async #transactions(client: MongoClient): Promise<void> {
    const counts = client.db('app').collection<Kept & { n: number }>('counts');
    await client.withSession((session) =>
      session.withTransaction(async () => {
        for (const _id of [1, 2]) await counts.updateOne({ _id }, { $inc: { n: 1 } }, { session, upsert: true });
      }),
    );
    this.acknowledged += 1;
  }

  async #expiring(client: MongoClient): Promise<void> {
    const sessions = client.db('app').collection('sessions');
    await sessions.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    const { wall } = await client
      .db('admin')
      .command({ hello: 1 })
      .then(({ localTime }) => ({ wall: localTime as Date }));
    await sessions.insertMany(Array.from({ length: 20 }, () => ({ at: wall })));
    this.acknowledged += 20;
    await sleep(50);
  }

  async #comingAndGoing(): Promise<void> {
    const clients = Array.from({ length: 10 }, () => new MongoClient(this.#uri, OPTIONS));
    try {
      await Promise.all(clients.map((client) => client.db('admin').command({ ping: 1 })));
      this.connections += clients.length;
    } finally {
      await Promise.all(clients.map((client) => client.close()));
    }
  }

  async #watching(client: MongoClient): Promise<void> {
    const stream = client.db('app').collection('kept').watch();
    try {
      for (let turn = 0; turn < 50 && !this.#over; turn++) {
        await stream.tryNext();
        this.polls += 1;
      }
    } finally {
      await stream.close();
    }
  }
}
