import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const loader = fileURLToPath(new URL('../bin/load.js', import.meta.url));
/** Node 22.1 and later keep compiled code themselves, and elsewhere. */
const byNode = 'enableCompileCache' in nodeModule;

function bundle(): string {
  const folder = mkdtempSync(join(tmpdir(), 'replsim-load-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'sub'));
  writeFileSync(
    join(folder, 'main.cjs'),
    `const { word } = require('./part-abcd1234.cjs');
     exports.said = word + require('node:path').basename(__filename);`,
  );
  say(folder, 'one ');
  return folder;
}

const say = (folder: string, word: string) =>
  writeFileSync(join(folder, 'part-abcd1234.cjs'), `exports.word = (() => '${word}')();`);

/** In a process of its own, as the command is. */
function load(folder: string, then: string): string {
  const program = `const { keepCompiled, load } = require(${JSON.stringify(loader)});
    process.stdout.write(load(${JSON.stringify(join(folder, 'main.cjs'))}).said);
    ${then}`;
  return execFileSync(process.execPath, ['-e', program], {
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'sub') },
  });
}

const kept = (folder: string) => readdirSync(folder).filter((file) => file.endsWith('.compiled'));

test('a bundle runs from what is kept of its chunks; V8 tells their texts apart by length alone', () => {
  const folder = bundle();
  expect(load(folder, 'keepCompiled()')).toBe('one main.cjs');
  const name = `part-abcd1234.cjs.${process.version}-${process.arch}.compiled`;
  expect(kept(folder)).toEqual(byNode ? [] : [name]);
  say(folder, 'two ');
  expect(load(folder, '')).toBe(byNode ? 'two main.cjs' : 'one main.cjs');
  say(folder, 'longer ');
  expect(load(folder, '')).toBe('longer main.cjs');
});

test('what V8 does not like is compiled anew', () => {
  const folder = bundle();
  load(folder, 'keepCompiled()');
  for (const file of kept(folder)) {
    const path = join(folder, file);
    for (const bytes of [Buffer.alloc(0), Buffer.from('no code'), readFileSync(path).fill(0xff, 0, 64)]) {
      writeFileSync(path, bytes);
      expect(load(folder, '')).toBe('one main.cjs');
    }
  }
  expect(kept(folder)).toHaveLength(byNode ? 0 : 1);
});
