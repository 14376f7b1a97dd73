import { type Killable, type Operation, spend } from '@replsim/operations';
import type { CommandArguments } from '@replsim/pipeline';
import { type CommandError, encodeReply } from '@replsim/protocol';
import { redacted } from '../access/redacted.ts';
import type { CommandDescription } from '../definition.ts';
import type { CommandHost } from '../member.ts';
import { errorReply } from '../replies/errorReply.ts';

/** A client's command, looked at but not yet run. */
export interface Request {
  /** The command's name as it is registered; as it was sent if there is no such command; empty if it is not even BSON. */
  readonly name: string;
  /** As others may see it; undefined if it is not BSON, of which nothing is shown to anybody. */
  readonly command: Uint8Array | undefined;
  /** For `currentOp` and the trace. */
  readonly ns: string;
  /** A step-down kills writes and reads of a primary's data; a rollback kills the rest. */
  readonly killable: Killable;
  /** Nobody but its client wants it: it ends when that has gone. Upstream: operation_context.h, markKillOnClientDisconnect. */
  readonly endsWithClient?: boolean;
  /** The client's session, by the hex of its UUID. */
  readonly session?: string | undefined;
  /** Of the transaction that it is a statement of, or of the retryable write that it is. */
  readonly txnNumber?: bigint | undefined;
  /** Answers it: the whole reply, BSON. A client's mistake is a reply too; only a bug of ours throws. */
  run(member: CommandHost, opId: number): Operation<Uint8Array>;
}

/** `{ …, help: true }` → `{ help }`, whatever else the command says. Upstream: commands.cpp, generateHelpResponse. */
export function explained(described: CommandDescription, args: CommandArguments): Request {
  const { name, help } = described;
  return {
    name,
    command: redacted(described, args),
    ns: args.label,
    killable: 'onRollback',
    *run(member) {
      yield* spend(member.costs.commandMicros);
      return encodeReply({ help: `help for: ${name} ${help}`, ok: 1 }, member.replyMetadata());
    },
  };
}

/**
 * A command that is not run: its name is unknown, or it is no command at all.
 * @param command undefined if it is not even BSON
 */
export function refused(
  command: Uint8Array | undefined,
  args: CommandArguments | undefined,
  error: CommandError,
): Request {
  return {
    name: args?.name ?? '',
    command,
    ns: args?.label ?? '',
    killable: 'onRollback',
    *run(member) {
      yield* spend(member.costs.commandMicros);
      member.counters.asserts.user += 1;
      return encodeReply(errorReply(error, member), member.replyMetadata());
    },
  };
}
