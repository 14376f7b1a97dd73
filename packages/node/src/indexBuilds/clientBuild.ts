import { type BuildRequest, type BuildStats, isStateChangeError } from '@replsim/database';
import type { Operation } from '@replsim/operations';
import { CommandError, formatUuid, required } from '@replsim/protocol';
import { logBuild } from './buildLog.ts';
import type { IndexBuild } from './indexBuild.ts';
import type { IndexBuilds } from './indexBuilds.ts';

/**
 * A client's build: begins it, waits for its end, and ends it if the client is interrupted; only a member that is no
 * longer primary lets it go on without the client. Throws what ended the build, with the build named in the message.
 * Upstream: create_indexes_cmd.cpp, runCreateIndexesWithCoordinator.
 */
export function* buildForClient(builds: IndexBuilds, request: BuildRequest): Operation<BuildStats> {
  const { collection, specs, commitQuorum } = request;
  const build = builds.start(collection, specs, commitQuorum);
  logBuild(builds.core, build, 20438, 'Index build: registering', {
    indexes: specs.length,
    firstIndex: build.firstName,
  });
  logBuild(builds.core, build, 20440, 'Index build: createIndexes waits for its end');
  try {
    yield { type: 'wait', what: 'indexBuild', ready: () => build.outcome !== undefined };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    logBuild(builds.core, build, 20441, 'Index build: interrupted', { signal: error.codeName });
    interrupted(builds, build, error);
    throw named(build, error);
  } finally {
    sawAll(builds);
  }
  return statsOf(builds, build);
}

/** What the client's write concern is about: the build has written for it. Upstream: setLastOpToSystemLastOpTime. */
function sawAll({ host, set }: IndexBuilds): void {
  const { running } = host.scheduler;
  if (running && set) running.lastOpTime = set.lastWritten;
}

function interrupted(builds: IndexBuilds, build: IndexBuild, error: CommandError): void {
  if (isStateChangeError(error.code)) {
    // Who has changed the state, and the next primary, see to it.
    if (build.protocol === 'twoPhase') {
      return logBuild(builds.core, build, 4760400, 'Index build: createIndexes was interrupted, the build goes on');
    }
  }
  if (build.outcome || (build.protocol === 'twoPhase' && !builds.isPrimary)) return;
  builds.abort(build, error);
  logBuild(builds.core, build, 20443, 'Index build: aborted by the interruption');
}

function statsOf(builds: IndexBuilds, build: IndexBuild): BuildStats {
  const outcome = required(build.outcome, 'outcome of the build');
  if (outcome.type === 'committed') {
    logBuild(builds.core, build, 20447, 'Index build: completed');
    return outcome.stats;
  }
  const error =
    outcome.type === 'aborted'
      ? outcome.error
      : new CommandError('InterruptedDueToReplStateChange', 'operation was interrupted');
  logBuild(builds.core, build, 20449, 'Index build: failed', { error: error.message });
  throw named(build, error);
}

function named({ id, ns, collectionUuid }: IndexBuild, { code, message, extra }: CommandError): CommandError {
  const where = `Index build failed: ${id}: Collection ${ns} ( ${formatUuid(collectionUuid)} )`;
  return new CommandError(code, `${where} :: caused by :: ${message}`, extra);
}
