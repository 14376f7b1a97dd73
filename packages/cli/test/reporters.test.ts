import type { LedgerReport } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { jsonReporter, junitReporter, tapReporter } from '../src/reporters/machine.ts';
import { prettyReporter } from '../src/reporters/pretty.ts';
import type { Outcome } from '../src/reporters/reporter.ts';
import { testIo } from './io.ts';

const held: Outcome = {
  path: 'scenarios/a.yaml',
  name: 'A claim that holds',
  ok: true,
  seed: 7,
  steps: 3,
  virtualMs: 61_000,
  wallMs: 12.4,
  transcript: [],
  workloads: [],
  repeat: 'replsim run scenarios/a.yaml --seed 7',
};
const failed: Outcome = {
  ...held,
  path: 'scenarios/b.yaml',
  name: 'A claim with <angles> & "quotes" #1',
  ok: false,
  failure: { title: 'step 2 (line 9) does not hold', detail: 'asked: count\ngot: 25 < 26' },
  repeat: 'replsim run scenarios/b.yaml --seed 7',
};

test('pretty, several: a line each, failures in full, counts last', () => {
  const io = testIo();
  const reporter = prettyReporter(io, false);
  for (const outcome of [held, failed]) reporter.finished(outcome);
  reporter.ended([held, failed]);
  expect(io.stdout).toBe(
    [
      '✓ A claim that holds 61.000s in 12 ms',
      '✗ A claim with <angles> & "quotes" #1 61.000s in 12 ms',
      'failed: step 2 (line 9) does not hold',
      '  asked: count',
      '  got: 25 < 26',
      'repeat with: replsim run scenarios/b.yaml --seed 7',
      '',
      '1 passed, 1 failed',
      '',
    ].join('\n'),
  );
});

test('pretty, single: the transcript, then the verdict; the last line of a failure repeats it', () => {
  const io = testIo();
  const reporter = prettyReporter(io, true);
  reporter.began?.(failed.name, 0, 1);
  reporter.line?.('    1.000s n1 is SECONDARY');
  reporter.finished(failed);
  reporter.ended([failed]);
  expect(io.stdout.trimEnd().split('\n').at(0)).toBe(failed.name);
  expect(io.stdout).toContain('    1.000s n1 is SECONDARY\n');
  expect(io.stdout.trimEnd().split('\n').at(-1)).toBe('repeat with: replsim run scenarios/b.yaml --seed 7');
});

test('pretty: colours only where they are wanted, and each member its own', () => {
  const plain = testIo();
  prettyReporter(plain, true).line?.('    1.000s n1 is SECONDARY');
  expect(plain.stdout).not.toContain('\u001b');
  const coloured = testIo({ colours: true });
  const reporter = prettyReporter(coloured, true);
  for (const member of ['n1', 'n2', 'n1']) reporter.line?.(`    1.000s ${member} is SECONDARY`);
  const codes = coloured.stdout.split('\n').map((line) => /(\S+)n\d/.exec(line)?.[1]);
  expect(codes[0]).toBe(codes[2]);
  expect(codes[0]).not.toBe(codes[1]);
});

test('json: one document', () => {
  const io = testIo();
  const reporter = jsonReporter(io);
  reporter.finished(failed);
  reporter.ended([held, failed]);
  expect(JSON.parse(io.stdout)).toEqual({
    version: 1,
    passed: 1,
    failed: 1,
    scenarios: [
      { file: held.path, name: held.name, ok: true, seed: 7, steps: 3, virtualMs: 61_000, wallMs: 12 },
      {
        file: failed.path,
        name: failed.name,
        ok: false,
        seed: 7,
        steps: 3,
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
    counts: { sent: 1, acknowledged: 1, lost: 0, errors: 0, unknown: 0, reads: 0, dirtyReads: 0, staleReads: 0 },
    losses: [],
    operations: [{ turn: 1, sentMicros: 5, toldMicros: 9, outcome: 'acknowledged', attempts: 1, survives: true }],
  };
  const reporter = jsonReporter(io);
  reporter.ended([{ ...held, workloads: [ledger] }]);
  expect(JSON.parse(io.stdout).scenarios[0].workloads).toEqual([ledger]);
});

test('tap: plan, results, and a # in a name that is no directive', () => {
  const io = testIo();
  const reporter = tapReporter(io, 2);
  for (const outcome of [held, failed]) reporter.finished(outcome);
  reporter.ended([held, failed]);
  const lines = io.stdout.split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'TAP version 14',
    '1..2',
    'ok 1 - A claim that holds',
    'not ok 2 - A claim with <angles> & "quotes" \\#1',
  ]);
  expect(io.stdout).toContain('    got: 25 < 26\n');
});

test('junit: counts, and text that XML can hold', () => {
  const io = testIo();
  const reporter = junitReporter(io);
  const control = { ...failed, failure: { title: 'a\u0001b', detail: '' } };
  reporter.ended([held, failed, control]);
  expect(io.stdout).toContain('<testsuite name="replsim" tests="3" failures="2" time="0.037">');
  expect(io.stdout).toContain('name="A claim with &lt;angles&gt; &amp; &quot;quotes&quot; #1"');
  expect(io.stdout).toContain('got: 25 &lt; 26');
  expect(io.stdout).toContain('<failure message="ab">');
});
