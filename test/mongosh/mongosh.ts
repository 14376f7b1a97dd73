import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

// The shell as npm has it, run as its users run it: by a script, by lines that come in through a pipe, at a terminal.

const server = createRequire(new URL('../../packages/server/package.json', import.meta.url));
const manifest = server.resolve('mongosh/package.json');
export const BINARY = join(dirname(manifest), server('mongosh/package.json').bin.mongosh);
const LOOPBACK_ONLY = fileURLToPath(new URL('./loopbackOnly.cjs', import.meta.url));

/** For the shell's history, logs and settings. */
export const home = mkdtempSync(join(tmpdir(), 'replsim-mongosh-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What the shell must not take from whoever runs the tests, and must not send to anybody. */
export const ENV = {
  PATH: process.env.PATH,
  HOME: home,
  TZ: 'UTC',
  TERM: 'xterm',
  COLUMNS: '200',
  NO_COLOR: '1',
  CI: '1',
  MONGOSH_FORCE_DISABLE_TELEMETRY_FOR_TESTING: '1',
  NODE_OPTIONS: `--no-deprecation --require ${LOOPBACK_ONLY}`,
};

/** A shell that takes longer hangs: its answers so far say at which question. */
const HANGS_MS = 60_000;

/** One thing that a user asks of the shell. */
export interface Asked {
  readonly name: string;
  /** Statements to run first. */
  readonly before?: string;
  /** An expression. */
  readonly js: string;
  /** What its value must match, as relaxed Extended JSON. */
  readonly gives?: unknown;
  /** What the error must match that it throws. */
  readonly throws?: { readonly code?: number; readonly codeName?: string; readonly message?: unknown };
}

export interface Answer {
  readonly name: string;
  readonly value?: unknown;
  readonly error?: {
    readonly name: string;
    readonly code?: number;
    readonly codeName?: string;
    readonly message: string;
  };
}

/**
 * Asks one after the other in one run of the shell.
 * @param where as on its command line: a connection string, or `--port` and its number
 * @returns the answers by name; who had none ended the shell
 */
export async function askAll(where: readonly string[], asked: readonly Asked[]): Promise<ReadonlyMap<string, Answer>> {
  const file = join(home, `asked-${process.hrtime.bigint()}.js`);
  writeFileSync(file, scriptOf(asked));
  const { stdout, stderr } = await mongosh([...where, '--quiet', '--file', file]);
  const answers = stdout
    .split('\n')
    .filter((line) => line.startsWith(MARK))
    .map((line): Answer => JSON.parse(line.slice(MARK.length)));
  if (answers.length === 0) throw new Error(`no answers from mongosh:\n${stdout}\n${stderr}`);
  return new Map(answers.map((answer) => [answer.name, answer]));
}

const MARK = '@@answer ';

/** No functions that take functions: the shell waits only for calls that it sees in the text. */
function scriptOf(asked: readonly Asked[]): string {
  return asked
    .map(({ name, before = '', js }) => {
      const answer = (of: string) =>
        `print(${JSON.stringify(MARK)} + EJSON.stringify({ name: ${JSON.stringify(name)}, ${of} }));`;
      return `try {
  ${before}
  const value = ${js};
  ${answer('value')}
} catch (e) {
  ${answer('error: { name: e.name, code: e.code, codeName: e.codeName, message: e.message }')}
}`;
    })
    .join('\n');
}

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

/** Runs the shell to its end. @param input what is typed, through a pipe */
export function mongosh(args: readonly string[], input = ''): Promise<Ended> {
  return run(process.execPath, [BINARY, ...args], input);
}

function run(file: string, args: readonly string[], input: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env: ENV, cwd: home, timeout: HANGS_MS, killSignal: 'SIGKILL' });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text;
      });
    }
    child.on('error', reject);
    child.on('close', (status) => resolve({ ...texts, status }));
    child.stdin.on('error', () => {}).end(input);
  });
}
