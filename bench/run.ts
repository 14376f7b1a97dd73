import { EventQueue } from '@replsim/kernel';
import { invariants, ledger } from './additions.ts';
import { atOnce } from './atOnce.ts';
import { causes } from './causes.ts';
import { bareWrites, failoverSeen, jumpOverPass, writes } from './clients.ts';
import { coldStart } from './coldStart.ts';
import { explored } from './explored.ts';
import { growth } from './growth.ts';
import { idleConnections } from './idleConnections.ts';
import { idleStreams } from './idleStreams.ts';
import { firstMajorityWrites, manyTestFiles, stopIdle } from './kit.ts';
import { livePage } from './livePage.ts';
import { type Figure, heapBytes, line, rate, spanLine } from './measure.ts';
import { countOf, datedDocuments, isPrimary, run, runAll, setWithPrimary } from './set.ts';
import { studio } from './studio.ts';
import { sessionWrites, transactions } from './transactions.ts';
import { manyIndexes, tenMillion, ttlDeletes } from './ttl.ts';

// Figures are ratios to a floor of the same run where there is one. They never fail a build.

async function eventQueue(): Promise<Figure> {
  const perSecond = await rate(5, () => {
    const queue = new EventQueue<number>();
    for (let i = 0; i < 1000; i++) queue.schedule(i, i);
    for (let i = 0; i < 1_000_000; i++) {
      const { atMicros, payload } = queue.pop()!;
      queue.schedule(atMicros + 1 + ((payload * 7919) % 1000), payload);
    }
    return 1_000_000;
  });
  return { name: 'kernel: events scheduled and taken, 1,000 pending', perSecond, unit: 'events/s', aim: 1_000_000 };
}

/** How fast time passes for a set that nobody asks anything, and how many messages that is: nothing else happens in it. */
async function idle(size: number, seconds: number, aim: number): Promise<readonly Figure[]> {
  const set = await setWithPrimary(size);
  await set.advanceTo(120e6);
  let until = set.nowMicros;
  const begun = set.messagesDelivered;
  const perSecond = await rate(3, async () => {
    until += seconds * 1e6;
    await set.advanceTo(until);
    return seconds;
  });
  const messages = (set.messagesDelivered - begun) / (3 * seconds);
  await set.close();
  return [
    { name: `idle set of ${size}`, perSecond, unit: 'simulated s/s', aim },
    { name: 'messages in it', perSecond: messages * perSecond, unit: 'delivered/s', aim: 650_000 },
  ];
}

async function failovers(): Promise<Figure> {
  const set = await setWithPrimary(3);
  const names = ['n1', 'n2', 'n3'];
  const perSecond = await rate(3, async () => {
    const COUNT = 50;
    for (let i = 0; i < COUNT; i++) {
      set.kill('n1');
      await set.start('n1');
      await set.runUntil(() => names.some((name) => isPrimary(set, name)), set.nowMicros + 120e6);
    }
    return COUNT;
  });
  await set.close();
  return { name: 'kill the primary, start it, elect', perSecond, unit: 'failovers/s', aim: 1000 };
}

async function majorityInserts(): Promise<Figure> {
  const set = await setWithPrimary(3);
  let next = 0;
  const perSecond = await rate(3, async () => {
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
  return { name: 'inserts at w: majority, 100 clients, set of 3', perSecond, unit: 'inserts/s', aim: 50_000 };
}

/** A million small documents in three members, oplog and all, beside one plain Map of the same documents as BSON. */
async function memory(): Promise<string> {
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
  const name = 'memory for a document in a set of 3, oplog and all'.padEnd(52);
  return `${name} ${String(Math.round(bytes)).padStart(12)} bytes; floor ${Math.round(floor)} (one plain Map of the same BSON), ratio ${(bytes / floor).toFixed(1)}; aim: 3`;
}

const show = (text: string) => process.stdout.write(`${text}\n`);

/** What the driver sees. */
async function clients(): Promise<void> {
  show(await idleConnections());
  show(spanLine(await failoverSeen()));
  for (const figure of await writes()) show(line(figure));
  show(line(await bareWrites()));
  show(spanLine(await jumpOverPass()));
}

/** What a test suite pays. */
async function kit(): Promise<void> {
  for (const span of firstMajorityWrites()) show(spanLine(span));
  show(await stopIdle());
  show(manyTestFiles());
}

/** Transactions, sessions, change streams. */
async function ofTransactions(): Promise<void> {
  const at = process.argv.indexOf('--before');
  const before = at < 0 ? undefined : process.argv[at + 1];
  if (at >= 0 && before === undefined) throw new Error('--before needs the folder of a built checkout');
  for (const each of await transactions()) show(each);
  show(await sessionWrites(before));
  show(await idleStreams());
}

if (process.argv.includes('growth')) {
  for (const each of await growth()) show(each);
  process.exit();
}

if (process.argv.includes('ledger')) {
  for (const each of await ledger()) show(each);
  process.exit();
}

if (process.argv.includes('invariants')) {
  for (const each of await invariants()) show(each);
  process.exit();
}

if (process.argv.includes('live')) {
  for (const each of await livePage()) show(each);
  process.exit();
}

if (process.argv.includes('causes')) {
  for (const each of await causes()) show(each);
  process.exit();
}

if (process.argv.includes('transactions')) {
  await ofTransactions();
  process.exit();
}

if (process.argv.includes('cold')) {
  show(await coldStart());
  process.exit();
}

if (process.argv.includes('jobs')) {
  show(await atOnce());
  process.exit();
}

if (process.argv.includes('explore')) {
  for (const each of await explored()) show(each);
  process.exit();
}

if (process.argv.includes('kit')) {
  await kit();
  process.exit();
}

if (process.argv.includes('studio')) {
  for (const each of await studio()) show(each);
  process.exit();
}

// First, as the others leave memory behind; `npm run bench -- clients` for these alone.
await clients();
if (process.argv.includes('clients')) process.exit();
await kit();
for (const each of await invariants()) show(each);
for (const each of await ledger()) show(each);
for (const each of await causes()) show(each);
for (const each of await livePage()) show(each);
await ofTransactions();
for (const each of await growth()) show(each);
show(line(await eventQueue()));
for (const figure of await idle(3, 10_000, 50_000)) show(line(figure));
for (const figure of await idle(7, 2000, 10_000)) show(line(figure));
for (const figure of await idle(50, 60, 150)) show(line(figure));
show(line(await failovers()));
show(line(await ttlDeletes(1)));
show(line(await ttlDeletes(3)));
show(await manyIndexes());
show(tenMillion());
show(line(await majorityInserts()));
show(await memory());
show(await coldStart());
show(await atOnce());
for (const each of await explored()) show(each);
for (const each of await studio()) show(each);
