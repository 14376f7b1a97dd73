import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario, Transcript } from '@replsim/scenario';
import * as mongodb from 'mongodb';
import * as replsim from 'replsim';
import * as inMemory from 'replsim/mongodb-memory-server';
import { afterAll, describe, expect, test } from 'vitest';
import { type Block, blocksOf, guides, read } from './markdown.ts';
import { runLine } from './shell.ts';

// Every example of the README and of the guides in docs/ is what a run says, or what lies in the repository.

const blocks = guides.flatMap(blocksOf);
const of = (...what: string[]) => blocks.filter((block) => what.includes(block.what));
const called = ({ page, line }: Block): string => `${page}:${line}`;

/** Whether a shown text is a part of the whole; `…` on a line of its own stands for lines left out. */
function isPart(shown: string, whole: string): boolean {
  let at = 0;
  const text = `\n${whole}\n`;
  return shown.split('\n…\n').every((piece) => {
    const found = text.indexOf(`\n${piece}\n`, at);
    at = found + piece.length;
    return found !== -1;
  });
}

test('each block is of a kind that a test knows', () => {
  const played = [
    'scenario',
    'transcript',
    'part of',
    'run',
    'play',
    'it prints',
    'serve',
    'usage',
    'init',
    'workflow',
  ];
  // `ci.test.ts` gives the commands of the former to the entrypoint; programs of others say that they are only reviewed.
  played.push('container', 'reviewed');
  // Of each the same, with a client of its own: test/clients, test/languages and test/mongosh.
  played.push('in Node.js', 'in Python', 'in mongosh');
  // Those of packages/cli/test/exploring/manyMachines.test.ts.
  const kinds = [...played, 'github', 'kubernetes', 'compose'];
  // A block without a language is a picture.
  const unknown = blocks.filter(({ what, language }) => !kinds.includes(what) && language !== 'sh' && language !== '');
  expect(unknown.map(called)).toEqual([]);
  for (const kind of kinds) expect(of(kind), kind).not.toEqual([]);
});

describe('from files', () => {
  test.for(of('scenario', 'transcript').map((block) => [called(block), block] as const))(
    '%s',
    ([, { argument, code }]) => expect(code).toBe(read(argument).trimEnd()),
  );

  test.for(of('part of').map((block) => [called(block), block] as const))('%s', ([, { argument, code }]) => {
    expect(isPart(code, read(argument)), `${argument} does not say so:\n${code}`).toBe(true);
  });
});

describe('run', () => {
  const out = mkdtempSync(join(tmpdir(), 'replsim-docs-'));
  afterAll(() => rmSync(out, { recursive: true }));

  /** The text that stands right after a block, if it is what the block prints. */
  const printedBy = (block: Block): string | undefined => {
    const next = blocks[blocks.indexOf(block) + 1];
    return next?.what === 'it prints' ? next.code : undefined;
  };
  const runnable = blocks.filter(({ what, language }) => language === 'sh' || what === 'run' || what === 'play');

  test.for(runnable.map((block) => [called(block), block] as const))('%s', async ([, block]) => {
    const printed = await said(block, out);
    const shown = printedBy(block);
    if (shown !== undefined) expect(isPart(shown, printed), `it prints:\n${printed}\nand not:\n${shown}`).toBe(true);
  });

  test('nothing is printed by nobody', () => {
    const shown = runnable.flatMap((block) => printedBy(block) ?? []);
    expect(shown).toHaveLength(of('it prints').length);
  });
});

async function said(block: Block, out: string): Promise<string> {
  if (block.language === 'sh') {
    let text = '';
    for (const line of block.code.split('\n')) text += await runLine(line, out);
    return text;
  }
  return block.what === 'play' ? played(block) : program(block);
}

/** A scenario's transcript; it must hold. */
async function played(block: Block): Promise<string> {
  const transcript = new Transcript();
  const lines: string[] = [];
  const { failure } = await playScenario(
    parseScenario(block.code, called(block)),
    (options) => ReplSet.create(options),
    { onTrace: (event) => lines.push(...transcript.observe(event)) },
  );
  expect(failure?.detail).toBeUndefined();
  return [...lines, ...transcript.end()].join('\n');
}

/** What a program prints, which is plain enough to run as it stands once its imports are parameters. */
async function program({ code }: Block): Promise<string> {
  const lines: string[] = [];
  const body = code.replace(/import (.*) from '([^']+)';/g, "const $1 = modules['$2'];");
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const log = (...words: unknown[]) => lines.push(words.join(' '));
  const modules = { replsim, mongodb, 'replsim/mongodb-memory-server': inMemory };
  await new AsyncFunction('modules', 'console', body)(modules, { log });
  return lines.join('\n');
}

test('a part is a part in its order, line by line', () => {
  expect(isPart('b\n…\nd', 'a\nb\nc\nd')).toBe(true);
  expect(isPart('d\n…\nb', 'a\nb\nc\nd')).toBe(false);
  expect(isPart('b', 'ab\nbc')).toBe(false);
});
