import { fieldSet } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CommandDefinition } from '../definition.ts';
import { atOnce } from '../replies/atOnce.ts';

const PREPARE_FIELDS = fieldSet('prepareTransaction');

/** Both are for the members of a cluster to send each other. */
const BETWEEN_SHARDS = {
  auth: { action: 'internal', resource: 'cluster' },
  api: 'none',
  kind: 'other',
  secondaries: 'never',
  maintenanceOk: false,
  adminOnly: true,
  ownWriteConcern: true,
} as const;

/**
 * `prepareTransaction` and `coordinateCommitTransaction`, by which shards commit together: a plain set knows their names, and
 * that it is no shard. Simplification: with test commands a mongod prepares for its own tests. Errors:
 * ShardingStateNotInitialized 203, by which a statement gives its transaction up; but a coordinator does not take the
 * session, so that what is open there goes on.
 * Upstream: txn_two_phase_commit_cmds.cpp.
 */
export const twoPhaseCommitCommands: readonly CommandDefinition[] = [
  {
    name: 'prepareTransaction',
    help: 'prepares a transaction that several shards commit together',
    ...BETWEEN_SHARDS,
    run: atOnce(({ args }) => {
      args.allow(PREPARE_FIELDS);
      throw notSharded(args.name);
    }),
  },
  {
    name: 'coordinateCommitTransaction',
    help: 'decides whether shards commit a transaction',
    ...BETWEEN_SHARDS,
    leavesSession: true,
    run: atOnce(({ args }) => {
      if (!args.documents('participants')) args.missing('participants');
      throw notSharded(args.name);
    }),
  },
];

function notSharded(name: string): CommandError {
  return new CommandError(
    'ShardingStateNotInitialized',
    `Cannot accept sharding commands if sharding state has not been initialized: ${name} is for shards, and this is none`,
  );
}
