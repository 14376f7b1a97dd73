import { EventQueue } from '@replsim/kernel';
import { cpuSeconds, type Figure, heapBytes, median, rate } from './measure.ts';
import { countOf, datedDocuments, isPrimary, run, runAll, setWithPrimary } from './set.ts';

// What a set does without sockets.

export async function eventQueue(): Promise<Figure> {
  const value = await rate(5, () => {
    const queue = new EventQueue<number>();
    for (let i = 0; i < 1000; i++) queue.schedule(i, i);
    for (let i = 0; i < 1_000_000; i++) {
      const { atMicros, payload } = queue.pop()!;
      queue.schedule(atMicros + 1 + ((payload * 7919) % 1000), payload);
    }
    return 1_000_000;
  });
  return { name: 'kernel: events scheduled and taken, 1,000 pending', value, unit: 'events/CPU s', better: 'more' };
}

/** How fast time passes for a set that nobody asks anything, and how many messages that is: nothing else happens in it. */
export async function idle(size: number, seconds: number): Promise<readonly Figure[]> {
  const set = await setWithPrimary(size);
  await set.advanceTo(120e6);
  let until = set.nowMicros;
  const begun = set.messagesDelivered;
  const value = await rate(3, async () => {
    until += seconds * 1e6;
    await set.advanceTo(until);
    return seconds;
  });
  const messages = (set.messagesDelivered - begun) / (3 * seconds);
  await set.close();
  return [
    { name: `idle set of ${size}`, value, unit: 'simulated s/CPU s', better: 'more' },
    {
      name: `messages in a set of ${size}`,
      value: messages * value,
      unit: 'delivered/CPU s',
      better: 'more',
      aim: 1_600_000,
    },
  ];
}

export async function failovers(): Promise<Figure> {
  const set = await setWithPrimary(3);
  const names = ['n1', 'n2', 'n3'];
  const failover = async () => {
    set.kill('n1');
    await set.start('n1');
    await set.runUntil(() => names.some((name) => isPrimary(set, name)), set.nowMicros + 120e6);
  };
  const rates: number[] = [];
  for (let round = 0; round < 3; round++) {
    let seconds = 0;
    for (let i = 0; i < FAILOVERS; i++) {
      seconds += await cpuSeconds(failover);
      // Past its next checkpoint: a member that never lives for a minute has a longer journal to read each time.
      await set.advanceTo(set.nowMicros + 61e6);
    }
    rates.push(FAILOVERS / seconds);
  }
  await set.close();
  const value = median(rates);
  return { name: 'kill the primary, start it, elect', value, unit: 'failovers/CPU s', better: 'more', aim: 800 };
}

const FAILOVERS = 50;

export async function majorityInserts(): Promise<Figure> {
  const set = await setWithPrimary(3);
  let next = 0;
  const value = await rate(3, async () => {
    const PARALLEL = 100;
    const ROUNDS = 50;
    for (let round = 0; round < ROUNDS; round++) {
      await runAll(
        set,
        'n1',
        datedDocuments(next, PARALLEL, 0).map((document) => ({
          insert: 'c',
          documents: [document],
          writeConcern: { w: 'majority' },
          $db: 'app',
        })),
      );
      next += PARALLEL;
    }
    return PARALLEL * ROUNDS;
  });
  await set.close();
  return {
    name: 'inserts at w: majority, 100 clients, set of 3',
    value,
    unit: 'inserts/CPU s',
    better: 'more',
    aim: 50_000,
  };
}

/** A million small documents in three members, oplog and all, beside one plain Map of the same documents as BSON. */
export async function memory(): Promise<Figure> {
  const COUNT = 1_000_000;
  const empty = heapBytes();
  const map = new Map<number, Uint8Array>();
  for (let i = 0; i < COUNT; i += 5000)
    datedDocuments(i, 5000, 0).forEach(({ bytes }, offset) => {
      map.set(i + offset, bytes);
    });
  const floor = (heapBytes() - empty) / map.size;
  map.clear();
  const before = heapBytes();
  const set = await setWithPrimary(3);
  for (let i = 0; i < COUNT; i += 5000)
    await run(set, 'n1', { insert: 'c', documents: datedDocuments(i, 5000, 0), $db: 'app' });
  await set.runUntil(() => countOf(set, 'n3', 'c') === COUNT, set.nowMicros + 600e6);
  const bytes = (heapBytes() - before) / COUNT;
  await set.close();
  return {
    name: 'memory for a document in a set of 3, oplog and all',
    value: bytes,
    unit: 'bytes',
    better: 'less',
    floor: { name: 'one plain Map of the same BSON', value: floor },
    aimRatio: 2.2,
  };
}
