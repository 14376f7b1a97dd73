import type { CommitQuorum } from '@replsim/pipeline';
import { BsonWriter, CommandError, decodePromoted, required, writeJsValue } from '@replsim/protocol';
import { computeDiff } from '@replsim/query';
import { type CollectionView, StoredDocument } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import type { Writes } from '../data/writes.ts';
import type { IndexBuild } from './indexBuild.ts';

/** Upstream: namespace_string.cpp, kIndexBuildEntryNamespace. */
const NS = 'config.system.indexBuilds';

/** Who is ready to commit a build, and who has to be. */
export interface Readiness {
  readonly commitQuorum: CommitQuorum;
  /** `host:port`. */
  readonly commitReadyMembers: readonly string[];
}

/** Where a build's entry lies. */
interface Found {
  readonly collection: CollectionView;
  readonly recordId: number;
  readonly document: StoredDocument;
}

/**
 * The documents of `config.system.indexBuilds`: one a build, `{ _id: build UUID, collectionUUID, commitQuorum, indexNames,
 * commitReadyMembers? }`. The primary writes them and all members hold them, so that the next primary knows who has
 * voted. mongod makes the collection when a member steps up; here the first build does.
 * Upstream: index_build_entry_helpers.cpp, index_build_entry.idl.
 */
export class ReadinessEntries {
  readonly #core: Core;
  readonly #writes: Writes;

  constructor(core: Core, writes: Writes) {
    this.#core = core;
    this.#writes = writes;
  }

  add(build: IndexBuild, commitQuorum: CommitQuorum): void {
    this.#writes.insert(NS, [encode(build, { commitQuorum, commitReadyMembers: [] })]);
  }

  /** Undefined if there is none: the build is over, or never began. */
  read(build: IndexBuild): Readiness | undefined {
    const found = this.#find(build);
    if (!found) return undefined;
    const { commitQuorum, commitReadyMembers = [] } = decodePromoted(
      found.document.bytes,
    ) as unknown as Partial<Readiness> & Pick<Readiness, 'commitQuorum'>;
    return { commitQuorum, commitReadyMembers };
  }

  /** Throws NoMatchingDocument 47 if there is no entry. */
  addReady(build: IndexBuild, host: string): void {
    const readiness = this.#require(build);
    if (readiness.commitReadyMembers.includes(host)) return;
    this.#replace(build, { ...readiness, commitReadyMembers: [...readiness.commitReadyMembers, host] });
  }

  /** Throws NoMatchingDocument 47 if there is no entry. */
  setQuorum(build: IndexBuild, commitQuorum: CommitQuorum): void {
    this.#replace(build, { ...this.#require(build), commitQuorum });
  }

  remove(build: IndexBuild): void {
    const found = this.#find(build);
    if (found) this.#writes.delete(found.collection, [found.recordId], { grouped: false });
  }

  #require(build: IndexBuild): Readiness {
    const readiness = this.read(build);
    if (readiness) return readiness;
    throw new CommandError('NoMatchingDocument', `there is no IndexBuildEntry of the build ${build.id}`);
  }

  #replace(build: IndexBuild, readiness: Readiness): void {
    const { collection, recordId, document } = required(this.#find(build), 'entry of the build');
    const after = encode(build, readiness);
    const delta = computeDiff(document.bytes, after.bytes);
    this.#writes.update(collection, recordId, after, delta);
  }

  #find(build: IndexBuild): Found | undefined {
    const collection = this.#core.engine.collection(NS);
    const recordId = collection?.findById(idKeyOf(build));
    if (!collection || recordId === undefined) return undefined;
    return { collection, recordId, document: required(collection.get(recordId), 'record of the build') };
  }
}

function encode(build: IndexBuild, { commitQuorum, commitReadyMembers }: Readiness): StoredDocument {
  const writer = new BsonWriter();
  writer.binary('_id', 4, build.uuid);
  writer.binary('collectionUUID', 4, build.collectionUuid);
  writeJsValue(writer, 'commitQuorum', commitQuorum);
  writeJsValue(writer, 'indexNames', build.names);
  if (commitReadyMembers.length > 0) writeJsValue(writer, 'commitReadyMembers', commitReadyMembers);
  return new StoredDocument(writer.finish());
}

/** As `_id_` of the collection knows the build. */
function idKeyOf({ uuid }: IndexBuild): string {
  const writer = new BsonWriter();
  writer.binary('_id', 4, uuid);
  return new StoredDocument(writer.finish()).idKey;
}
