import { parseArgs } from 'node:util';
import { drive } from './drive.ts';
import { MUST_HAPPEN, Tally } from './tally.ts';

// npm run fuzz -- --seeds N [--from K]: drives N random runs and says what happened in them.

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '1000' }, from: { type: 'string', default: '1' } },
});
const [count, from] = [Number(values.seeds), Number(values.from)];
if (!(Number.isSafeInteger(count) && count > 0 && Number.isSafeInteger(from))) {
  process.stderr.write('--seeds and --from are whole numbers: npm run fuzz -- --seeds 1000 --from 1\n');
  process.exit(2);
}

const ENOUGH_SEEDS = 200;
const tally = new Tally();
const found: string[] = [];
for (let seed = from; seed < from + count; seed++) {
  try {
    await drive(seed, tally);
  } catch (error) {
    found.push(String(error instanceof Error ? error.message : error));
    process.stdout.write(`${found.at(-1)}\n`);
  }
  if (process.stderr.isTTY) process.stderr.write(`\r${seed - from + 1} of ${count} seeds, ${found.length} failed `);
}
if (process.stderr.isTTY) process.stderr.write('\n');
for (const [kind, times] of [...tally.counts].sort(([a], [b]) => (a < b ? -1 : 1)))
  process.stdout.write(`${String(times).padStart(8)}  ${kind}\n`);
// A few seeds need not show everything.
const never = count < ENOUGH_SEEDS ? [] : MUST_HAPPEN.filter((kind) => tally.of(kind) === 0);
if (never.length > 0) process.stdout.write(`never: ${never.join(', ')}\n`);
process.stdout.write(`${count - found.length} passed, ${found.length} failed\n`);
const [first] = found;
if (first !== undefined)
  process.stdout.write(`again: npm run fuzz -- --seeds 1 --from ${/^seed (\d+)/.exec(first)?.[1]}\n`);
process.exitCode = found.length > 0 || never.length > 0 ? 1 : 0;
