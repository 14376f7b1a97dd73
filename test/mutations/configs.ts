import type { Mongod } from '@replsim/node';
import type { HeartbeatReply, MemberConfig, ReplSetConfig, RequestVotesCommand } from '@replsim/protocol';
import { type Mutation, rewrite } from './mutation.ts';

const LED_BY_N1 = `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3], spares: [n4, n5] }
steps:
  - eventually: { within: 60s, primary: n1 }
  - advance: 5s`;

/** Each config is put in force as another. */
function asIf(mongod: Mongod, change: (config: ReplSetConfig) => ReplSetConfig): void {
  const { topology } = mongod.repl!;
  const install = topology.install.bind(topology);
  topology.install = (config) => install(change(config));
}

/** `force` with none of its marks: who makes no checks also leaves no trace of having skipped them. */
function skipChecks(mongod: Mongod): void {
  asIf(mongod, (config) => (config.term === -1 ? { ...config, term: mongod.repl!.topology.term } : config));
}

export const configs: readonly Mutation[] = [
  {
    name: 'a member that puts an older config in force',
    fires: ['configMonotonic'],
    members: ['n3'],
    change({ repl }) {
      const { topology } = repl!;
      const install = topology.install.bind(topology);
      topology.install = (config) => {
        const before = topology.config;
        install(config);
        if (before !== undefined) install(before);
      };
    },
    scenario: `${LED_BY_N1}
  - reconfig: { update: { $set: { "members.1.priority": 0.5 } } }
  - advance: 5s
`,
  },
  {
    name: 'a member that reads a config its own way',
    fires: ['sameConfigSameContent'],
    members: ['n3'],
    hears: (event) =>
      rewrite(event, (message) => {
        if (message.kind !== 'response' || !('replSetHeartbeat' in message.reply || 'config' in message.reply))
          return message;
        const reply = message.reply as HeartbeatReply;
        if (reply.config === undefined) return message;
        const members = reply.config.members.map((member): MemberConfig => ({ ...member, priority: 1 }));
        return { ...message, reply: { ...reply, config: { ...reply.config, members } } };
      }),
    scenario: LED_BY_N1,
  },
  {
    name: 'a set that lets nobody be elected',
    fires: ['electableMemberExists'],
    change: (mongod) =>
      asIf(mongod, (config) => ({ ...config, members: config.members.map((member) => ({ ...member, priority: 0 })) })),
    scenario: `
replicaSet: { members: [n1] }
steps:
  - advance: 5s
`,
  },
  {
    name: 'a secondary that makes a config',
    fires: ['reconfigOnlyOnPrimary'],
    members: ['n2'],
    change: skipChecks,
    scenario: `${LED_BY_N1}
  - reconfig: { on: n2, force: true, update: { $set: { "members.1.priority": 0.5 } } }
  - advance: 5s
`,
  },
  {
    name: 'a primary that changes two voters at once',
    fires: ['oneVotingChange'],
    members: ['n1'],
    change: skipChecks,
    scenario: `${LED_BY_N1}
  - reconfig: { on: n1, force: true, update: { $push: { members: { $each: [{ _id: 7, host: "n4:27017" }, { _id: 8, host: "n5:27017" }] } } } }
  - advance: 5s
`,
  },
  {
    name: 'a primary that makes a config before a majority has the one before',
    fires: ['oneVotingChange'],
    members: ['n1'],
    change: ({ repl }) => {
      repl!.configuration.commitment.isReplicated = () => true;
    },
    scenario: `${LED_BY_N1}
  - link: { from: n1, to: n2, latencyMs: [400, 400] }
  - link: { from: n2, to: n1, latencyMs: [400, 400] }
  - link: { from: n1, to: n3, latencyMs: [400, 400] }
  - link: { from: n3, to: n1, latencyMs: [400, 400] }
  - reconfig: { on: n1, update: { $set: { "members.1.priority": 0.5 } }, as: first }
  - advance: 900ms
  - reconfig: { on: n1, update: { $set: { "members.2.priority": 0.5 } }, as: second }
  - advance: 3s
`,
  },
  {
    name: "a primary that makes a config before its term's first entry is committed",
    fires: ['oneVotingChange'],
    members: ['n1'],
    change: ({ repl }) => {
      repl!.configuration.commitment.isOplogCommitted = () => true;
    },
    scenario: `${LED_BY_N1}
  - reconfig: { on: n1, update: { $set: { "members.1.priority": 0.5 } } }
  - hold: { on: [n2, n3], part: fetch }
  - stepDown: { on: n1, stepDownSecs: 1, force: true }
  - advance: 2s
  - run: { on: n1, db: admin, command: { replSetStepUp: 1 } }
  - eventually: { within: 10s, on: n1, command: { hello: 1 }, matches: { isWritablePrimary: true } }
  - advance: 3s
  - reconfig: { on: n1, update: { $set: { "members.2.priority": 0.5 } }, as: attempt }
  - advance: 3s
`,
  },
  {
    name: 'a primary that makes configs whose majorities do not overlap',
    fires: ['activeConfigsOverlap', 'oneVotingChange'],
    members: ['n1'],
    change: skipChecks,
    scenario: `${LED_BY_N1}
  - reconfig: { on: n1, force: true, update: { $pull: { members: { _id: { $gt: 0 } } } } }
  - advance: 5s
`,
  },
  {
    name: 'a voter that does not look how old the config of the candidate is',
    fires: ['activeConfigsInOrder'],
    members: ['n2', 'n3'],
    hears: (event, mongod) =>
      rewrite(event, (message) => {
        const config = mongod.repl!.topology.config;
        if (message.kind === 'request' && 'replSetRequestVotes' in message.command && config !== undefined) {
          const command = message.command as RequestVotesCommand;
          return { ...message, command: { ...command, configVersion: config.version, configTerm: config.term } };
        }
        // The candidate has heard of no newer config than its first.
        if (message.kind === 'response' && mongod.core.host === 'n3:27017' && 'config' in message.reply) {
          const { config: newer, ...reply } = message.reply as HeartbeatReply;
          return newer !== undefined && newer.version > 1 ? { ...message, reply } : message;
        }
        return message;
      }),
    scenario: `${LED_BY_N1}
  - reconfig: { update: { $set: { "members.1.priority": 0.5 } } }
  - advance: 5s
  - run: { on: n3, db: admin, command: { replSetStepUp: 1, skipDryRun: true }, as: attempt }
  - advance: 10s
`,
  },
];
