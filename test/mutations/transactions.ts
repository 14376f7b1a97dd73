import { isNullOpTime, NULL_OP_TIME, type OplogEntry } from '@replsim/protocol';
import type { StoredDocument } from '@replsim/storage';
import { deserialize as decode } from 'bson';
import { type Mutation, pretend } from './mutation.ts';

const CHAINED = '{ maxNumberOfTransactionOperationsInSingleOplogEntry: 1 }';

const IN_THREE_ENTRIES = `
replicaSet:
  members: [{ name: n1, priority: 2, parameters: ${CHAINED} }, n2, { name: n3, parameters: { replBatchLimitOperations: 1 } }]
steps:
  - eventually: { within: 60s, primary: n1 }
  - insert: { into: app.c, documents: [{ _id: 0 }], writeConcern: { w: 3 } }
  - startTransaction: { session: s, options: { writeConcern: { w: 3, wtimeout: 5000 } } }
  - insert: { session: s, into: app.c, documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] }
  - commitTransaction: { session: s }
  - eventually: { within: 10s, same: all }
`;

const beginsChain = ({ operation, prevOpTime }: OplogEntry) =>
  operation.transaction?.partialTxn === true && isNullOpTime(prevOpTime ?? NULL_OP_TIME);

export const transactions: readonly Mutation[] = [
  {
    name: 'a secondary that applies the first entry of a transaction as it comes',
    fires: ['transactionsAreWhole'],
    members: ['n3'],
    change({ core: { engine }, oplog }) {
      const insert = engine.insert.bind(engine);
      const update = engine.update.bind(engine);
      // The row of a session says of a transaction in several entries that it is in progress, with the first of them.
      const applyFirst = (ns: string, { bytes }: StoredDocument) => {
        if (ns !== 'config.transactions' || decode(bytes).state !== 'inProgress') return;
        let at = oplog.endIndex - 1;
        while (at >= oplog.firstIndex && !beginsChain(oplog.at(at)!)) at--;
        const first = oplog.at(at)?.applyOps?.[0];
        if (!first?.document) return;
        const document = first.document as StoredDocument;
        const present = engine.collection(first.ns)?.findById(document.idKey);
        if (present === undefined) insert(first.ns, document);
        else update(first.ns, present, document);
      };
      engine.insert = (ns, document, options) => {
        const recordId = insert(ns, document, options);
        applyFirst(ns, document);
        return recordId;
      };
      engine.update = (ns, recordId, document, options) => {
        const before = update(ns, recordId, document, options);
        applyFirst(ns, document);
        return before;
      };
    },
    scenario: IN_THREE_ENTRIES,
  },
  {
    name: 'a primary that lets the last committer win',
    fires: ['firstCommitterWins'],
    members: ['n1'],
    change({ core: { engine } }) {
      const begin = engine.begin.bind(engine);
      engine.begin = (base) => {
        const data = begin(base);
        // What it has before is what it saw, and no other transaction is in its way.
        const changes: (() => void)[] = [];
        const update = data.update.bind(data);
        const commit = data.commit.bind(data);
        data.update = (ns, recordId, document) => {
          if (!engine.collection(ns)?.get(recordId)) return update(ns, recordId, document);
          changes.push(() => engine.update(ns, recordId, document));
          return data.collection(ns)!.get(recordId)!;
        };
        data.commit = () => {
          commit();
          for (const change of changes) change();
        };
        return data;
      };
    },
    scenario: `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }
steps:
  - eventually: { within: 60s, primary: n1 }
  - insert: { into: app.c, documents: [{ _id: 1, n: 0 }], writeConcern: { w: 3 } }
  - startTransaction: { session: a }
  - startTransaction: { session: b }
  - find: { session: a, in: app.c, is: [{ _id: 1, n: 0 }] }
  - find: { session: b, in: app.c, is: [{ _id: 1, n: 0 }] }
  - update: { session: a, in: app.c, filter: { _id: 1 }, update: { $inc: { n: 1 } } }
  - commitTransaction: { session: a }
  - update: { session: b, in: app.c, filter: { _id: 1 }, update: { $inc: { n: 1 } }, as: second }
  - advance: 1s
  - commitTransaction: { session: b, as: ended }
  - advance: 1s
`,
  },
  {
    name: 'a primary whose transactions see what is written behind their beginning',
    fires: ['snapshotReadsSeeOneState'],
    members: ['n1'],
    change({ core: { engine } }) {
      const begin = engine.begin.bind(engine);
      engine.begin = () => begin(engine);
    },
    scenario: `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }
steps:
  - eventually: { within: 60s, primary: n1 }
  - insert: { into: bank.accounts, documents: [{ _id: 1, balance: 50 }], writeConcern: { w: 3 } }
  - startTransaction: { session: s }
  - find: { session: s, in: bank.other }
  - update: { in: bank.accounts, filter: { _id: 1 }, update: { $inc: { balance: 1 } } }
  - find: { session: s, in: bank.accounts }
  - abortTransaction: { session: s }
`,
  },
  {
    name: 'a secondary whose snapshots of a time gone by are of now',
    fires: ['snapshotReadsSeeOneState'],
    members: ['n3'],
    after({ core: { engine }, repl }) {
      if (repl) repl.history.at = () => engine;
    },
    scenario: `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }
steps:
  - eventually: { within: 60s, primary: n1 }
  - workload: { name: bank, every: 20ms, transfer: { in: bank.accounts, accounts: 3, initial: 10 }, writeConcern: { w: 3 } }
  - advance: 1s
  - let: { then: { on: n1, command: { ping: 1 }, path: operationTime } }
  - advance: 1s
  - run: { on: n3, readPreference: secondary, db: bank, command: { find: accounts, readConcern: { level: snapshot, atClusterTime: $then } } }
  - stop: bank
`,
  },
  {
    name: 'a member whose change streams show what nobody has committed',
    fires: ['streamsShowEachChangeOnce'],
    members: ['n1'],
    after({ oplog, repl }) {
      if (repl) pretend(repl, 'committedEnd', () => oplog.endIndex);
    },
    scenario: `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }
steps:
  - eventually: { within: 60s, primary: n1 }
  - watch: { name: w, on: n1, in: app.c }
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: majority } }
  - partition: [[n1], [n2, n3]]
  - insert: { on: n1, into: app.c, documents: [{ _id: 2 }], writeConcern: { w: 1 } }
  - advance: 5s
`,
  },
];
