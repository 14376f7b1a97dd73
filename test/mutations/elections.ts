import { noopOperation } from '@replsim/oplog';
import type { OpTime, RequestVotesCommand, RequestVotesReply } from '@replsim/protocol';
import { type Mutation, pretend, rewrite } from './mutation.ts';

/** Greater than any other. */
const MAX_OP_TIME: OpTime = { ts: { t: 0xffffffff, i: 0 }, t: 1_000_000 };

/** n1 and n2 stand in the same term, both seen by n3 and neither by the other. */
const TWO_CANDIDATES = `
replicaSet: { members: [n1, n2, { name: n3, priority: 2 }] }
steps:
  - eventually: { within: 60s, primary: n3 }
  - advance: 5s
  - cut: { from: n1, to: n2 }
  - cut: { from: n2, to: n1 }
  - run: { on: n1, db: admin, command: { replSetStepUp: 1, skipDryRun: true }, as: one }
  - run: { on: n2, db: admin, command: { replSetStepUp: 1, skipDryRun: true }, as: two }
  - advance: 3s
`;

/** An election, and a while of it. */
const ELECTION = `
replicaSet: { members: [n1, n2, n3] }
steps:
  - eventually: { within: 30s, primary: any }
  - advance: 3s
`;

export const elections: readonly Mutation[] = [
  {
    name: 'a candidate that takes each answer for a yes',
    fires: ['onePrimaryPerTerm'],
    hears: (event) =>
      rewrite(event, (message) =>
        message.kind === 'response' && 'voteGranted' in message.reply
          ? { ...message, reply: { ...(message.reply as RequestVotesReply), voteGranted: true } }
          : message,
      ),
    scenario: TWO_CANDIDATES,
  },
  {
    name: 'a voter that votes twice in a term',
    fires: ['oneVotePerTerm'],
    members: ['n3'],
    hears(event, mongod) {
      const asked = event.type === 'message' && event.message.kind === 'request' ? event.message.command : {};
      if ('replSetRequestVotes' in asked) mongod.repl!.votes.lastVote = { term: -1, candidateIndex: -1 };
      return event;
    },
    scenario: TWO_CANDIDATES,
  },
  {
    name: 'a voter whose vote is not on its disk when it starts again',
    fires: ['monotonicTerms'],
    members: ['n3'],
    change({ repl, oplog }) {
      repl!.votes.lastVote = { term: -1, candidateIndex: -1 };
      repl!.topology.term = Math.max(oplog.last.t, 0);
    },
    scenario: `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }
steps:
  - eventually: { within: 60s, primary: n1 }
  - advance: 5s
  - hold: { on: n3, part: fetch }
  - stepUp: { on: n2 }
  - kill: n3
  - start: n3
  - advance: 3s
`,
  },
  {
    name: 'a member that takes no term over',
    fires: ['termBound'],
    members: ['n3'],
    change: ({ repl }) => {
      repl!.elections.updateTerm = () => {};
    },
    scenario: ELECTION,
  },
  {
    name: 'a voter that does not look how far the candidate is',
    fires: ['leaderCompleteness'],
    members: ['n2'],
    hears: (event) =>
      rewrite(event, (message) =>
        message.kind === 'request' && 'replSetRequestVotes' in message.command
          ? {
              ...message,
              command: {
                ...(message.command as RequestVotesCommand),
                lastWrittenOpTime: MAX_OP_TIME,
                lastAppliedOpTime: MAX_OP_TIME,
              },
            }
          : message,
      ),
    scenario: `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }
steps:
  - eventually: { within: 60s, primary: n1 }
  - advance: 5s
  - hold: { on: n3, part: fetch }
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: majority } }
  - cut: { from: n1, to: n3 }
  - cut: { from: n3, to: n1 }
  - run: { on: n3, db: admin, command: { replSetStepUp: 1, skipDryRun: true }, as: attempt }
  - advance: 3s
`,
  },
  {
    name: 'a primary that writes before its drain ends',
    fires: ['writesOnlyWhenAccepting', 'firstEntryOfTerm'],
    change: ({ repl }) => pretend(repl!.elections, 'acceptsWrites', () => repl!.elections.isLeader),
    scenario: `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }
steps:
  - eventually: { within: 60s, primary: n1 }
  - advance: 5s
  - hold: { on: n2, part: apply }
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 3, wtimeout: 100 } }
  - run: { on: n2, db: admin, command: { replSetStepUp: 1 }, as: attempt }
  - advance: 1s
  - run: { on: n2, db: app, command: { insert: c, documents: [{ _id: 2 }] }, error: NotWritablePrimary }
  - release: { on: n2 }
  - eventually: { within: 10s, primary: n2 }
`,
  },
  {
    name: 'a primary that goes on writing after it was deposed',
    fires: ['writesOnlyWhenAccepting'],
    members: ['n1'],
    change({ repl }) {
      let wrote = false;
      const { elections } = repl!;
      const honest = () => elections.mode === 'WritablePrimary';
      pretend(elections, 'acceptsWrites', () => {
        wrote ||= honest();
        return wrote;
      });
    },
    scenario: `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }
steps:
  - eventually: { within: 60s, primary: n1 }
  - advance: 5s
  - stepDown: { on: n1, stepDownSecs: 60, force: true }
  - run: { on: n1, db: app, command: { insert: c, documents: [{ _id: 1 }] }, error: NotWritablePrimary }
`,
  },
  {
    name: 'a primary that begins its term with another word',
    fires: ['firstEntryOfTerm'],
    change({ repl }) {
      const { localOplog } = repl!;
      const write = localOplog.writeEntry.bind(localOplog);
      let opened = false;
      localOplog.writeEntry = (operation) => {
        if (repl!.elections.isLeader && !opened) {
          opened = true;
          return write(noopOperation('hello'));
        }
        return write(operation);
      };
    },
    scenario: ELECTION,
  },
  {
    name: 'a primary that begins an initial sync',
    fires: ['leaderOnlyAppends'],
    after({ repl }, event) {
      if (event.type === 'command' && repl!.elections.isLeader) repl!.initialSyncer.start();
    },
    scenario: `${ELECTION}  - run: { on: primary, db: admin, command: { ping: 1 } }
`,
  },
  {
    name: 'a member that tells nobody that it changed',
    fires: ['topologyVersionRises'],
    change: ({ repl }) => {
      repl!.topology.bump = () => {};
    },
    scenario: ELECTION,
  },
];
