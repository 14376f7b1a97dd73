const mongoose = require('mongoose');

const Order = mongoose.model('Order', new mongoose.Schema({ item: String, quantity: Number }));

test('orders are kept', async () => {
  await Order.create([
    { item: 'pen', quantity: 2 },
    { item: 'ink', quantity: 1 },
  ]);
  const orders = await Order.find().sort({ item: 1 });
  expect(orders.map(({ item }) => item)).toEqual(['ink', 'pen']);
});

test('the last one is found', async () => {
  const last = await Order.findOne().sort({ quantity: -1 });
  expect(last.item).toBe('pen');
});
