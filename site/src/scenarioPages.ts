import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario, Transcript } from '@replsim/scenario';
import { parse } from 'yaml';
import { type Word, wordsIn } from './glossary.ts';
import { lessonFiles } from './lessonList.ts';
import { cell, type Page } from './page.ts';
import { namesIn, read, root } from './repository.ts';

/** What a scenario file says of itself. */
interface Told {
  readonly name: string;
  readonly description: string;
}

/** Plays a scenario of the repository. @returns its transcript @throws Error if it does not hold */
export async function transcriptOf(file: string): Promise<string> {
  const transcript = new Transcript();
  const lines: string[] = [];
  const { failure } = await playScenario(parseScenario(read(file), file), (options) => ReplSet.create(options), {
    onTrace: (event) => lines.push(...transcript.observe(event)),
  });
  if (failure !== undefined) throw new Error(`${file} does not hold:\n${failure.detail}`);
  return [...lines, ...transcript.end()].join('\n');
}

/**
 * A page for each lesson, with what happens when it is played, and one with all of them.
 * @param play gives a scenario's transcript
 */
export async function lessonPages(
  places: ReadonlyMap<string, string>,
  words: readonly Word[],
  play: (file: string) => Promise<string>,
): Promise<Page[]> {
  const pages: Page[] = [{ path: 'lessons/index.md', text: overview(places) }];
  for (const [index, file] of lessonFiles.entries()) {
    const { name, description } = told(file);
    const text = [
      `# ${index + 1}. ${name}`,
      description,
      '## The scenario',
      fenced('yaml', read(file)),
      '## What happens',
      'On the left stand virtual seconds. `##` begins a chapter, `?` is a question, later with its answer, `#` says what is seen, `>` is a ' +
        'step of the scenario, `=` a check that holds, all else what members and clients do; ' +
        '`(21,3 t2)` is an opTime: seconds, a number within the second, and the term.',
      fenced('text', await play(file)),
      '## Try it',
      fenced('sh', `npx replsim run ${file}\nnpx replsim run ${file} --seed 7   # other chances, the same claim`),
      ...wordsOnPage(`${description}\n${read(file)}`, words),
    ].join('\n\n');
    pages.push({ path: placed(places, file), text });
  }
  return pages;
}

function wordsOnPage(text: string, words: readonly Word[]): string[] {
  const met = wordsIn(text, words).filter(({ isCore }) => isCore);
  if (met.length === 0) return [];
  const list = met.map(({ word, means }) => `- **${word}**: ${means}`).join('\n');
  return ['## Words', list, 'The [glossary](/guide/glossary.md) has all others.'];
}

function overview(places: ReadonlyMap<string, string>): string {
  const lines = lessonFiles.map((file, index) => `${index + 1}. [${told(file).name}](/${placed(places, file)})`);
  return [
    '# Lessons',
    'Each lesson is a scenario: one claim, a replica set, and steps, in chapters. Where it asks something (`?`), answer before you read ' +
      'on; the run knows. The transcripts are of the runs themselves, made with these pages.',
    lines.join('\n'),
    'Words that are new on the way stand in the [glossary](/guide/glossary.md). Where to go on: the ' +
      '[longer list of lessons](/guide/scenarios.md#lessons-in-reading-order), and [all scenarios](/scenarios/index.md).',
  ].join('\n\n');
}

/** A page for each scenario that is no lesson, one for each folder, and one with the folders. */
export function scenarioPages(places: ReadonlyMap<string, string>): Page[] {
  const folders = namesIn('scenarios').map((folder) => ({ folder, files: filesOf(folder) }));
  const total = folders.reduce((sum, { files }) => sum + files.length, 0);
  const index = [
    '# All scenarios',
    `${total} claims about replica sets, which the tests hold. Each says in its description what it teaches.`,
    [
      '| folder | scenarios |',
      '|---|---|',
      ...folders.map(({ folder, files }) => `| [${folder}](/scenarios/${folder}/index.md) | ${files.length} |`),
    ].join('\n'),
    'The [guide to scenarios](/guide/scenarios.md#what-each-folder-shows) says what each folder shows.',
  ].join('\n\n');
  return [
    { path: 'scenarios/index.md', text: index },
    ...folders.map(({ folder, files }) => ({
      path: `scenarios/${folder}/index.md`,
      text: folderPage(folder, files, places),
    })),
    ...folders
      .flatMap(({ files }) => files)
      .filter((file) => !lessonFiles.includes(file))
      .map((file) => ({ path: placed(places, file), text: scenarioPage(file) })),
  ];
}

function folderPage(folder: string, files: readonly string[], places: ReadonlyMap<string, string>): string {
  const rows = files.map((file) => {
    const { name, description } = told(file);
    return `| [${cell(name)}](/${placed(places, file)}) | ${cell(firstSentence(description))} |`;
  });
  return [`# Scenarios: ${folder}`, ['| claim | |', '|---|---|', ...rows].join('\n')].join('\n\n');
}

function scenarioPage(file: string): string {
  const { name, description } = told(file);
  const golden = file.replace(/yaml$/, 'transcript');
  return [
    `# ${name}`,
    description,
    fenced('yaml', read(file)),
    ...(existsSync(join(root, golden)) ? ['## What happens', fenced('text', read(golden))] : []),
    fenced('sh', `npx replsim run ${file}`),
  ].join('\n\n');
}

/** The claim and what is to be learnt, as Markdown that shows them as they are. */
function told(file: string): Told {
  const { name, description = '' } = parse(read(file)) as Told;
  return { name: plain(name), description: plain(description) };
}

/** What stands in a scenario is text: nothing of it is Markdown or HTML, but code in backticks. */
const plain = (text: string): string =>
  text
    .trim()
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 0 ? part.replace(/[<_*[\]{}]/g, (sign) => `&#${sign.charCodeAt(0)};`) : part))
    .join('');

const firstSentence = (text: string): string => /^.*?[.:](?=\s|$)/s.exec(text)?.[0].replace(/:$/, '.') ?? text;

const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;

function filesOf(folder: string): string[] {
  return namesIn(`scenarios/${folder}`)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `scenarios/${folder}/${basename(name)}`);
}

function placed(places: ReadonlyMap<string, string>, file: string): string {
  const place = places.get(file);
  if (place === undefined) throw new Error(`${file} has no place on the site`);
  return place;
}
