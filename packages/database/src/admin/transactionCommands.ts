import { type Operation, parseWriteConcern, type Session, spend, waitWhileSet } from '@replsim/operations';
import type { FailPointData } from '@replsim/pipeline';
import { fieldSet, type Reply } from '@replsim/pipeline';
import { CommandError, type FailPointName } from '@replsim/protocol';
import type { CommandContext, CommandDefinition, CommandDescription } from '../definition.ts';
import type { MemberServices } from '../member.ts';

/**
 * `commitTransaction` and `abortTransaction`. A commit may be repeated: it is answered from the session's row, wherever and as often
 * as it is asked for. Errors: CommandFailed 125 outside of a transaction, NoSuchTransaction 251, TransactionCommitted 256,
 * WriteConflict 112, TransactionTooLarge 257, InvalidOptions 72. Upstream: txn_cmds.cpp.
 */
export const transactionCommands: readonly CommandDefinition[] = [
  ending(
    { name: 'commitTransaction', help: 'makes the writes of a transaction last', auth: 'user', api: 'v1' },
    commit,
    'commitTimestamp',
  ),
  ending({ name: 'abortTransaction', help: 'ends a transaction and undoes it', auth: 'user', api: 'v1' }, abort),
];

function ending(
  described: CommandDescription,
  end: (context: CommandContext, session: Session) => Operation<Reply>,
  ...more: readonly string[]
): CommandDefinition {
  const { name } = described;
  const fields = fieldSet(name, 'recoveryToken', ...more);
  return {
    ...described,
    kind: 'other',
    secondaries: 'never',
    maintenanceOk: false,
    adminOnly: true,
    ownWriteConcern: true,
    *run(context) {
      const { args, transaction } = context;
      args.allow(fields);
      // By which a router finds the shard that knows the outcome: within one set nobody has to be found.
      args.document('recoveryToken');
      if (transaction) return yield* end(context, transaction);
      throw new CommandError('CommandFailed', `${name} must be run within a transaction`);
    },
  };
}

function* commit({ args, member }: CommandContext, session: Session): Operation<Reply> {
  const commitTimestamp = args.timestamp('commitTimestamp');
  if (!session.participant.isOpen) return {};
  yield* standAt(member, 'hangBeforeCommitingTxn', session);
  if (commitTimestamp) {
    throw new CommandError('InvalidOptions', 'commitTimestamp is for prepared transactions, and this one is not');
  }
  yield* spend(member.costs.commitMicros);
  session.commit(parseWriteConcern(args));
  return {};
}

function* abort({ member }: CommandContext, session: Session): Operation<Reply> {
  yield* standAt(member, 'hangBeforeAbortingTxn', session);
  session.abort();
  return {};
}

/** `{ uuid? }`: of one session alone. Upstream: txn_cmds.cpp. */
function* standAt(member: MemberServices, name: FailPointName, { lsid }: Session): Operation<void> {
  const concerns = ({ uuid }: FailPointData) => uuid === undefined || String(uuid).replaceAll('-', '') === lsid.key;
  yield* waitWhileSet(member, name, { concerns });
}
