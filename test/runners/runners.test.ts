import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BuildOptions, build } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// What is published, in the hands of those who install it: built anew, and found in a project's `node_modules` by its `exports`.

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');
const published = join(root, 'packages/replsim');
let project: string;

beforeAll(async () => {
  mkdirSync(join(here, 'dist'), { recursive: true });
  project = mkdtempSync(join(here, 'dist/project-'));
  await install(join(project, 'node_modules/replsim'));
  for (const dir of ['examples', 'edges', 'consumers']) cpSync(join(here, dir), project, { recursive: true });
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ private: true, jest: { testRegex: ['(jest|disk|flag)\\.test\\.cjs$'] } }),
  );
  writeFileSync(join(project, 'vitest.config.mjs'), 'export default {};\n');
}, 180_000);

afterAll(() => {
  rmSync(project, { recursive: true, force: true });
});

/** As `npm pack` and `npm install` would have it, but that the other packages' types are those of the workspace. */
async function install(to: string): Promise<void> {
  await run(bin('typescript/bin/tsc'), '-b', published);
  for (const file of ['package.json', 'bin', 'types'])
    cpSync(join(published, file), join(to, file), { recursive: true });
  const declarations = readdirSync(join(published, 'dist')).filter((file) => file.endsWith('.d.ts'));
  for (const file of declarations) cpSync(join(published, 'dist', file), join(to, 'dist', file));
  const { default: bundles } = await import(pathToFileURL(join(published, 'rolldown.config.js')).href);
  for (const bundle of bundles as (BuildOptions & { output: { dir: string } })[]) {
    const output = { ...bundle.output, dir: join(to, bundle.output.dir), minify: false };
    await build({ ...bundle, cwd: published, output });
  }
}

const bin = (path: string) => join(root, 'node_modules', path);

// None is told to exit when it is done: a set that leaves a handle open would hold them.
describe('the examples and the helpers', () => {
  // A busy machine is no mistake.
  const jest = [bin('jest/bin/jest.js'), '--ci', '--testTimeout=60000'];
  const mocha = [bin('mocha/bin/mocha.js'), '--no-config', '--timeout=60000'];
  const node = ['--test', '--test-reporter=tap'];
  const vitest = [bin('vitest/vitest.mjs'), 'run', '--testTimeout=60000', '--hookTimeout=60000'];

  test.for<[runner: string, args: readonly string[], passed: RegExp]>([
    ['jest', [...jest, 'jest.test.cjs'], /Tests: +2 passed, 2 total/],
    ['jest, on a disk', [...jest, 'disk.test.cjs'], /Tests: +2 passed, 2 total/],
    ['jest, with a flag', ['--experimental-vm-modules', ...jest, 'flag.test.cjs'], /Tests: +1 passed, 1 total/],
    ['mocha', [...mocha, 'mocha.test.cjs'], /2 passing/],
    ['node:test', [...node, 'node.test.mjs'], /# pass 2\n# fail 0/],
    ['node:test, what is left', [...node, 'ended.test.mjs'], /# pass 3\n# fail 0/],
    ['vitest', [...vitest, 'vitest.test.ts', 'fixture.test.ts'], /Tests {2}4 passed \(4\)/],
    ['vitest, its helpers', [...vitest, 'helpers.test.ts'], /Tests {2}13 passed \(13\)/],
  ])('%s', async ([, args, passed]) => {
    expect(await run(...args)).toMatch(passed);
  });

  test('vitest: of tests that fail nothing is left', async () => {
    const said = await run(...vitest, 'failing.test.ts');
    expect(said).toMatch(/Tests {2}6 failed \| 1 skipped \(7\)/);
    for (const expected of [
      'as expected 1',
      'as expected 2',
      'as expected 3',
      'nonsense',
      'as expected, alone',
      'take the fixture',
    ])
      expect(said).toContain(expected);
    expect(said.match(/^port \w+$/gm)).toEqual(Array(4).fill('port closed'));
    expect(said).not.toMatch(/Unhandled/i);
  });
});

describe('both kinds of modules', () => {
  const task = `
    const set = await ReplicaSet.start({ members: 1, epoch: '2030-01-01' });
    await set.advance('1h');
    console.log(set.now().getUTCHours(), set instanceof ReplicaSet);
    await set.stop();`;

  test('import', async () => {
    const said = await run('--input-type=module', '-e', `import { ReplicaSet } from 'replsim';${task}`);
    expect(said).toBe('1 true\n');
  });

  test('require', async () => {
    const body = `const { ReplicaSet } = require('replsim'); (async () => {${task}})();`;
    expect(await run('--input-type=commonjs', '-e', body)).toBe('1 true\n');
  });

  test('offer the same', async () => {
    const body = `
      import { createRequire } from 'node:module';
      import * as imported from 'replsim';
      const required = createRequire(process.cwd() + '/x.js')('replsim');
      console.log(Object.keys(imported).sort().join() === Object.keys(required).sort().join());`;
    expect(await run('--input-type=module', '-e', body)).toBe('true\n');
  });
});

describe('the command', () => {
  const { bin: commands } = JSON.parse(readFileSync(join(published, 'package.json'), 'utf8'));

  test('is what npm links to it', async () => {
    expect(Object.keys(commands)).toEqual(['replsim']);
    const command = join(project, 'node_modules/replsim', commands.replsim);
    expect(await run(command, '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('says what to do in a checkout that is not built', async () => {
    const unbuilt = join(project, 'unbuilt/packages/replsim/bin/replsim.js');
    cpSync(dirname(join(published, commands.replsim)), dirname(unbuilt), { recursive: true });
    writeFileSync(join(project, 'unbuilt/package.json'), '{ "type": "module" }');
    expect(await run(unbuilt, 'run', 'x.yaml')).toMatch(/not built yet: run "npm run build" in .*\/unbuilt\/,/);
  });

  // npm makes a link only to a file that a clone has, and whoever installs the tarball gets it from there.
  test('is no build product, may be executed, and is packed', async () => {
    const path = join(published, commands.replsim);
    expect(path).not.toContain('/dist/');
    expect(statSync(path).mode & 0o111).toBe(0o111);
    const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const packed = JSON.parse(execFileSync('npm', pack, { cwd: published, encoding: 'utf8' }));
    const files: { path: string }[] = (Array.isArray(packed) ? packed[0] : packed.replsim).files;
    expect(files.map((file) => file.path)).toContain(relative(published, path));
  });
});

describe('types', () => {
  const common = [
    '--ignoreConfig',
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    'false',
    '--types',
    'node',
    '--target',
    'es2023',
  ];
  const lib = ['--lib', 'es2023,esnext.disposable'];

  test.for<[resolution: string, module: string, files: readonly string[]]>([
    ['node16', 'node16', ['imports.mts', 'requires.cts']],
    ['nodenext', 'nodenext', ['imports.mts', 'requires.cts']],
    ['bundler', 'esnext', ['imports.mts']],
    ['bundler', 'esnext', ['vitest.test.ts', 'fixture.test.ts', 'helpers.test.ts']],
  ])('moduleResolution %s, module %s, %s', async ([resolution, module, files]) => {
    const how = ['--moduleResolution', resolution, '--module', module];
    expect(await run(bin('typescript/bin/tsc'), ...common, ...lib, ...how, ...files)).toBe('');
  });
});

/** What a program says; one that fails says that too. */
function run(...args: readonly string[]): Promise<string> {
  // The runner of these tests is none of its business.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|VITE_|NODE_|TEST$|JEST)/.test(name)),
  );
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd: project, env: { ...env, NO_COLOR: '1' }, timeout: 150_000 },
      (error, stdout, stderr) => resolve(`${error ? `${error.message}\n` : ''}${stdout}${stderr}`),
    );
  });
}
