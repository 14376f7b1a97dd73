import type { BuildRequest, BuildStats, IndexBuildServices } from '@replsim/database';
import type { Operation } from '@replsim/operations';
import type { CommitQuorum } from '@replsim/pipeline';
import { CommandError, formatUuid } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import { logBuild } from './buildLog.ts';
import { buildForClient } from './clientBuild.ts';
import { type IndexBuild, sameUuid } from './indexBuild.ts';
import type { IndexBuilds } from './indexBuilds.ts';
import { checkSatisfiable } from './satisfiedQuorum.ts';
import { changeQuorum } from './votes.ts';

/** What commands see of a member's index builds. */
export class BuildServices implements IndexBuildServices {
  readonly #builds: IndexBuilds;

  constructor(builds: IndexBuilds) {
    this.#builds = builds;
  }

  /** Upstream: assertNoIndexBuildInProgForCollection. */
  checkNone(collection: CollectionView): void {
    if (this.#builds.of(collection).length === 0) return;
    const { ns, uuid } = collection;
    throw new CommandError(
      'BackgroundOperationInProgressForNamespace',
      `'${ns}' (${formatUuid(uuid)}) has an index build under way`,
    );
  }

  /** Upstream: index_catalog_impl.cpp, _doesSpecConflictWithExisting, of frozen indexes. */
  checkGoesOn({ ns, unfinished }: CollectionView, uuid: Uint8Array): void {
    if (this.#builds.set || this.#builds.find(uuid)) return;
    const left = unfinished.filter((build) => sameUuid(build.uuid, uuid)).flatMap(({ indexes }) => indexes);
    const names = left.map(({ spec }) => `'${spec.name}'`).join(', ');
    throw new CommandError(
      'CannotCreateIndex',
      `'${ns}' has the index ${names} unfinished, and a standalone does not go on with what its set builds. ` +
        'Start it as a member of the set, which ends the build',
    );
  }

  awaitDatabase(db: string): Operation<void> {
    return this.#builds.awaitDatabase(db);
  }

  get mayStart(): boolean {
    return this.#builds.count < this.#builds.host.parameters.number('maxNumActiveUserIndexBuilds');
  }

  *awaitStart(): Operation<void> {
    yield { type: 'wait', what: 'indexBuild', ready: () => this.mayStart };
  }

  build(request: BuildRequest): Operation<BuildStats> {
    return buildForClient(this.#builds, request);
  }

  checkCommitQuorum(quorum: CommitQuorum): void {
    const config = this.#builds.set?.config;
    if (!config) throw new CommandError('BadValue', 'a standalone has no commitQuorum');
    checkSatisfiable(config, quorum);
  }

  setCommitQuorum(collection: CollectionView, names: readonly string[], quorum: CommitQuorum): void {
    const build = this.#named(collection, names);
    if (!build) {
      throw new CommandError('IndexNotFound', `'${collection.ns}' has no build of indexes of these names`);
    }
    changeQuorum(this.#builds, build, quorum);
  }

  abortByNames(collection: CollectionView, names: readonly string[], reason: string): boolean {
    const build = this.#named(collection, names);
    if (!build) return false;
    logBuild(this.#builds.core, build, 23880, 'An index build is aborted', { firstIndex: names[0] });
    this.#builds.abort(build, new CommandError('IndexBuildAborted', reason));
    return true;
  }

  abortAll(collection: CollectionView, reason: string): void {
    this.#builds.abortAll(collection, reason);
  }

  /** The build that makes just these indexes. */
  #named(collection: CollectionView, wanted: readonly string[]): IndexBuild | undefined {
    const builds = this.#builds.of(collection);
    return builds.find(({ names }) => names.length === wanted.length && names.every((name) => wanted.includes(name)));
  }
}
