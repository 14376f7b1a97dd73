import { BsonWriter, CommandError, ElementCursor, type OplogEntry, type OplogOperation } from '@replsim/protocol';
import { type CollectionView, parseIndexSpec } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import type { ApplyMode } from '../data/applyEntry.ts';
import type { MemberParts } from '../mongod.ts';
import { commandNameOf, decodeBuildCommand } from './buildCommands.ts';
import { IndexBuild, sameUuid } from './indexBuild.ts';

/**
 * Carries out what the oplog says of a build. In `recovery` it changes the catalog alone, as nobody builds yet: what is
 * not over at the end is begun anew then. Upstream: applyStartIndexBuild, applyCommitIndexBuild, applyAbortIndexBuild.
 */
export function applyBuildCommand(
  core: Core,
  operation: OplogOperation,
  collection: CollectionView | undefined,
  mode: ApplyMode,
  parts: MemberParts,
): void {
  // Upstream: a member of `buildIndexes: false` passes over all of it.
  if (!collection || parts.repl?.topology.self?.buildIndexes === false) return;
  const { buildUuid, specs, cause } = decodeBuildCommand(operation.o);
  switch (commandNameOf(operation)) {
    case 'startIndexBuild':
      return start(core, collection, buildUuid, specs, mode, parts);
    case 'commitIndexBuild':
      return commit(core, collection, buildUuid, parts);
    case 'abortIndexBuild':
      return abort(
        core,
        collection,
        buildUuid,
        new CommandError(cause?.code ?? 'IndexBuildAborted', cause?.errmsg ?? ''),
        parts,
      );
  }
}

function start(
  core: Core,
  collection: CollectionView,
  uuid: Uint8Array,
  bytes: readonly Uint8Array[],
  mode: ApplyMode,
  parts: MemberParts,
): void {
  // Data that are newer than the entry may have the index already, ready or not.
  const names = bytes.map((spec) => parseIndexSpec(spec).name);
  if (isUnfinished(collection, uuid) || names.some((name) => isTaken(collection, name))) return;
  if (mode !== 'recovery') return beginBuild(core, collection, uuid, bytes, parts);
  core.engine.enterBuild(
    collection.ns,
    { uuid, durable: true },
    bytes.map((spec) => parseIndexSpec(spec)),
  );
}

/** Enters a build that another member has begun in the catalog, and begins it here. @param bytes specs, BSON */
export function beginBuild(
  core: Core,
  collection: CollectionView,
  uuid: Uint8Array,
  bytes: readonly Uint8Array[],
  parts: MemberParts,
): void {
  const specs = bytes.map((spec) => parseIndexSpec(spec));
  const protocol = core.traits.twoPhaseIndexBuilds ? 'twoPhase' : 'behind';
  core.engine.enterBuild(collection.ns, { uuid, durable: true }, specs);
  parts.indexBuilds.begin(new IndexBuild(collection, uuid, specs, protocol));
}

function isTaken({ indexes, unfinished }: CollectionView, name: string): boolean {
  return [...indexes, ...unfinished.flatMap((build) => build.indexes)].some(({ spec }) => spec.name === name);
}

function isUnfinished({ unfinished }: CollectionView, wanted: Uint8Array): boolean {
  return unfinished.some(({ uuid }) => sameUuid(uuid, wanted));
}

function commit(core: Core, collection: CollectionView, uuid: Uint8Array, parts: MemberParts): void {
  const build = parts.indexBuilds.find(uuid);
  if (build) return parts.indexBuilds.commitByOplog(build);
  if (!isUnfinished(collection, uuid)) return;
  const { ns } = collection;
  const names = collection.unfinished.find((each) => sameUuid(each.uuid, uuid))!.indexes.map(({ spec }) => spec.name);
  core.engine.beginBuild(ns, uuid);
  core.engine.scanForBuild(ns, uuid, Number.POSITIVE_INFINITY, { lenient: true });
  core.engine.finishBuild(ns, uuid, { lenient: true });
  for (const name of names) parts.ttl.register(ns, name);
}

function abort(
  core: Core,
  collection: CollectionView,
  uuid: Uint8Array,
  cause: CommandError,
  parts: MemberParts,
): void {
  const build = parts.indexBuilds.find(uuid);
  if (build) parts.indexBuilds.abort(build, cause);
  else if (isUnfinished(collection, uuid)) core.engine.abandonBuild(collection.ns, uuid);
}

/**
 * Whether a build of this member sees to an index that a `createIndexes` entry names. Before 4.4 one that was built in the
 * foreground becomes ready with the entry.
 */
export function isBeingBuilt(collection: CollectionView, name: string, parts: MemberParts): boolean {
  if (!isTaken(collection, name)) return false;
  const build = parts.indexBuilds.of(collection).find(({ names }) => names.includes(name));
  if (build?.locksDatabase && build.isScanned) parts.indexBuilds.commitByOplog(build);
  return true;
}

/**
 * Whether an entry cannot be applied before a build of this member is further: its own commit, whose documents are not all
 * in yet; before 4.4 an index that is built in the foreground, which begins with this question, and whatever else changes
 * a collection that is being indexed.
 */
export function holdBackForBuild(core: Core, { operation, applyOps }: OplogEntry, parts: MemberParts): boolean {
  if (operation.op !== 'c' || applyOps) return false;
  const name = commandNameOf(operation);
  if (name === 'commitIndexBuild') {
    const build = parts.indexBuilds.find(decodeBuildCommand(operation.o).buildUuid);
    if (build?.failed && !build.isScanned) return dieOfBuild(core, build);
    return build !== undefined && !build.isScanned;
  }
  if (core.traits.twoPhaseIndexBuilds) return false;
  const collection = operation.ui && core.engine.collectionByUuid(operation.ui);
  if (!collection) return false;
  if (name === 'createIndexes') return waitsForForeground(core, collection, operation, parts);
  return parts.indexBuilds.of(collection).length > 0;
}

/** The primary commits what this member could not build: a restarted process tries again. Upstream: fassert 51101. */
function dieOfBuild(core: Core, { id }: IndexBuild): true {
  core.log('F', 'ASSERT', 23089, 'Fatal assertion', { msgid: 51101, error: `Index build: ${id}` });
  core.push({ type: 'exit', how: 'fatal', detail: `fatal assertion 51101: the index build ${id} has failed here` });
  return true;
}

/** Before 4.4 a secondary builds what its primary has built: in the foreground nothing else is applied meanwhile. */
function waitsForForeground(
  core: Core,
  collection: CollectionView,
  { o }: OplogOperation,
  parts: MemberParts,
): boolean {
  const spec = specOf(o);
  const under = parts.indexBuilds.of(collection).find(({ specs }) => specs.some(({ name }) => name === spec.name));
  if (under) return under.locksDatabase && !under.isScanned;
  if (isTaken(collection, spec.name) || collection.count === 0) return false;
  if (parts.repl?.topology.self?.buildIndexes === false) return false;
  const uuid = core.ids.uuid();
  core.engine.enterBuild(collection.ns, { uuid, durable: true }, [spec]);
  const build = new IndexBuild(collection, uuid, [spec], 'behind', { locksDatabase: !spec.background });
  parts.indexBuilds.begin(build);
  return build.locksDatabase;
}

function specOf(o: Uint8Array) {
  const writer = new BsonWriter();
  const cursor = new ElementCursor(o);
  while (cursor.next()) if (cursor.name !== 'createIndexes') writer.rawValue(cursor.name, cursor);
  return parseIndexSpec(writer.finish());
}
