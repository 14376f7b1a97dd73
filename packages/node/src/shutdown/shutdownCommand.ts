import { CommandError, decodePromoted } from '@replsim/protocol';
import type { CommandDefinition, Reply } from '../commands/command.ts';
import type { Mongod } from '../mongod.ts';
import type { Operation } from '../operations/operation.ts';
import { truthOf } from '../replCommands/electionCommands.ts';

/** Upstream: shutdown.idl, kShutdownCmdDefaultTimeoutSecs. */
const DEFAULT_TIMEOUT_SECS = 15;

/** `shutdown`: who asks hears nothing if it works, as the connection closes with the process. Upstream: shutdown.cpp. */
export function shutdownCommand(mongod: Mongod): CommandDefinition {
  return {
    name: 'shutdown',
    secondaries: 'always',
    maintenanceOk: true,
    adminOnly: true,
    *run({ args }): Operation<Reply> {
      const fields = decodePromoted(args.bytes) as { readonly force?: unknown; readonly timeoutSecs?: unknown };
      const force = truthOf(fields.force);
      const timeoutSecs = timeoutOf(fields.timeoutSecs);
      if (!force && isBuildingIndexes(mongod)) {
        throw new CommandError('ConflictingOperationInProgress', 'Index builds in progress');
      }
      yield* mongod.shutdown.begin({ timeoutMillis: timeoutSecs * 1000, insists: force });
      yield { type: 'wait', what: 'other', ready: () => false };
      return {};
    },
  };
}

function timeoutOf(value: unknown): number {
  if (value === undefined || value === null) return DEFAULT_TIMEOUT_SECS;
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw new CommandError('TypeMismatch', `BSON field 'shutdown.timeoutSecs' is the wrong type`);
  }
  return Math.max(Math.trunc(Number(value)), 0);
}

function isBuildingIndexes({ scheduler }: Mongod): boolean {
  for (const { commandName } of scheduler.operations) if (commandName === 'createIndexes') return true;
  return false;
}
