import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LedgerReport } from '@replsim/scenario';
import { expect, test } from 'vitest';
import type { Io } from '../src/io.ts';
import { githubReporter } from '../src/reporters/github.ts';
import { jsonReporter } from '../src/reporters/json.ts';
import { junitReporter } from '../src/reporters/junit.ts';
import { prettyReporter } from '../src/reporters/pretty.ts';
import type { Outcome } from '../src/reporters/reporter.ts';
import { tapReporter } from '../src/reporters/tap.ts';
import { testIo } from './io.ts';
import { failed, held, played } from './outcomes.ts';

const several = [held, failed].map(({ path }) => path);
const pretty = (io: Io, paths: readonly string[], verbose = false) => prettyReporter(io, { paths, verbose });

test('pretty, several, --verbose: a line each, failures in full, figures, counts last', () => {
  const io = testIo();
  const reporter = pretty(io, several, true);
  for (const outcome of [held, failed]) reporter.finished?.(outcome);
  reporter.ended(played([held, failed]));
  expect(io.stdout).toBe(
    [
      '✓ A claim that holds 61.000s in 12 ms',
      '✗ A claim with <angles> & "quotes" #1 61.000s in 12 ms',
      'failed: step 2 (line 9) does not hold',
      '  asked: count',
      '  got: 25 < 26',
      'repeat with: replsim run scenarios/b.yaml --seed 7',
      '',
      'the slowest:',
      '    0.0 s  scenarios/a.yaml',
      '    0.0 s  scenarios/b.yaml',
      '40 invariants watched 2,400 events',
      '2m2s of virtual time in 12 s, 2 at once',
      '',
      '1 passed, 1 failed',
      '',
    ].join('\n'),
  );
});

test('pretty, several: a line for each folder when all of it is played, failures in full before it', () => {
  const io = testIo();
  const outcomes = [
    { ...held, path: 'scenarios/ttl/a.yaml', wallMs: 700 },
    { ...held, path: 'scenarios/ttl/late/a.yaml', wallMs: 12_300 },
    { ...failed, path: 'scenarios/ttl/b.yaml' },
    { ...held, path: 'scenarios/top.yaml' },
  ];
  const paths = outcomes.map(({ path }) => path);
  const reporter = pretty(io, paths);
  for (const outcome of outcomes) reporter.finished?.(outcome);
  reporter.ended(played(outcomes));
  expect(io.stdout.split('\n\n')[0]?.split('\n')).toEqual([
    'ttl/late    1 held    12 s',
    '✗ A claim with <angles> & "quotes" #1 61.000s in 12 ms',
    'failed: step 2 (line 9) does not hold',
    '  asked: count',
    '  got: 25 < 26',
    'repeat with: replsim run scenarios/b.yaml --seed 7',
    'ttl         1 held, 1 failed   0.7 s',
    '.           1 held   0.0 s',
  ]);
});

test('pretty, several: of a folder that a failure has cut short, what was played', () => {
  const io = testIo();
  const reporter = pretty(io, ['scenarios/b.yaml', 'scenarios/c.yaml', 'other/d.yaml']);
  reporter.finished?.(failed);
  reporter.ended(played([failed]));
  expect(io.stdout).toContain('\nscenarios    0 held, 1 failed   0.0 s\n\nthe slowest:\n');
  expect(io.stdout).not.toMatch(/^other/m);
});

test('pretty, several: the five slowest, the slowest first', () => {
  const io = testIo();
  const outcomes = [3, 1, 7, 2, 12, 5].map((s) => ({ ...held, path: `s/${s}.yaml`, wallMs: s * 1000 }));
  const paths = outcomes.map(({ path }) => path);
  const reporter = pretty(io, paths);
  reporter.ended(played(outcomes));
  const told = [...io.stdout.matchAll(/^ +(\S+ s) {2}(\S+)$/gm)].map(([, time, path]) => [time, path]);
  expect(told).toEqual([
    ['12 s', 's/12.yaml'],
    ['7.0 s', 's/7.yaml'],
    ['5.0 s', 's/5.yaml'],
    ['3.0 s', 's/3.yaml'],
    ['2.0 s', 's/2.yaml'],
  ]);
});

test('pretty, single: the transcript, then the verdict; the last line of a failure repeats it', () => {
  const io = testIo();
  const reporter = pretty(io, [failed.path]);
  reporter.began?.(failed.name, 0, 1);
  reporter.line?.('    1.000s n1 is SECONDARY');
  reporter.finished?.(failed);
  reporter.ended(played([failed]));
  expect(io.stdout.trimEnd().split('\n').at(0)).toBe(failed.name);
  expect(io.stdout).toContain('    1.000s n1 is SECONDARY\n');
  expect(io.stdout.trimEnd().split('\n').at(-1)).toBe('repeat with: replsim run scenarios/b.yaml --seed 7');
});

test('pretty: colours only where they are wanted, and each member its own', () => {
  const plain = testIo();
  pretty(plain, [held.path]).line?.('    1.000s n1 is SECONDARY');
  expect(plain.stdout).not.toContain('\u001b');
  const coloured = testIo({ colours: true });
  const reporter = pretty(coloured, [held.path]);
  for (const member of ['n1', 'n2', 'n1']) reporter.line?.(`    1.000s ${member} is SECONDARY`);
  const codes = coloured.stdout.split('\n').map((line) => /(\S+)n\d/.exec(line)?.[1]);
  expect(codes[0]).toBe(codes[2]);
  expect(codes[0]).not.toBe(codes[1]);
});

test('json: one document', () => {
  const io = testIo();
  const reporter = jsonReporter(io);
  reporter.ended(played([held, failed]));
  expect(JSON.parse(io.stdout)).toEqual({
    version: 1,
    passed: 1,
    failed: 1,
    errors: 0,
    wallMs: 12_345,
    scenarios: [
      {
        file: held.path,
        name: held.name,
        ok: true,
        seed: 7,
        steps: 3,
        invariants: 40,
        events: 1200,
        virtualMs: 61_000,
        wallMs: 12,
      },
      {
        file: failed.path,
        name: failed.name,
        ok: false,
        seed: 7,
        steps: 3,
        invariants: 40,
        events: 1200,
        virtualMs: 61_000,
        wallMs: 12,
        failure: { ...failed.failure, repeat: failed.repeat },
      },
    ],
  });
});

test('json: a scenario with workloads carries their ledgers, operation by operation', () => {
  const io = testIo();
  const ledger: LedgerReport = {
    workload: 'w1',
    operation: 'insert',
    ns: 'app.orders',
    concern: '{ w: 1 }',
    counts: {
      sent: 1,
      acknowledged: 1,
      lost: 0,
      errors: 0,
      unknown: 0,
      reads: 0,
      dirtyReads: 0,
      staleReads: 0,
      aborted: 0,
      sums: 0,
      tornSums: 0,
      unservedMs: 2500,
      longestUnservedMs: 2500,
      withoutPrimaryMs: 0,
      longestWithoutPrimaryMs: 0,
    },
    latency: { all: { operations: 30, p50Ms: 12, p95Ms: 13, p99Ms: 14, maxMs: 15 } },
    losses: [],
    operations: [{ turn: 1, sentMicros: 5, toldMicros: 9, outcome: 'acknowledged', attempts: 1, survives: true }],
  };
  const reporter = jsonReporter(io);
  reporter.ended(played([{ ...held, workloads: [ledger] }]));
  expect(JSON.parse(io.stdout).scenarios[0].workloads).toEqual([ledger]);
});

test('tap: plan, results, and a # in a name that is no directive', () => {
  const io = testIo();
  const reporter = tapReporter(io, 2);
  for (const outcome of [held, failed]) reporter.finished?.(outcome);
  reporter.ended(played([held, failed]));
  const lines = io.stdout.split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'TAP version 14',
    '1..2',
    'ok 1 - A claim that holds',
    'not ok 2 - A claim with <angles> & "quotes" \\#1',
  ]);
  expect(io.stdout).toContain('    got: 25 < 26\n');
});

test('junit: a suite a folder, counts, places, properties, and of a failure the transcript; text that XML can hold', () => {
  const io = testIo();
  const control: Outcome = {
    ...failed,
    path: 'scenarios/ttl/c.yaml',
    failure: { title: 'a\u0001b', detail: '', line: 3 },
    transcript: ['    1.000s n1 is <SECONDARY>', '    2.000s n2 is PRIMARY'],
  };
  junitReporter(io).ended(played([held, failed, control]));
  expect(io.stdout.split('\n')).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="replsim" tests="3" failures="2" errors="0" time="12.345">',
    '  <testsuite name="scenarios" tests="2" failures="1" errors="0" skipped="0" time="0.025">',
    '    <testsuite name="scenarios/a.yaml" file="scenarios/a.yaml" tests="1" failures="0" errors="0" skipped="0" time="0.012">',
    '      <properties>',
    '        <property name="line" value="1"/>',
    '        <property name="seed" value="7"/>',
    '        <property name="virtual seconds" value="61.000"/>',
    '      </properties>',
    '      <testcase name="A claim that holds" classname="scenarios/a.yaml" time="0.012"/>',
    '    </testsuite>',
    '    <testsuite name="scenarios/b.yaml" file="scenarios/b.yaml" tests="1" failures="1" errors="0" skipped="0" time="0.012">',
    '      <properties>',
    '        <property name="line" value="9"/>',
    '        <property name="seed" value="7"/>',
    '        <property name="virtual seconds" value="61.000"/>',
    '      </properties>',
    '      <testcase name="A claim with &lt;angles&gt; &amp; &quot;quotes&quot; #1" classname="scenarios/b.yaml" time="0.012">',
    '        <failure message="step 2 (line 9) does not hold" type="failed">scenarios/b.yaml:9',
    'asked: count',
    'got: 25 &lt; 26',
    'repeat with: replsim run scenarios/b.yaml --seed 7</failure>',
    '        <system-out></system-out>',
    '      </testcase>',
    '    </testsuite>',
    '  </testsuite>',
    '  <testsuite name="scenarios/ttl" tests="1" failures="1" errors="0" skipped="0" time="0.012">',
    '    <testsuite name="scenarios/ttl/c.yaml" file="scenarios/ttl/c.yaml" tests="1" failures="1" errors="0" skipped="0" time="0.012">',
    '      <properties>',
    '        <property name="line" value="3"/>',
    '        <property name="seed" value="7"/>',
    '        <property name="virtual seconds" value="61.000"/>',
    '      </properties>',
    '      <testcase name="A claim with &lt;angles&gt; &amp; &quot;quotes&quot; #1" classname="scenarios/ttl/c.yaml" time="0.012">',
    '        <failure message="ab" type="failed">scenarios/ttl/c.yaml:3',
    '',
    'repeat with: replsim run scenarios/b.yaml --seed 7</failure>',
    '        <system-out>    1.000s n1 is &lt;SECONDARY&gt;',
    '    2.000s n2 is PRIMARY</system-out>',
    '      </testcase>',
    '    </testsuite>',
    '  </testsuite>',
    '</testsuites>',
    '',
  ]);
});

test('github: an annotation for each failure, where it is, with what separates its parts escaped', () => {
  const io = testIo();
  const reporter = githubReporter(io);
  const odd: Outcome = { ...failed, name: 'Odd: 100%, or so' };
  for (const outcome of [held, odd]) reporter.finished?.(outcome);
  reporter.ended(played([held, odd]));
  expect(io.stdout).toBe(
    '::error title=Odd%3A 100%25%2C or so,file=scenarios/b.yaml,line=9::step 2 (line 9) does not hold%0Aasked: count%0Agot: 25 < 26%0Arepeat with: replsim run scenarios/b.yaml --seed 7\n',
  );
});

test('github: the summary is added to what the job has said already', () => {
  const folder = mkdtempSync(join(tmpdir(), 'replsim-summary-'));
  try {
    const stepSummary = join(folder, 'summary');
    writeFileSync(stepSummary, 'Said before.\n');
    githubReporter({ ...testIo(), stepSummary }).ended(played([{ ...held, path: 'scenarios/ttl/a.yaml' }, failed]));
    expect(readFileSync(stepSummary, 'utf8').split('\n')).toEqual([
      'Said before.',
      '### replsim: 1 passed, 1 failed in 12 s',
      '',
      '| folder | held | failed |',
      '|---|---|---|',
      '| ttl | 1 | 0 |',
      '| . | 0 | 1 |',
      '',
      '<details><summary>A claim with &lt;angles&gt; &amp; &quot;quotes&quot; #1 (scenarios/b.yaml)</summary>',
      '',
      '<pre>step 2 (line 9) does not hold',
      'asked: count',
      'got: 25 &lt; 26',
      'repeat with: replsim run scenarios/b.yaml --seed 7</pre>',
      '',
      '</details>',
      '',
      '',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
