import type { CommandDefinition } from '@replsim/database';
import type { Operation } from '@replsim/operations';
import type { Reply } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { Shutdown } from './shutdown.ts';

/** Upstream: shutdown.idl, kShutdownCmdDefaultTimeoutSecs. */
const DEFAULT_TIMEOUT_SECS = 15;

/** `shutdown`: who asks hears nothing if it works, as the connection closes with the process. Upstream: shutdown.cpp. */
export function shutdownCommand(host: {
  readonly shutdown: Shutdown;
  readonly indexBuilds: { readonly count: number };
}): CommandDefinition {
  return {
    name: 'shutdown',
    help: 'ends the server',
    auth: { action: 'shutdown', resource: 'cluster' },
    api: 'none',
    kind: 'other',
    secondaries: 'always',
    maintenanceOk: true,
    adminOnly: true,
    localhostOnly: true,
    *run({ args }): Operation<Reply> {
      const force = args.strictBool('force') ?? false;
      const timeoutSecs = Math.max(args.number('timeoutSecs') ?? DEFAULT_TIMEOUT_SECS, 0);
      if (!force && host.indexBuilds.count > 0) {
        throw new CommandError('ConflictingOperationInProgress', 'Index builds in progress');
      }
      yield* host.shutdown.begin({ timeoutMillis: timeoutSecs * 1000, insists: force });
      yield { type: 'wait', what: 'other', ready: () => false };
      return {};
    },
  };
}
