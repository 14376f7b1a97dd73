import { describe, expect, test } from 'vitest';
import { main } from '../../packages/cli/src/main.ts';
import { testIo } from '../../packages/cli/test/io.ts';
import { blocksOf, guides, pages, prose } from './markdown.ts';

// The options that the pages tell of are those that the command line has.

const COMMANDS = [
  'run',
  'check',
  'list',
  'diff',
  'why',
  'draw',
  'explore',
  'worker',
  'queue',
  'merge',
  'shrink',
  'measure',
  'compare',
  'forecast',
  'import',
  'serve',
  'control',
  'studio',
  'init',
  'completion',
];

async function optionsOf(command: string): Promise<string[]> {
  const io = testIo();
  await main([command, '--help'], io);
  return [...io.stdout.matchAll(/^ +(?:-\w, )?(--[\w-]+)/gm)]
    .map(([, option]) => option!)
    .filter((o) => o !== '--help');
}

const optionsIn = (text: string) => [...text.matchAll(/(?<!\S)\[?(--[\w-]+)/g)].map(([, option]) => option!);

const usages = guides.flatMap(blocksOf).filter(({ what }) => what === 'usage');

test('the pages show how each command is used', () => {
  const shown = usages.flatMap(({ code }) => [...code.matchAll(/^replsim (\w+)/gm)].map(([, name]) => name!));
  expect(shown.sort()).toEqual([...COMMANDS].sort());
});

describe.for(COMMANDS)('%s', (command) => {
  test('is shown with all its options', async () => {
    const shown = usages
      .flatMap(({ code }) => code.split(/^(?=replsim )/m))
      .find((text) => text.startsWith(`replsim ${command}`))!;
    expect(optionsIn(shown).sort()).toEqual((await optionsOf(command)).sort());
  });

  test('has the options that the text names', async () => {
    const known = await optionsOf(command);
    for (const page of pages) {
      for (const [code] of prose(page).matchAll(new RegExp(`\`(?:npx )?replsim ${command}\\b[^\`]*\``, 'g')))
        for (const option of optionsIn(code.replaceAll('`', ' '))) expect(known, `${page}: ${code}`).toContain(option);
    }
  });
});
