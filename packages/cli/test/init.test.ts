import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { main } from '../src/main.ts';
import { githubMistakes } from './githubFiles.ts';
import { testIo } from './io.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'replsim-init-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]) {
  const io = testIo();
  const code = await main(args, io);
  return { code, out: io.stdout.replaceAll(`${folder}/`, ''), err: io.stderr.replaceAll(`${folder}/`, '') };
}

const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const files = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();

test('an empty folder gets a scenario, a CI file and an npm script, each of which is told', async () => {
  expect(await run('init', folder)).toEqual({
    code: 0,
    out: [
      'wrote scenarios/failover.yaml: a first scenario',
      'wrote .github/workflows/scenarios.yml: plays them on GitHub',
      'wrote package.json: npm run scenarios',
      '',
      `replsim is not in a registry yet: copy replsim-0.1.0.tgz to ${folder} and commit it. In a checkout of replsim, "npm run release -- --pack" makes it.`,
      '',
      `next: cd ${folder} && npm install && npm run scenarios`,
      '',
    ].join('\n'),
    err: '',
  });
  expect(files()).toEqual(['.github/workflows/scenarios.yml', 'package.json', 'scenarios/failover.yaml']);
  expect(JSON.parse(read('package.json'))).toEqual({
    private: true,
    scripts: { scenarios: 'replsim run scenarios' },
    devDependencies: { replsim: 'file:replsim-0.1.0.tgz' },
  });
});

test('the first scenario holds, and check has nothing to say of it', async () => {
  await run('init', folder);
  expect(await run('check', join(folder, 'scenarios'))).toMatchObject({ code: 0, err: '' });
  for (const seed of ['1', '2', '3'])
    expect((await run('run', join(folder, 'scenarios'), '--seed', seed)).code).toBe(0);
});

test('its first line names the schema where npm puts it', async () => {
  await run('init', folder);
  const [, path] = /^# yaml-language-server: \$schema=\.\.\/node_modules\/replsim\/(.*)\n/.exec(
    read('scenarios/failover.yaml'),
  )!;
  // The build carries it there, and the tests of the tarball find it in it.
  const { files } = JSON.parse(readFileSync(new URL('../../replsim/package.json', import.meta.url), 'utf8'));
  expect(files).toContain(path);
});

test('a project keeps what it has, in its own order and indentation', async () => {
  const before =
    '{\n\t"name": "shop",\n\t"scripts": {\n\t\t"test": "vitest"\n\t},\n\t"dependencies": {\n\t\t"replsim": "0.1.0"\n\t}\n}';
  writeFileSync(join(folder, 'package.json'), before);
  const { out } = await run('init', folder, '--ci', 'none');
  expect(out).toContain('\nadded to package.json: npm run scenarios\n');
  expect(read('package.json')).toBe(before.replace('"vitest"', '"vitest",\n\t\t"scenarios": "replsim run scenarios"'));
  expect(files()).toEqual(['package.json', 'scenarios/failover.yaml']);
});

test('nothing that is there is written over, and twice is as once', async () => {
  const own = {
    'package.json': '{"scripts":{"scenarios":"make scenarios"},"devDependencies":{"replsim":"*"}}\n',
    'scenarios/failover.yaml': 'mine\n',
    '.gitlab-ci.yml': 'mine: too\n',
  };
  mkdirSync(join(folder, 'scenarios'));
  for (const [path, text] of Object.entries(own)) writeFileSync(join(folder, path), text);
  expect((await run('init', folder, '--ci', 'gitlab')).out.split('\n').slice(0, 3)).toEqual([
    'kept scenarios/failover.yaml, which is there already',
    'kept .gitlab-ci.yml, which is there already',
    'kept the script "scenarios" of package.json: make scenarios',
  ]);
  for (const [path, text] of Object.entries(own).slice(1)) expect(read(path)).toBe(text);
  expect(JSON.parse(read('package.json'))).toEqual(JSON.parse(own['package.json']));
  await run('init', join(folder, 'new'), '--ci', 'jenkins');
  const first = files().map((path) => [path, read(path)]);
  await run('init', join(folder, 'new'), '--ci', 'jenkins');
  expect(files().map((path) => [path, read(path)])).toEqual(first);
});

test.for([
  ['no JSON', '{ "name": ', /^package\.json is not valid JSON \(.*\): fix it first; nothing was written\n$/],
  ['no object', '[]', /^package\.json is not an object: fix it first; nothing was written\n$/],
] as const)('a package.json that is %s is left alone, and all else too', async ([, text, gist]) => {
  writeFileSync(join(folder, 'package.json'), text);
  const { code, err } = await run('init', folder);
  expect(code).toBe(2);
  expect(err).toMatch(gist);
  expect(files()).toEqual(['package.json']);
  expect(read('package.json')).toBe(text);
});

test('where no folder can be, it says so', async () => {
  writeFileSync(join(folder, 'taken'), '');
  expect(await run('init', join(folder, 'taken'))).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^init: taken is a file; name a folder/),
  });
  expect(await run('init', folder, '--ci', 'travis')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Allowed choices are'),
  });
});

test('what is written for GitHub is a workflow', async () => {
  await run('init', folder);
  const content = read('.github/workflows/scenarios.yml');
  expect(await githubMistakes('workflow', content)).toEqual([]);
  expect(await githubMistakes('workflow', content.replace('runs-on', 'runs-at'))).not.toEqual([]);
  await played(parse(content).jobs.scenarios.steps.flatMap((step: { run?: string }) => step.run ?? []));
});

test('what is written for GitLab is a job with a report', async () => {
  await run('init', folder, '--ci', 'gitlab');
  const { scenarios } = parse(read('.gitlab-ci.yml'));
  const written = await played(scenarios.script);
  expect(written).toEqual(expect.arrayContaining([scenarios.artifacts.reports.junit, ...scenarios.artifacts.paths]));
});

test('what is written for Jenkins plays them, and publishes what that writes', async () => {
  await run('init', folder, '--ci', 'jenkins');
  const file = read('Jenkinsfile');
  const written = await played([...file.matchAll(/sh '([^']*)'/g)].map(([, command]) => command!));
  const [, junit] = /junit '(.*)'/.exec(file)!;
  const [, artifacts] = /archiveArtifacts '(.*)'/.exec(file)!;
  expect(written).toEqual(expect.arrayContaining([junit, artifacts]));
  expect([...file].filter((each) => each === '{')).toHaveLength([...file].filter((each) => each === '}').length);
});

/** Carries out what a CI file has replsim do. @returns the files that it leaves */
async function played(commands: readonly string[]): Promise<string[]> {
  const [install, command = '', ...rest] = commands;
  expect([install, ...rest]).toEqual(['npm install']);
  expect(command).toMatch(/^npx --no-install replsim run scenarios /);
  const before = files();
  const here = (word: string) => (/^scenarios(\.\w+)?$/.test(word) ? join(folder, word) : word);
  expect((await run(...command.split(' ').slice(3).map(here))).code).toBe(0);
  return files().filter((path) => !before.includes(path));
}
