import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { FLOORS } from './floors.ts';
import { foundIn, judgedFile } from './fuzz.ts';
import { type Asked, askedBy, belowFloor, foundText, type Outcome } from './report.ts';
import { Tally } from './tally.ts';

// npm run fuzz -- --seeds A..B: draws scenarios, explores each, and says what came about in them. Processes of its own play them, one a core.

const WORKER = 'worker';

if (process.argv[2] === WORKER) work();
else {
  const asked = askedBy(process.argv.slice(2));
  if (typeof asked === 'string') {
    process.stderr.write(`${asked}\n`);
    process.exitCode = 2;
  } else if (asked.file === undefined) process.exitCode = await many(asked);
  else process.exitCode = await one(asked.file);
}

function work(): void {
  process.on('message', (seed: number) => {
    void foundIn(seed).then((outcome) => process.send?.(outcome));
  });
}

/** Plays a scenario as it stands, with the same judges. */
async function one(file: string): Promise<number> {
  const { failure, obstacle } = await judgedFile(readFileSync(file, 'utf8'));
  if (failure) process.stdout.write(`${failure.title}\n${failure.detail}\n`);
  else process.stdout.write(obstacle ? `not played to its end: ${obstacle.title}\n` : 'held\n');
  return failure || obstacle ? 1 : 0;
}

async function many({ from, to, jobs = availableParallelism() }: Asked): Promise<number> {
  const began = performance.now();
  const tally = new Tally();
  const outcomes = new Map<number, Outcome>();
  const count = to - from + 1;
  let failed = 0;
  let told = from;
  const take = (outcome: Outcome) => {
    outcomes.set(outcome.seed, outcome);
    // In the order of seeds, whoever was first.
    for (let next = outcomes.get(told); next; next = outcomes.get(++told)) {
      for (const [kind, times] of next.counts) tally.add(kind, times);
      if (next.found.length > 0) failed += 1;
      for (const found of next.found) process.stdout.write(`${foundText(next.seed, found)}\n`);
      outcomes.delete(told);
    }
    progress(told - from, count, failed, performance.now() - began);
  };
  let next = from;
  await Promise.all(
    Array.from({ length: Math.min(jobs, count) }, () => worker(() => (next <= to ? next++ : undefined), take)),
  );
  if (process.stderr.isTTY) process.stderr.write('\n');
  for (const [kind, times] of [...tally.counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    process.stdout.write(`${String(times).padStart(8)}  ${kind}\n`);
  const below = belowFloor(tally, count, FLOORS);
  for (const line of below) process.stdout.write(`too seldom: ${line}\n`);
  process.stdout.write(`${count - failed} passed, ${failed} failed\n`);
  return failed > 0 || below.length > 0 ? 1 : 0;
}

/** A process that takes seeds until there are none. */
function worker(next: () => number | undefined, take: (outcome: Outcome) => void): Promise<void> {
  const child = fork(new URL(import.meta.url), [WORKER]);
  return new Promise((resolve, reject) => {
    const give = () => {
      const seed = next();
      if (seed === undefined) child.disconnect();
      else child.send(seed);
    };
    child.on('message', (outcome: Outcome) => {
      take(outcome);
      give();
    });
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a process ended with ${code}`))));
    give();
  });
}

function progress(done: number, count: number, failed: number, tookMs: number): void {
  if (!process.stderr.isTTY) return;
  const left = Math.ceil(((tookMs / Math.max(done, 1)) * (count - done)) / 1000);
  process.stderr.write(`\r\x1b[K${done} of ${count} seeds, ${failed} failed, ${left} s to go `);
}
