import type { ReplSet } from '@replsim/replset';
import { type Figure, heapBytes } from './measure.ts';
import { idlePassMillis } from './passes.ts';
import { datedDocuments, run, setWithPrimary } from './set.ts';

// Ten million documents with one TTL index, none of them due, in a set of one with its oplog. `ttl.ts` starts this in a
// process of its own, with room for its heap: node --expose-gc --max-old-space-size=23000 bench/dist/tenMillion.js [COUNT]

const COUNT = Number(process.argv[2] ?? 10_000_000);
const AT_ONCE = 5000;
const IN_A_DAY_MS = Date.UTC(2025, 0, 2);

const before = heapBytes();
const set = await setWithPrimary(1);
const index = { key: { at: 1 }, name: 'at_1', expireAfterSeconds: 86_400 * 365 };
await run(set, 'n1', { createIndexes: 'sessions', indexes: [index], $db: 'app' });
await fill(set);
const bytes = heapBytes() - before;
const millis = await idlePassMillis(set, 'n1');
await set.close();

const held: Figure = {
  name: `${COUNT.toLocaleString('en-US')} documents with a TTL index, set of one`,
  value: bytes / 2 ** 30,
  unit: 'GiB',
  better: 'less',
  aim: 24,
  also: [`${Math.round(bytes / COUNT)} bytes each`],
};
const pass: Figure = { name: 'TTL pass over it, nothing due', value: millis, unit: 'ms', better: 'less', aim: 1 };
process.stdout.write(JSON.stringify([held, pass]));

async function fill(set: ReplSet): Promise<void> {
  for (let i = 0; i < COUNT; i += AT_ONCE) {
    const documents = datedDocuments(i, AT_ONCE, IN_A_DAY_MS + i);
    await run(set, 'n1', { insert: 'sessions', documents, $db: 'app' });
  }
}
