import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { measure, measureRun } from '@replsim/explore';
import { AS_WRITTEN, parseScenario } from '@replsim/scenario';
import { describe, expect, test } from 'vitest';
import { questionsPage, type Stored } from './page.ts';
import { QUESTIONS } from './questions.ts';

// docs/questions.md is made of measured.json; that is what the scenarios come to. `npm run questions` measures anew, which takes minutes.

const folder = new URL('../../scenarios/questions/', import.meta.url);
const measured = new URL('measured.json', import.meta.url);
const SEEDS = { from: 1, to: 8 };

function armsOf(file: string) {
  const text = readFileSync(new URL(`${file}.yaml`, folder), 'utf8');
  const variants = [...parseScenario(text, file).variants.keys()];
  return [{ name: AS_WRITTEN, text, file }, ...variants.map((variant) => ({ name: variant, variant, text, file }))];
}

/** Only what is shown. */
const shown = (figures: Readonly<Record<string, number>>, keys: readonly string[]) =>
  Object.fromEntries(keys.flatMap((key) => (figures[key] === undefined ? [] : [[key, figures[key]]])));

async function measureAll(): Promise<Stored> {
  const stored: Record<string, Stored[string]> = {};
  for (const { file, figures } of QUESTIONS) {
    const arms = await measure(armsOf(file), { seeds: SEEDS, play: measureRun });
    stored[file] = arms.map(({ arm: { name }, runs }) => ({
      name,
      runs: runs.map(({ seed, figures: all, obstacle }) => ({
        seed,
        figures: shown(all, figures),
        ...(obstacle !== undefined && { obstacle }),
      })),
    }));
  }
  return stored;
}

if (process.env.MEASURE !== undefined) {
  const all = Object.entries(await measureAll());
  const entries = all.map(([file, arms]) => {
    const lines = arms.map((arm) => `    ${JSON.stringify(arm)}`);
    return `  ${JSON.stringify(file)}: [\n${lines.join(',\n')}\n  ]`;
  });
  writeFileSync(measured, `{\n${entries.join(',\n')}\n}\n`);
}
const stored: Stored = JSON.parse(readFileSync(measured, 'utf8'));

test('the page says what was measured', async () => {
  await expect(questionsPage(stored, SEEDS.to)).toMatchFileSnapshot('../../docs/questions.md');
});

/** The figures of a text, with their units. */
const figuresIn = (text: string) =>
  text
    .replace(/`[^`]*`/g, '')
    .replace(/(\d) (m?s)\b/g, '$1$2')
    .match(/\d+(?:\.\d+)?(?:m\d+s|m?s)?/g) ?? [];

test.each(QUESTIONS)(
  '$question: the answer names only figures that the table or the scenario has',
  ({ file, answer }) => {
    const chapter = questionsPage(stored, SEEDS.to)
      .split('\n## ')
      .find((each) => each.includes(`/${file}.yaml`))!;
    const scenario = readFileSync(new URL(`${file}.yaml`, folder), 'utf8');
    // Tables and comparisons are not code spans, though their fences look like the beginning of one.
    const known = figuresIn(`${chapter.replace(answer, '').replaceAll('```', '')}\n${scenario}`);
    expect(known).toEqual(expect.arrayContaining(figuresIn(answer)));
  },
);

test('every scenario of the folder is a question', () => {
  expect(QUESTIONS.map(({ file }) => `${file}.yaml`).sort()).toEqual(readdirSync(folder).sort());
});

describe.for(QUESTIONS)('$question', ({ file, figures }) => {
  const arms = armsOf(file);

  test('its variants are those that were measured', () => {
    expect(stored[file]?.map(({ name, runs }) => [name, runs.map(({ seed }) => seed)])).toEqual(
      arms.map(({ name }) => [name, Array.from({ length: SEEDS.to }, (_, i) => SEEDS.from + i)]),
    );
    for (const { runs } of stored[file]!) for (const run of runs) expect(run).not.toHaveProperty('obstacle');
  });

  test('a run is what it was', async () => {
    // Another variant and seed for each question.
    const place = QUESTIONS.findIndex((each) => each.file === file);
    const index = place % arms.length;
    const seed = 1 + (place % SEEDS.to);
    const { name: _, ...input } = arms[index]!;
    const run = await measureRun({ ...input, seed });
    expect(shown(run.figures, figures)).toEqual(stored[file]![index]!.runs[seed - 1]!.figures);
  });
});
