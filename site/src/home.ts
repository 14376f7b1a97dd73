import type { Page } from './page.ts';
import { read } from './repository.ts';

const DOORS = [
  [
    'In your tests',
    'A set that starts in milliseconds, fails over when told to, and whose clock can be turned.',
    '/packages/replsim',
  ],
  [
    'Served to any driver',
    'One command, and drivers of any language and mongosh connect to it as to any set.',
    '/guide/serve',
  ],
  [
    'Scripted',
    'A claim, a set and steps in a YAML file; the transcript says what every member did, and why.',
    '/guide/scenarios',
  ],
  [
    'Lessons',
    'Elections, rollbacks, lost writes and late deletions, each as a short story that you can run.',
    '/lessons/',
  ],
  [
    'TTL and forecasts',
    'How late documents go, and why: measured in a run, or forecast for a day or a week.',
    '/guide/ttl',
  ],
  ['As true as it can be', 'Held to MongoDB’s own specifications; where it differs is listed.', '/guide/differences'],
] as const;

/** The first page: what it is, what a run says, and the ways in. */
export function homePage(): Page {
  const readme = read('README.md');
  const tagline = /^# replsim\n\n(.*?\.) /s.exec(readme)?.[1]?.replaceAll('\n', ' ');
  const transcript = /^Each line of a run's transcript shows[\s\S]*?^```text\n[\s\S]*?^```$/m.exec(readme)?.[0];
  if (tagline === undefined || transcript === undefined)
    throw new Error('the README does not begin as the first page needs it');
  const text = [
    '---',
    'layout: home',
    'title: A MongoDB replica set that you can script',
    'titleTemplate: replsim',
    'hero:',
    '  name: replsim',
    '  text: A MongoDB replica set that you can script',
    `  tagline: ${JSON.stringify(sentence(tagline))}`,
    '  actions:',
    '    - { theme: brand, text: Start, link: /start }',
    '    - { theme: alt, text: Lessons, link: /lessons/ }',
    '    - { theme: alt, text: Language reference, link: /reference/steps }',
    'features:',
    ...DOORS.map(([title, details, link]) => `  - ${JSON.stringify({ title, details, link })}`),
    '---',
    '## What a run says',
    transcript.replace(/<!-- .* -->\n+/g, ''),
    'Everything costs virtual time, and the same seed gives the same run, byte for byte. [The whole scenario](/scenarios/election/failover-on-kill.md) is one of many; the [lessons](/lessons/index.md) begin with less.',
  ].join('\n');
  return { path: 'index.md', text };
}

/** What follows the name, as a sentence of its own. */
const sentence = (tagline: string): string =>
  tagline.replace(/^A MongoDB replica set that you can script: (.)/, (_, first: string) => first.toUpperCase());
