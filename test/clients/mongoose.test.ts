import mongoose, { type Mongoose, Schema } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useServedSet } from './servedSets.ts';

// A smoke run of mongoose: what its own users do on a day.

const served = useServedSet({ members: 3 });
let goose: Mongoose;

const define = () => {
  const author = new Schema(
    { name: { type: String, required: true, unique: true }, born: { type: Number, max: 2100 } },
    { timestamps: true, optimisticConcurrency: true },
  );
  const book = new Schema({
    title: String,
    copies: { type: Number, default: 1 },
    author: { type: Schema.Types.ObjectId, ref: 'Author' },
  });
  const session = new Schema({ user: String, lastSeen: { type: Date, expires: '1m' } });
  const shape = new Schema({ colour: String }, { discriminatorKey: 'kind' });
  const Shape = goose.model('Shape', shape);
  return {
    Author: goose.model('Author', author),
    Book: goose.model('Book', book),
    Session: goose.model('Session', session),
    Shape,
    Circle: Shape.discriminator('Circle', new Schema({ radius: Number })),
    Square: Shape.discriminator('Square', new Schema({ side: Number })),
  };
};
let models: ReturnType<typeof define>;

beforeAll(async () => {
  goose = new mongoose.Mongoose();
  await goose.connect(served().uri, { dbName: 'goose' });
  models = define();
  await Promise.all(Object.values(models).map((model) => model.init()));
});
afterAll(() => goose?.disconnect());

test('models make their collections and indexes, and make them again without a word', async () => {
  const { Session, Author } = models;
  expect(await Session.collection.indexes()).toMatchObject([
    { name: '_id_' },
    { name: 'lastSeen_1', expireAfterSeconds: 60 },
  ]);
  expect(await Author.collection.indexes()).toMatchObject([{ name: '_id_' }, { name: 'name_1', unique: true }]);
  await Author.createCollection();
  await Author.ensureIndexes();
  expect(await Author.syncIndexes()).toEqual([]);
});

test('create, populate and aggregate', async () => {
  const { Author, Book } = models;
  const [ann, ben] = await Author.create([{ name: 'Ann' }, { name: 'Ben', born: 1950 }]);
  expect(ann!.createdAt).toBeInstanceOf(Date);
  await Book.insertMany([
    { title: 'A', author: ann!._id },
    { title: 'B', author: ben!._id, copies: 3 },
    { title: 'C', author: ben!._id, copies: 4 },
  ]);
  const found = await Book.findOne({ title: 'A' }).populate<{ author: { name: string } }>('author').orFail();
  expect(found.author.name).toBe('Ann');
  const sums = await Book.aggregate([
    { $group: { _id: '$author', copies: { $sum: '$copies' } } },
    { $lookup: { from: 'authors', localField: '_id', foreignField: '_id', as: 'author' } },
    { $unwind: '$author' },
    { $project: { _id: 0, name: '$author.name', copies: 1 } },
    { $sort: { name: 1 } },
  ]);
  expect(sums).toEqual([
    { copies: 1, name: 'Ann' },
    { copies: 7, name: 'Ben' },
  ]);
  expect(await Book.find().sort('-copies').skip(1).limit(1).lean()).toMatchObject([{ title: 'B' }]);
  expect(await Book.distinct('title')).toEqual(['A', 'B', 'C']);
});

test('unique means unique, and required is looked at before anything is sent', async () => {
  const { Author } = models;
  await Author.create({ name: 'Cay' });
  await expect(Author.create({ name: 'Cay' })).rejects.toMatchObject({ code: 11000, keyValue: { name: 'Cay' } });
  await expect(Author.create({})).rejects.toMatchObject({ name: 'ValidationError' });
  const tooYoung = Author.updateOne({ name: 'Cay' }, { born: 3000 }, { runValidators: true });
  await expect(tooYoung).rejects.toMatchObject({ name: 'ValidationError' });
});

test('updates: by pipeline, with the document back, many at once', async () => {
  const { Book } = models;
  await Book.create({ title: 'D', copies: 2 });
  await Book.updateOne({ title: 'D' }, [{ $set: { copies: { $multiply: ['$copies', 10] } } }], {
    updatePipeline: true,
  });
  const after = await Book.findOneAndUpdate({ title: 'D' }, { $inc: { copies: 1 } }, { returnDocument: 'after' });
  expect(after?.copies).toBe(21);
  const result = await Book.bulkWrite([
    { insertOne: { document: { title: 'E' } } },
    { updateOne: { filter: { title: 'D' }, update: { $set: { copies: 0 } } } },
    { updateOne: { filter: { title: 'F' }, update: { $set: { copies: 5 } }, upsert: true } },
    { deleteOne: { filter: { title: 'E' } } },
  ]);
  expect(result).toMatchObject({ insertedCount: 1, modifiedCount: 1, upsertedCount: 1, deletedCount: 1 });
  expect(await Book.countDocuments({ title: { $in: ['D', 'E', 'F'] } })).toBe(2);
  await expect(Book.findOne({ title: 'never' }).orFail()).rejects.toMatchObject({ name: 'DocumentNotFoundError' });
});

test('timestamps move, and a stale version is noticed', async () => {
  const { Author } = models;
  const author = await Author.create({ name: 'Dot' });
  author.born = 1;
  await author.save();
  const found = await Author.findById(author._id).orFail();
  expect(found.born).toBe(1);
  expect(found.updatedAt.getTime()).toBeGreaterThanOrEqual(found.createdAt.getTime());
  author.born = 2;
  await author.save();
  found.born = 3;
  await expect(found.save()).rejects.toMatchObject({ name: 'VersionError' });
});

test('a session reads what it wrote, on whatever member', async () => {
  const { Book } = models;
  const session = await goose.startSession({ causalConsistency: true });
  for (const copies of [1, 2, 3]) {
    await new Book({ title: 'In a session', copies }).save({ session, w: 1 });
    const found = Book.find({ title: 'In a session' }).session(session).read('secondary').lean();
    expect((await found).map((each) => each.copies)).toEqual([1, 2, 3].slice(0, copies));
  }
  await session.endSession();
});

test('a cursor goes through all in batches', async () => {
  const { Shape } = models;
  await Shape.insertMany(Array.from({ length: 250 }, (_, i) => ({ colour: `c${i % 5}` })));
  let seen = 0;
  for await (const { colour } of Shape.find({ colour: /^c/ }).cursor({ batchSize: 40 })) if (colour) seen++;
  expect(seen).toBe(250);
});

test('discriminators share a collection', async () => {
  const { Shape, Circle, Square } = models;
  await Circle.create({ colour: 'red', radius: 2 });
  await Square.create({ colour: 'red', side: 3 });
  expect(await Shape.countDocuments({ colour: 'red' })).toBe(2);
  expect(await Circle.find().lean()).toMatchObject([{ kind: 'Circle', radius: 2 }]);
});

test('documents with `expires` go when their time has come', async () => {
  const { Session } = models;
  const now = served().set.wallMs(served().primary!);
  await Session.create([
    { user: 'a', lastSeen: new Date(now) },
    { user: 'b', lastSeen: new Date(now + 3_600_000) },
  ]);
  await served().advance(61_000_000);
  await served().untilTtlPass();
  expect((await Session.find().lean()).map(({ user }) => user)).toEqual(['b']);
});

test('saves go on across a step-down and a death', async () => {
  const { Author } = models;
  const author = await Author.create({ name: 'Eve', born: 0 });
  const save = async (born: number) => {
    author.born = born;
    await author.save();
  };
  const first = save(1);
  await served().stepDown({ secs: 12 });
  await first;
  await save(2);
  await served().advance(20_000_000);
  const killed = await served().untilPrimary();
  await served().act({ type: 'kill', member: killed });
  const last = save(3);
  await served().untilPrimary();
  await last;
  expect(await Author.findOne({ name: 'Eve' }).lean()).toMatchObject({ born: 3 });
  await served().start(killed);
});

test('a stream that was opened before the connection shows the first document, once it is ready', async () => {
  const connection = goose.createConnection();
  const Early = connection.model('Early', new Schema({ name: String }));
  const stream = Early.watch();
  const ready = new Promise((resolve) => stream.once('ready', resolve));
  const shown = new Promise<{ fullDocument: { name: string } }>((resolve) => stream.once('change', resolve));
  await connection.openUri(served().uri, { dbName: 'early' });
  await ready;
  await Early.create({ name: 'first' });
  expect((await shown).fullDocument.name).toBe('first');
  await stream.close();
  await connection.close();
});
