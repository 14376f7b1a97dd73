import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serve } from '../../packages/cli/test/serving.ts';
import { type Authority, makeAuthority } from '../clients/login/authority.ts';

// What the container begins with, as a process; `replsim`, `mongosh` and `hostname` only say what they were given.

const entrypoint = fileURLToPath(new URL('../../container/entrypoint.sh', import.meta.url));
const health = fileURLToPath(new URL('../../container/health.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'replsim-container-'));
afterAll(() => rmSync(folder, { recursive: true }));

let programs: string;
let init: string;
let temporary: string;

beforeEach(() => {
  const own = mkdtempSync(join(folder, 'test-'));
  [programs, init, temporary] = ['programs', 'init', 'tmp'].map((name) => join(own, name)) as [string, string, string];
  for (const each of [programs, init, temporary]) mkdirSync(each);
  program('replsim', 'echo "$*"');
  program('hostname', 'echo mongo');
});

function program(name: string, body: string): void {
  writeFileSync(join(programs, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(programs, name), 0o755);
}

function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const PATH = `${programs}${delimiter}${process.env.PATH}`;
  return { ...process.env, PATH, REPLSIM_INIT_FOLDER: init, TMPDIR: temporary, ...more };
}

function begun(command: string, more?: Readonly<Record<string, string>>) {
  const { stdout, stderr, status } = spawnSync(entrypoint, command === '' ? [] : command.split(' '), {
    env: environment(more),
    encoding: 'utf8',
  });
  return { stdout: stdout.trimEnd(), stderr, status };
}

/** Runs the healthcheck. @returns its exit code, and what it says */
async function check(...port: string[]): Promise<[code: unknown, said: string]> {
  const child = spawn(process.execPath, [health, ...port], { env: environment() });
  let text = '';
  child.stdout.on('data', (part) => {
    text += part;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return [code, text.trim()];
}

describe('the command', () => {
  test.for<[command: string, becomes: string]>([
    ['serve', 'serve'],
    ['run scenarios/startup --seed 2', 'run scenarios/startup --seed 2'],
    ['--help', '--help'],
    ['mongod', 'serve --members 1 --port 27017'],
    ['mongod --replSet rs0', 'serve --members 1 --replSet rs0 --port 27017'],
    ['--replSet rs0 --port 27117', 'serve --members 1 --replSet rs0 --port 27117'],
    ['mongod --replSet=rs1 --port=4000', 'serve --members 1 --replSet rs1 --port 4000'],
    [
      'mongod --replSet rs0 --bind_ip_all',
      'serve --members 1 --replSet rs0 --any-client --host-name n1=mongo:27017 --port 27017',
    ],
    [
      '--replSet rs0 --bind_ip 0.0.0.0 --members 2',
      'serve --members 2 --replSet rs0 --any-client --host-name n1=mongo:27017 --host-name n2=mongo:27018 --port 27017',
    ],
    ['mongod --replSet rs0 --bind_ip 127.0.0.1', 'serve --members 1 --replSet rs0 --port 27017'],
    [
      'mongod --bind_ip_all --members 2 --host-name n1=a:1 --host-name n2=b:2',
      'serve --members 2 --host-name n1=a:1 --host-name n2=b:2 --any-client',
    ],
    ['mongod --replSet rs0 --oplogSize 50', 'serve --members 1 --replSet rs0 --oplogSize 50 --port 27017'],
    ['mongod --auth --keyFile /key', 'serve --members 1 --keyFile /key --port 27017'],
    ['mongod --keyFile /key --clusterAuthMode keyFile', 'serve --members 1 --keyFile /key --port 27017'],
    ['mongod --noauth', 'serve --members 1 --noauth --port 27017'],
    ['mongod -f /etc/mongod.conf', 'serve --members 1 --config /etc/mongod.conf --port 27017'],
    [
      'mongod --setParameter ttlMonitorSleepSecs=5 --dbpath /data/db --speed 0',
      'serve --members 1 --setParameter ttlMonitorSleepSecs=5 --dbpath /data/db --speed 0 --port 27017',
    ],
  ])('%s', ([command, becomes]) => {
    expect(begun(command)).toEqual({ stdout: becomes, stderr: '', status: 0 });
  });

  test('what has no effect is listed once', () => {
    const { stdout, stderr } = begun(
      'mongod --wiredTigerCacheSizeGB 1 --journal --logpath /var/log/a --enableMajorityReadConcern --wiredTigerJournalCompressor=none --slowms 50 --tlsMode disabled',
    );
    expect(stdout).toBe('serve --members 1 --tlsMode disabled --port 27017');
    expect(stderr).toBe(
      'replsim: without effect: --wiredTigerCacheSizeGB 1 --journal --logpath /var/log/a --enableMajorityReadConcern --wiredTigerJournalCompressor none --slowms 50\n',
    );
  });

  test.for<[command: string, message: string]>([
    ['mongod --clusterAuthMode x509', '--clusterAuthMode x509: members know each other by key files only'],
    ['mongod --nojournal', '--nojournal: members of a replica set always have a journal'],
    ['mongod --profile 2', '--profile 2: the profiler cannot be on from the start'],
    ['mongod --storageEngine inMemory', '--storageEngine inMemory: members behave as with wiredTiger'],
    ['mongod --enableMajorityReadConcern false', 'it was a startup option until 4.4, and always true since 5.0'],
    ['mongod --shardsvr', '--shardsvr is not supported'],
    ['mongod --replSet', '--replSet needs a value'],
  ])('%s is refused', ([command, message]) => {
    const { stdout, stderr, status } = begun(command);
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
    expect(stderr).toContain(message);
  });
});

describe('the variables of the official image', () => {
  test('where anybody may log in, the root user has no effect, and that is said', () => {
    const users = { MONGO_INITDB_ROOT_USERNAME: 'root', MONGO_INITDB_ROOT_PASSWORD: 'secret' };
    expect(begun('mongod --any-user secret', users)).toMatchObject({
      stdout: 'serve --members 1 --any-user secret --port 27017',
      stderr: expect.stringContaining('never required: MONGO_INITDB_ROOT_USERNAME MONGO_INITDB_ROOT_PASSWORD'),
      status: 0,
    });
  });

  test('--auth without a key file gets a key that nobody else can read', () => {
    const key = join(temporary, 'replsim-key');
    expect(begun('mongod --auth')).toMatchObject({
      stdout: `serve --members 1 --keyFile ${key} --port 27017`,
      status: 0,
    });
    expect(statSync(key).mode & 0o777).toBe(0o600);
    const first = readFileSync(key, 'utf8');
    expect(first).toMatch(/^[A-Za-z0-9+/]{64}$/);
    begun('mongod --auth');
    expect(readFileSync(key, 'utf8')).not.toBe(first);
  });

  test.for<[environment: Record<string, string>, message: string]>([
    [{ MONGO_INITDB_ROOT_USERNAME: 'root' }, 'set both, or none'],
    [{ MONGO_INITDB_ROOT_PASSWORD: 'secret' }, 'set both, or none'],
    [
      { MONGO_INITDB_ROOT_USERNAME: 'root', MONGO_INITDB_ROOT_USERNAME_FILE: '/f' },
      'MONGO_INITDB_ROOT_USERNAME and MONGO_INITDB_ROOT_USERNAME_FILE: set only one of them',
    ],
    [{ MONGO_INITDB_ROOT_PASSWORD_FILE: '/none' }, 'MONGO_INITDB_ROOT_PASSWORD_FILE: /none cannot be read'],
  ])('%j is refused', ([variables, message]) => {
    const { stdout, stderr, status } = begun('mongod', variables);
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
    expect(stderr).toContain(message);
  });

  test('files other than scripts for mongosh are refused, and these where there is no mongosh', () => {
    const js = join(init, 'a.js');
    writeFileSync(js, '');
    // Only what the script itself needs.
    for (const name of ['dirname', 'readlink', 'sh', 'node', 'rm', 'sleep']) {
      const path = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
      program(name, `exec ${path} "$@"`);
    }
    expect(begun('mongod', { PATH: programs })).toMatchObject({ stdout: '', status: 2 });
    expect(begun('mongod', { PATH: programs }).stderr).toContain(`${js}: mongosh runs such files`);
    writeFileSync(join(init, 'b.sh'), '');
    program('mongosh', 'true');
    expect(begun('mongod').stderr).toContain(`${join(init, 'b.sh')}: only files that end in .js are run`);
  });
});

test('scripts run in order, in the database that is named, once there is a primary', async () => {
  const serving = await serve('--port', '0', '--members', '1', '--quiet');
  const { port } = new URL(serving.uri.replace('mongodb:', 'http:'));
  writeFileSync(join(init, 'b.js'), '');
  writeFileSync(join(init, 'a.js'), '');
  const said = join(temporary, 'said');
  program('mongosh', `echo "$*" >>${said}`);
  program('replsim', `while [ -e ${temporary}/replsim-initialising ]; do sleep 0.1; done`);
  const child = spawn(entrypoint, ['mongod', '--port', port], { env: environment({ MONGO_INITDB_DATABASE: 'shop' }) });
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  const uri = `--quiet mongodb://127.0.0.1:${port}/shop`;
  expect(readFileSync(said, 'utf8')).toBe(`${uri} ${init}/a.js\n${uri} ${init}/b.js\n`);
  await serving.interrupt();
});

test('the root user is created over the localhost exception, and the scripts run as it', async () => {
  const keyFile = join(temporary, 'key');
  writeFileSync(keyFile, 'theSharedKey', { mode: 0o400 });
  const serving = await serve('--port', '0', '--members', '1', '--quiet', '--keyFile', keyFile);
  const { port } = new URL(serving.uri.replace('mongodb:', 'http:'));
  writeFileSync(join(init, 'a.js'), '');
  const secret = join(temporary, 'secret');
  writeFileSync(secret, 'p"ä$ $x\n');
  const said = join(temporary, 'said');
  program('mongosh', `echo "$*" >>${said}`);
  program('replsim', `while [ -e ${temporary}/replsim-initialising ]; do sleep 0.1; done`);
  const env = environment({ MONGO_INITDB_ROOT_USERNAME: 'boss', MONGO_INITDB_ROOT_PASSWORD_FILE: secret });
  // The second time there are users already, as with data of a volume.
  for (let i = 0; i < 2; i++) {
    const child = spawn(entrypoint, ['mongod', '--port', port], { env });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  }
  const line = `--quiet --username boss --password p"ä$ $x --authenticationDatabase admin mongodb://127.0.0.1:${port}/test ${init}/a.js\n`;
  expect(readFileSync(said, 'utf8')).toBe(line + line);
  const client = new MongoClient(serving.uri, { auth: { username: 'boss', password: 'p"ä$ $x' } });
  expect(await client.db('admin').command({ connectionStatus: 1 })).toMatchObject({
    authInfo: { authenticatedUserRoles: [{ role: 'root', db: 'admin' }] },
  });
  await client.close();
  const stranger = new MongoClient(serving.uri);
  await expect(stranger.db('shop').collection('c').findOne()).rejects.toMatchObject({ code: 13 });
  await stranger.close();
  await serving.interrupt();
});

describe('members that take TLS alone', () => {
  let authority: Authority;
  beforeAll(async () => {
    authority = await makeAuthority('127.0.0.1');
  });
  afterAll(() => authority.remove());

  /** Serves a set that wants certificates of its clients, and begins a container before it. @returns what mongosh was given */
  async function initialised(keyFile: string, options: readonly string[]): Promise<string> {
    const { certificateKeyFile, CAFile } = authority;
    const files = ['--tlsCertificateKeyFile', certificateKeyFile, '--tlsCAFile', CAFile];
    const set = ['--port', '0', '--members', '1', '--quiet', '--keyFile', keyFile, '--tlsMode', 'requireTLS', ...files];
    const serving = await serve(...set);
    const { port } = new URL(serving.uri.replace('mongodb:', 'http:'));
    writeFileSync(join(init, 'a.js'), '');
    const said = join(temporary, 'said');
    program('mongosh', `echo "$*" >>${said}`);
    program('replsim', `while [ -e ${temporary}/replsim-initialising ]; do sleep 0.1; done`);
    const env = environment({ MONGO_INITDB_ROOT_USERNAME: 'boss', MONGO_INITDB_ROOT_PASSWORD: 'secret' });
    const child = spawn(entrypoint, ['mongod', '--port', port, ...options], { env });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    // As the container's own healthcheck asks.
    expect(await check()).toEqual([0, 'the set has a primary']);
    const tls = { tls: true, tlsCAFile: CAFile, tlsCertificateKeyFile: certificateKeyFile };
    const client = new MongoClient(serving.uri, { ...tls, auth: { username: 'boss', password: 'secret' } });
    expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
    await serving.interrupt();
    return readFileSync(said, 'utf8');
  }

  const spoken = ({ certificateKeyFile }: Authority) =>
    `--tls --tlsAllowInvalidCertificates --tlsAllowInvalidHostnames --tlsCertificateKeyFile ${certificateKeyFile} --username boss`;

  test.for(['options', 'mongod.conf'])('are initialised and healthy: %s', async (how) => {
    const { certificateKeyFile, CAFile } = authority;
    const keyFile = join(temporary, 'key');
    writeFileSync(keyFile, 'theSharedKey', { mode: 0o400 });
    const config = join(temporary, 'mongod.conf');
    writeFileSync(
      config,
      `net:\n  tls:\n    mode: requireTLS\n    certificateKeyFile: "${certificateKeyFile}"\n    CAFile: ${CAFile}\n`,
    );
    const options = ['--tlsMode=requireTLS', `--tlsCertificateKeyFile=${certificateKeyFile}`, '--tlsCAFile', CAFile];
    expect(await initialised(keyFile, how === 'options' ? options : ['--config', config])).toContain(spoken(authority));
    expect(statSync(join(temporary, 'replsim-certificate')).mode & 0o777).toBe(0o600);
  });

  test('a certificate that was given before is forgotten', () => {
    for (const name of ['replsim-certificate', 'replsim-by-tls']) writeFileSync(join(temporary, name), '/gone');
    begun('mongod');
    expect(readdirSync(temporary)).toEqual(['replsim-port']);
  });
});

test('a script that fails ends the container', async () => {
  const serving = await serve('--port', '0', '--members', '1', '--quiet');
  const { port } = new URL(serving.uri.replace('mongodb:', 'http:'));
  writeFileSync(join(init, 'a.js'), '');
  program('mongosh', 'exit 1');
  program('replsim', 'exec sleep 600');
  const child = spawn(entrypoint, ['mongod', '--port', port], { env: environment() });
  const signal = await new Promise((resolve) => child.once('close', (_code, signal) => resolve(signal)));
  expect(signal).toBe('SIGTERM');
  await serving.interrupt();
});

test('the healthcheck tells a set with a primary from one without, and from none', async () => {
  const serving = await serve('--port', '0', '--members', '1', '--quiet', '--speed', '0');
  const { port } = new URL(serving.uri.replace('mongodb:', 'http:'));
  expect(await check(port)).toEqual([0, 'the set has a primary']);
  const client = new MongoClient(serving.uri);
  await client
    .db('admin')
    .command({ replSetStepDown: 60, force: true })
    .catch(() => {});
  await client.close();
  expect(await check(port)).toEqual([1, 'the set has no primary']);
  await serving.interrupt();
  expect(await check(port)).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
});
