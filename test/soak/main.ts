import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { Load } from './load.ts';
import { Served } from './served.ts';
import { within } from './within.ts';

// The real driver at `replsim serve --dbpath` for minutes: does the process level off? npm run soak -- --minutes N. Time is real here.

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '15' } } });
const MINUTES = Number(values.minutes);
if (!Number.isInteger(MINUTES) || MINUTES < 1) {
  process.stderr.write(`--minutes takes a whole number above 0, not "${values.minutes}"\n`);
  process.exit(2);
}
/** From this minute on nothing may grow by more than its share. */
const LEVEL = Math.min(5, Math.max(1, Math.floor(MINUTES / 2)));
const SHARES = { heap: 0.05, descriptors: 0.25, files: 0.5, bytes: 0.5 } as const;
/** The process is killed at the end of the first minute, and goes on from then: a new process has nothing to level off from. */
const KILLED_AFTER = 1;

/** A jump of the clock, an election or a look at all documents. Unit: ms. */
const COMMAND_MS = 120_000;

type Figures = Record<keyof typeof SHARES, number>;

const folder = mkdtempSync(join(tmpdir(), 'replsim-soak-'));
const load = new Load();
let served = await Served.start(folder);
load.uri = served.uri;
const running = load.run();
const rows: Figures[] = [];
const stood: string[] = [];
let lost = 0;
/** How long this process, and the one that it looks at, are kept waiting by the machine: then they stand still through no fault of theirs. */
const delay = monitorEventLoopDelay();
delay.enable();
let before = served.ran;
let sinceMs = performance.now();
console.log(
  'minute  heap MB  descriptors  files  disk MB  connections  acknowledged   polls  lost  ran s  waited s  held s',
);
for (let minute = 1; minute <= MINUTES; minute++) {
  try {
    await live(minute);
  } catch (error) {
    stood.push(`minute ${minute}: ${(error as Error).message}`, ...(await served.members()));
    const [ran, waited] = ranSince();
    stood.push(`the served process ran for ${ran} s and waited for a processor for ${waited} s of ${secsSince()} s`);
    stood.push(`this process itself was held for ${heldSecs()} s at most`);
    break;
  } finally {
    stood.push(...load.stoodStill().map((each) => `minute ${minute}: ${each}`));
  }
}
load.stop();
await running;
await served.kill();
rmSync(folder, { recursive: true, force: true });
verdict();
// What stands still would keep the process.
process.exit();

async function live(minute: number): Promise<void> {
  await disturb(performance.now() + 58_000);
  lost += await within(COMMAND_MS, 'the count of documents', load.lost());
  const { files, bytes } = served.disk();
  const row = { heap: await served.heap(), descriptors: served.descriptors, files, bytes };
  rows.push(row);
  const { connections, acknowledged, polls } = load;
  const sizes = [minute, mb(row.heap), row.descriptors, files, mb(bytes)];
  const shown = [...sizes, connections, acknowledged, polls, lost, ...ranSince(), heldSecs()];
  delay.reset();
  before = served.ran;
  sinceMs = performance.now();
  const widths = [6, 7, 11, 5, 7, 11, 12, 6, 4, 5, 8, 6];
  console.log(shown.map((each, i) => String(each).padStart(widths[i]!)).join('  '));
  if (minute !== KILLED_AFTER || MINUTES <= 2) return;
  await served.kill();
  served = await within(COMMAND_MS, 'the start after the kill', Served.start(folder));
  load.uri = served.uri;
  before = served.ran;
  lost += await within(COMMAND_MS, 'the count of documents', load.lost());
}

/** Failovers and jumps, until the minute is over. */
async function disturb(untilMs: number): Promise<void> {
  const operator = new MongoClient(served.uri, { serverSelectionTimeoutMS: 60_000 });
  const ask = (command: object) => {
    const [what] = Object.keys(command);
    return within(COMMAND_MS, `the operator's ${what}`, operator.db('admin').command(command));
  };
  try {
    while (performance.now() < untilMs) {
      await ask({ replsimFault: { kill: 'primary' }, untilPrimary: true });
      await sleep(2000);
      await ask({ replsimFault: { start: 'all' } });
      await ask({ replsimAdvance: '90s' });
      await sleep(5000);
    }
  } finally {
    await within(COMMAND_MS, 'the end of the operator', operator.close());
  }
}

function verdict(): void {
  for (const each of stood) console.log(`stood still: ${each}`);
  if (stood.length > 0 || rows.length < MINUTES) process.exitCode = 1;
  const [before, after] = [rows[LEVEL - 1], rows.at(-1)];
  if (before !== undefined && after !== undefined) for (const text of grown(before, after)) console.log(text);
  if (lost > 0) process.exitCode = 1;
  console.log(`${lost} acknowledged writes lost`);
}

function grown(before: Figures, after: Figures): string[] {
  return (Object.entries(SHARES) as [keyof Figures, number][]).map(([name, share]) => {
    const more = after[name] / before[name] - 1;
    const isLevel = more <= share;
    if (!isLevel) process.exitCode = 1;
    return `${isLevel ? 'level' : 'grows'}: ${name} ${(more * 100).toFixed(1)} % since minute ${LEVEL}, at most ${share * 100} %`;
  });
}

/** Since the last line. A process that only waits is kept from its work by the machine. */
function ranSince(): [ran: string, waited: string] {
  const { ranSecs, waitedSecs } = served.ran;
  return [(ranSecs - before.ranSecs).toFixed(1), (waitedSecs - before.waitedSecs).toFixed(1)];
}

function secsSince(): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}

function heldSecs(): string {
  return (delay.max / 1e9).toFixed(1);
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
