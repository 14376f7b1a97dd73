import { CommandError } from '@replsim/protocol';
import { parseWriteConcern } from '../concernRequests.ts';
import type { CommandContext, CommandDefinition, CommandDescription } from '../definition.ts';
import { fieldSet } from '../fields/arguments.ts';
import { type Operation, spend } from '../operations/operation.ts';
import type { Reply } from '../reply.ts';
import type { Session } from '../sessions/session.ts';

/**
 * `commitTransaction` and `abortTransaction`. A commit may be repeated: it is answered from the session's row, wherever and as often
 * as it is asked for. Errors: CommandFailed 125 outside of a transaction, NoSuchTransaction 251, TransactionCommitted 256,
 * WriteConflict 112, TransactionTooLarge 257, InvalidOptions 72. Upstream: txn_cmds.cpp.
 */
export const transactionCommands: readonly CommandDefinition[] = [
  ending(
    { name: 'commitTransaction', help: 'makes the writes of a transaction last', auth: 'user', api: 'v1' },
    commit,
  ),
  ending({ name: 'abortTransaction', help: 'ends a transaction and undoes it', auth: 'user', api: 'v1' }, abort),
];

function ending(
  described: CommandDescription,
  end: (context: CommandContext, session: Session) => Operation<Reply>,
): CommandDefinition {
  const { name } = described;
  const fields = fieldSet(name, 'commitTimestamp', 'durableTimestamp', 'recoveryToken');
  return {
    ...described,
    secondaries: 'never',
    maintenanceOk: false,
    adminOnly: true,
    ownWriteConcern: true,
    *run(context) {
      const { args, transaction } = context;
      args.allow(fields);
      if (transaction) return yield* end(context, transaction);
      throw new CommandError('CommandFailed', `${name} needs a transaction that is under way, and there is none`);
    },
  };
}

function* commit({ args, member }: CommandContext, session: Session): Operation<Reply> {
  if (args.has('commitTimestamp')) {
    throw new CommandError('InvalidOptions', 'commitTimestamp is for prepared transactions, and this one is not');
  }
  if (!session.participant.isOpen) return {};
  yield* spend(member.costs.commitMicros);
  session.commit(parseWriteConcern(args));
  return {};
}

function* abort(_context: CommandContext, session: Session): Operation<Reply> {
  session.abort();
  return {};
}
