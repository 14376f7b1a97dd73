// An application: a queue of jobs. Each worker polls, a job that is taken is taken again after a while, and what is done expires.

const POLL_MS = 5_000;
const LEASE_MS = 20_000;
const KEPT_SECONDS = 3600;

class JobQueue {
  constructor(db) {
    this.jobs = db.collection('jobs', { writeConcern: { w: 'majority' } });
  }

  async prepare() {
    await this.jobs.createIndex({ doneAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });
  }

  add(job) {
    return this.jobs.insertOne({ ...job, runAt: new Date() });
  }

  /** Works from now on. @returns how to stop it */
  work(perform) {
    const polling = setInterval(() => this.poll(perform), POLL_MS);
    return () => clearInterval(polling);
  }

  async poll(perform) {
    const now = new Date();
    const free = { doneAt: null, runAt: { $lte: now } };
    const lease = { $set: { runAt: new Date(now.getTime() + LEASE_MS) }, $inc: { tries: 1 } };
    const job = await this.jobs.findOneAndUpdate(free, lease, { returnDocument: 'after' });
    if (job === null) return;
    await perform(job);
    await this.jobs.updateOne({ _id: job._id }, { $set: { doneAt: new Date() } });
  }
}

module.exports = { JobQueue };
