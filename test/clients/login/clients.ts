import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MongoClient, MongoError } from 'mongodb';

/** How long the text is that a client writes: long enough to be worth compressing. */
export const TEXT_LENGTH = 50_000;

/** What came of a write: who the client was and how long the text was that it read, or why it failed. */
export type Written =
  | { readonly user: string; readonly length: number }
  | { readonly code: number; readonly message: string };

/** A real driver that has several clients, one for each name; a client once made stays. */
export interface Driver {
  /** Writes a long text to the collection of this name, reads it and asks who it is. */
  write(name: string, uri: string): Promise<Written>;
  stop(): Promise<void>;
}

/** Node's driver, in this process. */
export function nodeDriver(): Driver {
  const clients = new Map<string, MongoClient>();
  return {
    write: async (name, uri) => {
      const client = clients.get(name) ?? new MongoClient(uri);
      clients.set(name, client);
      try {
        const texts = client.db('app').collection<{ text: string }>(name);
        const { insertedId } = await texts.insertOne({ text: 'x'.repeat(TEXT_LENGTH) });
        const found = await texts.findOne({ _id: insertedId });
        const { authInfo } = await client.db('app').command({ connectionStatus: 1 });
        const [user] = authInfo.authenticatedUsers;
        return { user: `${user?.user}@${user?.db}`, length: found?.text.length ?? 0 };
      } catch (error) {
        if (!(error instanceof MongoError)) throw error;
        return { code: Number(error.code ?? 0), message: error.message };
      }
    },
    stop: async () => {
      await Promise.all(Array.from(clients.values(), (client) => client.close()));
    },
  };
}

/** How a program is asked. */
interface Asking {
  readonly env?: NodeJS.ProcessEnv;
  /** What comes first. */
  readonly before?: string;
  readonly lineOf?: (name: string, uri: string) => string;
}

/** A program that answers each line of its input, in order, with one that ends with the same name and what came of it. */
export function programDriver(file: string, args: readonly string[] = [], asking: Asking = {}): Driver {
  const { env = process.env, before = '', lineOf = (name: string, uri: string) => `${name} ${uri}` } = asking;
  let child: ChildProcessWithoutNullStreams | undefined;
  let said = '';
  const waiting: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void }[] = [];
  const start = () => {
    const started = spawn(file, args, { env });
    started.stderr.on('data', (text) => {
      said += text;
    });
    started.stdin.on('error', () => {});
    createInterface(started.stdout).on('line', (line) => {
      const answer = /\S+ (ok|failed) .*/.exec(line);
      if (answer) waiting.shift()?.resolve(answer[0]);
      else said += `${line}\n`;
    });
    started.on('close', (code) => {
      for (const { reject } of waiting.splice(0)) reject(new Error(`${file} ended with ${code}: ${said}`));
    });
    started.stdin.write(before);
    return started;
  };
  return {
    write: async (name, uri) => {
      child ??= start();
      const { stdin } = child;
      const line = await new Promise<string>((resolve, reject) => {
        waiting.push({ resolve, reject });
        stdin.write(`${lineOf(name, uri)}\n`);
      });
      return writtenOf(line, name);
    },
    stop: async () => {
      if (child === undefined) return;
      const ended = new Promise((resolve) => child?.once('close', resolve));
      child.stdin.end();
      await ended;
    },
  };
}

function writtenOf(line: string, name: string): Written {
  const [own, how, first = '', ...rest] = line.split(' ');
  if (own !== name) throw new Error(`asked as ${name}, and the answer is: ${line}`);
  return how === 'ok' ? { user: first, length: Number(rest[0]) } : { code: Number(first), message: rest.join(' ') };
}

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Debian's PyMongo. */
export function pythonDriver(): Driver {
  return programDriver('/usr/bin/python3', [here('client.py')]);
}

/** Debian's libmongoc, with a program that is compiled first. */
export function mongocDriver(): Driver {
  const folder = mkdtempSync(join(tmpdir(), 'replsim-mongoc-'));
  const program = join(folder, 'client');
  const flags = execFileSync('pkg-config', ['--cflags', '--libs', 'libmongoc-1.0'], { encoding: 'utf8' });
  execFileSync('gcc', ['-Wall', '-Werror', here('client.c'), '-o', program, ...flags.trim().split(/\s+/)]);
  const driver = programDriver(program);
  return {
    ...driver,
    stop: async () => {
      await driver.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether a shell command succeeds. */
export function isThere(command: string): boolean {
  return spawnSync('sh', ['-c', command], { stdio: 'ignore' }).status === 0;
}
