import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { main } from '../../packages/cli/src/main.ts';
import { CI_FILES } from '../../packages/cli/src/starting/firstFiles.ts';
import { githubMistakes } from '../../packages/cli/test/githubFiles.ts';
import { testIo } from '../../packages/cli/test/io.ts';
import { blocksOf, guides, read, root } from './markdown.ts';

// What stands in the pages and at the top of the repository for CI servers and containers is what these read.

const blocks = guides.flatMap(blocksOf);
const action = parse(read('action.yml'));
const folder = mkdtempSync(join(tmpdir(), 'replsim-action-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the pages show the files that init writes', () => {
  const shown = blocks.filter(({ what }) => what === 'init').map(({ argument, code }) => [argument, `${code}\n`]);
  const written = Object.entries(CI_FILES).map(([server, { text }]) => [server, text]);
  expect(shown.sort()).toEqual(written.sort());
});

test('the workflows of the pages are such, and give the action what it takes', async () => {
  const workflows = blocks.filter(({ what }) => what === 'workflow').map(({ code }) => code);
  expect(workflows).not.toEqual([]);
  for (const text of workflows) {
    expect(await githubMistakes('workflow', text)).toEqual([]);
    const steps = Object.values<{ steps: Step[] }>(parse(text).jobs).flatMap(({ steps }) => steps);
    const [ours] = steps.filter(({ uses }) => /\/replsim@/.test(uses ?? ''));
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(ours!.with)));
    const outputs = [...text.matchAll(/steps\.scenarios\.outputs\.(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(action.outputs)).toEqual(expect.arrayContaining(outputs));
  }
});

interface Step {
  readonly uses?: string;
  readonly with: Record<string, string>;
}

test("the action is one by the word of GitHub's own parser", async () => {
  const text = read('action.yml');
  expect(await githubMistakes('action', text)).toEqual([]);
  expect(await githubMistakes('action', text.replace('using: composite', 'using: compost'))).not.toEqual([]);
});

test("the repository's own workflows are such, and call commands that exist", async () => {
  const folder = '.github/workflows';
  const { scripts } = JSON.parse(read('package.json'));
  for (const name of readdirSync(join(root, folder))) {
    const text = read(`${folder}/${name}`);
    expect(await githubMistakes('workflow', text), name).toEqual([]);
    const called = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script);
    expect(Object.keys(scripts), name).toEqual(expect.arrayContaining(called));
  }
});

/** Carries out `.ci/run` with programs that only say what they were given. @param fails the script that does not pass */
function ciRun(fails = 'none'): { lines: string[]; status: number | null } {
  const programs = mkdtempSync(join(folder, 'programs-'));
  const say = 'echo "$(basename "$0") $*"';
  const bodies = {
    npm: `${say}; case "$*" in *" ${fails}") echo wrong; exit 1 ;; esac`,
    npx: ':',
    chromium: say,
    'redis-server': say,
    parallel: say,
    dpkg: ':',
    php: say,
    javac: say,
    curl: say,
    docker: 'exit 1',
  };
  for (const [name, body] of Object.entries(bodies))
    writeFileSync(join(programs, name), `#!/bin/bash\n${body}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` };
  const { stdout, status } = spawnSync('bash', ['.ci/run'], { cwd: root, env, encoding: 'utf8' });
  return { lines: stdout.trimEnd().split('\n'), status };
}

test('CI runs commands that exist, each to its end, and closes with the scenarios', () => {
  const { lines, status } = ciRun();
  expect(status).toBe(0);
  expect(lines.at(-1)).toBe('npm start');
  const scripts = lines.flatMap((line) => /^npm run (\S+)/.exec(line)?.[1] ?? []);
  expect(scripts.toSorted()).toEqual(
    ['types', 'lint', 'mutations', 'build', 'pack:test', 'kills', 'mongosh', 'docs:build', 'browser'].toSorted(),
  );
  expect(Object.keys(JSON.parse(read('package.json')).scripts)).toEqual(expect.arrayContaining(scripts));
  // What runs beside others is not mixed with them.
  for (const script of scripts) {
    const at = lines.findIndex((line) => line.split(' ')[2] === script);
    expect(lines[at + 1]).toMatch(new RegExp(`^-- npm run ${script}( -- .*)? took \\d+ s$`));
  }
});

test.for([
  ['types', 'failed: npm run types'],
  ['build', '-- npm run build took'],
  ['kills', 'failed: npm run kills'],
  ['docs:build', 'failed: npm run docs:build'],
] as const)('CI ends when %s fails, and names it last', ([fails, last]) => {
  const { lines, status } = ciRun(fails);
  expect(status).toBe(1);
  expect(lines.at(-1)).toContain(last);
  expect(lines).toContain('wrong');
  expect(lines).not.toContain('npm start');
});

/** Carries out the action's step with a `npx` that only says what it was given. @returns that, and the outputs */
function stepOf(
  inputs: Record<string, string>,
  installed = true,
): { words: string[]; outputs: Record<string, string> } {
  const [step] = action.runs.steps;
  const npx = join(folder, 'npx');
  writeFileSync(npx, `#!/bin/sh\n${installed ? '' : 'exit 1'}\nprintf '%s\\n' "$@"\n`);
  chmodSync(npx, 0o755);
  const npm = join(folder, 'npm');
  writeFileSync(npm, `#!/bin/sh\nprintf '%s\\n' npm "$@"\n`);
  chmodSync(npm, 0o755);
  const output = join(folder, 'output');
  writeFileSync(output, '');
  const given = (name: string) => inputs[name] ?? action.inputs[name].default;
  const filled = Object.entries<string>(step.env).map(([name, text]) => [
    name,
    text.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input) => given(input)),
  ]);
  const env = {
    ...Object.fromEntries(filled),
    RUNNER_TEMP: folder,
    GITHUB_OUTPUT: output,
    PATH: `${folder}${delimiter}${process.env.PATH}`,
  };
  // This is how GitHub calls bash.
  const script = join(folder, 'script.sh');
  writeFileSync(script, step.run);
  const out = execFileSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
    env,
    cwd: root,
    encoding: 'utf8',
  });
  const lines = readFileSync(output, 'utf8').trim().split('\n');
  return { words: out.trim().split('\n'), outputs: Object.fromEntries(lines.map((line) => line.split('='))) };
}

test('the action plays, and leaves the reports where it says', async () => {
  const { words, outputs } = stepOf({ scenarios: 'scenarios/startup', arguments: '--seed 7 --jobs 1' });
  expect(words.slice(0, 2)).toEqual(['--no-install', 'replsim']);
  const io = testIo();
  expect(await main(words.slice(2), io)).toBe(0);
  expect(io.stdout).toMatch(/\n\d+ passed, 0 failed\n$/);
  expect(Object.keys(outputs)).toEqual(Object.keys(action.outputs));
  for (const file of Object.values(outputs)) expect(existsSync(file), file).toBe(true);
});

test('the action takes a tarball, and words of its inputs for nothing but words', () => {
  const { words } = stepOf({ package: './replsim.tgz', scenarios: 'a.yaml b; $(touch hacked) `c`', arguments: '' });
  expect(words.slice(0, 6)).toEqual(['npm', 'install', '--no-save', './replsim.tgz', '--no-install', 'replsim']);
  expect(words.slice(7, 13)).toEqual(['a.yaml', 'b;', '$(touch', 'hacked)', '`c`', '--reporter']);
  expect(existsSync(join(root, 'hacked'))).toBe(false);
});

test('the action fetches nothing by its name alone, and says what is missing', () => {
  const failed = (inputs: Record<string, string>, installed?: boolean) => {
    try {
      stepOf(inputs, installed);
    } catch (error) {
      return String((error as { stdout: string }).stdout);
    }
    return 'none';
  };
  expect(failed({ package: 'replsim' })).toContain('::error::package must be a path');
  expect(failed({}, false)).toContain('::error::replsim is not installed here');
  expect(read('action.yml')).not.toContain('--yes');
});

test('the container file is one that builders take, and serves as nobody in particular', () => {
  const text = read('Dockerfile');
  const complaints = (file: string) =>
    validate(file).map(({ message, range }) => `${range.start.line + 1}: ${message}`);
  expect(complaints(text)).toEqual([]);
  expect(complaints(text.replace('ENTRYPOINT', 'ENTRYPIONT'))).not.toEqual([]);
  const stages = text.split(/^(?=FROM )/m);
  expect(stages).toHaveLength(4);
  const last = stages.at(-1)!;
  expect(last).toMatch(/^FROM \S+alpine\n/);
  // What is published, and what a disk needs, of the version that it takes.
  const { peerDependencies } = JSON.parse(read('packages/replsim/package.json'));
  expect(peerDependencies.level).toMatch(/^\^10\./);
  expect(stages.at(-2)).toMatch(/^FROM \S+alpine [\s\S]*\nRUN npm install .* \.\/replsim\.tgz level@10\n/);
  expect(last).toContain(`\nCOPY --from=installed /replsim/node_modules /replsim/node_modules\n`);
  expect(last).toContain('\nCOPY container /replsim/container\nUSER node\n');
  expect(last).toMatch(/\nENTRYPOINT \["\/replsim\/container\/entrypoint\.sh"\]\nCMD \["serve"\]\n$/);
  for (const [path] of last.matchAll(/(?<=\/replsim\/)container\/[\w.]+/g))
    expect(existsSync(join(root, path)), path).toBe(true);
});

test('what the container file copies is there, and not left out', () => {
  // All of it but what is left out: the build, as in a clone.
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, files]) =>
    files!.split(' '),
  );
  expect(copied).toEqual(['.', 'container']);
  const leftOut = read('.dockerignore').trim().split('\n');
  // What the build reads lies in packages, in scenarios (it plays some, and the page brings one), and at the top.
  expect(leftOut.filter((path) => /^(packages|scenarios|container|\*\.|\w+\.json)/.test(path))).toEqual([]);
  // What one stage leaves is what the next takes.
  expect(read('Dockerfile')).toMatch(
    /npm pack --workspace=replsim\n[\s\S]*\nCOPY --from=build \/replsim\/replsim-\*\.tgz replsim\.tgz\n/,
  );
});

test('the compose files of the pages give the entrypoint commands that it understands', () => {
  const files = blocks.filter(({ what }) => what === 'container').map(({ code }) => parse(code) as Compose);
  expect(files).toHaveLength(2);
  const programs = mkdtempSync(join(folder, 'compose-'));
  writeFileSync(join(programs, 'replsim'), '#!/bin/sh\necho "$*"\n', { mode: 0o755 });
  writeFileSync(join(programs, 'hostname'), '#!/bin/sh\necho mongo\n', { mode: 0o755 });
  const begun = files.map(({ services }) => {
    const [served] = Object.values(services).filter(({ image }) => image === 'replsim');
    const env = {
      ...process.env,
      ...served!.environment,
      TMPDIR: programs,
      REPLSIM_INIT_FOLDER: join(programs, 'none'),
      PATH: `${programs}${delimiter}${process.env.PATH}`,
    };
    return execFileSync(join(root, 'container/entrypoint.sh'), served!.command.split(' '), { env, encoding: 'utf8' });
  });
  expect(begun).toEqual([
    'serve --members 1 --replSet rs0 --any-client --host-name n1=mongo:27017 --port 27017\n',
    'serve --host-name n1=mongo1:27017 n2=mongo2:27017 n3=mongo3:27017\n',
  ]);
});

interface Compose {
  readonly services: Record<string, { image: string; command: string; environment?: Record<string, string> }>;
}
