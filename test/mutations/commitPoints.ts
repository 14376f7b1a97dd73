import { NULL_OP_TIME, type OplogScanReply } from '@replsim/protocol';
import { type Mutation, pretend, rewrite } from './mutation.ts';

const LED_BY_N1 = `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }
steps:
  - eventually: { within: 60s, primary: n1 }
  - advance: 5s`;

/** n1 has written what nobody else has; n2 and n3 go on without it, and n1 hears of them before it fetches. */
const DEPOSED_N1 = `${LED_BY_N1}
  - partition: [[n1], [n2, n3]]
  - insert: { into: app.c, documents: [{ _id: lost }], writeConcern: { w: 1 } }
  - eventually: { within: 60s, state: { n1: SECONDARY } }
  - eventually: { within: 60s, primary: any }
  - insert: { into: app.c, documents: [{ _id: kept }], writeConcern: { w: majority } }
  - heal: all
  - advance: 20s
`;

/** Again and again, at no round times. */
const INSERTS = Array.from(
  { length: 12 },
  (_, i) => `
  - insert: { into: app.c, documents: [{ _id: ${i} }], writeConcern: { w: majority } }
  - advance: 417ms`,
).join('');

export const commitPoints: readonly Mutation[] = [
  {
    name: 'a member that takes each commit point it hears of, higher or not',
    fires: ['monotonicCommitPoint'],
    members: ['n3'],
    change({ repl }) {
      const { progress, positions } = repl!;
      const learn = progress.learn.bind(progress);
      progress.learn = (data, how, toldBy) => {
        positions.commitPoint = { opTime: NULL_OP_TIME, wallMs: 0 };
        learn(data, how, toldBy);
      };
    },
    scenario: `${LED_BY_N1}
  - hold: { on: n2, part: fetch }
  - link: { from: n1, to: n2, latencyMs: [1200, 1200] }${INSERTS}
`,
  },
  {
    name: 'a member that learns a commit point without looking at its term',
    fires: ['commitPointSound'],
    members: ['n1'],
    change({ repl }) {
      const { progress, positions } = repl!;
      const learn = progress.learn.bind(progress);
      progress.learn = (data, how, toldBy) => {
        const { written } = positions;
        positions.written = { ...written, opTime: { ...written.opTime, t: data.lastOpCommitted.t } };
        learn(data, how, toldBy);
        positions.written = written;
      };
    },
    scenario: DEPOSED_N1,
  },
  {
    name: 'a member that rolls back behind its commit point',
    fires: ['committedNeverRolledBack', 'positionsInOrder'],
    members: ['n1'],
    change({ repl }) {
      const { divergence, positions } = repl!;
      const found = divergence.found.bind(divergence);
      // It keeps all versions of its data, and forgets what is committed when it has to go back.
      repl!.onStableMoved = () => {};
      divergence.found = (source) => {
        positions.commitPoint = { opTime: positions.initialData, wallMs: 0 };
        found(source);
      };
    },
    hears: (event) =>
      rewrite(event, (message) => {
        if (message.kind !== 'response' || !('opTimes' in message.reply)) return message;
        const reply = message.reply as OplogScanReply;
        return { ...message, reply: { ...reply, opTimes: reply.opTimes.slice(-3) } };
      }),
    scenario: DEPOSED_N1,
  },
  {
    name: 'a primary that thinks everybody has what it has',
    fires: ['commitNeedsMajority'],
    change({ repl }) {
      const { progress, positions, topology } = repl!;
      const recompute = progress.recompute.bind(progress);
      progress.recompute = () => {
        for (const view of topology.others) view.durable = positions.durable;
        recompute();
      };
    },
    scenario: `${LED_BY_N1}
  - partition: [[n1], [n2, n3]]
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 1 } }
  - advance: 1s
`,
  },
  {
    name: "a primary that commits an older term's entry by counting members",
    fires: ['commitNeedsMajority'],
    change: ({ repl }) => pretend(repl!.progress, 'firstOpTimeOfMyTerm', () => NULL_OP_TIME),
    scenario: `${LED_BY_N1}
  - link: { from: n2, to: n1, latencyMs: [50, 50] }
  - link: { from: n3, to: n1, latencyMs: [50, 50] }
  - advance: 1s
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 1 } }
  - advance: 40ms
  - kill: n1
  - eventually: { within: 60s, primary: any }
`,
  },
  {
    name: 'a primary that commits alone, and so apart from the next one',
    fires: ['committedNeverDiverges'],
    preceded: ['commitNeedsMajority', 'leaderCompleteness'],
    members: ['n1'],
    after({ core, repl }) {
      const { topology, positions, progress, elections } = repl!;
      if (core.now.monotonicMicros < 16_000_000 || !elections.acceptsWrites) return;
      for (const view of topology.others) view.durable = positions.durable;
      progress.recompute();
    },
    scenario: `${LED_BY_N1}
  - partition: [[n1], [n2, n3]]
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 1 } }
  - advance: 60s
`,
  },
  {
    name: 'a member whose stable optime is ahead of its commit point',
    fires: ['positionsInOrder'],
    members: ['n1'],
    change: ({ repl }) => pretend(repl!.positions, 'stable', () => repl!.positions.applied.opTime),
    scenario: `${LED_BY_N1}
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 1 } }
`,
  },
];
