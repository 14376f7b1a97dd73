import { CommandError, RawBson } from '@replsim/protocol';
import type { CommandContext, CommandDefinition, Reply } from '../commands/command.ts';
import { parseWriteConcern } from '../commands/concerns.ts';
import type { Mongod } from '../mongod.ts';
import type { Operation } from '../operations/operation.ts';
import { replicationOf } from '../replCommands/status.ts';
import type { Replication } from '../replication/replication.ts';
import { encodeReplSetConfig } from './encodeConfig.ts';
import { initiate } from './initiate.ts';
import { reconfig } from './reconfigCommand.ts';

/** Commands about the set's configuration. Upstream: repl_set_commands.cpp. */
export function configCommands(mongod: Mongod): CommandDefinition[] {
  const define = (
    name: string,
    run: (repl: Replication, context: CommandContext) => Operation<Reply>,
    ownMaxTime = false,
  ): CommandDefinition => ({
    name,
    secondaries: 'always',
    maintenanceOk: true,
    adminOnly: true,
    ownMaxTime,
    *run(context): Operation<Reply> {
      const repl = replicationOf(mongod);
      if (parseWriteConcern(context.args)?.w === 0) {
        throw new CommandError('InvalidOptions', `${name} must be acknowledged: it does not support {w: 0}`);
      }
      return yield* run(repl, context);
    },
  });
  return [
    define('replSetInitiate', initiate),
    // What the time limit means depends on how far it has come.
    define('replSetReconfig', reconfig, true),
    define('replSetGetConfig', getConfig),
  ];
}

/** Upstream: ReplicationCoordinatorImpl::processReplSetGetConfig. */
function* getConfig(repl: Replication, { args }: CommandContext): Operation<Reply> {
  const { topology, configuration, elections, core } = repl;
  const { config } = topology;
  if (!config) throw new CommandError('NotYetInitialized', 'no replset config has been received');
  const shown = new RawBson(encodeReplSetConfig(config, { hideNewlyAdded: true, traits: core.traits }));
  if (!args.bool('commitmentStatus')) return { config: shown };
  if (!elections.acceptsWrites) {
    throw new CommandError('NotWritablePrimary', 'commitmentStatus is only supported on primary.');
  }
  return {
    config: shown,
    commitmentStatus: configuration.commitment.isReplicated() && configuration.commitment.isOplogCommitted(),
  };
}
