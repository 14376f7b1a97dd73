import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  commentsOf,
  type Finding,
  LONGEST_SENTENCE_WORDS,
  lintParagraph,
  messagesOf,
  paragraphsOf,
  RULES,
} from './proseLint.ts';

// Plain English in what a user or a successor reads. The linter points at places where a human should look; those that were looked at, and
// are left as they are, are listed in `prose.allowed.txt`. A new one fails: write it more plainly, or run this test with `-u` and say why.

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '');

const PAGES = /^(README|CONTRIBUTING)\.md$|^docs\/[^/]+\.md$|^(packages\/[^/]+|site)\/README\.md$/;
/** Packages whose texts people read: errors, warnings, help, transcripts, answers, the page. */
const SPEAKING = /^packages\/(cli|replset|replsim|scenario|server|studio|why)\/src\/.*\.tsx?$/;
/** Packages whose comments people read first: the public API, which editors show, and the rules. */
const COMMENTED = /^packages\/(checker|kernel|node|oplog|replsim|ttl)\/src\/.*\.tsx?$/;
/** What a comment may not do, either. It may be a fragment, begin with "What" or be long. */
const RULES_OF_COMMENTS = [
  '"whoever"',
  'begins with "Whoever"',
  '"so many" for "this many"',
  '"is meant"',
  '"befalls"',
];
const SCENARIOS = /^(scenarios|forecasts)\/.*\.yaml$/;

interface Read {
  readonly line: number;
  readonly text: string;
}

function readsOf(file: string): readonly Read[] {
  const text = readFileSync(join(root, file), 'utf8');
  if (PAGES.test(file)) return paragraphsOf(text);
  if (SPEAKING.test(file)) return messagesOf(text);
  return SCENARIOS.test(file) ? scenarioTexts(parse(text)) : [];
}

/** What a scenario says to its reader, wherever it says it. */
function scenarioTexts(value: unknown): Read[] {
  if (Array.isArray(value)) return value.flatMap(scenarioTexts);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const says = typeof inner === 'string' && /^(name|description|note|act|ask|because|caption)$/.test(key);
    return says ? [{ line: 1, text: inner }] : scenarioTexts(inner);
  });
}

const findings = files.flatMap((file) => [
  ...readsOf(file).flatMap(({ line, text }) => lintParagraph(text, `${file}:${line}`)),
  ...(COMMENTED.test(file) ? foreignComments(file) : []),
]);

function foreignComments(file: string): Finding[] {
  const comments = commentsOf(readFileSync(join(root, file), 'utf8'));
  const all = comments.flatMap(({ line, text }) => lintParagraph(text, `${file}:${line}`));
  return all.filter(({ rule }) => RULES_OF_COMMENTS.includes(rule));
}

test('what reads as foreign is new nowhere', async () => {
  const lines = findings.map(({ at, rule, text }) => `${at.replace(/:\d+$/, '')} | ${rule} | ${text}`);
  await expect(`${[...new Set(lines)].sort().join('\n')}\n`).toMatchFileSnapshot('prose.allowed.txt');
});

test.for<[rule: string, foreign: string, plain: string]>([
  ['begins with "Whoever"', 'Whoever reads it knows more.', 'Everyone who reads it knows more.'],
  ['begins with "Of which"', 'Of which came what is shown.', 'The trace shows what came of what.'],
  ['begins with "What … is"', 'What elections there were is shown below.', 'What is a term?'],
  ['"is told"', 'A mistake is told with its line.', 'Each mistake is reported with its line.'],
  ['"stands in"', 'The rest stands in the glossary.', 'The glossary explains the rest.'],
  ['"by name"', 'Such options are refused by name.', 'Such options are rejected.'],
  ['"that is none"', 'A time that is none is refused.', '"1850" is not a time.'],
  ['"has it that"', 'The rule has it that nobody votes twice.', 'Nobody votes twice.'],
  ['"takes no notice"', 'The run takes no notice of it.', 'The run is not affected.'],
  ['"goes by"', 'Expiry goes by the clock of the member.', 'Expiry uses the clock of the member.'],
  ['"is at home"', 'Tests are at home in packages.', 'Tests belong to packages.'],
  ['"whoever"', 'It is for whoever asks.', 'It is for everyone who asks.'],
  ['begins with "Of"', 'Of its writes: { w: 1 }', 'Of the tests, ten passed.'],
  ['"so many" for "this many"', 'At most so many; 0 is all.', 'It reads so much that it takes a minute.'],
  ['"is no" for "is not a"', 'This is no address.', 'There is no address, and it is no longer used.'],
  ['"is meant"', 'The member that is meant is named.', 'A step that is meant to fail says so.'],
  ['"befalls"', 'Nothing befalls the steps.', 'The steps are not affected.'],
])('the linter finds %s', ([rule, foreign, plain]) => {
  expect(rulesIn(foreign)).toContain(rule);
  expect(rulesIn(plain)).toEqual([]);
});

test('every rule is shown to find something', () => {
  expect(RULES).toHaveLength(17);
});

test('a long sentence is found, and code counts as one word', () => {
  const words = (count: number) => `${'word '.repeat(count).trim()}.`;
  expect(rulesIn(words(LONGEST_SENTENCE_WORDS))).toEqual([]);
  expect(rulesIn(words(LONGEST_SENTENCE_WORDS + 1))).toEqual([`more than ${LONGEST_SENTENCE_WORDS} words`]);
  expect(rulesIn(`Run \`${words(60)}\` now.`)).toEqual([]);
});

test('code, comments and tables are read as what they are', () => {
  const page =
    'A line\nand its end.\n\n```js\nWhoever();\n```\n<!-- Whoever -->\n| a cell | Whoever comes |\n|---|---|\n- an item\n';
  expect(paragraphsOf(page)).toEqual([
    { line: 1, text: 'A line and its end.' },
    { line: 8, text: 'a cell' },
    { line: 8, text: 'Whoever comes' },
    { line: 10, text: 'an item' },
  ]);
  const source = ["// 'a comment of four words'", "fail('short');", `fail(\`\${name} is not a member\`);`].join('\n');
  expect(messagesOf(source)).toEqual([{ line: 3, text: 'X is not a member' }]);
});

test('a comment is read whole, and its tags by themselves', () => {
  const source = [
    '/**',
    ' * One sentence',
    ' * on two lines.',
    ' * @returns a value',
    ' */',
    '// Another',
    '// one.',
    'x();',
  ];
  expect(commentsOf(source.join('\n'))).toEqual([
    { line: 2, text: 'One sentence on two lines.' },
    { line: 4, text: 'a value' },
    { line: 6, text: 'Another one.' },
  ]);
  expect(commentsOf('/** One line. */\n/** Another. */')).toEqual([
    { line: 1, text: 'One line.' },
    { line: 2, text: 'Another.' },
  ]);
});

function rulesIn(text: string): string[] {
  return lintParagraph(text, 'a:1').map(({ rule }: Finding) => rule);
}
