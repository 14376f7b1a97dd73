import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { main } from '../../packages/cli/src/main.ts';
import { read } from '../docs/markdown.ts';
import type { Row } from './row.ts';
import { rows } from './table.ts';

// Questions to `replsim why` of which the answer is known. docs/why.md shows them all.

const folder = mkdtempSync(join(tmpdir(), 'replsim-why-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let stdout = '';
  let stderr = '';
  const io = {
    out: (text: string) => {
      stdout += text;
    },
    err: (text: string) => {
      stderr += text;
    },
    colours: false,
    progress: false,
  };
  const code = await main(args, io);
  return { code, stdout, stderr };
}

function fileOf({ set, steps }: Row): string {
  const file = join(folder, 'asked.yaml');
  writeFileSync(file, ['name: It is asked', set, 'steps:', ...steps.map((step) => `  - ${step}`), ''].join('\n'));
  return file;
}

/** What is printed where there is no reason. */
const NOTHING = 'the trace shows nothing that prevents it';

/** Of each question the first three: the reasons are found in the same way, however they are written. */
const questionOf = ({ ask }: Row) => ask.split(' ')[0];
const asJson: ReadonlySet<Row> = new Set(
  rows.filter((row, i) => rows.slice(0, i).filter((before) => questionOf(before) === questionOf(row)).length < 3),
);

test.for(rows)('$what: $ask', async (row) => {
  const args = ['why', fileOf(row), ...row.ask.split(' ')];
  const text = await run(...args);
  expect(text).toEqual({ code: 0, stderr: '', stdout: row.answer.map((line) => `${line}\n`).join('') });
  const [question, subject] = row.ask.split(' ');
  if (!asJson.has(row)) return;
  const { stdout } = await run(...args, '--json');
  // The links of a chain are no sentences.
  if (question === 'event') return expect(JSON.parse(stdout)).toMatchObject({ question, links: expect.anything() });
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    question,
    reasons: row.answer.filter((line) => line !== NOTHING),
    ...(subject !== undefined && !subject.startsWith('-') && { subject }),
  });
});

test('there are a hundred at least, and half of them ask why nothing happened', () => {
  expect(rows.length).toBeGreaterThanOrEqual(100);
  expect(rows.filter(({ silence }) => silence).length * 2).toBeGreaterThanOrEqual(rows.length);
  expect(new Set(rows.map(({ what }) => what)).size).toBe(rows.length);
});

/** A row as the page shows it. */
function shown({ what, silence, set, steps, ask, answer }: Row, index: number): string {
  const title = `**${index + 1}. ${what}**${silence ? '' : ' (something that did happen)'}`;
  const lines = [set, ...steps.map((step) => `- ${step}`), '', `$ replsim why FILE ${ask}`, ...answer];
  return `${title}\n\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n`;
}

test('the page shows all of them; -u writes them anew', async () => {
  const page = read('docs/why.md');
  const [section = '', introduction = ''] =
    /\n## Questions and answers\n\n([^*]*\n)[\s\S]*?(?=\n## |$)/.exec(page) ?? [];
  const anew = page.replace(
    section,
    () => `\n## Questions and answers\n\n${introduction}${rows.map(shown).join('\n')}`,
  );
  await expect(anew).toMatchFileSnapshot('../../docs/why.md');
});
