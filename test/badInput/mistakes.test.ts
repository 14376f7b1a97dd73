import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { read, root } from '../docs/markdown.ts';
import { Folder } from './mistakes/folder.ts';
import { type Answer, type Chapter, chapters } from './mistakes/printed.ts';

// What a person is told who has made a mistake says where it is, what is wrong, and the way out. The table of them is a section of
// docs/why.md; `npx vitest run test/badInput/mistakes.test.ts -u` writes it.

const PAGE = 'docs/why.md';
const HEADING = '## Common mistakes';

const folder = new Folder();
const all = chapters(folder);
const told = new Map<Chapter, Answer[]>();
beforeAll(() => folder.make());
afterAll(() => folder.clear());

/** What is left of a text when these parts are taken out of it. */
const without = (text: string, ...parts: string[]) => parts.reduce((rest, part) => rest.replace(part, ''), text);

describe.for(all)('$title', (chapter) => {
  const answers: Answer[] = [];
  told.set(chapter, answers);

  test.for(chapter.answers.map((answer, index) => [index + 1, answer] as const))('%i', async ([, answer]) => {
    const given = await answer();
    answers.push(given);
    const { mistake, printed, code } = given;
    expect(code, mistake.did).toBe(chapter.code);
    expect(printed, mistake.did).toContain(mistake.where);
    expect(printed, mistake.did).toContain(mistake.wayOut);
    // Where and the way out are two things, and something is said between them.
    const rest = without(printed, mistake.where, mistake.wayOut);
    expect(rest.length, mistake.did).toBe(printed.length - mistake.where.length - mistake.wayOut.length);
    expect(rest.match(/[a-z]+/gi)?.length ?? 0, mistake.did).toBeGreaterThan(1);
    // Nobody is shown where in our sources it was noticed.
    expect(printed, mistake.did).not.toMatch(/^ +at .*:\d+:\d+\)?$/m);
  });
});

test('there are sixty of them and more, all different', () => {
  const dids = [...told].flatMap(([{ title }, answers]) => answers.map(({ mistake }) => `${title}: ${mistake.did}`));
  expect(dids.length).toBeGreaterThanOrEqual(61);
  expect(new Set(dids).size).toBe(dids.length);
});

test('the table of them is the page’s', async () => {
  const page = read(PAGE);
  const at = page.indexOf(HEADING);
  expect(at).toBeGreaterThan(0);
  const next = page.indexOf('\n## ', at + 1);
  const made = `${page.slice(0, at)}${section()}${next < 0 ? '' : page.slice(next)}`;
  await expect(made).toMatchFileSnapshot(join(root, PAGE));
});

const ENDS: Readonly<Record<number, string>> = {
  0: 'A warning, and exit code 0.',
  1: 'Exit code 1.',
  2: 'Exit code 2: nothing is run.',
};

function section(): string {
  const parts = [...told].map(([{ title, code }, answers]) => {
    const end = code === undefined ? 'The promise rejects.' : ENDS[code];
    const rows = answers.map(({ mistake, shown }) => `${mistake.did}:\n\n\`\`\`\n${shown}\n\`\`\`\n`);
    return `### ${title}\n\n${end}\n\n${rows.join('\n')}`;
  });
  const count = [...told.values()].flat().length;
  const intro = `This section shows ${count} mistakes that people make, and the message for each: where it is, what is wrong, and what to do. A test makes each
of these mistakes, and \`npx vitest run test/badInput/mistakes.test.ts -u\` writes the messages.`;
  return `${HEADING}\n\n${intro}\n\n${parts.join('\n')}`;
}
