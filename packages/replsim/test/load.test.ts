import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, Script } from 'node:vm';
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
const NAME = new RegExp(`^${process.version}-${process.arch}-[0-9a-f]+\\.compiled$`);

test('a bundle runs from what is kept of it, unless it is another by now', () => {
  const folder = bundle();
  expect(load(folder, 'keepCompiled()')).toBe('one main.cjs');
  expect(kept(folder)).toEqual(byNode ? [] : [expect.stringMatching(NAME)]);
  expect(load(folder, '')).toBe('one main.cjs');
  // V8 tells texts apart by their length alone.
  say(folder, 'two ');
  expect(load(folder, 'keepCompiled()')).toBe('two main.cjs');
  expect(load(folder, '')).toBe('two main.cjs');
  say(folder, 'longer ');
  expect(load(folder, '')).toBe('longer main.cjs');
});

test('its text is what is kept of it, too: its file is not read again', () => {
  const folder = bundle();
  const part = join(folder, 'part-abcd1234.cjs');
  const times = () => utimesSync(part, 1e9, 1e9);
  times();
  load(folder, 'keepCompiled()');
  say(folder, 'two ');
  // As nobody can do by writing into it.
  times();
  expect(load(folder, '')).toBe(byNode ? 'two main.cjs' : 'one main.cjs');
});

test('an entry is not kept: one of another release may be as long and as old', () => {
  const folder = bundle();
  const main = join(folder, 'main.cjs');
  const says = (word: string) => {
    writeFileSync(main, `require('./part-abcd1234.cjs'); exports.said = '${word}';`);
    utimesSync(main, 1e9, 1e9);
  };
  says('old');
  load(folder, 'keepCompiled()');
  says('new');
  expect(load(folder, '')).toBe('new');
});

test('what V8 does not like is compiled anew, and kept anew', () => {
  const folder = bundle();
  load(folder, 'keepCompiled()');
  for (const file of kept(folder)) {
    const path = join(folder, file);
    const whole = readFileSync(path);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('no code'),
      Buffer.from(whole).fill(0xff, 0, 64),
      whole.subarray(0, -1),
      Buffer.concat([whole, Buffer.alloc(1)]),
    ]) {
      writeFileSync(path, bytes);
      expect(load(folder, 'keepCompiled()')).toBe('one main.cjs');
      expect(readFileSync(path)).not.toEqual(bytes);
    }
  }
  expect(kept(folder)).toHaveLength(byNode ? 0 : 1);
});

/** As the library's entries load what they need, in a process that is not ours. */
function require(folder: string, { flags = [] as string[], env = {} } = {}): string {
  const program = `const { keepCompiled, requiring } = require(${JSON.stringify(loader)});
    const required = requiring(require('node:module').createRequire(${JSON.stringify(join(folder, 'main.cjs'))}), ${JSON.stringify(folder)});
    process.stdout.write(required('./part-abcd1234.cjs').word);
    keepCompiled();`;
  return execFileSync(process.execPath, [...flags, '-e', program], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
}

test('what a chunk takes of the bundle that is being loaded is that bundle', () => {
  const folder = bundle();
  writeFileSync(
    join(folder, 'part-abcd1234.cjs'),
    "exports.word = require('./main.cjs') === undefined ? '' : 'once ';",
  );
  expect(load(folder, '')).toBe('once main.cjs');
});

test('for a library, too, whatever the version of Node', () => {
  const folder = bundle();
  expect(require(folder)).toBe('one ');
  expect(kept(folder)).toEqual([expect.stringMatching(NAME)]);
  const [name] = kept(folder);
  const before = readFileSync(join(folder, String(name)));
  expect(require(folder)).toBe('one ');
  // Nothing was compiled, and so nothing is written.
  expect(readFileSync(join(folder, String(name)))).toEqual(before);
  say(folder, 'two ');
  expect(require(folder)).toBe('two ');
});

test('what is compiled by other flags is kept beside it', () => {
  const folder = bundle();
  require(folder);
  const [name] = kept(folder);
  const before = readFileSync(join(folder, String(name)));
  expect(require(folder, { flags: ['--no-opt'] })).toBe('one ');
  expect(kept(folder)).toHaveLength(2);
  expect(readFileSync(join(folder, String(name)))).toEqual(before);
});

test('a process that loads more adds it to what is there', () => {
  const folder = bundle();
  const other = join(folder, 'more-abcd1234.cjs');
  writeFileSync(other, 'exports.word = "more";');
  require(folder);
  const program = `const { keepCompiled, requiring } = require(${JSON.stringify(loader)});
    const outside = require('node:module').createRequire(${JSON.stringify(other)});
    requiring(outside, ${JSON.stringify(folder)})('./more-abcd1234.cjs');
    keepCompiled();`;
  execFileSync(process.execPath, ['-e', program]);
  const [name] = kept(folder);
  const text = readFileSync(join(folder, String(name)), 'latin1');
  expect(text).toContain('part-abcd1234.cjs');
  expect(text).toContain('more-abcd1234.cjs');
});

test.each([
  ['where Node is asked to keep nothing', { env: { NODE_DISABLE_COMPILE_CACHE: '1' } }],
  ['where Node reads source maps', { flags: ['--enable-source-maps'] }],
])('nothing is kept %s', (_where, how) => {
  const folder = bundle();
  expect(require(folder, how)).toBe('one ');
  expect(kept(folder)).toEqual([]);
});

test('nor in a sandbox, whose classes are its own', () => {
  // The tests' own loader has Node read source maps.
  const { sourceMapsEnabled } = process;
  onTestFinished(() => process.setSourceMapsEnabled(sourceMapsEnabled === true));
  process.setSourceMapsEnabled(false);
  const { requiring } = createRequire(import.meta.url)(loader);
  const context = createContext({ module: { exports: {} }, require: createRequire(import.meta.url), process });
  const { requiring: inSandbox } = new Script(
    `(function () { ${readFileSync(loader, 'utf8')}; return module.exports; })()`,
  ).runInContext(context);
  const outside = () => undefined;
  expect(inSandbox(outside, '/')).toBe(outside);
  expect(requiring(outside, '/')).not.toBe(outside);
});

test('what can be neither read nor written does no harm', () => {
  const folder = bundle();
  require(folder);
  const [name] = kept(folder);
  // A folder in the file's place, as root may write everywhere else.
  rmSync(join(folder, String(name)));
  mkdirSync(join(folder, String(name), 'full'), { recursive: true });
  expect(require(folder)).toBe('one ');
  expect(readdirSync(folder).filter((file) => file.includes('.compiled'))).toEqual([name]);
});

test("nor does an archive, in which Yarn's Plug'n'Play has packages: there is no file to remove, either", () => {
  const folder = bundle();
  const program = `const fs = require('node:fs');
    for (const call of ['writeFileSync', 'renameSync', 'rmSync'])
      fs[call] = () => { throw Object.assign(new Error('EROFS: read-only filesystem'), { code: 'EROFS' }); };
    const { keepCompiled, requiring } = require(${JSON.stringify(loader)});
    const outside = require('node:module').createRequire(${JSON.stringify(join(folder, 'main.cjs'))});
    process.stdout.write(requiring(outside, ${JSON.stringify(folder)})('./part-abcd1234.cjs').word);
    keepCompiled();`;
  expect(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' })).toBe('one ');
  expect(kept(folder)).toEqual([]);
});
