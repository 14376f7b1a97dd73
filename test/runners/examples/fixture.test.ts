import { test } from 'replsim/vitest';
import { describe, expect } from 'vitest';

// A set and a client of its own for each test that asks for them.
const small = test.extend({ replicaSetOptions: { members: 1 } });

describe.concurrent('orders', () => {
  small('are kept', async ({ client }) => {
    const orders = client.db('app').collection('orders');
    await orders.insertOne({ item: 'pen' });
    expect(await orders.countDocuments()).toBe(1);
  });

  small('survive a restart', async ({ replicaSet, client }) => {
    const orders = client.db('app').collection('orders');
    await orders.insertOne({ item: 'ink' }, { writeConcern: { w: 'majority' } });
    await replicaSet.kill('n1');
    await replicaSet.start('n1');
    await replicaSet.untilPrimary();
    expect(await orders.countDocuments()).toBe(1);
  });
});
