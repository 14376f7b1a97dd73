import { CommandError, type MemberCommand, type OkReply } from '@replsim/protocol';
import { WriteConcerns } from '../concerns/writeConcerns.ts';
import { call } from '../operations/call.ts';
import { type Operation, spend } from '../operations/operation.ts';
import { type CommitQuorum, checkSatisfiable, isSatisfied } from './commitQuorum.ts';
import type { IndexBuild } from './indexBuild.ts';
import type { IndexBuilds } from './indexBuilds.ts';

/** Between two tries to reach a primary; the length is ours. Unit: µs. */
const RETRY_PAUSE_MICROS = 1_000_000;

// --- the voter ---

/** Tells the primary, whoever is it, until one has taken the vote or the build is decided. Upstream: _signalPrimaryForCommitReadiness. */
export function* voteForCommit(builds: IndexBuilds, build: IndexBuild): Operation<void> {
  const command = { voteCommitIndexBuild: build.uuid, hostAndPort: builds.core.host };
  yield* tellPrimary(builds, build, command, () => recordVote(builds, build, builds.core.host));
  build.hasVoted = true;
}

/** Upstream: _signalPrimaryForAbortAndWaitForExternalAbort. */
export function* askForAbort(builds: IndexBuilds, build: IndexBuild, error: CommandError): Operation<void> {
  const reason = error.message;
  const command = { voteAbortIndexBuild: build.uuid, hostAndPort: builds.core.host, reason };
  yield* tellPrimary(builds, build, command, () => builds.abort(build, error));
  yield { type: 'wait', what: 'indexBuild', ready: () => build.outcome !== undefined };
}

function* tellPrimary(
  builds: IndexBuilds,
  build: IndexBuild,
  command: MemberCommand,
  here: () => void,
): Operation<void> {
  const { core, repl, parts } = builds;
  const decided = () => build.outcome !== undefined;
  const primary = () => (builds.isPrimary ? core.host : repl?.topology.primaryHost);
  while (!decided()) {
    yield { type: 'wait', what: 'indexBuild', ready: () => decided() || primary() !== undefined };
    if (decided()) return;
    if (builds.isPrimary) {
      yield* parts.fsyncLock.wait();
      if (decided() || !builds.isPrimary) continue;
      return here();
    }
    const host = primary();
    if (host === undefined || host === core.host) {
      yield* spend(RETRY_PAUSE_MICROS);
      continue;
    }
    try {
      yield* call<OkReply>(core, host, 'admin', command);
      return;
    } catch (error) {
      if (!(error instanceof CommandError) || build.outcome) throw error;
      if (isFinal(error)) return;
      yield* spend(RETRY_PAUSE_MICROS);
    }
  }
}

/** The primary does not abort: it is about to commit, or is through with it. Upstream: log 7329400. */
function isFinal({ code }: CommandError): boolean {
  return code === CANNOT_BE_ABORTED;
}

/** Upstream: IndexBuildsCoordinatorMongod::voteAbortIndexBuild, an assertion without a name. */
const CANNOT_BE_ABORTED = 7329202;

// --- the primary ---

/** Notes that a member is ready; with enough of them the build may be committed. Throws NoMatchingDocument 47. */
export function recordVote(builds: IndexBuilds, build: IndexBuild, host: string): void {
  const readiness = builds.readiness.read(build);
  // Nobody is asked, so nobody is noted.
  if (readiness?.commitQuorum !== 0) builds.readiness.addReady(build, host);
  checkQuorum(builds, build);
}

/** Looks whether enough members are ready. Upstream: _signalIfCommitQuorumIsSatisfied. */
export function checkQuorum(builds: IndexBuilds, build: IndexBuild): void {
  const config = builds.repl?.topology.config;
  const readiness = builds.readiness.read(build);
  if (!config || !readiness || build.quorumSatisfied) return;
  // A primary commits when it is itself ready, whatever the others are.
  const ready = new Set(readiness.commitReadyMembers);
  if (!build.isScanned || !isSatisfied(config, readiness.commitQuorum, ready)) return;
  build.quorumSatisfied = true;
  builds.log(build, 3856201, 'Index build: commit quorum satisfied', { ...readiness });
  builds.core.wake();
}

/** Another member's vote. Throws what its answer says. Upstream: IndexBuildsCoordinatorMongod::voteCommitIndexBuild. */
export function* takeVote(builds: IndexBuilds, uuid: Uint8Array, host: string): Operation<void> {
  yield* spend(builds.core.costs.commandMicros);
  yield* builds.parts.fsyncLock.wait();
  const build = requireBuild(builds, uuid);
  recordVote(builds, build, host);
  const { running } = builds.parts.scheduler;
  if (running?.lastOpTime) yield* new WriteConcerns(builds.mongod).awaitMajority(running.lastOpTime);
}

/** Another member cannot go on. Upstream: IndexBuildsCoordinatorMongod::voteAbortIndexBuild. */
export function* takeAbort(builds: IndexBuilds, uuid: Uint8Array, host: string, reason: string): Operation<void> {
  yield* spend(builds.core.costs.commandMicros);
  yield* builds.parts.fsyncLock.wait();
  const build = requireBuild(builds, uuid, CANNOT_BE_ABORTED);
  builds.abort(
    build,
    new CommandError('IndexBuildAborted', `'voteAbortIndexBuild' received from '${host}': ${reason}`),
  );
}

function requireBuild(builds: IndexBuilds, uuid: Uint8Array, code: 'NoSuchKey' | number = 'NoSuchKey'): IndexBuild {
  if (!builds.isPrimary) throw new CommandError('NotWritablePrimary', 'not primary');
  const build = builds.find(uuid);
  if (!build) throw new CommandError(code, 'No index build with this UUID');
  return build;
}

/** Throws CommandError 278 and 79, BadValue 2 where one is without quorum, CommandFailed 125 when it comes too late. */
export function changeQuorum(builds: IndexBuilds, build: IndexBuild, quorum: CommitQuorum): void {
  const config = builds.repl?.topology.config;
  if (config) checkSatisfiable(config, quorum);
  const current = builds.readiness.read(build)?.commitQuorum;
  if (current === 0 || quorum === 0) {
    throw new CommandError(
      'BadValue',
      'Commit quorum value can be changed only for index builds with commit quorum enabled',
    );
  }
  if (build.quorumSatisfied) {
    throw new CommandError('CommandFailed', "Commit quorum can't be changed as index build is ready to commit");
  }
  builds.readiness.setQuorum(build, quorum);
  checkQuorum(builds, build);
}
