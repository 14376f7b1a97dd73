import { readFileSync } from 'node:fs';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { type ReplicaSetApi, ReplSet } from '@replsim/replset';
import { type OperationReport, parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';

// What a ledger makes of the trace is what lies in the data: each write that survives is there, each that does not is not.

const SCENARIO = `
name: Writes of all kinds through faults of all kinds
replicaSet: { members: 5 }
steps:
  - eventually: { within: 30s, primary: any }
  - workload: { name: one, every: 400ms, near: n1, insert: { into: app.one, document: { _id: $i } }, writeConcern: { w: 1 }, options: { connectTimeoutMS: 3000, heartbeatFrequencyMS: 1000, serverSelectionTimeoutMS: 3000, socketTimeoutMS: 4000 } }
  - workload: { name: two, every: 370ms, near: n2, insert: { into: app.two, document: { _id: $i } }, writeConcern: { w: 2, wtimeout: 500 }, options: { connectTimeoutMS: 3000, heartbeatFrequencyMS: 1000, serverSelectionTimeoutMS: 3000, socketTimeoutMS: 4000 } }
  - workload: { name: plain, every: 350ms, insert: { into: app.plain, document: { _id: $i } }, writeConcern: { w: 1 }, options: { retryWrites: false } }
  - workload: { name: safe, every: 430ms, near: n3, insert: { into: app.safe, document: { _id: $i } }, writeConcern: { w: majority }, options: { connectTimeoutMS: 3000, heartbeatFrequencyMS: 1000, serverSelectionTimeoutMS: 3000, socketTimeoutMS: 9000 } }
  - workload: { name: local, every: 510ms, near: n1, find: { in: app.one }, readPreference: nearest, options: { serverSelectionTimeoutMS: 3000, socketTimeoutMS: 4000 } }
  - workload: { name: committed, every: 530ms, near: n2, find: { in: app.one }, readConcern: { level: majority }, readPreference: nearest, options: { serverSelectionTimeoutMS: 3000, socketTimeoutMS: 4000 } }
  - advance: 2s
  - partition: [[n1, n2], [n3, n4, n5]]
  - advance: 25s
  - heal: all
  - advance: 15s
  - kill: primary
  - advance: 15s
  - start: all
  - link: { from: n1, to: all, loss: 0.1, latencyMs: [1, 60] }
  - advance: 10s
  - partition: [[n2, n3], [n1, n4, n5]]
  - advance: 20s
  - heal: all
  - eventually: { within: 30s, primary: any }
  - stepDown: { on: primary, stepDownSecs: 20, force: true }
  - advance: 2s
  - eventually: { within: 30s, primary: any }
  - partition: [[primary], [all]]
  - advance: 20s
  - heal: all
  - stop: one
  - stop: two
  - stop: plain
  - stop: safe
  - stop: local
  - stop: committed
  - eventually: { within: 60s, primary: any }
  - eventually: { within: 120s, same: [app.one, app.two, app.plain, app.safe] }
`;

const seeds = [1, 2, 3];

test.for(seeds)('seed %i', { timeout: 120_000 }, async (seed) => {
  const scenario = parseScenario(SCENARIO, 'ledger.yaml');
  let set: ReplicaSetApi | undefined;
  let idsIn: (collection: string) => Set<number> = () => new Set();
  const result = await playScenario(
    scenario,
    async (options) => {
      set = await ReplSet.create(options);
      return set;
    },
    {
      seed,
      onTrace: (event) => {
        // The set is still open when the first account is written.
        if (event.type !== 'workloadEnded' || event.workload !== 'one') return;
        const data = new Map(['one', 'two', 'plain', 'safe'].map((name) => [name, dataOf(set!, name)]));
        idsIn = (collection) => data.get(collection)!;
      },
    },
  );
  expect(result.failure?.detail).toBeUndefined();
  const ledgers = new Map(result.workloads.map((ledger) => [ledger.workload, ledger]));
  let lost = 0;
  for (const name of ['one', 'two', 'plain', 'safe']) {
    const { operations, counts } = ledgers.get(name)!;
    const there = idsIn(name);
    // Without a number nobody can find the entry of a write that was not answered.
    const isKnown = ({ outcome }: OperationReport) => name !== 'plain' || outcome === 'acknowledged';
    const wrong = operations.filter((each) => isKnown(each) && each.survives !== there.has(each.turn));
    expect(wrong, name).toEqual([]);
    expect(counts.lost).toBe(
      operations.filter(({ turn, outcome }) => outcome === 'acknowledged' && !there.has(turn)).length,
    );
    for (const { lost: loss, outcome } of operations)
      if (loss && outcome === 'acknowledged') expect(loss.keptBy).toMatch(/w: /);
    lost += counts.lost;
  }
  expect(ledgers.get('safe')!.counts).toMatchObject({ lost: 0 });
  expect(ledgers.get('committed')!.counts).toMatchObject({ dirtyReads: 0 });
  expect(lost).toBeGreaterThan(0);
  tally.dirty += ledgers.get('local')!.counts.dirtyReads;
  tally.stale += ledgers.get('local')!.counts.staleReads;
  tally.unknown += ledgers.get('plain')!.counts.unknown + ledgers.get('one')!.counts.unknown;
  tally.errors += ledgers.get('two')!.counts.errors;
});

const tally = { dirty: 0, stale: 0, unknown: 0, errors: 0 };
test('over all seeds everything that a ledger counts has happened', () => {
  for (const [what, times] of Object.entries(tally)) expect(times, what).toBeGreaterThan(0);
});

test('writes lost at a partition: the ledger names the election and what would have kept them', async () => {
  const file = new URL('../../../../scenarios/clients/w1-writes-lost-at-a-partition.yaml', import.meta.url);
  const { workloads } = await playScenario(parseScenario(readFileSync(file, 'utf8'), 'w1.yaml'), (options) =>
    ReplSet.create(options),
  );
  const { losses, operations } = workloads[0]!;
  expect(losses).toMatchObject([
    { server: 'n1', term: 2, primary: expect.stringMatching(/n[23]/), keptBy: '{ w: "majority" }' },
  ]);
  const lost = operations.filter((each) => each.lost);
  expect(lost.length).toBe(losses[0]!.writes);
  for (const each of lost) expect(each.rolledBack?.map(({ member }) => member)).toEqual(['n1']);
});

test('writes of a majority that a forced config passed over: the ledger names it, and more members than a majority', async () => {
  const file = new URL('../../../../scenarios/config/force-loses-majority-writes.yaml', import.meta.url);
  const { workloads } = await playScenario(parseScenario(readFileSync(file, 'utf8'), 'force.yaml'), (options) =>
    ReplSet.create(options),
  );
  const { losses } = workloads[0]!;
  const forced = { member: 'n4', without: ['n1', 'n2', 'n3'], version: expect.any(Number) };
  expect(losses).toMatchObject([{ server: 'n1', forced, heldBy: [3, 3], keptBy: '{ w: 4 }' }]);
});

/** The ids that the primary holds. */
function dataOf(set: ReplicaSetApi, collection: string): Set<number> {
  const ask = (member: string, command: object) => decodePromoted(set.ask(member, encodeDocument(command)));
  const primary = set.memberNames.find((member) => ask(member, { hello: 1, $db: 'admin' }).isWritablePrimary);
  if (primary === undefined) return new Set();
  const { cursor } = ask(primary, { find: collection, batchSize: 100_000, $db: 'app' });
  return new Set(cursor.firstBatch.map(({ _id }: { _id: number }) => _id));
}
