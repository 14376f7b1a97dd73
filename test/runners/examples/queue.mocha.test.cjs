const assert = require('node:assert');
const { MongoClient } = require('mongodb');
const { ReplicaSet } = require('replsim');
const sinon = require('sinon');
const { JobQueue } = require('./jobQueue.cjs');

let set;
let client;

before(async () => {
  set = await ReplicaSet.start({ members: 3 });
  client = new MongoClient(set.uri);
});

after(async () => {
  await client?.close();
  await set?.stop();
});

it('a worker that dies costs a job its lease, a failover nothing, and what is done expires', async () => {
  const queue = new JobQueue(client.db('app'));
  await queue.prepare();
  set.useFakeTimers(sinon);

  const tries = [];
  await queue.add({ _id: 'mail' });
  const dies = queue.work(() => new Promise(() => {}));
  await set.advance('6s'); // it has polled, and taken the job
  dies();

  const stop = queue.work(async (job) => void tries.push(job.tries));
  await set.advance('10s');
  assert.deepEqual(tries, []); // somebody else has it still
  await set.kill('primary');
  await set.advance('30s'); // the next primary, the end of the lease, a poll
  assert.deepEqual(tries, [2]);
  stop();

  assert.equal(await queue.jobs.countDocuments(), 1);
  await set.advance('62m');
  assert.equal(await queue.jobs.countDocuments(), 0);
  assert.deepEqual(set.now(), new Date());
});
