import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bin, type Packed, packInto, published, run as runIn, succeed } from './packed.ts';
import { writeReadmeBlocks } from './readmeBlocks.ts';
import { aboutTarball } from './tarball.ts';

// What is published, in the hands of those who install it: built anew, packed, and found in a project's `node_modules` by its
// `exports`. `npm run pack:test` has npm install it, outside of this repository, for other releases of Node and other runtimes.

const here = fileURLToPath(new URL('.', import.meta.url));
let project: string;
let tarball: Packed;

beforeAll(async () => {
  mkdirSync(join(here, 'dist'), { recursive: true });
  project = mkdtempSync(join(here, 'dist/project-'));
  tarball = await packInto(project);
  const installed = join(project, 'node_modules/replsim');
  mkdirSync(installed, { recursive: true });
  await succeed(runIn(project, 'tar', '-xzf', tarball.filename, '--strip-components=1', '-C', installed));
  rmSync(join(project, 'package'), { recursive: true });
  for (const dir of ['examples', 'edges', 'consumers']) cpSync(join(here, dir), project, { recursive: true });
  cpSync(join(here, 'workers'), join(project, 'workers'), { recursive: true });
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({
      private: true,
      jest: { testRegex: ['(jest|disk|flag|stack|handshake|legacy|ticks)\\.test\\.cjs$'] },
    }),
  );
  writeFileSync(join(project, 'vitest.config.mjs'), 'export default {};\n');
}, 300_000);

afterAll(() => {
  rmSync(project, { recursive: true, force: true });
});

/** What Node says, whether or not it succeeds. */
const run = async (...args: readonly string[]) => (await runIn(project, process.execPath, ...args)).said;

describe('the tarball', () => aboutTarball(() => ({ tarball, project })));

// A busy machine is no mistake.
const jest = [bin('jest/bin/jest.js'), '--ci', '--testTimeout=60000'];
const mocha = [bin('mocha/bin/mocha.js'), '--no-config', '--timeout=60000'];
const node = ['--test', '--test-reporter=tap'];
const vitest = [bin('vitest/vitest.mjs'), 'run', '--testTimeout=60000', '--hookTimeout=60000'];

// None is told to exit when it is done: a set that leaves a handle open would hold them.
describe('the examples and the helpers', () => {
  test.for<[runner: string, args: readonly string[], passed: RegExp]>([
    [
      'jest, also on a disk and with fake timers',
      [...jest, '/jest.test.cjs', 'disk.test.cjs', 'queue.jest.test.cjs'],
      /Tests: +5 passed, 5 total/,
    ],
    ['jest, with a flag', ['--experimental-vm-modules', ...jest, 'flag.test.cjs'], /Tests: +1 passed, 1 total/],
    ['mocha, also with fake timers of sinon', [...mocha, 'mocha.test.cjs', 'queue.mocha.test.cjs'], /3 passing/],
    [
      'vitest, also with fake timers, a fixture and helpers',
      [
        ...vitest,
        'queue.vitest.test.ts',
        'clock.vitest.test.ts',
        'vitest.test.ts',
        'fixture.test.ts',
        'helpers.test.ts',
      ],
      /Tests {2}19 passed \(19\)/,
    ],
    ['node:test, and what it leaves', [...node, 'node.test.mjs', 'ended.test.mjs'], /# pass 8\n# fail 0/],
  ])('%s', async ([, args, passed]) => {
    expect(await run(...args)).toMatch(passed);
  });

  test('jest: the set says, once, what a driver cannot do without the flag, nor its timers for the set', async () => {
    const said = await run(...jest, 'handshake.test.cjs', 'legacy.test.cjs', 'ticks.test.cjs');
    expect(said).toMatch(/Tests: +3 passed, 3 total/);
    expect(said.match(/REPLSIM_BAD_HANDSHAKE.*--experimental-vm-modules npx jest/g)).toHaveLength(1);
    // Legacy timers are no clock of the set, and what jest fakes by default makes a driver wait for ever.
    expect(said.match(/REPLSIM_CLOCKS_PARTED.*legacyFakeTimers/g)).toHaveLength(1);
    expect(said.match(/REPLSIM_TICKS_FAKED.*set\.useFakeTimers\(jest\)/g)).toHaveLength(1);
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

describe('one set a worker', () => {
  const uris = (said: string) => [...said.matchAll(/uri (\S+)/g)].map(([, uri]) => uri);
  const preset = [...jest, '--config', 'workers/preset.config.cjs'];

  test('jest: files find it, one after the other, until one of them breaks it', async () => {
    const said = await run(...preset, '--runInBand', 'jest1', 'jest2', 'preset.test');
    expect(said).toMatch(/Tests: +3 passed, 3 total/);
    const [first, second] = uris(said);
    expect(second).toBe(first);
    const broken = await run(...preset, '--runInBand', 'workers');
    expect(broken).toMatch(/Tests: +3 passed, 3 total/);
    const [lost, another, same] = uris(broken);
    expect(another).not.toBe(lost);
    expect(same).toBe(another);
  });

  test('jest: workers end by themselves', async () => {
    // By default jest gives them half a second, which is little on a busy machine.
    const said = await run(...preset, '--maxWorkers=2', '--workerGracefulExitTimeout=60000', 'workers');
    expect(said).toMatch(/Tests: +3 passed, 3 total/);
    expect(said).not.toMatch(/failed to exit gracefully|did not exit/);
  });

  test('jest: mistakes in its options are told once, before a file runs', async () => {
    const told = async (options: object) => {
      const said = await run(...preset, `--testEnvironmentOptions=${JSON.stringify(options)}`, 'workers');
      expect(said).not.toMatch(/FAIL|Test Suites:/);
      return said;
    };
    const misspelt = await told({ replicaSet: { membrs: 1, speed: -1 } });
    expect(misspelt).toContain('testEnvironmentOptions.replicaSet: speed: expected');
    expect(misspelt).toMatch(/^unknown option "membrs": did you mean "members"\?$/m);
    expect(await told({ members: 1 })).toContain('testEnvironmentOptions: members: write it inside "replicaSet"');
    expect(await told({ replicaSet: { scenario: 'none.yaml' } })).toContain('none.yaml');
  });

  test('jest: a globalSetup of somebody else can tell them, too', async () => {
    const project = { rootDir: '.', testEnvironmentOptions: { replicaSet: { membrs: 1 } } };
    const body = `require('replsim/jest/setup').default({}, ${JSON.stringify(project)})`;
    expect(await run('--input-type=commonjs', '-e', body)).toContain(
      'unknown option "membrs": did you mean "members"?',
    );
  });

  test('jest: a configuration of @shelf/jest-mongodb is not read, which is told once', async () => {
    const config = join(project, 'jest-mongodb-config.js');
    const told = /REPLSIM_JEST_MONGODB_CONFIG/g;
    const args = [...preset, '--runInBand', 'workers/jest1', 'workers/jest2'];
    writeFileSync(config, "module.exports = { mongodbMemoryServerOptions: { instance: { dbName: 'app' } } };\n");
    const said = await run(...args);
    rmSync(config);
    expect(said.match(told)).toHaveLength(1);
    expect(said).toContain(`${config} is not read by preset 'replsim/jest'`);
    expect(said).toContain('instance.dbName, replSet.dbName: testEnvironmentOptions.replicaSet.replSet.dbName\n');
    expect(await run(...args)).not.toMatch(told);
  });

  test('jest: without the preset that is said', async () => {
    expect(await run(...jest, '--testRegex=none', 'none.test')).toMatch(/Tests: +1 passed, 1 total/);
  });

  test.for<[isolation: string, sets: number]>([
    ['--no-isolate', 1],
    ['--isolate', 2],
  ])('vitest %s', async ([isolation, sets]) => {
    const said = await run(...vitest, '--maxWorkers=1', isolation, 'workers');
    expect(said).toMatch(/Tests {2}2 passed \(2\)/);
    expect(uris(said)).toHaveLength(2);
    expect(new Set(uris(said)).size).toBe(sets);
  });
});

describe('a suite for mongodb-memory-server passes with one import changed', () => {
  test.for<[suite: string, was: string, is: string, args: readonly string[], passed: RegExp]>([
    [
      'mocha',
      "const { MongoMemoryServer } = require('mongodb-memory-server');",
      "const { MongoMemoryServer } = require('replsim/mongodb-memory-server');",
      [...mocha, 'suites/mocha/users.test.cjs'],
      /5 passing/,
    ],
    [
      'jest',
      "const { MongoMemoryServer } = require('mongodb-memory-server');",
      "const { MongoMemoryServer } = require('replsim/mongodb-memory-server');",
      // The driver needs the flag under jest, whatever it connects to.
      ['--experimental-vm-modules', ...jest, '--config', 'suites/jest/jest.config.cjs'],
      /Tests: +3 passed, 3 total/,
    ],
    [
      'vitest',
      "import { MongoMemoryReplSet } from 'mongodb-memory-server';",
      "import { MongoMemoryReplSet } from 'replsim/mongodb-memory-server';",
      [...vitest, 'suites/vitest'],
      /Tests {2}5 passed \(5\)/,
    ],
  ])('%s', async ([suite, was, is, args, passed]) => {
    changeImport(join(here, 'suites', suite), join(project, 'suites', suite), was, is);
    expect(await run(...args)).toMatch(passed);
  });

  /** Copies a suite; in one place, and no other, another line stands. */
  function changeImport(from: string, to: string, was: string, is: string): void {
    cpSync(from, to, { recursive: true });
    let changed = 0;
    for (const file of readdirSync(to)) {
      const text = readFileSync(join(to, file), 'utf8');
      changed += text.split(was).length - 1;
      writeFileSync(join(to, file), text.replace(was, is));
    }
    expect(changed).toBe(1);
  }
});

test('what imports mongodb-memory-server itself takes what stands in its place', async () => {
  // As docs/migrate-from-mongodb-memory-server.md has it, and as npm links it.
  const guide = readFileSync(join(here, '../../docs/migrate-from-mongodb-memory-server.md'), 'utf8');
  const [, manifest, index] =
    /`stand-in\/package\.json`\n\n```\n(.*)\n```[^`]*`stand-in\/index\.js`\n\n```\n(.*)\n```/.exec(guide) ?? [];
  const standIn = join(project, 'stand-in');
  mkdirSync(standIn);
  writeFileSync(join(standIn, 'package.json'), String(manifest));
  writeFileSync(join(standIn, 'index.js'), String(index));
  symlinkSync(standIn, join(project, 'node_modules/mongodb-memory-server'), 'junction');
  const body = (MongoMemoryServer: string) =>
    `(async () => { const server = await ${MongoMemoryServer}.create(); console.log(server.replicaSet.name); await server.stop(); })();`;
  const imported = `import { MongoMemoryServer } from 'mongodb-memory-server'; ${body('MongoMemoryServer')}`;
  expect(await run('--input-type=module', '-e', imported)).toBe('rs0\n');
  const required = body("require('mongodb-memory-server').MongoMemoryServer");
  expect(await run('--input-type=commonjs', '-e', required)).toBe('rs0\n');
});

describe('a stack shows the line of the test and our files', () => {
  const ours = /node_modules\/replsim\/packages\/server\/src\/[\w/]+\.ts:\d+/;

  test.for<[runner: string, args: readonly string[], file: RegExp, line: RegExp]>([
    ['vitest', [...vitest, 'stack.test.ts'], ours, /❯ stack\.test\.ts:7:/],
    ['jest', [...jest, 'stack.test.cjs'], /replsim\/packages\/replsim\/src\/\w+\.ts:\d+/, /\(stack\.test\.cjs:4:/],
    ['node', ['--enable-source-maps', 'stack.mjs'], ours, /stack\.mjs:5:/],
    [
      'node without the maps',
      ['stack.mjs'],
      /at membersOf\S* .*\/dist\/bundle\/\w+-.{8}\.cjs:\d+:\d+/,
      /stack\.mjs:5:/,
    ],
  ])('%s', async ([, args, file, line]) => {
    const said = await run(...args);
    expect(said).toMatch(file);
    expect(said).toMatch(line);
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

  test.for(['replsim', 'replsim/mongodb-memory-server', 'replsim/jest'])('offer the same: %s', async (name) => {
    const body = `
      import { createRequire } from 'node:module';
      import * as imported from '${name}';
      const required = createRequire(process.cwd() + '/x.js')('${name}');
      console.log(Object.keys(imported).sort().join() === Object.keys(required).sort().join());
      console.log(Object.keys(imported).every((key) => imported[key] === required[key]));`;
    expect(await run('--input-type=module', '-e', body)).toBe('true\ntrue\n');
  });
});

test('what extends vitest can only be imported, and says so', async () => {
  expect(await run('--input-type=commonjs', '-e', "require('replsim/vitest')")).toContain(
    `replsim/vitest can only be imported, as vitest itself: write "import { test } from 'replsim/vitest'"`,
  );
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
  test('is no build product, may be executed, and is packed', () => {
    const path = join(published, commands.replsim);
    expect(path).not.toContain('/dist/');
    expect(statSync(path).mode & 0o111).toBe(0o111);
    expect(tarball.files.map((file) => file.path)).toContain(relative(published, path));
  });
});

describe('types', () => {
  /** The compiler of another program here. */
  const tscBefore7 = () => createRequire(bin('@arethetypeswrong/core/dist/index.js')).resolve('typescript/bin/tsc');
  const strict = ['--strict', '--noEmit', '--types', 'node', '--target', 'es2023'];
  const common = ['--ignoreConfig', ...strict, '--skipLibCheck', 'false'];
  const lib = ['--lib', 'es2023,esnext.disposable'];

  test.for<[resolution: string, module: string, files: readonly string[]]>([
    ['node16', 'node16', ['imports.mts', 'requires.cts']],
    ['nodenext', 'nodenext', ['imports.mts', 'requires.cts']],
  ])('moduleResolution %s, module %s, %s', async ([resolution, module, files]) => {
    const how = ['--moduleResolution', resolution, '--module', module];
    expect(await run(bin('typescript/bin/tsc'), ...common, ...lib, ...how, ...files)).toBe('');
  });

  test('with @types/node and no later lib than es2020', async () => {
    const how = ['--moduleResolution', 'node16', '--module', 'node16', '--lib', 'es2020'];
    expect(await run(bin('typescript/bin/tsc'), ...common, ...how, 'requires.cts')).toBe('');
  });

  // What `module: commonjs` has by default up to TypeScript 5.9, as in many a suite for ts-jest; 7 has it no more. Vitest's own types
  // do not pass the check there.
  test('moduleResolution node10, module commonjs', async () => {
    cpSync(join(project, 'imports.mts'), join(project, 'imports.ts'));
    const how = ['--moduleResolution', 'node10', '--module', 'commonjs', '--esModuleInterop', '--skipLibCheck'];
    expect(await run(tscBefore7(), ...strict, ...lib, ...how, 'imports.ts')).toBe('');
  });

  test("moduleResolution bundler, module esnext: the examples, the README's too", async () => {
    const how = ['--moduleResolution', 'bundler', '--module', 'esnext'];
    const blocks = writeReadmeBlocks(project);
    expect(blocks.length).toBeGreaterThan(4);
    const files = ['imports.mts', 'vitest.test.ts', 'fixture.test.ts', 'helpers.test.ts', ...blocks];
    expect(await run(bin('typescript/bin/tsc'), ...common, ...lib, ...how, ...files)).toBe('');
  });

  // Vitest runs such files as ES modules, whatever TypeScript takes them for; its own types for them do not pass the check.
  test('of the helpers for vitest, in files that are CommonJS for node16', async () => {
    const how = ['--moduleResolution', 'node16', '--module', 'node16', '--skipLibCheck', 'true'];
    const files = ['vitest.test.ts', 'helpers.test.ts'];
    expect(await run(bin('typescript/bin/tsc'), ...common, ...lib, ...how, ...files)).toBe('');
  });
});
