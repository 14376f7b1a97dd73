import { lessonFiles } from './lessonList.ts';
import { type Page, titleOf } from './page.ts';

/** A line of the sidebar, or a group of them. */
export interface Item {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly Item[];
  readonly collapsed?: boolean;
}

/** `TITLE: path`, or a path whose page says its title. */
type Entry = string | readonly [text: string, path: string];

const GROUPS: readonly (readonly [text: string, entries: readonly Entry[]])[] = [
  [
    'Start',
    [
      ['What it is', 'start.md'],
      ['In your tests', 'packages/replsim.md'],
      ['Served to any driver', 'guide/serve.md'],
      ['From other languages', 'guide/languages.md'],
      'guide/migrate-from-mongodb-memory-server.md',
    ],
  ],
  ['Learn', []],
  [
    'Write scenarios',
    [
      ['The command and the language', 'guide/scenarios.md'],
      'guide/faults.md',
      ['Anomalies', 'guide/anomalies.md'],
      ['Questions', 'guide/questions.md'],
      ['TTL', 'guide/ttl.md'],
      ['Reports and exit codes', 'packages/cli.md'],
    ],
  ],
  [
    'Language reference',
    [
      'reference/scenario.md',
      'reference/steps.md',
      'reference/checks.md',
      'reference/values.md',
      'reference/forecast.md',
    ],
  ],
  [
    'Understand a run',
    [['Why a check failed', 'packages/why.md'], 'guide/trace.md', ['What must always hold', 'packages/checker.md']],
  ],
  [
    'API',
    [
      ['replsim', 'api/replsim.md'],
      ['replsim/vitest', 'api/vitest.md'],
      ['@replsim/replset', 'api/replset.md'],
    ],
  ],
  [
    'How true it is',
    ['guide/compatibility.md', 'guide/differences.md', 'guide/monitoring.md', 'guide/raftmongo.md', 'guide/drivers.md'],
  ],
  [
    'Inside',
    [
      'guide/architecture.md',
      'guide/change-it.md',
      'guide/performance.md',
      'inside/contributing.md',
      ['This site', 'inside/site.md'],
    ],
  ],
];

/** The ways through the site. @throws Error for an entry without its page */
export function sidebar(pages: readonly Page[]): Item[] {
  const titles = new Map(
    pages.filter(({ path }) => path !== 'index.md').map(({ path, text }) => [path, titleOf(text)]),
  );
  const item = (entry: Entry): Item => {
    const [text, path] = typeof entry === 'string' ? [titles.get(entry), entry] : entry;
    if (text === undefined || !titles.has(path)) throw new Error(`the sidebar leads to ${path}, which there is not`);
    return { text, link: `/${path.replace(/(index)?\.md$/, '')}` };
  };
  const named = new Set(
    GROUPS.flatMap(([, entries]) => entries.map((entry) => (typeof entry === 'string' ? entry : entry[1]))),
  );
  const rest = (folder: string, besides: readonly string[] = []) =>
    [...titles.keys()].filter((path) => path.startsWith(folder) && !named.has(path) && !besides.includes(path)).sort();
  // A guide that nobody has given a place is found all the same.
  const guides = rest('guide/', ['guide/glossary.md']);
  const lesson = (file: string) => `lessons/${file.replace(/.*\//, '').replace('.yaml', '.md')}`;
  return GROUPS.map(([text, entries]): Item => {
    if (text === 'Learn')
      return {
        text,
        items: [
          item(['All lessons', 'lessons/index.md']),
          { text: 'One by one', collapsed: true, items: lessonFiles.map((file) => item(lesson(file))) },
          item('guide/glossary.md'),
          item(['All scenarios', 'scenarios/index.md']),
        ],
      };
    if (text === 'Write scenarios') return { text, items: [...entries, ...guides].map(item) };
    if (text === 'Inside')
      return {
        text,
        items: [
          ...entries.map(item),
          { text: 'Packages', collapsed: true, items: rest('packages/').map(item) },
          item(['What is new', 'changelog.md']),
        ],
      };
    return { text, items: entries.map(item) };
  });
}
