import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServedSet } from '@replsim/server';
import { type Figure, median, timed } from './measure.ts';

// What a test suite pays for its sets, besides what it does with them.

const PROCESSES = 9;
const WARM_UPS = 20;
const RUNS = 10;
const AIM_TIMES = 5;
const STOPS = 15;
const FILES = 200;
const WORKERS = 2;
const AIM_STOP_MS = 30;
const AIM_FILE_MS = 150;

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const program = fileURLToPath(new URL('firstWrite.js', import.meta.url));
const vitest = join(modules, 'vitest/vitest.mjs');

/**
 * From nothing to a write that a majority has: in a process of its own, as a file of a suite begins, and in one that has started sets
 * before.
 */
export function firstMajorityWrites(): readonly Figure[] {
  const firsts = Array.from({ length: PROCESSES }, () => ({ floor: first('canned'), set: first('set') }));
  const laterMillis = (what: string) => median(firstWrites(what, WARM_UPS + RUNS).slice(WARM_UPS));
  const figure = (name: string, value: number, floor: number): Figure => ({
    name,
    value,
    unit: 'ms',
    better: 'less',
    floor: { name: 'the driver, answers ready', value: floor },
    aimRatio: AIM_TIMES,
  });
  const ofFirsts = (what: 'set' | 'floor') => median(firsts.map((each) => each[what]));
  return [
    figure('start, connect, first write at w: majority', ofFirsts('set'), ofFirsts('floor')),
    figure(`the same, the ${WARM_UPS + 1}th time in a process`, laterMillis('set'), laterMillis('canned')),
  ];
}

function first(what: string): number {
  return firstWrites(what, 1)[0] ?? Number.NaN;
}

/** How long each took. Unit: ms. */
function firstWrites(what: string, times: number): number[] {
  return JSON.parse(execFileSync(process.execPath, [program, what, `${times}`], { encoding: 'utf8' }));
}

/** From `stop()` of a set of three to its end, with nobody connected. */
export async function stopIdle(): Promise<Figure> {
  const millis: number[] = [];
  for (let i = 0; i < STOPS; i++) {
    const served = await ServedSet.start();
    millis.push(1000 * (await timed(() => served.stop())));
  }
  return { name: 'stop() of an idle set of 3', value: median(millis), unit: 'ms', better: 'less', aim: AIM_STOP_MS };
}

/** Many test files, each with a set of its own and one write at `w: majority`, beside as many whose driver connects to nothing. */
export function manyTestFiles(): Figure {
  const without = suiteSeconds((file) => testFile(file, '', 'await client.close();'));
  const withSets = suiteSeconds((file) =>
    testFile(
      file,
      SET,
      "await client.db('app').collection('c').insertOne({}, { writeConcern: { w: 'majority' } });\nawait client.close();",
    ),
  );
  const millis = (1000 * (withSets - without)) / FILES;
  return {
    name: `${FILES} test files with a set each, ${WORKERS} workers`,
    value: millis,
    unit: 'ms a file on the set',
    better: 'less',
    aim: AIM_FILE_MS,
    also: [
      `${Math.round(WORKERS * millis)} of a worker`,
      `${withSets.toFixed(1)} s, without sets ${without.toFixed(1)}`,
    ],
  };
}

const SET = `
import { replicaSetPerFile } from 'replsim/vitest';
const set = replicaSetPerFile();
`;

function testFile(file: number, set: string, body: string): string {
  const uri = set === '' ? "'mongodb://127.0.0.1:1'" : 'set.uri';
  return `import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
${set}
test('file ${file}', async () => {
  const client = new MongoClient(${uri});
  ${body}
  expect(client).toBeDefined();
});
`;
}

/** What npm makes of the package: a folder, as runners read what lies elsewhere by themselves. */
function install(into: string): void {
  mkdirSync(into);
  for (const name of readdirSync(modules)) if (name !== 'replsim') symlinkSync(join(modules, name), join(into, name));
  for (const part of ['package.json', 'bin', 'dist/bundle'])
    cpSync(join(modules, 'replsim', part), join(into, 'replsim', part), { recursive: true, dereference: true });
}

function suiteSeconds(textOf: (file: number) => string): number {
  const folder = mkdtempSync(join(tmpdir(), 'replsim-kit-'));
  try {
    install(join(folder, 'node_modules'));
    for (let file = 0; file < FILES; file++) writeFileSync(join(folder, `file${file}.test.js`), textOf(file));
    const begun = process.hrtime.bigint();
    const { status, stderr } = spawnSync(
      process.execPath,
      [vitest, 'run', '--root', folder, '--maxWorkers', `${WORKERS}`],
      {
        encoding: 'utf8',
      },
    );
    if (status !== 0) throw new Error(`the suite of ${folder} failed: ${stderr}`);
    return Number(process.hrtime.bigint() - begun) / 1e9;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
