import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ExitCodes, main } from '@replsim/cli';
import { type BuildOptions, build, type Plugin } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';

// A process of its own runs no TypeScript, so what it runs is bundled as it is published.

const published = fileURLToPath(new URL('..', import.meta.url));
const cache = join(published, '../../node_modules/.cache');
let folder: string;

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'replsim-jobs-'));
  const { bundlesIn } = await import(pathToFileURL(join(published, 'rolldown.config.js')).href);
  const [bundle] = bundlesIn(join(folder, 'bundle')) as BuildOptions[];
  // The other plugins are for the entries of the library.
  const needed = ['late-randomness', 'ascii', 'lazy'];
  const plugins = ((bundle?.plugins ?? []) as Plugin[]).filter(({ name }) => needed.includes(name));
  await build({ ...bundle, plugins, input: { player: 'src/player.ts' }, cwd: published });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs, with this many processes unless the arguments say. */
async function run(atOnce: number, ...args: readonly string[]) {
  const program = pathToFileURL(join(folder, 'bundle/player.cjs'));
  let out = '';
  let err = '';
  const code = await main(['run', ...args], {
    out(text) {
      out += text;
    },
    err(text) {
      err += text;
    },
    colours: false,
    progress: false,
    processes: { program, atOnce },
  });
  return { code, out, err };
}

const timeless = (text: string) => text.replace(/"wallMs": \d+/g, '').replace(/ in \d+ ms/g, '');

/** The first takes longest, so that the others are done before it. */
function scenarios(): string {
  const dir = mkdtempSync(join(folder, 'scenarios-'));
  const write = (name: string, steps: string) =>
    writeFileSync(join(dir, `${name}.yaml`), `name: The ${name}\nreplicaSet: { members: 3 }\nsteps:\n${steps}`);
  write('a-long-one', '  - advance: 20m\n  - expect: { primary: any }\n');
  write('b-short-one', '  - advance: 20s\n  - expect: { primary: any }\n');
  write('c-wrong-one', '  - advance: 20s\n  - expect: { primary: none }\n');
  write('d-wrong-one', '  - advance: 21s\n  - expect: { primary: none }\n');
  write('e-short-one', '  - eventually: { within: 30s, primary: any }\n');
  return dir;
}

test.for([
  ['--reporter', 'json'],
  ['--reporter', 'tap'],
  ['--bail', '--reporter', 'tap'],
  ['--seed', '7', '--reporter', 'json', '--ttl-report'],
])('several processes tell the same as one: %j', async (options) => {
  const dir = scenarios();
  const one = await run(1, ...options, dir);
  const several = await run(2, ...options, dir);
  expect(one.code).toBe(ExitCodes.failed);
  expect(timeless(several.out)).toBe(timeless(one.out));
  expect(several).toEqual({ ...one, out: several.out });
});

test('mistakes and warnings are told as by one, and what has no mistakes is played', async () => {
  const dir = scenarios();
  const warned = 'name: W\nreplicaSet: { members: 3 }\nsteps:\n  - advance: 20s\n  - expect: { same: [app.none] }\n';
  for (const name of ['b-warned', 'f-warned']) writeFileSync(join(dir, `${name}.yaml`), warned);
  const one = await run(1, '--reporter', 'tap', dir);
  expect(one.err.match(/^warning: /gm)).toHaveLength(2);
  const several = await run(2, '--reporter', 'tap', dir);
  expect(several.err).toBe(one.err);
  for (const name of ['a-mistaken', 'd-mistaken', 'z-mistaken'])
    writeFileSync(join(dir, `${name}.yaml`), `name: ${name}\nsteps:\n  - advnce: 1s\n`);
  const mistaken = await run(1, '--reporter', 'tap', dir);
  expect(mistaken.code).toBe(ExitCodes.badInput);
  expect(mistaken.out).toMatch(/\nnot ok \d+ - \S*a-mistaken\.yaml\n[\s\S]*# 5 passed, 2 failed, 3 errors\n$/);
  expect(mistaken.err.match(/^\S+-mistaken/gm)).toEqual(expect.arrayContaining([expect.stringMatching(/a-mistaken$/)]));
  expect(await run(2, '--reporter', 'tap', dir)).toEqual(mistaken);
});

test('variants are played as by one, by who has read them and by who has not', async () => {
  const dir = mkdtempSync(join(folder, 'scenarios-'));
  const file = join(dir, 'failover.yaml');
  const steps = 'begin: with a primary\nsteps:\n  - kill: primary\n  - advance: 20s\n  - expect: { primary: none }\n';
  const variants = 'variants:\n  soon: { replicaSet: { settings: { electionTimeoutMillis: 1000 } } }\n';
  writeFileSync(file, `name: A failover\nreplicaSet: { members: 3 }\n${steps}${variants}`);
  const args = ['--seeds', '1..4', '--reporter', 'json', file];
  const one = await run(1, '--variant', 'soon', ...args);
  const several = await run(2, '--variant', 'soon', ...args);
  expect(timeless(several.out)).toBe(timeless(one.out));
  // Who filters has read them, and hands over their text.
  expect(timeless((await run(2, '--variant', 'soon', '--grep', 'failover', ...args)).out)).toBe(timeless(one.out));
  expect(timeless((await run(2, ...args)).out)).not.toBe(timeless(one.out));
  const unknown = await run(2, '--variant', 'late', ...args);
  expect(unknown.code).toBe(ExitCodes.badInput);
  expect(unknown.err).toContain('this scenario has no variant "late"');
});

test('who is done plays what others have read', async () => {
  const dir = scenarios();
  const [one, several] = [await run(1, '--seeds', '1..4', dir), await run(2, '--seeds', '1..4', dir)];
  expect(several.code).toBe(one.code);
  expect(several.out.match(/^✗ .*, seed \d/gm)).toEqual(one.out.match(/^✗ .*, seed \d/gm));
  expect(several.out).toMatch(/12 held, 8 failed/);
});

test('what is loaded when it is called for comes, whoever calls', async () => {
  const file = fileURLToPath(
    new URL('../../../scenarios/clients/what-few-need-is-there-when-asked-for.yaml', import.meta.url),
  );
  expect(await run(2, '--seeds', '1..2', file)).toMatchObject({ code: ExitCodes.ok, err: '' });
});

test('pretty: folders and failures stand where they stand with one, and the end says how many played', async () => {
  const dir = scenarios();
  const { out } = await run(1, '--jobs', '3', dir);
  expect(out).toMatch(
    /^✗ The c-wrong-one [\s\S]*\n✗ The d-wrong-one [\s\S]*\n\S+ {4}3 held, 2 failed +\S+ s\n\nthe slowest:/,
  );
  expect(out).toMatch(/ of virtual time in \S+ s, 3 at once\n/);
  expect((await run(2, '--jobs', '1', dir)).out).not.toMatch(/at once/);
});

test('transcripts are rewritten up to the first failure that ends a run, and logs are written', async () => {
  const dir = scenarios();
  const logs = join(dir, 'logs');
  for (const name of ['b-short-one', 'e-short-one']) writeFileSync(join(dir, `${name}.transcript`), 'old\n');
  expect((await run(2, '-u', '--bail', '--logs', logs, dir)).code).toBe(ExitCodes.failed);
  expect(readFileSync(join(dir, 'b-short-one.transcript'), 'utf8')).toMatch(/wins term 1/);
  expect(readFileSync(join(dir, 'e-short-one.transcript'), 'utf8')).toBe('old\n');
  expect(
    readdirSync(logs, { recursive: true, encoding: 'utf8' }).filter((file) => /b-short-one.n1\.log$/.test(file)),
  ).toHaveLength(1);
});

test('what goes wrong in a process is said, with the exit code that it has', async () => {
  const dir = scenarios();
  const taken = join(dir, 'logs');
  mkdirSync(taken);
  // Where the second scenario's folder would be.
  const args = ['--jobs', '3', '--logs', taken, join(dir, 'a-long-one.yaml'), join(dir, 'b-short-one.yaml')];
  const first = await run(1, ...args);
  expect(first.code).toBe(ExitCodes.ok);
  const made = readdirSync(taken, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('b-short-one'))!;
  rmSync(join(taken, made), { recursive: true });
  writeFileSync(join(taken, made), '');
  expect(await run(1, ...args)).toMatchObject({
    code: ExitCodes.badInput,
    err: expect.stringMatching(/^--logs: cannot write there: .*b-short-one is a file; name a folder\n$/),
  });
});

test.for([
  ['is not there', undefined, /ended with exit code 1: [\s\S]*Cannot find module/],
  ['dies of itself', 'process.on("message", () => process.exit(7))', /ended with exit code 7/],
  ['is killed', 'process.on("message", () => process.kill(process.pid, "SIGKILL"))', /ended with SIGKILL/],
  [
    'dies when it has read',
    `const read = ({ files }) => files.map(() => ({ scenario: { name: "N", seed: 1 }, warnings: [] }));
     process.on("message", (task) =>
       task.kind === "read" ? process.send({ said: "", value: read(task) }) : process.exit(7));`,
    /ended with exit code 7/,
  ],
] as const)('a process that %s is no silence', async ([, source, said]) => {
  const program = pathToFileURL(join(folder, 'nowhere.mjs'));
  if (source === undefined) rmSync(program, { force: true });
  else writeFileSync(program, source);
  let err = '';
  const io = {
    out() {},
    err: (text: string) => {
      err += text;
    },
    colours: false,
    progress: false,
    processes: { program, atOnce: 2 },
  };
  expect(await main(['run', scenarios()], io)).toBe(ExitCodes.bug);
  expect(err).toMatch(said);
});

test('a process that dies in one scenario keeps nobody from the others', async () => {
  const program = pathToFileURL(join(folder, 'dies.mjs'));
  const rest =
    'seed: 1, steps: 0, invariants: 0, events: 0, virtualMs: 0, wallMs: 0, transcript: [], workloads: [], repeat: ""';
  writeFileSync(
    program,
    `const read = ({ files }) => files.map(() => ({ scenario: { name: "N", seed: 1 }, warnings: [] }));
     process.on("message", (task) => {
       if (task.kind === "read") process.send({ said: "", value: read(task) });
       else if (task.turn.path.includes("c-wrong")) process.exit(7);
       else process.send({ said: "", value: { path: task.turn.path, name: "N", ok: true, ${rest} } });
     });`,
  );
  const said = { out: '', err: '' };
  const io = {
    out(text: string) {
      said.out += text;
    },
    err(text: string) {
      said.err += text;
    },
    colours: false,
    progress: false,
    processes: { program, atOnce: 2 },
  };
  expect(await main(['run', '--reporter', 'tap', scenarios()], io)).toBe(ExitCodes.bug);
  expect(said.err).toMatch(/a bug in replsim; repeat with: replsim run \S*c-wrong-one\.yaml --seed 1\n.*exit code 7/);
  expect(said.out).toMatch(/\nnot ok 3 - N\n[\s\S]*\nok 5 - N\n# 4 passed, 0 failed, 1 error\n$/);
});
