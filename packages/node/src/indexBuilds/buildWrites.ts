import type { CommitQuorum } from '@replsim/pipeline';
import { type CommandError, splitNamespace } from '@replsim/protocol';
import { type BuildCommandName, encodeBuildCommand } from './buildCommands.ts';
import type { IndexBuild } from './indexBuild.ts';
import type { MemberBuilds } from './memberBuilds.ts';

/**
 * What a member that accepts writes records of its builds. The entry of `config.system.indexBuilds` comes before the start
 * and goes after the end, so that a member that knows a build knows its quorum too. Upstream: _setUpIndexBuildInner.
 */
export function writeStart(builds: MemberBuilds, build: IndexBuild, quorum: CommitQuorum | undefined): void {
  const { core } = builds;
  const twoPhase = build.protocol === 'twoPhase';
  builds.host.writes.checkAccepted(build.ns);
  if (twoPhase) builds.readiness.add(build, quorum ?? 'votingMembers');
  core.engine.enterBuild(build.ns, { uuid: build.uuid, durable: twoPhase }, build.specs);
  if (twoPhase) write(builds, build, 'startIndexBuild');
}

export function writeCommit(builds: MemberBuilds, build: IndexBuild): void {
  write(builds, build, 'commitIndexBuild');
}

export function writeAbort(builds: MemberBuilds, build: IndexBuild, cause: CommandError): void {
  write(builds, build, 'abortIndexBuild', cause);
}

/** One `createIndexes` for each, as for an empty collection: the indexes are there already. */
export function writeCommitAlone({ host }: MemberBuilds, build: IndexBuild): void {
  for (const spec of build.specs) host.writes.recordIndex(build.ns, spec.bytes);
}

function write({ host }: MemberBuilds, build: IndexBuild, name: BuildCommandName, cause?: CommandError): void {
  const specs = build.specs.map(({ bytes }) => bytes);
  const [, collection] = splitNamespace(build.ns);
  const o = encodeBuildCommand(name, collection, build.uuid, specs, cause);
  host.writes.recordCommand(build.ns, o, build.collectionUuid);
}
