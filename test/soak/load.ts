import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { within } from './within.ts';

interface Kept {
  readonly _id: number;
}

/** How long a client looks for a primary, or waits for an answer, while the process is being started. Unit: ms. */
const [PATIENCE_MS, ANSWER_MS] = [2000, 20_000];
const OPTIONS = { serverSelectionTimeoutMS: PATIENCE_MS, connectTimeoutMS: PATIENCE_MS, socketTimeoutMS: ANSWER_MS };
/** How long a turn of a work, or the end of a client, may take: the driver itself tries a transaction again for two minutes. Unit: ms. */
const [TURN_MS, CLOSE_MS] = [150_000, 30_000];
/** Documents that are kept for the count; the oldest go, so that the data stay as large as they are. */
const MOST_KEPT = 2000;

/** What one kind of client has done. */
interface Work {
  readonly name: string;
  readonly turn: (client: MongoClient) => Promise<void>;
  /** Turns that have ended well since somebody last asked. */
  turns: number;
  /** What it last failed with; kills and failovers make it fail as well. */
  failure: string;
}

/** Clients of every kind, at a set that comes and goes. */
export class Load {
  readonly #works: readonly Work[] = [
    this.#work('writes', this.#writes),
    this.#work('more writes', this.#writes),
    this.#work('transactions', this.#transactions),
    this.#work('expiring documents', this.#expiring),
    this.#work('connections that come and go', this.#comingAndGoing),
    this.#work('change streams', this.#watching),
  ];
  readonly #stood: string[] = [];
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

  /** Resolves when all have ended, which they do even if the set answers nobody. */
  async run(): Promise<void> {
    await Promise.all(this.#works.map((work) => this.#repeatedly(work)));
  }

  /** @returns what has stood still since this was last asked: a turn that never ended, and a work without any turn that ended well */
  stoodStill(): string[] {
    const stood = this.#stood.splice(0);
    for (const work of this.#works) {
      if (work.turns === 0)
        stood.push(`${work.name}, of which no turn ended well; the last failed with: ${work.failure}`);
      work.turns = 0;
    }
    return stood;
  }

  stop(): void {
    this.#over = true;
  }

  /** @returns how many acknowledged writes are missing */
  async lost(): Promise<number> {
    // Those that are being removed now are in it no more.
    const expected = [...this.#kept];
    const client = new MongoClient(this.#uri, { readConcern: { level: 'majority' }, serverSelectionTimeoutMS: 60_000 });
    try {
      const found = await client.db('app').collection<Kept>('kept').find().toArray();
      const there = new Set(found.map(({ _id }) => _id));
      return expected.filter((id) => this.#kept.has(id) && !there.has(id)).length;
    } finally {
      await client.close();
    }
  }

  #work(name: string, turn: Work['turn']): Work {
    return { name, turn, turns: 0, failure: 'nothing' };
  }

  /** A work has a client for some seconds; errors come from kills, and it begins anew. */
  async #repeatedly(work: Work): Promise<void> {
    while (!this.#over) {
      const client = new MongoClient(this.#uri, OPTIONS);
      const uri = this.#uri;
      try {
        while (!this.#over && this.#uri === uri) {
          await this.#bounded(`a turn of ${work.name}`, TURN_MS, work.turn.call(this, client));
          work.turns += 1;
        }
      } catch (error) {
        work.failure = (error as Error).message;
        await sleep(100);
      }
      await this.#bounded(`the end of a client of ${work.name}`, CLOSE_MS, client.close()).catch(() => {});
    }
  }

  /** Waits for at most `ms`, and notes what stood still. */
  async #bounded(what: string, ms: number, done: Promise<void>): Promise<void> {
    await within(ms, what, done, (text) => this.#stood.push(text));
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
