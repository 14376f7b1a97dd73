import { encodeDocument, IdSource } from '@replsim/protocol';
import { type CollectionView, StorageEngine, StoredDocument } from '@replsim/storage';
import { ObjectId } from 'bson';
import fc from 'fast-check';
import { BucketCatalog, type OpenBucket } from '../../src/timeseries/bucketCatalog.ts';
import { readMeasurement } from '../../src/timeseries/measurement.ts';
import type { TimeseriesOptions } from '../../src/timeseries/options.ts';

export const BY_SECONDS: TimeseriesOptions = {
  timeField: 't',
  metaField: 'm',
  granularity: 'seconds',
  bucketMaxSpanSeconds: 3600,
};

export const START_MS = Date.UTC(2025, 0, 1);

/** Engine, buckets and catalog without a mongod around them. */
export class Packer {
  readonly engine = new StorageEngine();
  readonly ns = 'app.system.buckets.c';
  readonly options: TimeseriesOptions;
  readonly #catalog = new BucketCatalog();
  readonly #ids = new IdSource([1, 2]);

  constructor(options = BY_SECONDS) {
    this.options = options;
    const { bucketRoundingSeconds: _, ...timeseries } = options;
    this.engine.createCollection(this.ns, {
      uuid: this.#ids.uuid(),
      options: encodeDocument({ clusteredIndex: true, expireAfterSeconds: 60n, timeseries }),
    });
  }

  get buckets(): CollectionView {
    return this.engine.collection(this.ns)!;
  }

  /** As an insert of these documents does it. */
  insert(documents: readonly object[]): void {
    const touched = new Set<OpenBucket>();
    for (const document of documents) {
      const measurement = readMeasurement(encodeDocument({ ...document }), this.options);
      const open = this.#catalog.bucketFor(this.buckets, this.options, measurement, this.#ids);
      open.bucket.add(measurement);
      touched.add(open);
    }
    for (const open of touched) {
      const after = new StoredDocument(open.bucket.write());
      const known = open.written && this.buckets.findById(open.written.idKey);
      if (known === undefined) this.engine.insert(this.ns, after);
      else this.engine.update(this.ns, known, after);
      open.written = after;
    }
  }

  /** The documents of all buckets, in the order of `_id`. */
  all(): Uint8Array[] {
    const found: Uint8Array[] = [];
    const records = this.buckets.records();
    while (records.next()) found.push(records.document.bytes);
    return found;
  }
}

/** Plain values and nested ones, of a type that may change from one measurement to the next. */
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer({ min: -9, max: 9 }),
  fc.double({ noDefaultInfinity: true }),
  fc.string({ maxLength: 3 }),
  fc.constant(null),
  fc.boolean(),
  fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
  fc.record({ a: fc.integer({ min: 0, max: 3 }), b: fc.string({ maxLength: 2 }) }, { requiredKeys: [] }),
);

const anyMeta: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer({ min: 0, max: 2 }),
  fc.constantFrom('a', 'b', null),
  fc.record({ x: fc.integer({ min: 0, max: 1 }), y: fc.integer({ min: 0, max: 1 }) }, { requiredKeys: [] }),
);

/** Measurements of a few kinds within a few hours, in any order. */
export const anyMeasurement: fc.Arbitrary<Record<string, unknown>> = fc
  .record(
    {
      _id: fc.nat(0xffffff).map((n) => new ObjectId(n.toString(16).padStart(24, '0'))),
      t: fc.integer({ min: 0, max: 4 * 3600_000 }).map((ms) => new Date(START_MS + ms)),
      m: anyMeta,
      v: anyValue,
      w: anyValue,
    },
    { requiredKeys: ['t'] },
  )
  .map((document) => ({ ...document }));
