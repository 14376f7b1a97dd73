import type { Random } from '@replsim/kernel';
import { type Db, type MongoClient, ReadConcern, type WriteConcernSettings } from 'mongodb';

/** Each is kept by a majority's journals; with less, a failover may take back what was acknowledged. */
const CONCERNS: readonly WriteConcernSettings[] = [{ w: 'majority' }, { w: 2, j: true }];

interface Numbered {
  _id: number;
  n?: number;
}

/** Every kind of write: what it does, and what must hold from its acknowledgement on. */
export class Ledger {
  readonly #present = new Set<string>();
  readonly #absent = new Set<string>();
  readonly #atLeast = new Map<number, number>();
  #next = 0;
  acknowledged = 0;

  /** One write of any kind. Errors are the writer's: nothing was promised then. */
  async write(client: MongoClient, writer: number, random: Random): Promise<void> {
    const db = client.db('app');
    const id = this.#next++;
    const writeConcern = CONCERNS[id % CONCERNS.length]!;
    const documents = db.collection<Numbered>('documents');
    const kind = random.int(0, 99);
    if (kind < 40) {
      await documents.insertOne({ _id: id }, { writeConcern });
      this.#present.add(`documents ${id}`);
    } else if (kind < 55) await this.#count(db, writer, writeConcern);
    else if (kind < 70) {
      await documents.insertMany([{ _id: id }, { _id: id + 0.5 }], { writeConcern });
      this.#present.add(`documents ${id}`).add(`documents ${id + 0.5}`);
    } else if (kind < 80) {
      await documents.insertOne({ _id: id }, { writeConcern });
      await documents.deleteOne({ _id: id }, { writeConcern });
      this.#absent.add(`documents ${id}`);
    } else if (kind < 95) await this.#transact(client, id);
    else await this.#define(db, id, writeConcern);
    this.acknowledged += 1;
  }

  /** A counter of the writer's own. */
  async #count(db: Db, writer: number, writeConcern: WriteConcernSettings): Promise<void> {
    const options = { upsert: true, returnDocument: 'after', writeConcern } as const;
    const counters = db.collection<Numbered>('counters');
    const after = await counters.findOneAndUpdate({ _id: writer }, { $inc: { n: 1 } }, options);
    this.#atLeast.set(writer, Math.max(this.#atLeast.get(writer) ?? 0, after?.n ?? 0));
  }

  async #transact(client: MongoClient, id: number): Promise<void> {
    await client.withSession((session) =>
      session.withTransaction(
        async () => {
          for (const name of ['left', 'right'])
            await client.db('app').collection<Numbered>(name).insertOne({ _id: id }, { session });
        },
        { writeConcern: { w: 'majority' }, timeoutMS: 2000 },
      ),
    );
    this.#present.add(`left ${id}`).add(`right ${id}`);
  }

  /** A collection that stays with its index, or goes. */
  async #define(db: Db, id: number, writeConcern: WriteConcernSettings): Promise<void> {
    const name = `c${id}`;
    await db.createCollection(name, { writeConcern });
    if (id % 2 === 0) {
      await db.command({ createIndexes: name, indexes: [{ key: { a: 1 }, name: 'a_1' }], writeConcern });
      this.#present.add(`collection ${name}`).add(`index ${name}`);
    } else {
      await db.command({ drop: name, writeConcern });
      this.#absent.add(`collection ${name}`);
    }
  }

  /** @returns what does not hold, which must be nothing */
  async broken(client: MongoClient): Promise<string[]> {
    const db = client.db('app', { readConcern: new ReadConcern('majority') });
    const ids = async (name: string) =>
      (
        await db
          .collection<Numbered>(name)
          .find({}, { projection: { _id: 1 } })
          .toArray()
      ).map(({ _id }) => _id);
    const there = new Set<string>();
    for (const name of ['documents', 'left', 'right']) for (const id of await ids(name)) there.add(`${name} ${id}`);
    for (const { name } of await db.listCollections({ name: /^c\d/ }).toArray()) {
      there.add(`collection ${name}`);
      const indexes = await db.collection(name).listIndexes().toArray();
      if (indexes.some((index) => index.name === 'a_1')) there.add(`index ${name}`);
    }
    const wrong = [...this.#present].filter((each) => !there.has(each)).map((each) => `${each} is lost`);
    wrong.push(...[...this.#absent].filter((each) => there.has(each)).map((each) => `${each} is back`));
    for (const each of there) {
      const [name, id] = each.split(' ');
      if (name === 'left' && !there.has(`right ${id}`)) wrong.push(`half of transaction ${id} is there`);
    }
    for (const { _id, n = 0 } of await db.collection<Numbered>('counters').find().toArray())
      if (n < (this.#atLeast.get(_id) ?? 0)) wrong.push(`counter ${_id} is ${n}, and was ${this.#atLeast.get(_id)}`);
    const counters = new Set(await ids('counters'));
    wrong.push(...[...this.#atLeast.keys()].filter((id) => !counters.has(id)).map((id) => `counter ${id} is lost`));
    return wrong;
  }
}
