import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { ReplSet } from '../src/replSet.ts';

type Doc = Record<string, unknown>;

const EPOCH_MS = Date.UTC(2025, 0, 1);
const HOUR_MS = 3_600_000;
const TIMESERIES = { timeField: 'at', metaField: 'sensor', granularity: 'minutes' };
const SHORT = {
  key: { at: 1 },
  name: 'short',
  expireAfterSeconds: 3600,
  partialFilterExpression: { sensor: { $gte: 2 } },
};

/** A set of one on a real disk, asked as a client would. */
class OnDisk {
  readonly set: ReplSet;

  constructor(set: ReplSet) {
    this.set = set;
  }

  now(command: Doc, db = 'app'): Doc {
    return decodePromoted(this.set.ask('n1', encodeDocument({ ...command, $db: db }))) as Doc;
  }

  async until(done: () => boolean): Promise<void> {
    expect(await this.set.runUntil(done, this.set.nowMicros + 120_000_000)).toBe(true);
  }

  async ok(command: Doc): Promise<Doc> {
    const pending = this.set.send('n1', encodeDocument({ ...command, $db: 'app' }));
    await this.until(() => pending.reply !== undefined);
    const reply = decodePromoted(pending.reply!) as Doc;
    expect(reply).toMatchObject({ ok: 1 });
    return reply;
  }

  primary(): Promise<void> {
    return this.until(() => this.now({ hello: 1 }, 'admin').isWritablePrimary === true);
  }

  all(collection: string): Doc[] {
    const { cursor } = this.now({ find: collection, sort: { _id: 1 }, batchSize: 1000 });
    return (cursor as { firstBatch: Doc[] }).firstBatch;
  }

  /** All that a client can see of the series and of what is behind it. */
  seen(): Doc {
    const { cursor } = this.now({ listIndexes: 'weather' }) as { cursor: { firstBatch: Doc[] } };
    return {
      measurements: this.all('weather'),
      buckets: this.all('system.buckets.weather'),
      indexes: cursor.firstBatch,
      collections: (this.now({ listCollections: 1 }).cursor as { firstBatch: Doc[] }).firstBatch,
    };
  }

  async insert(from: number, to: number): Promise<void> {
    const documents = Array.from({ length: to - from }, (_, i) => {
      const _id = from + i;
      // Two days old, but for every fourth: those have just been measured.
      const at = new Date(EPOCH_MS - (_id % 4 === 0 ? 0 : 48 * HOUR_MS) + _id * 1000);
      return { _id, at, sensor: _id % 3, value: _id / 2 };
    });
    await this.ok({ insert: 'weather', documents, writeConcern: { w: 1, j: true } });
  }
}

test('under --dbpath a time series comes through kills and a clean restart as it was, and still expires', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'timeseries-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const disk = new OnDisk(await ReplSet.create({ members: [{ name: 'n1' }], dbpath: directory, seed: 4 }));
  onTestFinished(() => disk.set.close());
  const { set } = disk;
  await disk.primary();
  set.hold('n1', 'ttl');
  await disk.ok({ create: 'weather', timeseries: TIMESERIES, expireAfterSeconds: 30 * 24 * 3600 });
  await disk.ok({ createIndexes: 'weather', indexes: [SHORT] });
  await disk.insert(0, 24);

  // First from the journal alone, then from a checkpoint and what the journal has since.
  for (const [stop, waitMicros] of [
    ['kill', 0],
    ['kill', 65_000_000],
    ['shutdown', 0],
  ] as const) {
    await set.advanceTo(set.nowMicros + waitMicros);
    const from = disk.all('weather').length;
    await disk.insert(from, from + 12);
    const before = disk.seen();
    expect(before.measurements).toHaveLength(from + 12);
    set[stop]('n1');
    await disk.until(() => !set.status('n1').running);
    await set.start('n1');
    set.hold('n1', 'ttl');
    await disk.primary();
    expect(disk.seen()).toEqual(before);
  }

  const isDue = ({ _id, sensor }: Doc) => sensor === 2 && Number(_id) % 4 !== 0;
  const measurements = disk.all('weather');
  const left = measurements.filter((measurement) => !isDue(measurement));
  expect(left.length).toBeLessThan(measurements.length);
  set.release('n1', 'ttl');
  await set.advanceTo(set.nowMicros + 65_000_000);
  expect(disk.all('weather')).toEqual(left);
});
