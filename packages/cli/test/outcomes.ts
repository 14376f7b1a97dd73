import type { Outcome, Played } from '../src/reporters/reporter.ts';

/** A run that held. */
export const held: Outcome = {
  path: 'scenarios/a.yaml',
  name: 'A claim that holds',
  ok: true,
  seed: 7,
  steps: 3,
  invariants: 40,
  events: 1200,
  virtualMs: 61_000,
  wallMs: 12.4,
  transcript: [],
  workloads: [],
  repeat: 'replsim run scenarios/a.yaml --seed 7',
};

/** One that did not, with a name that formats have to escape. */
export const failed: Outcome = {
  ...held,
  path: 'scenarios/b.yaml',
  name: 'A claim with <angles> & "quotes" #1',
  ok: false,
  failure: { title: 'step 2 (line 9) does not hold', detail: 'asked: count\ngot: 25 < 26', line: 9 },
  repeat: 'replsim run scenarios/b.yaml --seed 7',
};

/** All that a format could trip over: its own marks, other scripts, controls, halves of characters. */
export const odd: Outcome = {
  ...failed,
  path: 'scenarios/odd/ä & "b",c:d.yaml',
  name: '# TODO </script><script>alert(1)</script> \\ ]]> --- ...\n1..9 100%, é 𝄞 \u0001\ud800',
  failure: {
    title: '<!-- -->: `x` && ::error::',
    detail: '  ---\n  ...\n\nok 7 - no\r\nBail out!\u001b[31m\ttab\u2028',
    line: 1,
    reasons: ['n1: <b>down</b> since 61.152s'],
  },
  transcript: ['    1.000s n1 is <SECONDARY>', '    2.000s n2 is </pre>PRIMARY', '::warning::no'],
};

/** What is left of them when all is over. */
export const played = (outcomes: readonly Outcome[]): Played => ({ outcomes, tookMs: 12_345, atOnce: 2 });
