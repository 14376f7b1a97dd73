import type { CommandContext, CommandDefinition, CommandDescription } from '@replsim/database';
import { type Operation, parseWriteConcern } from '@replsim/operations';
import type { Reply } from '@replsim/pipeline';
import { encodeReplSetConfig } from '@replsim/pipeline';
import { CommandError, RawBson } from '@replsim/protocol';
import { initiate } from '../config/initiate.ts';
import { reconfig } from '../config/reconfigCommand.ts';
import type { Replication } from '../replication/replication.ts';
import type { ReplCommandHost } from './replCommandHost.ts';
import { initiatedReplicationOf, replicationOf } from './status.ts';

/** Commands about the set's configuration. Upstream: repl_set_commands.cpp. */
export function configCommands(host: ReplCommandHost): CommandDefinition[] {
  const define = (
    described: CommandDescription,
    run: (repl: Replication, context: CommandContext) => Operation<Reply>,
    { of = initiatedReplicationOf, ownMaxTime = false, writes = false } = {},
  ): CommandDefinition => ({
    ...described,
    kind: 'other',
    secondaries: 'always',
    maintenanceOk: true,
    adminOnly: true,
    ownMaxTime,
    writes,
    ownWriteConcern: true,
    *run(context): Operation<Reply> {
      const repl = of(host);
      if (parseWriteConcern(context.args)?.w === 0) {
        throw new CommandError('InvalidOptions', `${described.name} must be acknowledged: it does not support {w: 0}`);
      }
      return yield* run(repl, context);
    },
  });
  return [
    define(
      {
        name: 'replSetInitiate',
        help: 'begins a set',
        auth: { action: 'replSetConfigure', resource: 'cluster' },
        api: 'none',
      },
      initiate,
      { of: (asked) => replicationOf(asked, 'This node was not started with replication enabled.'), writes: true },
    ),
    // What the time limit means depends on how far it has come.
    define(
      {
        name: 'replSetReconfig',
        help: "changes the set's configuration",
        auth: { action: 'replSetConfigure', resource: 'cluster' },
        api: 'none',
      },
      reconfig,
      { ownMaxTime: true, writes: true },
    ),
    define(
      {
        name: 'replSetGetConfig',
        help: "shows the set's configuration",
        auth: { action: 'replSetGetConfig', resource: 'cluster' },
        api: 'none',
      },
      getConfig,
    ),
  ];
}

/** Whether it shows who has no vote yet. For tests alone. Errors: TypeMismatch 14, InvalidOptions 72. Upstream: repl_set_commands.cpp. */
function includesNewlyAdded(args: CommandContext['args'], { parameters }: Replication): boolean {
  const includes = args.strictBool('$_internalIncludeNewlyAdded');
  if (includes === undefined || parameters.bool('enableTestCommands')) return includes ?? false;
  throw new CommandError(
    'InvalidOptions',
    "The '$_internalIncludeNewlyAdded' option is only supported when testing commands are enabled",
  );
}

/** Upstream: ReplicationCoordinatorImpl::processReplSetGetConfig. */
function* getConfig(repl: Replication, { args }: CommandContext): Operation<Reply> {
  const { topology, configuration, elections, core } = repl;
  const hideNewlyAdded = !includesNewlyAdded(args, repl);
  const shown = new RawBson(encodeReplSetConfig(topology.configInForce, { hideNewlyAdded, traits: core.traits }));
  if (!args.bool('commitmentStatus')) return { config: shown };
  if (!elections.acceptsWrites) {
    throw new CommandError('NotWritablePrimary', 'commitmentStatus is only supported on primary.');
  }
  return {
    config: shown,
    commitmentStatus: configuration.commitment.isReplicated() && configuration.commitment.isOplogCommitted(),
  };
}
