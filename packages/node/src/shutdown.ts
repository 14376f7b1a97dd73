import { CommandError } from '@replsim/protocol';
import type { Mongod } from './mongod.ts';
import type { Operation } from './operations/operation.ts';
import { logEnd } from './processLog.ts';
import { stepDownGracefully } from './replication/stepDown.ts';

const A_DAY_SECS = 86_400;

/**
 * SIGTERM: a primary hands over if it can, then everything goes to disk and the process ends.
 * Upstream: mongod_main.cpp, shutdownTask. Quiesce mode is left out: nobody holds a connection to it here.
 */
export function* shutdown(mongod: Mongod): Operation<void> {
  const { repl, core } = mongod;
  if (repl?.elections.acceptsWrites && repl.topology.others.length > 0) {
    core.log('I', 'REPL', 4784900, 'Stepping down the ReplicationCoordinator for shutdown');
    try {
      yield* stepDownGracefully(repl, {
        stepDownSecs: A_DAY_SECS,
        catchUpMillis: mongod.parameters.number('shutdownTimeoutMillisForSignaledShutdown'),
        force: false,
      });
    } catch (error) {
      // Nobody could take over in time; the process ends all the same.
      if (!(error instanceof CommandError)) throw error;
    }
  }
  mongod.ttl.stop();
  let flushed = false;
  mongod.journal.whenDurable(() => {
    flushed = true;
  });
  yield { type: 'wait', what: 'journal', ready: () => flushed };
  yield* mongod.checkpoints.takeNow();
  logEnd(core, 0);
  core.push({ type: 'exit', how: 'shutdown' });
}
