import type { CommandContext, CommandDefinition, Reply } from '../commands/command.ts';
import { initiate } from '../config/initiate.ts';
import { reconfig } from '../config/reconfig.ts';
import type { Mongod } from '../mongod.ts';
import type { Operation } from '../operations/operation.ts';

/** Commands that change a set. Upstream: repl_set_commands.cpp. */
export function replicationAdminCommands(mongod: Mongod): CommandDefinition[] {
  const always = { secondaries: 'always', maintenanceOk: true, adminOnly: true } as const;
  const define = (name: string, run: (context: CommandContext) => Operation<Reply>): CommandDefinition => ({
    name,
    ...always,
    run,
  });
  return [
    define('replSetInitiate', (context) => initiate(mongod, context)),
    define('replSetReconfig', (context) => reconfig(mongod, context)),
  ];
}
