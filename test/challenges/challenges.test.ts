import { readdirSync, readFileSync } from 'node:fs';
import { ReplSet } from '@replsim/replset';
import { InvalidScenario, type PlayResult, parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

// Each challenge, of the twelve and of the lessons, is open as it stands, solved by the steps beside this file, and not by others that come close.

const folder = new URL('../../scenarios/challenges/', import.meta.url);
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .sort();
const textOf = (file: string) => readFileSync(new URL(file, folder), 'utf8');

/** Steps for the place before the last one of a challenge, which waits. */
interface Tried {
  readonly solution: string;
  readonly nearMiss: string;
  /** Why the near miss is one. */
  readonly because: string;
}

function triedFor(file: string): Tried {
  return parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
}

function withSteps(text: string, steps: string): string {
  const lines = text.trimEnd().split('\n');
  const indented = steps
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);
  return [...lines.slice(0, -1), ...indented, ...lines.slice(-1), ''].join('\n');
}

async function played(text: string): Promise<PlayResult> {
  const result = await playScenario(parseScenario(text, 'challenge.yaml'), (options) => ReplSet.create(options));
  expect(result.failure?.detail).toBeUndefined();
  return result;
}

test('there are twelve, numbered from easy to hard, each with what solves it', () => {
  expect(files.map((file) => Number(file.slice(0, 2)))).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  expect(
    readdirSync(new URL('.', import.meta.url))
      .filter((file) => file.endsWith('.yaml'))
      .sort(),
  ).toEqual(files);
});

const lessons = readdirSync(new URL('../lessons/', folder)).flatMap((file) =>
  file.endsWith('.yaml') ? [file.slice(0, 2)] : [],
);
const afterLessons = lessons.flatMap((lesson) => [1, 2, 3].map((number) => `lesson-${lesson}/${number}.yaml`));

test('there are three for each lesson', () => {
  const inFolders = (at: URL) =>
    readdirSync(at, { recursive: true, encoding: 'utf8' }).filter((path) => /^lesson-.*\.yaml$/.test(path));
  expect(inFolders(folder).sort()).toEqual(afterLessons);
  expect(inFolders(new URL('.', import.meta.url)).sort()).toEqual(afterLessons);
});

test.for([...files, ...afterLessons])('%s', async (file) => {
  const text = textOf(file);
  const { solution, nearMiss, because } = triedFor(file);
  const { task, hints, allowed } = parseScenario(text, file).challenge!;
  expect(task).toMatch(/\.$/);
  expect(hints.length).toBeGreaterThan(0);
  expect(allowed?.length).toBeGreaterThan(0);
  expect(because).toMatch(/\w/);
  expect((await played(text)).challenge).toMatchObject({ solved: false });
  expect((await played(withSteps(text, nearMiss))).challenge).toMatchObject({ solved: false });
  const { challenge, ok } = await played(withSteps(text, solution));
  expect(challenge?.goals.filter(({ held }) => !held)).toEqual([]);
  expect({ solved: challenge?.solved, ok }).toEqual({ solved: true, ok: true });
});

test('a goal that does not hold is told with what stood in the way', async () => {
  const file = '01-elect-another.yaml';
  const { challenge } = await played(withSteps(textOf(file), triedFor(file).nearMiss));
  const [down, primary] = challenge!.goals;
  expect(down).toEqual({ text: 'state: {n1: DOWN}', held: true, reasons: [] });
  expect(primary).toMatchObject({ text: 'primary: any', held: false, got: 'no member says it is a writable primary' });
  expect(primary!.reasons.join('\n')).toContain('n3');
});

const CHALLENGE = textOf('01-elect-another.yaml');
const mistakesIn = (text: string) => {
  try {
    parseScenario(text, 'challenge.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    return error.mistakes.map(({ line, message, suggestion }) => `${line} ${message}: ${suggestion}`);
  }
};

test.for([
  [withSteps(CHALLENGE, '- pause: n1'), /^\d+ this challenge does not allow "pause": it is to be solved by kill$/],
  [
    withSteps(CHALLENGE, '- repeat: { times: 2, steps: [{ advance: 1s }, { restart: n2 }] }'),
    /^\d+ this challenge does not allow "restart": it is to be solved by kill$/,
  ],
  [CHALLENGE.replace('[kill]', '[kil]'), /no step is called "kil": did you mean "kill"\?/],
  [CHALLENGE.replace('goal:', 'goals:'), /did you mean "goal"\?/],
  [CHALLENGE.replace('{ primary: any }', '{ primary: n4 }'), /no member is called "n4"|n4/],
  [CHALLENGE.replace(/ {2}goal:\n( {4}- .*\n)+/, ''), /goal/],
  [CHALLENGE.replace('allowed: [kill]', 'allowed: []'), /expected at least one/],
  [CHALLENGE.replace('why: primary', 'why: n4'), /no member is called "n4": /],
  [CHALLENGE.replace('why: primary', 'why: primry'), /no member is called "primry": did you mean "primary"\?/],
  [CHALLENGE.replace("{ hint: 'If", "{ text: 'If"), /did you mean "hint"\?/],
  [CHALLENGE.replace(', why: primary', ''), /why/],
] as const)('a mistake in a challenge is told where it stands: %#', ([text, told]) => {
  expect(mistakesIn(text).join('\n')).toMatch(told);
});

test('whoever solves it may wait, look and explain', () => {
  const steps =
    '- note: Look.\n- expect: { primary: n1 }\n- eventually: { within: 1s, primary: any }\n- { at: 20s, kill: n1 }';
  expect(mistakesIn(withSteps(CHALLENGE, steps))).toEqual([]);
});

test('a run that fails before its end says nothing of the challenge', async () => {
  const text = withSteps(CHALLENGE, '- expect: { primary: n2 }');
  const result = await playScenario(parseScenario(text, 'challenge.yaml'), (options) => ReplSet.create(options));
  expect(result.ok).toBe(false);
  expect(result.challenge).toBeUndefined();
});
