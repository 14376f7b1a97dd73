import type { Collection, Db, Document } from 'mongodb';
import { fields, times } from './row.ts';

/** How many documents a collection of many has. */
export const MANY = 20_000;
/** How many elements an array of one document has. */
export const ELEMENTS = 100_000;
const BATCH = 5000;

async function fill(collection: Collection<Document>, count: number, make: (index: number) => Document): Promise<void> {
  for (let at = 0; at < count; at += BATCH)
    await collection.insertMany(times(Math.min(BATCH, count - at), (i) => make(at + i)));
}

const one = (name: string, make: () => Document) => async (db: Db) => {
  await db.collection(name).insertOne(make());
};

/** Collections that rows read, by their names. */
export const FIXTURES: Readonly<Record<string, (db: Db) => Promise<void>>> = {
  many: (db) =>
    fill(db.collection('many'), MANY, (i) => ({
      _id: i as never,
      k: i,
      g: i % 100,
      s: `text ${i} of many`,
      t: new Date(i * 1000),
    })),
  few: (db) => fill(db.collection('few'), 1000, (i) => ({ _id: i as never, k: i, parent: i - 1 })),
  words: async (db) => {
    await fill(db.collection('words'), MANY, (i) => ({ s: `dog cat bird${i % 500} tree${i % 7}` }));
    await db.collection('words').createIndex({ s: 'text' });
  },
  places: async (db) => {
    await fill(db.collection('places'), MANY, (i) => ({
      p: { type: 'Point', coordinates: [(i % 359) - 179, (i % 177) - 88] },
    }));
    await db.collection('places').createIndex({ p: '2dsphere' });
  },
  array: one('array', () => ({ a: times(ELEMENTS, (i) => i) })),
  objects: one('objects', () => ({ a: times(ELEMENTS, (i) => ({ k: (i * 7919) % ELEMENTS, v: i })) })),
  strings: one('strings', () => ({ a: times(20_000, (i) => `element ${i}`) })),
  wide: one('wide', () => fields(20_000, (i) => [`f${i}`, i])),
  text: one('text', () => ({ s: 'ab '.repeat(700_000) })),
  letters: one('letters', () => ({ s: 'a'.repeat(30_000) })),
  changed: async (db) => {
    await db.createCollection('changed', { changeStreamPreAndPostImages: { enabled: true } });
    await fill(db.collection('changed'), MANY, (i) => ({ _id: i as never, k: i }));
  },
};
