import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Checkers } from '@replsim/checker';
import { Random } from '@replsim/kernel';
import { CommandError, encodeDocument, type TraceEventType } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { ServedSet } from '@replsim/server';
import { afterEach, beforeEach, expect, test } from 'vitest';

// A set that goes on with the data of an earlier one: what happened before is not in its trace, and no reason to cry.

let dbpath: string;
beforeEach(() => {
  dbpath = mkdtempSync(join(tmpdir(), 'replsim-'));
});
afterEach(() => rmSync(dbpath, { recursive: true }));

const MAJORITY = { w: 'majority' };
const ONE = { w: 1 };

async function insert(served: ServedSet, member: string, _id: number, writeConcern: object): Promise<void> {
  const reply = await served.command(member, { insert: 'c', documents: [{ _id }], writeConcern, $db: 'app' });
  expect(reply).toMatchObject({ ok: 1, n: 1 });
}

/** One life of the set, which ends without a clean shutdown, as by a kill. @returns which events there were */
async function life(task: (served: ServedSet) => Promise<void>): Promise<Set<TraceEventType>> {
  const served = await ServedSet.open({ dbpath, members: 3, speed: 0, invariants: true });
  const seen = new Set<TraceEventType>();
  served.set.onTrace(({ type }) => seen.add(type));
  try {
    await served.ready();
    await task(served);
    expect(served.invariants!.broken).toEqual([]);
    return seen;
  } finally {
    await served.stop();
  }
}

test('a set that is started on its data, again and again', async () => {
  for (const _id of [1, 2, 3]) {
    await life(async (served) => {
      await insert(served, served.primary!, _id, _id === 3 ? ONE : MAJORITY);
      await served.advance(70e6);
    });
  }
});

test('a member that rolls back in the next life what it wrote in this one', async () => {
  await life(async (served) => {
    const old = served.primary!;
    await insert(served, old, 1, MAJORITY);
    const others = served.set.memberNames.filter((name) => name !== old);
    await served.act({ type: 'partition', groups: [[old], others] });
    await insert(served, old, 2, { w: 1, j: true });
    const next = await served.untilPrimary(undefined, old);
    await insert(served, next, 3, MAJORITY);
  });
  const seen = await life(async (served) => {
    await served.advance(60e6);
  });
  expect(seen).toContain('rolledBack');
});

test('members that were killed before, and one that dies in the next life', async () => {
  await life(async (served) => {
    await insert(served, served.primary!, 1, MAJORITY);
    const [first, second] = served.set.memberNames;
    await served.act({ type: 'kill', member: second! });
    await insert(served, await served.untilPrimary(), 2, MAJORITY);
    await served.act({ type: 'kill', member: first! });
  });
  await life(async (served) => {
    const primary = served.primary!;
    await insert(served, primary, 3, MAJORITY);
    await served.act({ type: 'kill', member: primary });
    await insert(served, await served.untilPrimary(undefined, primary), 4, MAJORITY);
    await served.start(primary);
    await served.advance(30e6);
  });
});

test.for([1, 2, 3, 4, 5, 6])(
  'random trouble, seed %i, in three lives of which each begins where the last was cut off',
  async (seed) => {
    const random = Random.fromSeed(seed).split('resumed');
    const members = Array.from({ length: random.pick([3, 3, 5]) }, (_, i) => ({ name: `n${i + 1}` }));
    const names = members.map(({ name }) => name);
    let epochMs = Date.UTC(2025, 0, 1);
    let _id = 0;
    for (const life of [0, 1, 2]) {
      const set = await ReplSet.create({ seed: 10 * seed + life, members, dbpath, epochMs, initiate: life === 0 });
      const checkers = new Checkers();
      set.onTrace((event) => void checkers.observe(event), checkers.events);
      await set.advanceTo(random.int(1, 20) * 1e6);
      for (let round = 0; round < 12; round++) {
        for (const name of names)
          for (let i = random.int(0, 3); i > 0; i--)
            set.send(name, encodeDocument({ insert: 'c', documents: [{ _id: _id++ }], writeConcern: ONE, $db: 'app' }));
        if (random.chance(0.2)) set.partition([names.slice(0, 1), names.slice(1)]);
        if (random.chance(0.2)) set.heal('all');
        if (random.chance(0.2)) set.kill(random.pick(names));
        if (random.chance(0.2)) set.send(random.pick(names), encodeDocument({ replSetStepUp: 1, $db: 'admin' }));
        for (const name of names)
          if (!set.status(name).running && random.chance(0.5))
            await set.start(name).catch((error) => expect(error).toBeInstanceOf(CommandError));
        await set.advanceTo(set.nowMicros + random.int(50_000, 4_000_000));
      }
      expect(checkers.violations).toEqual([]);
      epochMs += Math.ceil(set.nowMicros / 1000);
      await set.close();
    }
  },
);
