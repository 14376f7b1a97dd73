const mongoose = require('mongoose');

test('a file begins with nothing', async () => {
  const items = mongoose.connection.collection('items');
  expect(await items.countDocuments()).toBe(0);
  await items.insertOne({ _id: 'pen' });
  await expect(items.insertOne({ _id: 'pen' })).rejects.toMatchObject({ code: 11000 });
});
