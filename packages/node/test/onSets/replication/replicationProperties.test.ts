import type { TraceEvent } from '@replsim/protocol';
import type { MemberSpec } from '@replsim/replset';
import type { Document } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AskedSet } from '../../../../replset/test/askedSet.ts';

/** A client's command against the few documents and collections that there are, so that they meet often. */
const anyCommand: fc.Arbitrary<Document> = fc.oneof(
  { weight: 8, arbitrary: crud() },
  { weight: 2, arbitrary: fc.constantFrom('a', 'b', 'c').map((name): Document => ({ drop: name })) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c').map((name): Document => ({ create: name })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('a', 'b', 'c'), fc.boolean())
      .map(([from, to, dropTarget]): Document => ({ renameCollection: `app.${from}`, to: `app.${to}`, dropTarget })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('a', 'b', 'c').map(
      (name): Document => ({
        createIndexes: name,
        indexes: [{ key: { n: 1 }, name: 'n_1' }],
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('a', 'b', 'c').map((name): Document => ({ dropIndexes: name, index: 'n_1' })),
  },
);

function crud(): fc.Arbitrary<Document> {
  const collection = fc.constantFrom('a', 'b', 'c');
  const q = fc.nat(11).map((_id) => ({ _id }));
  const u = fc.constantFrom<Document>(
    { $inc: { n: 1 } },
    { $set: { n: [1, 2, 3] } },
    { $set: { 'n.1': 7 } },
    { $push: { list: { $each: [1, 2], $slice: -5 } } },
    { $unset: { n: 1 } },
    { $set: { n: { x: 1 } } },
    { $set: { 'n.x': 2 } },
    { replaced: true },
  );
  return fc.oneof(
    fc.tuple(collection, fc.nat(11), fc.nat(9)).map(([name, _id, n]) => ({ insert: name, documents: [{ _id, n }] })),
    fc.tuple(collection, q, u, fc.boolean()).map(([name, filter, change, upsert]) => ({
      update: name,
      updates: [{ q: filter, u: change, upsert }],
    })),
    fc.tuple(collection, fc.nat(11)).map(([name, least]) => ({
      delete: name,
      deletes: [{ q: { _id: { $gte: least } }, limit: 0 }],
    })),
  );
}

/** Some of them fail, as there is no such collection or another already: that is as good. */
async function perform(set: AskedSet, command: Document): Promise<void> {
  await set.run('n1', command, 'renameCollection' in command ? 'admin' : 'app');
}

const hashes = (set: AskedSet, member: string): Document => {
  const { collections } = set.now(member, { dbHash: 1 }, 'app');
  const indexes = Object.keys(collections).map((name) => {
    const { cursor } = set.now(member, { listIndexes: name, $readPreference: { mode: 'nearest' } }, 'app');
    return cursor.firstBatch.map(({ name: index }: Document) => index).sort();
  });
  return { collections, indexes };
};

/** Every member's data are those of the primary once nothing is written any more. */
async function expectEqualData(set: AskedSet): Promise<void> {
  const position = (member: string) => JSON.stringify(set.now(member, { replSetGetStatus: 1 }).optimes.appliedOpTime);
  const { memberNames } = set.set;
  await set.until(() => memberNames.every((member) => position(member) === position('n1')), 60_000);
  for (const member of memberNames) expect(hashes(set, member)).toEqual(hashes(set, 'n1'));
}

/** Within one life of a process, no commit point may be told that is before an earlier one. */
class CommitPoints {
  readonly #last = new Map<string, readonly [number, number, number]>();
  seen = 0;

  take(event: TraceEvent): void {
    if (event.type === 'processStarted') this.#last.delete(event.member);
    if (event.type !== 'commitPoint') return;
    const { ts, t } = event.opTime;
    const next = [t, ts.t, ts.i] as const;
    const last = this.#last.get(event.member) ?? [-1, 0, 0];
    const order = next[0] - last[0] || next[1] - last[1] || next[2] - last[2];
    expect(order).toBeGreaterThan(0);
    this.#last.set(event.member, next);
    this.seen += 1;
  }
}

const ordinary: MemberSpec[] = [
  { name: 'n1', config: { priority: 2 } },
  { name: 'n2', config: { priority: 0 } },
];

describe('whatever clients write', () => {
  test('members that fetch and apply in other portions, at other speeds, end with the same data', async () => {
    const slow = { replBatchLimitOperations: 1 };
    const run = fc.tuple(fc.array(anyCommand, { minLength: 5, maxLength: 30 }), fc.nat(40), fc.nat(1000));
    await fc.assert(
      fc.asyncProperty(run, async ([commands, latencyMs, seed]) => {
        const members = [...ordinary, { name: 'n3', config: { priority: 0 }, parameters: slow }];
        const set = await AskedSet.create({ members, seed, costs: { applyEntryMicros: 3000 } });
        const commitPoints = new CommitPoints();
        set.set.onTrace((event) => commitPoints.take(event));
        await set.untilPrimary('n1');
        for (const member of ['n1', 'n2']) set.set.link(member, 'n3', { latencyMs: [latencyMs, 2 * latencyMs] });
        for (const command of commands) await perform(set, command);
        await expectEqualData(set);
        expect(commitPoints.seen).toBeGreaterThan(0);
        await set.set.close();
      }),
      { seed: 1, numRuns: 12 },
    );
  });

  test('an initial sync meanwhile ends with the data of its source', async () => {
    let meanwhile = 0;
    const run = fc.tuple(
      fc.array(anyCommand, { maxLength: 15 }),
      fc.array(fc.tuple(anyCommand, fc.nat(80)), { minLength: 5, maxLength: 30 }),
      fc.nat(1000),
    );
    await fc.assert(
      fc.asyncProperty(run, async ([before, during, seed]) => {
        const parameters = { collectionClonerBatchSize: 2 };
        const members = [...ordinary, { name: 'n3', config: { priority: 0 }, parameters }];
        // A document takes so long to copy that the writes below fall between the batches.
        const set = await AskedSet.create({ members, seed, costs: { initialSyncMicrosPerDocument: 40_000 } });
        const commitPoints = new CommitPoints();
        set.set.onTrace((event) => commitPoints.take(event));
        await set.untilPrimary('n1');
        for (const name of ['a', 'b', 'c'])
          await perform(set, { insert: name, documents: Array.from({ length: 8 }, (_, _id) => ({ _id, n: _id })) });
        for (const command of before) await perform(set, command);
        set.set.kill('n3');
        await set.set.start('n3', { wipe: true });
        await set.untilState('n3', 5);
        await set.pass(1000);
        for (const [command, pauseMs] of during) {
          await perform(set, command);
          if (set.state('n3') === 5) meanwhile += 1;
          await set.pass((pauseMs / 1000) * 1000);
        }
        await set.untilState('n3', 2);
        await expectEqualData(set);
        await set.set.close();
      }),
      { seed: 1, numRuns: 15 },
    );
    // Otherwise this test would say nothing.
    expect(meanwhile).toBeGreaterThan(100);
  });
});
