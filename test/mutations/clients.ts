import type { Mongod } from '@replsim/node';
import type { Mutation } from './mutation.ts';

const LED_BY_N1 = `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3], settings: { catchUpTimeoutMillis: 0 } }
steps:
  - eventually: { within: 60s, primary: n1 }
  - advance: 5s`;

type Scheduler = Mongod['scheduler'];
type Pause = Parameters<Scheduler['run']>[1] extends Generator<infer P, unknown, boolean> ? P : never;

/** The same operation, which waits for no write concern, and finds all written, durable and committed when it looks. */
function* hasty<T>({ repl }: Mongod, operation: Generator<Pause, T, boolean>): Generator<Pause, T, boolean> {
  const { positions } = repl!;
  let step = operation.next(true);
  while (!step.done) {
    if (step.value.type === 'wait' && step.value.what === 'writeConcern') {
      const { commitPoint, durable, written } = positions;
      positions.commitPoint = written;
      positions.durable = written;
      step = operation.next(true);
      positions.commitPoint = commitPoint;
      positions.durable = durable;
    } else step = operation.next(yield step.value);
  }
  return step.value;
}

/** Its no-ops are the newest entry that it has, so that whoever waits for one waits for nothing new. */
function withoutNoops({ repl }: Mongod): void {
  const { localOplog } = repl!;
  const write = localOplog.writeEntry.bind(localOplog);
  localOplog.writeEntry = (operation) =>
    repl!.elections.acceptsWrites && operation.op === 'n' ? repl!.oplog.lastEntry! : write(operation);
}

export const clients: readonly Mutation[] = [
  {
    name: 'a primary that acknowledges before a majority has it',
    fires: ['acknowledgedMajorityIsCommitted'],
    change(mongod) {
      const { scheduler } = mongod;
      const run = scheduler.run.bind(scheduler);
      scheduler.run = (labels, operation, ended) => run(labels, hasty(mongod, operation), ended);
    },
    scenario: `${LED_BY_N1}
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: majority } }
`,
  },
  {
    name: 'a primary that answers linearizable reads without the no-op',
    fires: ['linearizableReads'],
    members: ['n1'],
    change: withoutNoops,
    scenario: `${LED_BY_N1}
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 3 } }
  - advance: 3s
  - partition: [[n1], [n2, n3]]
  - run: { on: n2, db: admin, command: { replSetStepUp: 1 } }
  - kill: n3
  - start: n3
  - eventually: { within: 2s, on: n2, command: { hello: 1 }, matches: { isWritablePrimary: true } }
  - insert: { on: n2, into: app.c, documents: [{ _id: 2 }], writeConcern: { w: majority } }
  - advance: 10ms
  - run: { on: n1, db: app, command: { find: c, filter: { _id: 2 }, readConcern: { level: linearizable } }, as: read }
  - advance: 1s
`,
  },
  {
    name: 'a member whose majority reads see what nobody has committed',
    fires: ['readsKeepTheirPromise'],
    members: ['n1'],
    change({ repl, oplog }) {
      repl!.stableVersion = () => oplog.endIndex - 1;
    },
    scenario: `${LED_BY_N1}
  - partition: [[n1], [n2, n3]]
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 1 } }
  - run: { on: n1, db: app, command: { find: c, readConcern: { level: majority } }, matches: { "cursor.firstBatch": [] } }
`,
  },
  {
    name: 'a primary whose clients are told of their linearizable reads what was long before',
    fires: ['historiesKeepTheirPromise'],
    preceded: ['linearizableReads'],
    members: ['n1'],
    change: withoutNoops,
    scenario: `${LED_BY_N1}
  - workload:
      name: before
      every: 1h
      near: n1
      update: { in: app.c, filter: { _id: 1 }, update: { $set: { value: $i } }, upsert: true }
      writeConcern: { w: majority }
      reads: { every: 100ms, near: n1, readConcern: { level: linearizable } }
  - advance: 3s
  - partition: [[n1], [n2, n3]]
  - run: { on: n2, db: admin, command: { replSetStepUp: 1 } }
  - kill: n3
  - start: n3
  - eventually: { within: 2s, on: n2, command: { hello: 1 }, matches: { isWritablePrimary: true } }
  - workload:
      name: after
      every: 200ms
      near: n2
      update: { in: app.c, filter: { _id: 1 }, update: { $set: { value: $i } }, upsert: true }
      writeConcern: { w: majority }
      reads: { every: 100ms, near: n2, readConcern: { level: linearizable } }
  - advance: 6s
`,
  },
];
