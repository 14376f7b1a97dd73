import { expect, test } from 'vitest';
import { glossary, wordsIn } from '../src/glossary.ts';
import { guidePages } from '../src/guides.ts';
import { homePage } from '../src/home.ts';
import { lessonFiles } from '../src/lessonList.ts';
import { relink } from '../src/links.ts';
import { outsideBlocks, type Page, slugify, titleOf } from '../src/page.ts';
import { assets, places } from '../src/places.ts';
import { referencePages } from '../src/reference.ts';
import { filesUrl, namesIn, read } from '../src/repository.ts';
import { lessonPages, scenarioPages, transcriptOf } from '../src/scenarioPages.ts';
import { type Item, sidebar } from '../src/sidebar.ts';

// What the site is made of, but for the API, which is made from the types when the site is built.

const where = places();
const lessons = await lessonPages(where, glossary(), async (file) => `the run of ${file}`);
const made: readonly Page[] = [
  homePage(),
  ...guidePages(where),
  ...lessons,
  ...scenarioPages(where),
  ...referencePages(),
  ...['replsim', 'vitest', 'replset'].map((name) => ({ path: `api/${name}.md`, text: `# ${name}` })),
];
const byPath = new Map(made.map(({ path, text }) => [path, text]));

/** What stands in a page outside of code. */
function prose(text: string): string {
  let found = '';
  outsideBlocks(text, (part) => {
    found += part.replace(/`[^`\n]*`/g, '');
    return part;
  });
  return found;
}

/** What a link's `#` may say of a page. */
function anchors(text: string): string[] {
  const seen = new Map<string, number>();
  let headings = '';
  outsideBlocks(text, (part) => {
    headings += part;
    return part;
  });
  return [...headings.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => {
    const slug = slugify(heading!);
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

test('no two pages stand at one place', () => {
  expect(byPath.size).toBe(made.length);
  expect(made.length).toBeGreaterThan(300);
});

test('every link leads to a page and a heading of it', () => {
  let links = 0;
  const files = new Set(assets.values());
  for (const { path, text } of made) {
    for (const [link, to] of prose(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(to!)) continue;
      links += 1;
      const [page, anchor] = to!.split('#');
      const target = page === '' ? text : byPath.get(page!.slice(1));
      if (files.has(page!.slice(1))) continue;
      expect(target, `${path}: ${link}`).toBeDefined();
      if (anchor !== undefined) expect(anchors(target!), `${path}: ${link}`).toContain(anchor);
    }
  }
  expect(links).toBeGreaterThan(600);
});

test('the first page leads to the doors', () => {
  for (const [, to] of byPath.get('index.md')!.matchAll(/"?link"?: ?"?(\/[\w/-]*)/g))
    expect(byPath.has(`${to!.slice(1)}.md`) || byPath.has(`${to!.slice(1)}index.md`) || to === '/start', to).toBe(true);
  expect(byPath.get('index.md')).toContain('n2 wins term 2');
});

test('a link to what the site has not is words', () => {
  const to = new Map([['docs/faults.md', 'guide/faults.md']]);
  const text =
    '[a](faults.md#x) [`b`](../packages/ttl/src/batch.ts) [c](https://example.org) [d](#e)\n```\n[f](faults.md)\n```';
  expect(relink(text, 'docs/trace.md', to)).toBe(
    '[a](/guide/faults.md#x) `b` [c](https://example.org) [d](#e)\n```\n[f](faults.md)\n```',
  );
});

test('the address of the repository on the web is its top', () => {
  const to = new Map([['docs/faults.md', 'guide/faults.md']]);
  const text = `[a](${filesUrl}docs/faults.md#x) [\`b\`](${filesUrl}test/b.ts)`;
  expect(relink(text, 'packages/replsim/README.md', to)).toBe('[a](/guide/faults.md#x) `b`');
});

test('what is said to tests is not shown', () => {
  for (const { path, text } of made) expect(prose(text), path).not.toContain('<!--');
});

test('text that is no code holds no HTML', () => {
  for (const { path, text } of made) expect(prose(text), path).not.toMatch(/<[a-z/]|\{\{/i);
});

test('a lesson tells its claim, what is to be learnt, the scenario, and its run', () => {
  expect(lessonFiles.length).toBe(13);
  expect(lessonFiles.map((file) => file.replace(/.*\//, ''))).toEqual(
    namesIn('scenarios/lessons').filter((name) => name.endsWith('.yaml')),
  );
  for (const [index, file] of lessonFiles.entries()) {
    const text = byPath.get(where.get(file)!)!;
    const claim = /^name: (.*)$/m.exec(read(file))![1]!;
    expect(titleOf(text)).toBe(`${index + 1}. ${claim}`);
    expect(text).toContain(read(file).trimEnd());
    expect(text).toContain(`the run of ${file}`);
    expect(text.split('\n')[2], file).toMatch(/^[\w"]/);
  }
});

test('the run of a lesson is the one that the repository has', async () => {
  const [file = ''] = lessonFiles;
  expect(await transcriptOf(file)).toBe(read(file.replace('yaml', 'transcript')).trimEnd());
});

test('some fifteen words of the glossary are those to begin with', () => {
  const core = glossary().filter(({ isCore }) => isCore);
  expect(core.map(({ word }) => word)).toEqual(expect.arrayContaining(['term', 'primary', 'write concern']));
  expect(core.length).toBeGreaterThanOrEqual(12);
  expect(core.length).toBeLessThanOrEqual(18);
  expect(glossary().length).toBeGreaterThan(40);
});

test('words of the glossary are found as they stand in sentences', () => {
  const words = ['commit point', 'term', 'pass, sub-pass, visit'].map((word) => ({ word, means: '', isCore: false }));
  const found = (text: string) => wordsIn(text, words).map(({ word }) => word);
  expect(found('Commit points move.')).toEqual(['commit point']);
  expect(found('It terminates; a sub-pass.')).toEqual(['pass, sub-pass, visit']);
});

const linksIn = (items: readonly Item[]): string[] =>
  items.flatMap(({ link, items }) => [...(link === undefined ? [] : [link]), ...linksIn(items ?? [])]);

test('the sidebar has every guide, package, lesson and page of reference', () => {
  const links = linksIn(sidebar(made));
  expect(new Set(links).size).toBe(links.length);
  const wanted = made
    .map(({ path }) => path)
    .filter((path) => path !== 'index.md' && !/^scenarios\/./.test(path))
    .map((path) => `/${path.replace(/(index)?\.md$/, '')}`);
  expect(links).toEqual(expect.arrayContaining(wanted));
});

test('a sidebar that leads nowhere is not made', () => {
  expect(() => sidebar(made.filter(({ path }) => path !== 'guide/faults.md'))).toThrow('guide/faults.md');
});
