import type { Question } from '@replsim/explore';
import { quoted } from '../files.ts';
import type { Io } from '../io.ts';
import type { Outcome } from '../reporters/reporter.ts';
import { closingOf, exploredText, neverText, type Result, total, unreached } from './exploredText.ts';

/** All formats, by name; loaded when they are asked for. */
export const EXPLORE_REPORTERS = {
  pretty: async (result: Result, io: Io) => io.out(exploredText(result)),
  json: async (result: Result, io: Io) => io.out(`${JSON.stringify(asJson(result), undefined, 2)}\n`),
  junit: async (result: Result, io: Io) => {
    const { junitReporter } = await import('../reporters/junit.ts');
    const outcomes = await outcomesOf(result);
    junitReporter(io).ended({ outcomes, tookMs: result.tookMs, atOnce: 1 });
  },
  github: async (result: Result, io: Io) => {
    const { annotation, addToSummary } = await import('../reporters/github.ts');
    const outcomes = await outcomesOf(result);
    for (const outcome of outcomes) if (outcome.failure) io.out(annotation(outcome, outcome.failure));
    const { summaryOf } = await import('./exploredSummary.ts');
    if (io.stepSummary !== undefined) addToSummary(io.stepSummary, summaryOf(result));
  },
  html: async (result: Result, io: Io) => {
    const { exploredPage } = await import('./exploredPage.ts');
    io.out(exploredPage(result));
  },
} as const satisfies Record<string, (result: Result, io: Io) => Promise<void>>;

export type ExploreReporterName = keyof typeof EXPLORE_REPORTERS;

function asJson({ question: { file }, explored, found, tookMs, cutShort }: Result): object {
  const { runs, coverage, obstacles, base, sometimes } = explored;
  const asked = base.sometimes?.map(({ line, text }, i) => ({ line, text, runs: sometimes[i] ?? 0 }));
  return {
    version: 1,
    file,
    runs,
    of: total(explored) ?? null,
    cutShort: cutShort ?? null,
    tookMs: Math.round(tookMs),
    coverage,
    obstacles,
    ...(asked && { sometimes: asked }),
    findings: found.map(({ finding: { failure, seed, run, times }, shrunk, text, file: written }) => ({
      ...{ failure, seed, run, times, text, file: written },
      ...(shrunk && { from: shrunk.from, to: shrunk.to, shrunkIn: shrunk.runs }),
    })),
  };
}

/** As what came of runs of scenarios is reported: each finding has failed; without any, the claim has held. */
async function outcomesOf(result: Result): Promise<readonly Outcome[]> {
  const { question, explored, found, tookMs } = result;
  const { parseScenario } = await import('@replsim/scenario');
  const { stepAt } = await import('@replsim/explore');
  const { file: path, text } = question;
  const { name, steps } = parseScenario(text, path);
  const nothing = { steps: steps.length, invariants: 0, events: 0, virtualMs: 0, transcript: [], workloads: [] };
  const base = { ...nothing, path, name, wallMs: tookMs, repeat: commandOf(question) };
  const { seed } = explored.base;
  const missed = unreached(result).map((each) => {
    const failure = { title: neverText(each, explored.runs), detail: '', line: each.line };
    return { ...base, ok: false, seed, failure };
  });
  if (found.length === 0 && missed.length === 0) {
    const { cutShort } = result;
    const name = cutShort === undefined ? base.name : `${base.name} (${closingOf(result)})`;
    if (cutShort !== 'interrupted') return [{ ...base, name, ok: true, seed }];
    // It has neither held nor failed; CI would take what is not reported for what has held.
    return [{ ...base, ok: false, seed, failure: { title: closingOf(result) ?? '', detail: '', line: 1 } }];
  }
  const broken = found.map(({ finding: { failure, seed }, text: small, file }) => ({
    ...base,
    ok: false,
    seed,
    wallMs: tookMs / found.length,
    // Faults were put in above the steps, so the number in the title is another file's.
    failure: { title: failure.title, detail: failure.detail, line: stepAt(steps, failure.at ?? [])?.line ?? 1 },
    transcript: small.trimEnd().split('\n'),
    ...(file !== undefined && { repeat: `replsim run ${quoted(file)}` }),
  }));
  return [...broken, ...missed];
}

/** What finds the same again. */
function commandOf({ file, mode, seed, runs, stopAt }: Question): string {
  const parts = ['replsim explore', quoted(file), `--mode ${mode.kind}`];
  if (mode.kind === 'everywhere')
    parts.push(...mode.faults.map(({ fault }) => `--fault ${quoted(JSON.stringify(fault))}`));
  if (mode.kind === 'faults') parts.push(...drawingOf(mode));
  if (mode.kind !== 'seeds' && mode.duringMicros !== undefined) parts.push(`--during ${mode.duringMicros / 1e6}s`);
  if (seed !== undefined) parts.push(`--seed ${seed}`);
  if (runs < Number.MAX_SAFE_INTEGER) parts.push(`--runs ${runs}`);
  if (stopAt > 1) parts.push(`--stop-at ${stopAt}`);
  return parts.join(' ');
}

function drawingOf({ atMost, kinds, members, heal }: Extract<Question['mode'], { kind: 'faults' }>): readonly string[] {
  return [
    ...(atMost === undefined ? [] : [`--at-most ${atMost}`]),
    ...(kinds ? [`--kinds ${kinds.join(',')}`] : []),
    ...(members ? [`--members ${quoted(members.join(','))}`] : []),
    ...(heal === undefined ? [] : [heal ? '--heal' : '--no-heal']),
  ];
}
