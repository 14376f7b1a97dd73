import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveWith } from '../../packages/cli/test/serving.ts';
import { blocksOf } from '../docs/markdown.ts';

// The helpers of `docs/languages`, copied as files and used as their first users would: by each language's own tests, with Debian's driver.

const pages = fileURLToPath(new URL('../../docs/languages', import.meta.url));
const standIn = fileURLToPath(new URL('replsim.mjs', import.meta.url));
const run = promisify(execFile);

interface Language {
  readonly name: string;
  /** What there has to be, by Debian's names, and a command that succeeds where it is. */
  readonly packages: string;
  readonly there: string;
  /** Carried out in a copy of the folder. */
  readonly command: string;
  /** Its compiler and its driver are large: each night, and where it is asked for. */
  readonly isNightly?: true;
  /** What it prints if all went well, and nothing else has it printed. */
  readonly passed: RegExp;
}

const shims = fileURLToPath(new URL('java', import.meta.url));
const JARS = [
  ...['bson', 'mongodb-driver', 'mongodb-driver-core', 'opentest4j', 'apiguardian-api', 'picocli'],
  ...['api', 'engine'].map((part) => `junit-jupiter-${part}`),
  ...['commons', 'console', 'engine', 'launcher', 'reporting'].map((part) => `junit-platform-${part}`),
]
  .map((jar) => `/usr/share/java/${jar}.jar`)
  .join(':');

// Debian's own interpreters, because Debian's drivers are only theirs.
const LANGUAGES: readonly Language[] = [
  {
    name: 'python',
    packages: 'python3-pymongo python3-pytest',
    there: '/usr/bin/python3 -c "import pymongo, pytest"',
    command: '/usr/bin/python3 -m pytest -p no:cacheprovider',
    passed: /\b3 passed\b/,
  },
  {
    name: 'ruby',
    packages: 'ruby-mongo',
    there: '/usr/bin/ruby -e "require %q(mongo); require %q(minitest)"',
    command: '/usr/bin/ruby sessions_test.rb',
    passed: /\b3 runs, \d+ assertions, 0 failures, 0 errors, 0 skips\b/,
  },
  {
    name: 'php',
    packages: 'php-cli php-mongodb',
    there: '/usr/bin/php -r "exit(extension_loaded(\'mongodb\') ? 0 : 1);"',
    command: '/usr/bin/php sessions.php',
    passed: /old sessions are deleted\norders survive a failover\na mistake says what is wrong\n$/,
  },
  {
    name: 'c',
    packages: 'gcc libc6-dev pkg-config libmongoc-dev',
    there: 'gcc --version && pkg-config --exists libmongoc-1.0',
    command: 'gcc -Wall -Werror sessions.c -o sessions $(pkg-config --cflags --libs libmongoc-1.0) && ./sessions',
    passed: /old sessions are deleted\na failover\nthe new primary accepts writes\na mistake is reported\n$/,
  },
  {
    name: 'java',
    isNightly: true,
    packages: 'default-jdk-headless junit5 libmongodb-java',
    there:
      'javac --version && test -e /usr/share/java/mongodb-driver.jar -a -e /usr/share/java/junit-platform-console.jar',
    // The shims stand for classes that Debian's driver has under other names.
    command: `javac -J-XX:TieredStopAtLevel=1 -d classes -cp '${JARS}' *.java $(find '${shims}' -name '*.java') && \
      java -XX:TieredStopAtLevel=1 -cp 'classes:${JARS}' org.junit.platform.console.ConsoleLauncher --scan-classpath classes --disable-banner`,
    passed: /\b3 tests successful\b[\s\S]*\b0 tests failed\b/,
  },
  {
    name: 'go',
    isNightly: true,
    packages: 'golang-go golang-mongodb-mongo-driver-dev',
    there: 'go version && test -e /usr/share/gocode/src/go.mongodb.org/mongo-driver',
    // What differs in a driver before 2.0.
    command: `mkdir -p src/sessions && mv *.go src/sessions && cd src/sessions && \
      sed -i 's#mongo-driver/v2/#mongo-driver/#; s#mongo.Connect(#mongo.Connect(context.Background(), #' sessions_test.go && \
      GO111MODULE=off GOFLAGS= GOPATH="$PWD/../..:/usr/share/gocode" go test -v`,
    passed: /--- PASS: TestOldSessions[\s\S]*--- PASS: TestOrders[\s\S]*\nok\s/,
  },
];

/** Those that nothing here can run; their first line says so. */
const REVIEWED = ['csharp'];

let speed = '1';
let server: Server;
/** Of sets, which the programs hear only as an end. */
const failures: unknown[] = [];
const folder = mkdtempSync(join(tmpdir(), 'replsim-languages-'));
const program = join(folder, 'replsim');

beforeAll(async () => {
  server = createServer((socket) => {
    serveFor(socket).catch((error) => {
      failures.push(error);
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${standIn}' ${port} "$@"\n`, { mode: 0o755 });
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Runs `replsim serve` for whoever has started `replsim.mjs`, until that ends. */
async function serveFor(socket: Socket): Promise<void> {
  const ended = new Promise<void>((resolve) => socket.once('end', resolve).once('error', () => resolve()));
  const args = await new Promise<string>((resolve) => socket.once('data', (text) => resolve(String(text))));
  const [command, ...options] = JSON.parse(args) as string[];
  expect(command).toBe('serve');
  const serving = await serveWith({}, [...options, '--speed', speed]);
  socket.write(serving.out());
  await ended;
  await serving.interrupt();
  socket.end();
}

const { EVERY_LANGUAGE } = process.env;

describe.each(LANGUAGES)('$name', ({ name, packages, there, command, passed, isNightly }) => {
  const isLater = isNightly && EVERY_LANGUAGE === undefined;
  const found = !isLater && spawnSync('sh', ['-c', there], { stdio: 'ignore' }).status === 0;
  if (!found && !isLater && process.env.CI === undefined)
    console.warn(`docs/languages/${name} is not tested here: apt-get install ${packages}`);

  test.skipIf(isLater || (!found && process.env.CI === undefined)).each(['1', '0'])('at speed %s', async (each) => {
    expect(found, `apt-get install ${packages}`).toBe(true);
    speed = each;
    const copy = join(folder, `${name}-${each}`);
    cpSync(join(pages, name), copy, { recursive: true });
    const env = { ...process.env, REPLSIM: program, PYTHONDONTWRITEBYTECODE: '1' };
    const { stdout } = await run('sh', ['-c', command], { cwd: copy, env }).catch(
      (error: { stdout: string; stderr: string }) => {
        throw new Error(`${error.stdout}${error.stderr}`, { cause: failures[0] });
      },
    );
    expect(failures).toEqual([]);
    expect(stdout).toMatch(passed);
  });
});

describe('the example of docs/serve.md in Python', () => {
  const { there, packages } = LANGUAGES.find(({ name }) => name === 'python')!;
  const found = spawnSync('sh', ['-c', there], { stdio: 'ignore' }).status === 0;
  const [example] = blocksOf('docs/serve.md').filter(({ what }) => what === 'in Python');

  test.skipIf(!found && process.env.CI === undefined).each(['1', '0'])('at speed %s', async (each) => {
    expect(found, `apt-get install ${packages}`).toBe(true);
    const serving = await serveWith({}, ['--port', '0', '--speed', each]);
    const code = example!.code.replace('mongodb://127.0.0.1:27017/?replicaSet=rs0', serving.uri);
    const { stdout } = await run('/usr/bin/python3', ['-c', code]).finally(() => serving.interrupt());
    expect(stdout).toBe('2\n');
  });
});

test('each folder is tested, or its first line says that it is not', () => {
  const folders = readdirSync(pages, { withFileTypes: true }).flatMap((each) =>
    each.isDirectory() ? [each.name] : [],
  );
  expect(folders.sort()).toEqual([...LANGUAGES.map(({ name }) => name), ...REVIEWED].sort());
  for (const name of folders)
    for (const file of readdirSync(join(pages, name))) {
      const [first, second] = readFileSync(join(pages, name, file), 'utf8').split('\n');
      if (/^(ReplicaSet|replsim|conftest)/.test(file))
        expect(`${first}\n${second}`, file).toMatch(REVIEWED.includes(name) ? /Reviewed/ : /Tested with .*Debian 12/);
    }
});
