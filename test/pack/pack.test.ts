import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packInto, root, run, succeed } from '../runners/packed.ts';
import { writeReadmeBlocks } from '../runners/readmeBlocks.ts';

// The tarball in an empty folder, far from this repository, as npm installs it: by itself, then beside the runners of tests, under
// each release of Node that it is for, and under Bun and Deno. npm has all of these; none of them has to run a script for it.

const folder = mkdtempSync(join(tmpdir(), 'replsim-pack-'));
const project = join(folder, 'project');
const runtimes = join(folder, 'runtimes');
const scenarios = ['election/failover-on-kill.yaml', 'ttl/failover-moves-ttl.yaml'].map((name) =>
  join(root, 'scenarios', name),
);
let tarball: string;

const npm = (cwd: string, ...packages: readonly string[]) =>
  succeed(
    run(cwd, 'npm', 'install', '--save-dev', '--ignore-scripts', '--no-audit', '--loglevel', 'error', ...packages),
  );

/** `EVERY_RUNTIME=1` takes every release of Node and of TypeScript that the package is for, and not the newest alone. */
const { EVERY_RUNTIME } = process.env;
const isEvery = EVERY_RUNTIME !== undefined;
/** With the first release of the oldest. */
const NODES: Readonly<Record<string, string>> = {
  ...(isEvery && { 'Node 20.19': '20.19.x', 'Node 22': '22' }),
  'Node 24': '24',
};
const COMPILERS = ['typescript', ...(isEvery ? ['typescript5'] : [])];
const { platform, arch } = process;
const alias = (name: string) => name.toLowerCase().replaceAll(/\W/g, '');
const nodeOf = (name: string) => join(runtimes, 'node_modules', alias(name), 'bin/node');
const BUN = `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`;
const DENO = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`;
const bun = join(runtimes, 'node_modules', BUN, 'bin/bun');
const deno = join(runtimes, 'node_modules', DENO, 'deno');

beforeAll(async () => {
  tarball = join(folder, (await packInto(folder)).filename);
  for (const dir of [project, runtimes]) {
    mkdirSync(dir);
    writeFileSync(join(dir, 'package.json'), '{ "private": true }\n');
  }
  await npm(project, tarball);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inProject = (program: string, ...args: readonly string[]) => run(project, program, ...args);
const installed = (path: string) => join(project, 'node_modules', path);

describe('alone', () => {
  test('is all that npm installs', () => {
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['replsim']);
  });

  test('has the command', async () => {
    const { said, failed } = await inProject('npx', '--no', 'replsim', 'run', scenarios[0]!);
    expect(said).toMatch(/\nheld: \d+ steps, /);
    expect(failed).toBe(false);
  });

  test.for([
    ['--input-type=module', `import { ReplSet } from 'replsim';`],
    ['--input-type=commonjs', `const { ReplSet } = require('replsim');`],
  ] as const)('has the API: %s', async ([kind, taking]) => {
    const program = `${taking} (async () => {
      const set = await ReplSet.create({ members: [{ name: 'n1' }] });
      await set.advanceTo(30_000_000);
      console.log(set.nowMicros);
      await set.close();
    })();`;
    expect(await inProject(process.execPath, kind, '-e', program)).toEqual({ said: '30000000\n', failed: false });
  });

  test('takes level where somebody installs that too, whose binary comes with it', async () => {
    const beside = join(folder, 'beside');
    mkdirSync(beside);
    writeFileSync(join(beside, 'package.json'), '{ "private": true }\n');
    await npm(beside, tarball, 'level@10');
    const program = `const { ReplicaSet } = require('replsim');
      (async () => {
        for (const primary of ['first', 'again']) {
          const set = await ReplicaSet.start({ members: 1, dbpath: 'data' });
          console.log(primary, set.primary);
          await set.stop();
        }
      })();`;
    expect((await run(beside, process.execPath, '--input-type=commonjs', '-e', program)).said).toBe(
      'first n1\nagain n1\n',
    );
  });
});

// Its step as GitHub runs it, in a folder that has a package.json and a scenario; `test/docs/ci.test.ts` has what it refuses.
describe('as a GitHub action', () => {
  const clean = join(folder, 'clean');
  const { inputs, outputs, runs } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action;
  const [step] = runs.steps;

  /** @param given of the workflow; the others have their defaults */
  async function act(given: Readonly<Record<string, string>>) {
    const of = (name: string) => given[name] ?? inputs[name]!.default;
    const env = Object.entries(step!.env).map(
      ([name, text]) => `${name}=${text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input) => of(input))}`,
    );
    const output = join(folder, 'github-output');
    writeFileSync(output, '');
    writeFileSync(join(folder, 'step.sh'), step!.run);
    const bash = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', join(folder, 'step.sh')];
    const ran = await run(clean, 'env', ...env, `GITHUB_OUTPUT=${output}`, `RUNNER_TEMP=${folder}`, ...bash);
    const files = readFileSync(output, 'utf8').trim().split('\n');
    return { ...ran, files: new Map(files.map((line) => line.split('=') as [string, string])) };
  }

  beforeAll(() => {
    mkdirSync(join(clean, 'scenarios'), { recursive: true });
    writeFileSync(join(clean, 'package.json'), '{ "private": true }\n');
    cpSync(scenarios[0]!, join(clean, 'scenarios/failover.yaml'));
    cpSync(tarball, join(clean, 'replsim.tgz'));
  });

  test('without a package it says what to do', async () => {
    const { said, failed } = await act({});
    expect(said).toContain('::error::replsim is not installed here: add it to package.json');
    expect(failed).toBe(true);
  });

  test('it installs the tarball, plays, and leaves a report of each kind', async () => {
    const { said, failed, files } = await act({ package: './replsim.tgz' });
    expect(said).toMatch(/^held: \d+ steps, /m);
    expect(failed).toBe(false);
    expect([...files.keys()]).toEqual(Object.keys(outputs));
    expect(readFileSync(files.get('html')!, 'utf8')).toContain('<html');
    expect(readFileSync(files.get('junit')!, 'utf8')).toMatch(/<testsuites[^>]* tests="1"/);
    // What it installs is for this run.
    expect(readFileSync(join(clean, 'package.json'), 'utf8')).toBe('{ "private": true }\n');
  });

  test('once it is installed no package need be named, and a failure is at its line', async () => {
    const text = 'name: wrong\nsteps:\n  - expect: { primary: n1 }\n';
    writeFileSync(join(clean, 'scenarios/wrong.yaml'), text);
    const { said, failed, files } = await act({ arguments: '--seed 7 --jobs 1' });
    expect(said).toMatch(/^::error title=wrong,file=scenarios\/wrong\.yaml,line=3::/m);
    expect(said).toContain('1 passed, 1 failed');
    expect(failed).toBe(true);
    expect(readFileSync(files.get('junit')!, 'utf8')).toMatch(/<testsuites[^>]* tests="2"[^>]* failures="1"/);
  });
});

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: object;
  readonly runs: {
    readonly steps: readonly { readonly env: Readonly<Record<string, string>>; readonly run: string }[];
  };
}

describe('beside runners', () => {
  beforeAll(async () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const runners = ['vitest', 'jest', 'mocha', 'mongodb', 'typescript', '@types/node'];
    const nodes = Object.entries(NODES).map(
      ([name, version]) => `${alias(name)}@npm:node-${platform}-${arch}@${version}`,
    );
    // Both wait for the network more than they compute.
    await Promise.all([
      npm(project, ...runners.map((name) => `${name}@${devDependencies[name]}`), 'typescript5@npm:typescript@5.9'),
      npm(runtimes, ...nodes, `${BUN}@1.4`, `${DENO}@2.9`),
    ]);
    for (const dir of ['examples', 'consumers']) cpSync(join(root, 'test/runners', dir), project, { recursive: true });
    cpSync(join(project, 'imports.mts'), join(project, 'imports.ts'));
    writeFileSync(join(project, 'vitest.config.mjs'), 'export default {};\n');
  });

  // A busy machine is no mistake.
  const patient = '--testTimeout=60000';
  const jest = [installed('jest/bin/jest.js'), '--ci', patient, '--testRegex', 'jest\\.test\\.cjs$'];
  const mocha = [installed('mocha/bin/mocha.js'), '--no-config', '--timeout=60000', 'mocha.test.cjs'];
  const node = ['--test', '--test-reporter=tap', 'node.test.mjs'];
  const vitest = [
    installed('vitest/vitest.mjs'),
    'run',
    patient,
    '--hookTimeout=60000',
    'vitest.test.ts',
    'fixture.test.ts',
  ];
  const scenario = [installed('replsim/bin/replsim.js'), 'run', '--jobs', '2', ...scenarios];
  const PASSED = {
    jest: /Tests: +3 passed, 3 total/,
    mocha: /2 passing/,
    node: /# pass 2\n# fail 0/,
    vitest: /Tests {2}6 passed/,
  };

  describe.for(Object.keys(NODES))('%s', (name) => {
    test('is that release', async () => {
      const version = NODES[name]!.replace('.x', '');
      expect((await inProject(nodeOf(name), '--version')).said).toMatch(new RegExp(`^v${version}\\.`));
    });

    test.for<[runner: string, args: readonly string[], passed: RegExp]>([
      ['vitest', vitest, PASSED.vitest],
      ['jest', jest, PASSED.jest],
      ['mocha', mocha, PASSED.mocha],
      ['node --test', node, PASSED.node],
      ['the command', scenario, /\n2 passed, 0 failed\n$/],
    ])('%s', async ([, args, passed]) => {
      const { said, failed } = await inProject(nodeOf(name), ...args);
      expect(said).toMatch(passed);
      expect(failed, said).toBe(false);
      expect(said).not.toMatch(/Warning/);
    });
  });

  // They run tests that are written for Node's own runner, too.
  test.for<[what: string, program: string, args: readonly string[], passed: RegExp]>([
    ['bun test', bun, ['test', './node.test.mjs'], /\n 2 pass\n 0 fail\n/],
    ['bun, the command', bun, ['--bun', ...scenario], /\n2 passed, 0 failed\n$/],
    ['deno test', deno, ['test', '--allow-all', 'node.test.mjs'], /ok \| 2 passed \| 0 failed/],
    ['deno, the command', deno, ['run', '--allow-all', ...scenario], /\n2 passed, 0 failed\n$/],
  ])('%s', async ([, program, args, passed]) => {
    const { said, failed } = await inProject(program, ...args);
    expect(said).toMatch(passed);
    expect(failed, said).toBe(false);
  });

  const strict = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--types', 'node', '--target', 'es2023'];
  const lib = ['--lib', 'es2023,esnext.disposable'];
  const compiled: readonly [release: string, how: readonly string[], files: readonly string[]][] = [
    ['typescript', ['--moduleResolution', 'node16', '--module', 'node16'], ['imports.mts', 'requires.cts']],
    [
      'typescript',
      ['--moduleResolution', 'bundler', '--module', 'esnext'],
      ['imports.mts', 'vitest.test.ts', 'fixture.test.ts'],
    ],
    ['typescript5', ['--moduleResolution', 'node16', '--module', 'node16'], ['imports.mts', 'requires.cts']],
    // Vitest's own types do not pass the check there.
    [
      'typescript5',
      ['--moduleResolution', 'node10', '--module', 'commonjs', '--esModuleInterop', '--skipLibCheck', 'true'],
      ['imports.ts'],
    ],
  ];
  const chosen = compiled.filter(([release]) => COMPILERS.includes(release));
  test.for(chosen)('types, by %s, %j, %j', async ([release, how, files]) => {
    const args = [installed(`${release}/bin/tsc`), ...strict, ...lib, ...how, ...files];
    expect(await inProject(process.execPath, ...args)).toEqual({ said: '', failed: false });
  });

  test.for(COMPILERS)("types of the README's examples, by %s", async (release) => {
    const how = ['--moduleResolution', 'bundler', '--module', 'esnext'];
    const args = [installed(`${release}/bin/tsc`), ...strict, ...lib, ...how, ...writeReadmeBlocks(project)];
    expect(await inProject(process.execPath, ...args)).toEqual({ said: '', failed: false });
  });
});
