import { decodePromoted, encodeDocument, type TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { Lateness, parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';

// How late documents were is told from the trace; what the members' own answers show while time passes must agree.

const DOCUMENTS = 200;
const LOOK_EVERY = 50_000;
const members = ['n1', 'n2', 'n3', 'n4', 'n5'];

/** Asks every member again and again which documents it has, and keeps when each was seen there last. */
class Onlooker {
  readonly #set: ReplSet;
  readonly seen = new Map(members.map((member) => [member, new Map<number, number>()]));
  /** Members that did not answer at some time: what they had by then was not seen. */
  readonly unseen = new Set<string>();

  constructor(set: ReplSet) {
    this.#set = set;
  }

  look(): void {
    for (const member of members) {
      const command = { find: 's', batchSize: 1000, $db: 'app', $readPreference: { mode: 'secondaryPreferred' } };
      const reply = decodePromoted(this.#set.ask(member, encodeDocument(command)));
      if (reply.ok !== 1) this.unseen.add(member);
      else for (const { _id } of reply.cursor.firstBatch) this.seen.get(member)!.set(_id, this.#set.nowMicros);
    }
  }

  async advance(seconds: number): Promise<void> {
    const until = this.#set.nowMicros + seconds * 1e6;
    while (this.#set.nowMicros < until) {
      await this.#set.advanceTo(this.#set.nowMicros + LOOK_EVERY);
      this.look();
    }
  }
}

function primaryOf(set: ReplSet): string {
  const found = members.filter(
    (member) =>
      set.status(member).running && decodePromoted(set.ask(member, encodeDocument({ hello: 1, $db: 'admin' }))).isWritablePrimary, // biome-ignore format: one line
  );
  return found.at(-1)!;
}

async function write(set: ReplSet, command: object): Promise<void> {
  const pending = set.send(primaryOf(set), encodeDocument({ ...command, $db: 'app' }));
  await set.runUntil(() => pending.reply !== undefined, set.nowMicros + 60e6);
  expect(decodePromoted(pending.reply!)).toMatchObject({ ok: 1 });
}

test.for([1, 2])('what is measured is what members show, seed %i', { timeout: 120_000 }, async (seed) => {
  const set = await ReplSet.create({
    seed,
    members: members.map((name, i) => ({ name, parameters: { ttlMonitorSleepSecs: 5 + i } })),
  });
  const lateness = new Lateness();
  const rollbacks: TraceEvent[] = [];
  set.onTrace((event) => {
    lateness.observe(event);
    if (event.type === 'rolledBack') rollbacks.push(event);
  });
  const onlooker = new Onlooker(set);
  await set.runUntil(() => members.some(() => primaryOf(set) !== undefined), 60e6);
  await write(set, { createIndexes: 's', indexes: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 10 }] });
  const expiry = new Map<number, number>();
  const documents = Array.from({ length: DOCUMENTS }, (_, _id) => {
    const atMs = set.epochMs + Math.floor(set.nowMicros / 1000) + _id * 700;
    expiry.set(_id, (atMs + 10_000 - set.epochMs) * 1000);
    return { _id, at: new Date(atMs) };
  });
  await write(set, { insert: 's', documents, writeConcern: { w: 5 } });

  await onlooker.advance(25);
  // The old primary deletes on its side until it sees that it is alone, and takes it back afterwards.
  const old = primaryOf(set);
  const [other, ...majority] = members.filter((member) => member !== old);
  set.partition([[old, other!], majority]);
  await onlooker.advance(20);
  set.heal('all');
  await onlooker.advance(15);
  set.pause(majority[0]!);
  await onlooker.advance(7);
  set.resume(majority[0]!);
  set.kill(majority[0]!);
  await onlooker.advance(8);
  await set.start(majority[0]!);
  await onlooker.advance(10);
  set.kill(primaryOf(set));
  await onlooker.advance(30);
  for (const member of members) if (!set.status(member).running) await set.start(member, { wipe: true });
  await onlooker.advance(90);

  const [index] = lateness.indexes;
  expect(index).toEqual({ ns: 'app.s', index: 'ttl' });
  const { count, undone } = lateness.summary(index!);
  expect(count).toBe(DOCUMENTS);
  // Both members of the side that lost deleted some, and each undid them.
  expect(rollbacks).toHaveLength(2);
  expect(undone).toBeGreaterThan(0);
  expect(onlooker.unseen.size).toBeLessThan(members.length);
  for (const member of lateness.members) {
    const { leastMs, medianMs, p99Ms, waiting, worst, worstMs, ...summary } = lateness.summary(index!, member);
    const shown = [...onlooker.seen.get(member)!]
      .map(([_id, seenMicros]) => (seenMicros - expiry.get(_id)!) / 1000)
      .sort((a, b) => a - b);
    expect({ member, waiting, count: summary.count }).toEqual({ member, waiting: 0, count: shown.length });
    const atMost = onlooker.unseen.has(member) ? Number.POSITIVE_INFINITY : LOOK_EVERY / 1000;
    const near = (measured: number, place: number) => {
      expect(measured, member).toBeGreaterThan(shown[place]!);
      expect(measured - shown[place]!, member).toBeLessThanOrEqual(atMost);
    };
    near(leastMs!, 0);
    near(medianMs!, Math.ceil(0.5 * shown.length) - 1);
    near(p99Ms!, Math.ceil(0.99 * shown.length) - 1);
    near(worstMs!, shown.length - 1);
    const parts = Object.entries(worst!).filter(([name]) => name !== 'atMs');
    expect(parts.reduce((sum, [, ms]) => sum + ms, 0)).toBeCloseTo(worstMs!, 6);
  }
  await set.close();
});

const play = async (steps: string, head = '') => {
  const text = `name: A claim\nreplicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }\n${head}\nsteps:\n  - eventually: { within: 30s, primary: n1 }\n${steps}`;
  return playScenario(parseScenario(text, 'claim.yaml'), (options) => ReplSet.create(options), { ttlReport: true });
};

test('what is due and was never deleted is found by asking', async () => {
  const { ttl } = await play(`
  - createIndex: { in: app.s, keys: { at: 1 }, options: { name: ttl, expireAfterSeconds: 60, partialFilterExpression: { kind: 1 } } }
  - setParameter: { on: all, parameters: { ttlMonitorEnabled: false } }
  - advance: { to: 100s }
  - insert: { into: app.s, count: 9, document: { _id: $i, kind: 1, at: { $now: { minus: -10s, times: $i } } } }
  - insert: { into: app.s, documents: [{ kind: 2, at: $now }] }
  - advance: { to: 199s }
`);
  expect(ttl).toMatchObject([
    { ns: 'app.s', index: 'ttl', primary: { count: 0, undone: 0, waiting: 0 }, pending: { on: 'n1', count: 3 } },
  ]);
  expect(ttl![0]!.pending!.oldestMs).toBeCloseTo(29_000, -1);
});

test('time before a document was inserted is the arrival', async () => {
  const { ttl } = await play(`
  - createIndex: { in: app.s, keys: { at: 1 }, options: { name: ttl, expireAfterSeconds: 60 } }
  - advance: { to: 50s }
  - insert: { into: app.s, documents: [{ at: { $now: -90s } }] }
  - advance: { to: 70s }
`);
  const { arrivalMs, sleepMs } = ttl![0]!.primary.worst!;
  expect(arrivalMs).toBeCloseTo(30_000, -1);
  expect(sleepMs).toBeCloseTo(10_001, -1);
});

test('so is time before the seconds by which it was deleted', async () => {
  const { ttl } = await play(`
  - createIndex: { in: app.s, keys: { at: 1 }, options: { name: ttl, expireAfterSeconds: 3600 } }
  - insert: { into: app.s, documents: [{ at: { $now: 0s } }] }
  - advance: { to: 100s }
  - collMod: { in: app.s, index: { name: ttl, expireAfterSeconds: 20 } }
  - advance: { to: 130s }
`);
  const { arrivalMs, sleepMs, atMs } = ttl![0]!.primary.worst!;
  expect(atMs - sleepMs).toBeCloseTo(100_000, -2);
  expect(arrivalMs).toBeGreaterThan(60_000);
});

test.for<[name: string, steps: string]>([
  ['switched off', '- setParameter: { on: n1, parameters: { ttlMonitorEnabled: false } }\n  - advance: { to: 130s }\n  - setParameter: { on: n1, parameters: { ttlMonitorEnabled: true } }'], // biome-ignore format: a row a line
  ['held', '- hold: { on: n1, part: ttl }\n  - advance: { to: 130s }\n  - release: n1'],
  ['hanging', '- failPoint: { on: n1, name: hangTTLMonitorBetweenPasses, mode: alwaysOn }\n  - advance: { to: 130s }\n  - failPoint: { on: n1, name: hangTTLMonitorBetweenPasses, mode: off }'], // biome-ignore format: a row a line
])('a monitor that is %s: it was disabled', async ([, steps]) => {
  const { failure, ttl } = await play(`
  - createIndex: { in: app.s, keys: { at: 1 }, options: { name: ttl, expireAfterSeconds: 0 } }
  - advance: { to: 50s }
  - insert: { into: app.s, documents: [{ at: $now }] }
  ${steps}
  - advance: { to: 250s }
`);
  expect(failure).toBeUndefined();
  const { disabledMs, electionMs, sleepMs } = ttl![0]!.primary.worst!;
  expect(sleepMs).toBeCloseTo(10_001, -1);
  expect(disabledMs).toBeGreaterThan(69_000);
  expect(electionMs).toBe(0);
});
