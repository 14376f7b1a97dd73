import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BINARY, ENV, home } from './mongosh.ts';

// The container's entrypoint with the program and the shell as they are; `test/container` has it with stand-ins.

const root = fileURLToPath(new URL('../..', import.meta.url));
const entrypoint = join(root, 'container/entrypoint.sh');
const health = join(root, 'container/health.mjs');
const replsim = join(root, 'packages/replsim/bin/replsim.js');

let env: NodeJS.ProcessEnv;
let init: string;
let port: number;
let container: ChildProcess | undefined;

beforeEach(async () => {
  const own = mkdtempSync(join(home, 'container-'));
  const [programs, temporary] = ['programs', 'tmp'].map((name) => join(own, name)) as [string, string];
  init = join(own, 'init');
  for (const each of [programs, init, temporary]) mkdirSync(each);
  for (const [name, file] of Object.entries({ replsim, mongosh: BINARY }))
    writeFileSync(join(programs, name), `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`, { mode: 0o755 });
  const PATH = `${programs}${delimiter}${process.env.PATH}`;
  env = { ...ENV, PATH, REPLSIM_INIT_FOLDER: init, TMPDIR: temporary, MONGO_INITDB_DATABASE: 'shop' };
  port = await freePort();
});

afterEach(() => {
  container?.kill('SIGKILL');
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Begins the container. @returns what it says, up to these words or to its end */
function begin(until: string | undefined): Promise<{ readonly said: string; readonly ended: Promise<number | null> }> {
  const child = spawn(entrypoint, ['mongod', '--replSet', 'rs0', `--port=${port}`], { env });
  container = child;
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return new Promise((resolve) => {
    let said = '';
    const heard = (text: Buffer) => {
      said += text;
      if (until !== undefined && said.includes(until)) resolve({ said, ended });
    };
    child.stdout!.on('data', heard);
    child.stderr!.on('data', heard);
    void ended.then(() => resolve({ said, ended }));
  });
}

test('its scripts fill the database that the variable names, before it is healthy', async () => {
  writeFileSync(join(init, '01-items.js'), 'db.items.insertMany([{ _id: 1 }, { _id: 2 }]);\n');
  writeFileSync(
    join(init, '02-index.js'),
    'db.items.createIndex({ n: 1 });\nprint(["initialised", db.getName(), "of", db.hello().setName].join(" "));\n',
  );
  const { said, ended } = await begin('initialised shop of rs0');
  expect(said).toContain(`running ${join(init, '01-items.js')}`);
  // As Docker asks, again and again, until it hears that it is.
  const asked = spawnSync('sh', ['-c', `until '${process.execPath}' '${health}'; do sleep 0.2; done`], {
    env,
    encoding: 'utf8',
  });
  expect(asked.stdout).toMatch(/the set has a primary\n$/);
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?replicaSet=rs0`);
  try {
    const items = client.db('shop').collection('items');
    expect(await items.countDocuments()).toBe(2);
    expect((await items.indexes()).map(({ name }) => name)).toEqual(['_id_', 'n_1']);
  } finally {
    await client.close();
  }
  container!.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('where a script fails, the container ends and says so', async () => {
  writeFileSync(join(init, 'wrong.js'), 'db.items.insertOne({ _id: 1 });\nthrow new Error("not like this");\n');
  const { said, ended } = await begin(undefined);
  await ended;
  expect(said).toContain('not like this');
  expect(said).toContain('a script has failed, so the set ends');
});
