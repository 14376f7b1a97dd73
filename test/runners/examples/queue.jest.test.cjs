const os = require('node:os');
const { MongoClient } = require('mongodb');
const { ReplicaSet } = require('replsim');
const { JobQueue } = require('./jobQueue.cjs');

let set;
let client;

beforeAll(async () => {
  set = await ReplicaSet.start({ members: 3 });
  // The driver imports `os` when it connects, which jest does not allow.
  client = new MongoClient(set.uri, { runtimeAdapters: { os } });
});

afterAll(async () => {
  await client?.close();
  await set?.stop();
});

test('a worker that dies costs a job its lease, a failover nothing, and what is done expires', async () => {
  const queue = new JobQueue(client.db('app'));
  await queue.prepare();
  set.useFakeTimers(jest);

  const tries = [];
  await queue.add({ _id: 'mail' });
  const dies = queue.work(() => new Promise(() => {}));
  await set.advance('6s'); // it has polled, and taken the job
  dies();

  const stop = queue.work(async (job) => void tries.push(job.tries));
  await set.advance('10s');
  expect(tries).toEqual([]); // somebody else has it still
  await set.kill('primary');
  await set.advance('30s'); // the next primary, the end of the lease, a poll
  expect(tries).toEqual([2]);
  stop();

  expect(await queue.jobs.countDocuments()).toBe(1);
  await set.advance('62m');
  expect(await queue.jobs.countDocuments()).toBe(0);
  expect(set.now()).toEqual(new Date());
});
