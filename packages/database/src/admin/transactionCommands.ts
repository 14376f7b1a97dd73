import { CommandError } from '@replsim/protocol';
import { atOnce } from '../atOnce.ts';
import type { CommandDefinition, CommandDescription } from '../definition.ts';
import { fieldSet } from '../fields/arguments.ts';

/**
 * `commitTransaction` and `abortTransaction`. With `autocommit: false` they are refused as all that belongs to a transaction
 * is (`operationSession`), which this program does not have; without it there is no transaction that they could end.
 * Errors: CommandFailed 125. Upstream: txn_cmds.cpp.
 */
export const transactionCommands: readonly CommandDefinition[] = [
  ending({ name: 'commitTransaction', help: 'makes the writes of a transaction last', auth: 'user', api: 'v1' }),
  ending({ name: 'abortTransaction', help: 'ends a transaction and undoes it', auth: 'user', api: 'v1' }),
];

function ending(described: CommandDescription): CommandDefinition {
  const { name } = described;
  const fields = fieldSet(name, 'commitTimestamp', 'durableTimestamp', 'recoveryToken');
  return {
    ...described,
    secondaries: 'never',
    maintenanceOk: false,
    adminOnly: true,
    ownWriteConcern: true,
    run: atOnce(({ args }) => {
      args.allow(fields);
      throw new CommandError('CommandFailed', `${name} needs a transaction that is under way, and there is none`);
    }),
  };
}
