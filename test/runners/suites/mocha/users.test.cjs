const assert = require('node:assert/strict');
const mongoose = require('mongoose');
const { MongoMemoryServer } = require('mongodb-memory-server');

// As projects test their models with mocha and mongoose: one server for the file, emptied after each test.

const User = mongoose.model(
  'User',
  new mongoose.Schema({
    name: { type: String, required: true, unique: true },
    tags: [String],
    seen: { type: Number, default: 0 },
  }),
);

describe('users', () => {
  let mongoServer;

  before(async () => {
    mongoServer = await MongoMemoryServer.create({ binary: { version: '7.0.14' }, instance: { dbName: 'users' } });
    await mongoose.connect(mongoServer.getUri(), { dbName: 'users' });
    await User.init();
  });

  afterEach(async () => {
    for (const collection of Object.values(mongoose.connection.collections)) await collection.deleteMany({});
  });

  after(async () => {
    await mongoose.disconnect();
    await mongoServer.stop();
  });

  it('are counted', async () => {
    assert.equal(await User.countDocuments(), 0);
    await User.create({ name: 'ada', tags: ['a', 'b'] });
    assert.equal(await User.countDocuments({ tags: 'b' }), 1);
  });

  it('have a name that nobody else has', async () => {
    await User.create({ name: 'ada' });
    await assert.rejects(User.create({ name: 'ada' }), { code: 11000 });
    await assert.rejects(User.create({}), mongoose.Error.ValidationError);
  });

  it('can be updated, and found by what they were updated to', async () => {
    const ada = await User.create({ name: 'ada' });
    await User.updateOne({ _id: ada._id }, { $inc: { seen: 2 }, $push: { tags: 'c' } });
    const found = await User.findOne({ seen: { $gte: 2 } }).lean();
    assert.deepEqual(found.tags, ['c']);
  });

  it('are summed up', async () => {
    await User.insertMany([
      { name: 'ada', tags: ['a'], seen: 1 },
      { name: 'bob', tags: ['a', 'b'], seen: 3 },
    ]);
    const sums = await User.aggregate([
      { $unwind: '$tags' },
      { $group: { _id: '$tags', seen: { $sum: '$seen' } } },
      { $sort: { _id: 1 } },
    ]);
    assert.deepEqual(sums, [
      { _id: 'a', seen: 4 },
      { _id: 'b', seen: 3 },
    ]);
  });

  it('know the server', () => {
    const { port, ip } = mongoServer.instanceInfo;
    assert.equal(mongoServer.getUri(), `mongodb://${ip}:${port}/`);
    assert.equal(mongoServer.state, 'running');
  });
});
