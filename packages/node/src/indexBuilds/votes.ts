import { type Operation, sleep, spend } from '@replsim/operations';
import type { CommitQuorum } from '@replsim/pipeline';
import {
  CommandError,
  compareOpTimes,
  invariant,
  type MemberCommand,
  type MemberRequest,
  type OkReply,
  type VoteAbortIndexBuildCommand,
  type VoteCommitIndexBuildCommand,
} from '@replsim/protocol';
import { ask } from '../core/call.ts';
import { logBuild } from './buildLog.ts';
import type { IndexBuild } from './indexBuild.ts';
import type { MemberBuilds } from './memberBuilds.ts';
import { checkSatisfiable, isSatisfied } from './satisfiedQuorum.ts';

/** Between two tries to reach a primary; the length is ours. Unit: µs. */
const RETRY_PAUSE_MICROS = 1_000_000;

// --- the voter ---

/**
 * Tells the current primary until a majority knows or the build is decided: a vote that only a deposed primary knew
 * would be lost. A primary that has its quorum does not wait for the majority. Upstream: _signalPrimaryForCommitReadiness.
 */
export function* voteForCommit(builds: MemberBuilds, build: IndexBuild): Operation<void> {
  const { host } = builds.core;
  const command = { voteCommitIndexBuild: build.uuid, hostAndPort: host };
  build.hasVoted = yield* tellPrimary(builds, build, command, function* () {
    recordVote(builds, build, host);
    return yield* untilMajorityKnows(builds, build);
  });
}

/** @returns whether it does: the build may be decided before, or this member be deposed. */
function* untilMajorityKnows(builds: MemberBuilds, build: IndexBuild): Operation<boolean> {
  const set = builds.set;
  invariant(set !== undefined, 'a build of a set is built in a set');
  const opTime = set.lastWritten;
  const known = () => compareOpTimes(set.commitPoint, opTime) >= 0;
  const over = () => build.outcome !== undefined || build.quorumSatisfied || !builds.isPrimary;
  yield { type: 'wait', what: 'indexBuild', ready: () => over() || known() };
  return builds.isPrimary && known();
}

/** Upstream: _signalPrimaryForAbortAndWaitForExternalAbort. */
export function* askForAbort(builds: MemberBuilds, build: IndexBuild, error: CommandError): Operation<void> {
  const reason = error.message;
  const command = { voteAbortIndexBuild: build.uuid, hostAndPort: builds.core.host, reason };
  yield* tellPrimary(builds, build, command, function* () {
    builds.abort(build, error);
    return true;
  });
  yield { type: 'wait', what: 'indexBuild', ready: () => build.outcome !== undefined };
}

/**
 * @param here what to do on a primary
 * @returns whether it was told, and not decided before
 */
function* tellPrimary(
  builds: MemberBuilds,
  build: IndexBuild,
  command: MemberCommand,
  here: () => Operation<boolean>,
): Operation<boolean> {
  const { core, host: member, set } = builds;
  const decided = () => build.outcome !== undefined;
  const primary = () => (builds.isPrimary ? core.host : set?.primaryHost);
  while (!decided()) {
    yield { type: 'wait', what: 'indexBuild', ready: () => decided() || primary() !== undefined };
    if (decided()) return false;
    const host = primary();
    if (builds.isPrimary) {
      yield* member.fsyncLock.wait();
      if (builds.isPrimary && !decided()) return yield* here();
    } else if (host === undefined || host === core.host || !(yield* tell(builds, host, command))) {
      yield* sleep(RETRY_PAUSE_MICROS);
    } else return true;
  }
  return false;
}

/**
 * Whatever else the primary answers, it is told again: also that it shuts down, which ends its own part alone.
 * @returns whether the answer settles it
 */
function* tell({ core }: MemberBuilds, host: string, command: MemberCommand): Operation<boolean> {
  const answer = yield* ask<OkReply>(core, host, 'admin', command);
  if (!answer) return false;
  // The primary does not abort: it is about to commit, or is through with it. Upstream: log 7329400.
  return answer.ok !== 0 || answer.code === CANNOT_BE_ABORTED;
}

/** Upstream: MemberBuildsCoordinatorMongod::voteAbortIndexBuild, an assertion without a name. */
const CANNOT_BE_ABORTED = 7329202;

// --- the primary ---

/** Notes that a member is ready; with enough of them the build may be committed. Throws NoMatchingDocument 47. */
function recordVote(builds: MemberBuilds, build: IndexBuild, host: string): void {
  const readiness = builds.readiness.read(build);
  // Nobody is asked, so nobody is noted.
  if (readiness?.commitQuorum !== 0) builds.readiness.addReady(build, host);
  checkQuorum(builds, build);
}

/** Looks whether enough members are ready. Upstream: _signalIfCommitQuorumIsSatisfied. */
export function checkQuorum(builds: MemberBuilds, build: IndexBuild): void {
  const config = builds.set?.config;
  const readiness = builds.readiness.read(build);
  if (!config || !readiness || build.quorumSatisfied) return;
  // A primary commits when it is itself ready, whatever the others are.
  const ready = new Set(readiness.commitReadyMembers);
  if (!build.isScanned || !isSatisfied(config, readiness.commitQuorum, ready)) return;
  build.quorumSatisfied = true;
  logBuild(builds.core, build, 3856201, 'Index build: commit quorum satisfied', { ...readiness });
  builds.core.wake();
}

/** Answers another member that is ready to commit. */
export function onCommitVote(builds: MemberBuilds, request: MemberRequest): void {
  const { voteCommitIndexBuild, hostAndPort } = request.command as VoteCommitIndexBuildCommand;
  answerVote(builds, request, 'voteCommitIndexBuild', takeVote(builds, voteCommitIndexBuild, hostAndPort));
}

/** Answers another member that cannot go on. */
export function onAbortVote(builds: MemberBuilds, request: MemberRequest): void {
  const { voteAbortIndexBuild, hostAndPort, reason } = request.command as VoteAbortIndexBuildCommand;
  answerVote(builds, request, 'voteAbortIndexBuild', takeAbort(builds, voteAbortIndexBuild, hostAndPort, reason));
}

function answerVote(
  { core, host }: MemberBuilds,
  { from, channel, id }: MemberRequest,
  commandName: string,
  operation: Operation<void>,
): void {
  const labels = { desc: 'conn', ns: 'admin.$cmd', commandName, killable: 'whenNotPrimary' } as const;
  host.scheduler.run(labels, operation, (ended) => {
    if (!('error' in ended)) return core.respond(from, channel, id, { ok: 1 });
    const { code, message: errmsg } = ended.error;
    core.respond(from, channel, id, { ok: 0, code, errmsg });
  });
}

/** A member is ready. Throws what its answer says. Upstream: MemberBuildsCoordinatorMongod::voteCommitIndexBuild. */
function* takeVote(builds: MemberBuilds, uuid: Uint8Array, host: string): Operation<void> {
  yield* spend(builds.core.costs.commandMicros);
  yield* builds.host.fsyncLock.wait();
  const build = requireBuild(builds, uuid);
  recordVote(builds, build, host);
  // Told again, it has nothing to write, and what it wrote the first time may be known to nobody else yet.
  const { set } = builds;
  if (set) yield* set.awaitMajority(set.lastWritten);
}

/** A member cannot go on. Upstream: MemberBuildsCoordinatorMongod::voteAbortIndexBuild. */
function* takeAbort(builds: MemberBuilds, uuid: Uint8Array, host: string, reason: string): Operation<void> {
  yield* spend(builds.core.costs.commandMicros);
  yield* builds.host.fsyncLock.wait();
  const build = requireBuild(builds, uuid, CANNOT_BE_ABORTED);
  builds.abort(
    build,
    new CommandError('IndexBuildAborted', `'voteAbortIndexBuild' received from '${host}': ${reason}`),
  );
}

function requireBuild(builds: MemberBuilds, uuid: Uint8Array, code: 'NoSuchKey' | number = 'NoSuchKey'): IndexBuild {
  if (!builds.isPrimary) throw new CommandError('NotWritablePrimary', 'not primary');
  const build = builds.find(uuid);
  if (!build) throw new CommandError(code, 'there is no build of this UUID');
  return build;
}

/** Throws CommandError 278 and 79, BadValue 2 where one is without quorum, CommandFailed 125 when it comes too late. */
export function changeQuorum(builds: MemberBuilds, build: IndexBuild, quorum: CommitQuorum): void {
  const config = builds.set?.config;
  if (config) checkSatisfiable(config, quorum);
  const current = builds.readiness.read(build)?.commitQuorum;
  if (current === 0 || quorum === 0) {
    throw new CommandError('BadValue', 'this index build has no commit quorum to change');
  }
  if (build.quorumSatisfied) {
    throw new CommandError('CommandFailed', 'the index build is about to commit, too late for another commit quorum');
  }
  builds.readiness.setQuorum(build, quorum);
  checkQuorum(builds, build);
}
