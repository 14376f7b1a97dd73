import { NULL_TIMESTAMP, type OplogEntry, type OplogReply } from '@replsim/protocol';
import { type Mutation, pretend, rewrite } from './mutation.ts';

const LED_BY_N1 = `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }
steps:
  - eventually: { within: 60s, primary: n1 }
  - advance: 5s`;

const TEN_INSERTS = `${LED_BY_N1}
  - insert: { into: app.c, count: 10, document: { _id: $i }, writeConcern: { w: 1 } }
  - insert: { into: app.c, documents: [{ _id: a }], writeConcern: { w: 1 } }
  - insert: { into: app.c, documents: [{ _id: b }], writeConcern: { w: 3, wtimeout: 5000 } }
  - eventually: { within: 10s, same: all }
`;

export const oplogs: readonly Mutation[] = [
  {
    name: 'a primary that gives a timestamp twice',
    fires: [
      'logOrder',
      'logMatching',
      'clusterTimeAdvances',
      'appliedMonotone',
      'dataEqualAtSameOpTime',
      'sameIndexesAtSameOpTime',
    ],
    members: ['n1'],
    change(mongod) {
      const { localOplog } = mongod.repl!;
      const log = localOplog.logOperations.bind(localOplog);
      localOplog.logOperations = (operations, ...more) => {
        const { core, oplog } = mongod;
        const { clusterTime } = core;
        const { last } = oplog;
        if (mongod.repl!.elections.acceptsWrites) {
          core.clusterTime = NULL_TIMESTAMP;
          pretend(oplog, 'last', () => ({ ts: NULL_TIMESTAMP, t: last.t }));
          // The oplog's own guard would stop the run before anybody could judge.
          pretend(oplog, 'lastEntry', () => undefined);
        }
        try {
          return log(operations, ...more);
        } finally {
          Reflect.deleteProperty(oplog, 'last');
          Reflect.deleteProperty(oplog, 'lastEntry');
          core.clusterTime = clusterTime;
        }
      };
    },
    scenario: TEN_INSERTS,
  },
  {
    name: 'a member that forgets what time it has seen',
    fires: ['clusterTimeAdvances'],
    members: ['n1'],
    change: ({ core }) => pretend(core, 'clusterTime', () => NULL_TIMESTAMP),
    scenario: `${LED_BY_N1}
  - partition: [[n1], [n2, n3]]
  - clock: { on: n1, jump: 1h }
  - insert: { into: app.c, documents: [{ _id: lost }], writeConcern: { w: 1 } }
  - clock: { on: n1, jump: -1h }
  - eventually: { within: 60s, state: { n1: SECONDARY } }
  - eventually: { within: 60s, primary: any }
  - heal: all
  - eventually: { within: 90s, primary: n1 }
`,
  },
  {
    name: 'a secondary that leaves out an entry',
    fires: ['logMatching'],
    members: ['n3'],
    hears: (event) =>
      rewrite(event, (message) => {
        if (message.kind !== 'response' || !('batch' in message.reply)) return message;
        const reply = message.reply as OplogReply;
        const batch = reply.batch.filter(({ operation }, i) => operation.op !== 'i' || i === reply.batch.length - 1);
        return { ...message, reply: { ...reply, batch } };
      }),
    scenario: TEN_INSERTS,
  },
  {
    name: 'a secondary that does not carry out each entry',
    fires: ['dataEqualAtSameOpTime'],
    members: ['n3'],
    after({ core }) {
      const { engine } = core;
      if (Object.hasOwn(engine, 'insert')) return;
      const insert = engine.insert.bind(engine);
      let left = 3;
      engine.insert = (ns, document) => (ns === 'app.c' && left-- === 0 ? 0 : insert(ns, document));
    },
    scenario: TEN_INSERTS,
  },
  {
    name: 'a secondary that applies entries out of order',
    fires: ['dataEqualAtSameOpTime', 'sameIndexesAtSameOpTime'],
    members: ['n3'],
    change({ repl }) {
      const { applier } = repl!.replicator;
      const take = applier.take.bind(applier);
      applier.take = (entries) => take([...entries].reverse());
    },
    scenario: TEN_INSERTS,
  },
  {
    name: 'a secondary that applies a batch before the one that came first',
    fires: ['appliedMonotone'],
    members: ['n3'],
    change({ core, repl }) {
      const { applier } = repl!.replicator;
      const take = applier.take.bind(applier);
      let held: readonly OplogEntry[] | undefined;
      applier.take = (entries) => {
        if (!entries.every(({ operation }) => operation.op === 'n')) return take(entries);
        if (held === undefined) {
          held = entries;
          return;
        }
        take(entries);
        setBack(held);
        held = undefined;
      };
      /** In a batch of its own, once the first is through. */
      function setBack(entries: readonly OplogEntry[]): void {
        core.fireTimer('apply');
        take(entries);
      }
    },
    scenario: `${LED_BY_N1}
  - advance: 60s
`,
  },
  {
    name: 'a member that rolls back and does not count it',
    fires: ['rollbackIdCounts'],
    members: ['n1'],
    change: ({ repl }) => pretend(repl!, 'rbid', () => 1),
    scenario: `${LED_BY_N1}
  - partition: [[n1], [n2, n3]]
  - insert: { into: app.c, documents: [{ _id: lost }], writeConcern: { w: 1 } }
  - eventually: { within: 60s, state: { n1: SECONDARY } }
  - eventually: { within: 60s, primary: any }
  - heal: all
  - eventually: { within: 60s, on: n1, count: app.c, is: 0 }
`,
  },
  {
    name: 'a member that reports as durable what it has only written',
    fires: ['durableSurvives'],
    members: ['n1'],
    after: ({ repl }) => repl!.onJournalFlushed(repl!.positions.written),
    scenario: `${LED_BY_N1}
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 1 } }
  - kill: n1
  - start: n1
  - advance: 1s
`,
  },
];
