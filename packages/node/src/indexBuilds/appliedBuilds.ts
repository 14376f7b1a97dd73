import { BsonWriter, CommandError, ElementCursor, type OplogEntry, type OplogOperation } from '@replsim/protocol';
import { type CollectionView, type IndexSpec, parseIndexSpec } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import type { ApplyMode, OplogBuilds } from '../data/applyHost.ts';
import { commandNameOf, decodeBuildCommand } from './buildCommands.ts';
import { logMadeAtOnce } from './buildLog.ts';
import { IndexBuild, sameUuid } from './indexBuild.ts';
import type { IndexBuilds } from './indexBuilds.ts';

/**
 * Carries out what the oplog says of builds. In `recovery` it changes the catalog alone, as nobody builds yet: what is
 * not over at the end is restarted then. Upstream: applyStartIndexBuild, applyCommitIndexBuild, applyAbortIndexBuild.
 */
export class AppliedBuilds implements OplogBuilds {
  readonly #builds: IndexBuilds;
  readonly #core: Core;

  constructor(builds: IndexBuilds) {
    this.#builds = builds;
    this.#core = builds.core;
  }

  apply(operation: OplogOperation, collection: CollectionView | undefined, mode: ApplyMode): void {
    // Upstream: a member of `buildIndexes: false` passes over all of it.
    if (!collection || !this.#builds.host.buildsIndexes) return;
    const { buildUuid, specs, cause } = decodeBuildCommand(operation.o);
    switch (commandNameOf(operation)) {
      case 'startIndexBuild':
        return this.#start(collection, buildUuid, specs, mode);
      case 'commitIndexBuild':
        return this.#commit(collection, buildUuid);
      case 'abortIndexBuild': {
        const error = new CommandError(cause?.code ?? 'IndexBuildAborted', cause?.errmsg ?? '');
        return this.#abort(collection, buildUuid, error);
      }
    }
  }

  /** Before 4.4 an index that was built in the foreground becomes ready with its `createIndexes` entry. */
  seesTo(collection: CollectionView, indexName: string): boolean {
    if (!isTaken(collection, indexName)) return false;
    const build = this.#builds.of(collection).find(({ names }) => names.includes(indexName));
    if (build?.locksDatabase && build.isScanned) this.#builds.commitByOplog(build);
    return true;
  }

  madeAtOnce(collection: CollectionView, spec: IndexSpec): void {
    logMadeAtOnce(this.#core, collection, spec);
  }

  leave(collection: CollectionView): void {
    for (const build of this.#builds.of(collection)) this.#builds.leave(build);
  }

  /** Enters a build that another member has begun in the catalog, and begins it here. @param bytes specs, BSON */
  begin(collection: CollectionView, uuid: Uint8Array, bytes: readonly Uint8Array[]): void {
    const specs = bytes.map((spec) => parseIndexSpec(spec));
    const protocol = this.#core.traits.twoPhaseIndexBuilds ? 'twoPhase' : 'behind';
    this.#core.engine.enterBuild(collection.ns, { uuid, durable: true }, specs);
    this.#builds.begin(new IndexBuild(collection, uuid, specs, protocol));
  }

  /**
   * Whether an entry cannot be applied before a build of this member is further: its own commit, whose documents are not
   * all in yet; before 4.4 an index that is built in the foreground, which begins with this question, and whatever else
   * changes a collection that is being indexed.
   */
  holdsBack({ operation, applyOps }: OplogEntry): boolean {
    if (operation.op !== 'c' || applyOps) return false;
    const name = commandNameOf(operation);
    if (name === 'commitIndexBuild') {
      const build = this.#builds.find(decodeBuildCommand(operation.o).buildUuid);
      if (build?.failed && !build.isScanned) return dieOfBuild(this.#core, build);
      return build !== undefined && !build.isScanned;
    }
    if (this.#core.traits.twoPhaseIndexBuilds) return false;
    const collection = operation.ui && this.#core.engine.collectionByUuid(operation.ui);
    if (!collection) return false;
    if (name === 'createIndexes') return this.#waitsForForeground(collection, operation);
    return this.#builds.of(collection).length > 0;
  }

  #start(collection: CollectionView, uuid: Uint8Array, bytes: readonly Uint8Array[], mode: ApplyMode): void {
    // Data that are newer than the entry may have the index already, ready or not.
    const specs = bytes.map((spec) => parseIndexSpec(spec));
    if (isUnfinished(collection, uuid) || specs.some(({ name }) => isTaken(collection, name))) return;
    if (mode !== 'recovery') return this.begin(collection, uuid, bytes);
    this.#core.engine.enterBuild(collection.ns, { uuid, durable: true }, specs);
  }

  #commit(collection: CollectionView, uuid: Uint8Array): void {
    const build = this.#builds.find(uuid);
    if (build) return this.#builds.commitByOplog(build);
    const unfinished = collection.unfinished.find((each) => sameUuid(each.uuid, uuid));
    if (!unfinished) return;
    const { ns } = collection;
    const { engine } = this.#core;
    const names = unfinished.indexes.map(({ spec }) => spec.name);
    engine.beginBuild(ns, uuid);
    engine.scanForBuild(ns, uuid, Number.POSITIVE_INFINITY, { lenient: true });
    engine.finishBuild(ns, uuid, { lenient: true });
    for (const name of names) this.#builds.host.observer.indexChanged(ns, name);
  }

  #abort(collection: CollectionView, uuid: Uint8Array, cause: CommandError): void {
    const build = this.#builds.find(uuid);
    if (build) this.#builds.abort(build, cause);
    else if (isUnfinished(collection, uuid)) this.#core.engine.abandonBuild(collection.ns, uuid);
  }

  /** Before 4.4 a secondary builds what its primary has built: in the foreground nothing else is applied meanwhile. */
  #waitsForForeground(collection: CollectionView, { o }: OplogOperation): boolean {
    const spec = specOf(o);
    const builds = this.#builds.of(collection);
    const under = builds.find(({ specs }) => specs.some(({ name }) => name === spec.name));
    if (under) return under.locksDatabase && !under.isScanned;
    if (isTaken(collection, spec.name) || collection.count === 0 || !this.#builds.host.buildsIndexes) return false;
    const uuid = this.#core.ids.uuid();
    this.#core.engine.enterBuild(collection.ns, { uuid, durable: true }, [spec]);
    const build = new IndexBuild(collection, uuid, [spec], 'behind', { locksDatabase: !spec.background });
    this.#builds.begin(build);
    return build.locksDatabase;
  }
}

function isTaken({ indexes, unfinished }: CollectionView, name: string): boolean {
  return [...indexes, ...unfinished.flatMap((build) => build.indexes)].some(({ spec }) => spec.name === name);
}

function isUnfinished({ unfinished }: CollectionView, wanted: Uint8Array): boolean {
  return unfinished.some(({ uuid }) => sameUuid(uuid, wanted));
}

/** The primary commits what this member could not build: a restarted process tries again. Upstream: fassert 51101. */
function dieOfBuild(core: Core, { id }: IndexBuild): true {
  core.log('F', 'ASSERT', 23089, 'Fatal assertion', { msgid: 51101, error: `Index build: ${id}` });
  core.push({ type: 'exit', how: 'fatal', detail: `fatal assertion 51101: the index build ${id} has failed here` });
  return true;
}

function specOf(o: Uint8Array) {
  const writer = new BsonWriter();
  const cursor = new ElementCursor(o);
  while (cursor.next()) if (cursor.name !== 'createIndexes') writer.rawValue(cursor.name, cursor);
  return parseIndexSpec(writer.finish());
}
