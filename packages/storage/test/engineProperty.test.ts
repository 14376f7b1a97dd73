import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CollectionView, ReadView } from '../src/collection/views.ts';
import type { Database } from '../src/disk/database.ts';
import { Disk } from '../src/disk/disk.ts';
import { openMemoryDatabase } from '../src/disk/memoryDatabase.ts';
import { StorageEngine } from '../src/engine.ts';
import { IndexKeyGenerator } from '../src/keys/indexKeys.ts';
import { doc, spec, uuid } from './fixtures.ts';

/** Index specs whose keys come and go with the documents below. */
const SPECS = [
  spec({ a: 1 }),
  spec({ a: -1, b: 1 }),
  spec({ b: 1 }, { unique: true, sparse: true }),
  spec({ 'c.d': 1 }, { partialFilterExpression: { a: { $gte: 2 } } }),
  spec({ c: -1 }, { collation: { locale: 'en', strength: 1 }, partialFilterExpression: { a: { $lte: 'Y' } } }),
];

const anyField = fc.oneof(
  fc.constantFrom(1, 2, 3, 2.5, 'x', 'X', 'y', null, new Date(5)),
  fc.constantFrom([1, 2], [], [{ d: 1 }, { d: 2 }], { d: 7 }),
);
const anyStep = fc.record({
  op: fc.constantFrom(
    ...['insert', 'insert', 'insert', 'insert', 'update', 'delete', 'mark', 'mark', 'restore', 'forget', 'thin'],
    ...['create', 'drop', 'rename', 'createIndex', 'dropIndex', 'collMod', 'local', 'checkpoint', 'crash'],
  ),
  n: fc.nat(40),
  fields: fc.record({ a: anyField, b: fc.nat(60), c: anyField }, { requiredKeys: [] }),
});
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

/** Everything that can be seen of a view, in plain values. */
function picture(view: ReadView): object {
  return view.collections().map((collection) => ({
    ns: collection.ns,
    uuid: collection.uuid[0],
    next: collection.nextRecordId,
    hash: collection.dataHash,
    size: collection.dataSize,
    records: recordsOf(collection).map(([recordId, document]) => [recordId, decodePromoted(document)]),
    indexes: collection.indexes.map(({ spec: { bytes }, multikey }) => [decodePromoted(bytes), multikey]),
  }));
}

function recordsOf(collection: CollectionView): [number, Uint8Array][] {
  const found: [number, Uint8Array][] = [];
  const cursor = collection.records();
  while (cursor.next()) found.push([cursor.recordId, cursor.document.bytes]);
  return found;
}

/** Every index holds what its documents say, and nothing else. */
function checkIndexes(view: ReadView): void {
  for (const collection of view.collections()) {
    const records = recordsOf(collection);
    expect(collection.count).toBe(records.length);
    for (const index of collection.indexes) {
      const found: string[] = [];
      const cursor = index.range();
      while (cursor.next()) found.push(cursor.key);
      if (index.spec.name === '_id_') expect(found).toHaveLength(records.length);
      else expect(found).toEqual(expectedKeys(records, new IndexKeyGenerator(index.spec)));
      const { partialFilter } = index.spec;
      const held = partialFilter ? records.filter(([, document]) => compileFilter(partialFilter)(document)) : records;
      if (partialFilter) expect(found.length >= held.length).toBe(true);
    }
  }
}

const expectedKeys = (records: [number, Uint8Array][], generator: IndexKeyGenerator) =>
  records.flatMap(([recordId, document]) => generator.keysOf(document, recordId)).sort((a, b) => (a < b ? -1 : 1));

/** One engine, with what it should look like at each version. */
class Run {
  engine = new StorageEngine();
  disk: Disk;
  readonly database: Database;
  readonly versions = new Map<number, object>();
  #version = 0;
  #uuids = 0;

  constructor(database: Database) {
    this.database = database;
    this.disk = new Disk(database);
  }

  async play(steps: readonly Step[]): Promise<void> {
    this.disk.wipe();
    this.#mark();
    for (const step of steps) await this.#step(step);
  }

  async #step({ op, n, fields }: Step): Promise<void> {
    const { engine } = this;
    const collections = engine.collections().filter(({ ns }) => ns.startsWith('app.'));
    const collection = collections[n % (collections.length || 1)];
    if (op === 'mark') return this.#mark();
    if (op === 'create' || !collection) return this.#create('app', n);
    const { ns } = collection;
    const record = recordsOf(collection)[n % (collection.count || 1)];
    switch (op) {
      case 'insert':
        return this.#mayFail(() => engine.insert(ns, doc({ _id: n, ...fields })));
      case 'update':
        if (record)
          this.#mayFail(() => engine.update(ns, record[0], doc({ _id: decodePromoted(record[1])._id, ...fields })));
        return;
      case 'delete':
        if (record) engine.delete(ns, record[0]);
        return;
      case 'drop':
        if (n % 4 === 0) engine.dropCollection(ns);
        return;
      case 'rename':
        return this.#mayFail(() => engine.renameCollection(ns, `app.${n % 3}`));
      case 'createIndex': {
        const index = SPECS[n % SPECS.length]!;
        if (!collection.index(index.name)) this.#mayFail(() => engine.createIndex(ns, index));
        return;
      }
      case 'dropIndex':
        if (collection.indexes.length > 1) engine.dropIndex(ns, collection.indexes[1]!.spec.name);
        return;
      case 'collMod':
        if (collection.indexes.length > 1) {
          engine.setIndexOption(ns, collection.indexes[1]!.spec.name, { expireAfterSeconds: n });
        }
        return;
      case 'local':
        this.#create('local', 0);
        this.#mayFail(() => engine.insert('local.0', doc({ _id: n })));
        return;
      case 'restore':
        return this.#restore(n);
      case 'forget':
        return this.#forget(n);
      case 'thin':
        return this.#thin(n);
      case 'checkpoint':
        return this.disk.writeCheckpoint(engine.snapshot(), encodeDocument({ n }), { dropJournalThrough: 0 });
      case 'crash':
        return this.#crash();
    }
  }

  #create(db: string, n: number): void {
    const ns = `${db}.${n % 3}`;
    if (!this.engine.collection(ns)) this.engine.createCollection(ns, { uuid: uuid(++this.#uuids) });
  }

  #mark(): void {
    this.engine.markVersion(++this.#version);
    this.versions.set(this.#version, picture(this.engine.at(this.#version)));
    expect(picture(this.engine.at(this.#version))).toEqual(this.#replicatedPicture());
  }

  /** A write that throws leaves everything as it was. */
  #mayFail(write: () => unknown): void {
    const before = picture(this.engine);
    try {
      write();
    } catch {
      expect(picture(this.engine)).toEqual(before);
    }
  }

  #restore(n: number): void {
    const kept = this.#kept();
    const version = kept[n % kept.length]!;
    this.engine.restoreTo(version);
    expect(this.#replicatedPicture()).toEqual(this.versions.get(version));
    for (const later of kept) if (later > version) this.versions.delete(later);
  }

  #forget(n: number): void {
    const kept = this.#kept();
    this.engine.forgetBefore(kept[n % kept.length]!);
  }

  /** The newest up to the line stays, and so does all that lies behind it. */
  #thin(n: number): void {
    const kept = this.#kept();
    const line = kept[n % kept.length]!;
    this.engine.thinBefore(line, 2);
    expect(this.#kept().filter((version) => version >= line)).toEqual(kept.filter((version) => version >= line));
  }

  async #crash(): Promise<void> {
    const before = picture(this.engine.snapshot());
    this.disk.writeCheckpoint(this.engine.snapshot(), encodeDocument({}), { dropJournalThrough: 0 });
    this.disk = new Disk(this.database);
    this.engine = (await this.disk.load()).engine;
    expect(picture(this.engine)).toEqual(before);
    this.versions.clear();
    this.#mark();
  }

  #kept(): number[] {
    return [...this.versions.keys()].filter((version) => this.engine.markedUpTo(version) === version);
  }

  #replicatedPicture(): object {
    return (picture(this.engine) as { ns: string }[]).filter(({ ns }) => !ns.startsWith('local.'));
  }

  check(): void {
    for (const version of this.#kept()) {
      expect(picture(this.engine.at(version))).toEqual(this.versions.get(version));
      checkIndexes(this.engine.at(version));
    }
    checkIndexes(this.engine);
    expect(this.engine.dataHash()).toEqual(this.engine.snapshot().dataHash());
  }
}

test('whatever is written: indexes fit the documents, versions stay, failures change nothing, disks hold it all', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 120 }), async (steps) => {
      const run = new Run(await openMemoryDatabase());
      await run.play(steps);
      run.check();

      // What many incremental checkpoints leave on disk is what a single whole one does.
      const whole = await openMemoryDatabase();
      const disk = new Disk(whole);
      await disk.load();
      for (const each of [run.disk, disk]) {
        each.writeCheckpoint(run.engine.snapshot(), encodeDocument({ last: true }), { dropJournalThrough: 0 });
      }
      for (const prefix of ['c/', 'd/', 'm']) expect(await run.database.read(prefix)).toEqual(await whole.read(prefix));
      const loaded = await disk.load();
      expect(picture(loaded.engine)).toEqual(picture(run.engine));
      checkIndexes(loaded.engine);
    }),
    { seed: 1, numRuns: 100 },
  );
});
