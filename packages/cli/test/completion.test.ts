import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { QUESTIONS } from '../src/commands/whyAnswers.ts';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';

async function printed(...args: string[]): Promise<string> {
  const io = testIo();
  expect(await main(args, io)).toBe(0);
  return io.stdout;
}

/** All commands, as the help has them. */
async function commandsOf(): Promise<string[]> {
  const [, commands = ''] = (await printed('--help')).split('\nCommands:\n');
  const names = [...commands.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name!).filter((name) => name !== 'help');
  expect(names).toEqual(expect.arrayContaining(['run', 'serve', 'completion']));
  return names;
}

/** All options of a command, as its help has them. */
async function optionsOf(command: string): Promise<string[]> {
  const help = await printed(command, '--help');
  return [...help.matchAll(/^ +(-\w)?(?:, )?(--[\w-]+)?/gm)]
    .flatMap((match) => match.slice(1))
    .filter((each) => each !== undefined);
}

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'replsim-completion-'));
  for (const shell of ['bash', 'zsh', 'fish']) writeFileSync(join(folder, shell), await printed('completion', shell));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('bash', () => {
  /** What a real bash offers for the last of these words. */
  function offered(...words: string[]): string[] {
    const script = `set -u; source "$0"; COMP_WORDS=(replsim "$@"); COMP_CWORD=$#; _replsim; printf '%s\\n' "\${COMPREPLY[@]-}"`;
    const out = execFileSync('bash', ['--noprofile', '--norc', '-c', script, join(folder, 'bash'), ...words], {
      encoding: 'utf8',
    });
    return out.split('\n').filter((line) => line !== '');
  }

  test('is registered', () => {
    const shown = execFileSync('bash', ['-c', 'source "$0" && complete -p replsim', join(folder, 'bash')], {
      encoding: 'utf8',
    });
    expect(shown).toBe('complete -o default -F _replsim replsim\n');
  });

  test('completes commands, and in help', async () => {
    expect(offered('')).toEqual([...(await commandsOf()), 'help']);
    expect(offered('fo')).toEqual(['forecast']);
    expect(offered('help', 'se')).toEqual(['serve']);
    expect(offered('--')).toEqual(['--version', '--help']);
  });

  test('completes all options of each command', async () => {
    for (const command of await commandsOf())
      expect(offered(command, '-').sort(), command).toEqual((await optionsOf(command)).sort());
  });

  test('completes values where there is a choice, and leaves others to bash', () => {
    expect(offered('run', '--reporter', 'j')).toEqual(['json', 'junit']);
    expect(offered('run', 'a.yaml', '--reporter', 'tap', '--output', '')).toEqual([]);
    expect(offered('run', '')).toEqual([]);
    expect(offered('serve', '--version', '')).toEqual(['8.0', '8.2', '7.0', '6.0', '4.4', '3.2']);
    expect(offered('init', '--ci', 'g')).toEqual(['github', 'gitlab']);
  });

  test('completes arguments at their place', () => {
    expect(offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(offered('why', '')).toEqual([]);
    expect(offered('why', 'a.yaml', '')).toEqual([...QUESTIONS]);
    expect(offered('why', '--seed', '7', 'a.yaml', 'p')).toEqual(['primary']);
    expect(offered('why', 'a.yaml', 'data', '')).toEqual([]);
  });
});

test.for(['zsh', 'fish'])('%s: every command and every long option is in the script', async (shell) => {
  const script = await printed('completion', shell);
  for (const command of await commandsOf()) {
    const part = script
      .split('\n')
      .filter((line) => shell === 'zsh' || line.includes(`_from ${command}'`))
      .join('\n');
    const own = shell === 'zsh' ? new RegExp(`^ {8}${command}\\)$([\\s\\S]*?)^ {10};;$`, 'm').exec(part)![1]! : part;
    for (const option of (await optionsOf(command)).filter((each) => each.startsWith('--')))
      expect(own, command).toContain(shell === 'zsh' ? `'*${option}[` : ` -l ${option.slice(2)} `);
  }
});

test('zsh: what an option says is no syntax', async () => {
  const script = await printed('completion', 'zsh');
  expect(script).toContain(`'*--speed[virtual seconds per second (default\\: as fast as possible)]:value: '`);
  expect(script).toContain(
    `'*--reporter[the format of the results; can be repeated (default\\: pretty)]:value:(pretty json`,
  );
  expect(script).toContain(`'*--seed[a seed to use instead of the scenario'\\''s own]`);
  expect(script).toContain("'*:file:_files'");
});

test('fish: files only where there may be some', async () => {
  const script = await printed('completion', 'fish');
  expect(script).toContain("_from completion' -f\n");
  expect(script).not.toContain("_from run' -f\n");
  expect(script).toMatch(/_from run' -l trace -r -F -d 'write every event/);
  expect(script).toMatch(/_from serve' -l dbpath -x -a '\(__fish_complete_directories\)'/);
});
