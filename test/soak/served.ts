import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { within } from './within.ts';

const BIN = fileURLToPath(new URL('../../../packages/replsim/bin/replsim.js', import.meta.url));
const HEAP = new URL('heap.js', import.meta.url).href;
/** How long the process may take to say how large it is. Unit: ms. */
const ANSWER_MS = 60_000;

/** `replsim serve --dbpath` in a process of its own, and how large it is. */
export class Served {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #heapFile: string;
  #asked = 0;
  uri = '';

  private constructor(folder: string) {
    this.#folder = folder;
    this.#heapFile = join(folder, 'heap');
    rmSync(this.#heapFile, { force: true });
    const measure = `${HEAP}?to=${encodeURIComponent(this.#heapFile)}`;
    const serve = [
      'serve',
      '--port',
      '0',
      '--dbpath',
      join(folder, 'data'),
      '--quiet',
      '--json',
      '--speed',
      '10',
      '--oplogSize',
      '1',
    ];
    const args = ['--expose-gc', '--import', measure, BIN, ...serve];
    this.#process = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    // One that outlives this program keeps its output open, and whoever reads that waits for ever.
    process.on('exit', () => this.#process.kill('SIGKILL'));
  }

  /** @returns it once there is a primary */
  static async start(folder: string): Promise<Served> {
    const served = new Served(folder);
    const lines = createInterface({ input: served.#process.stdout! });
    await new Promise<void>((resolve, reject) => {
      lines.on('line', (line) => {
        const said = JSON.parse(line);
        if (said.type === 'serving') served.uri = said.uri;
        if (said.type === 'ready') resolve();
      });
      served.#process.once('exit', (code) => reject(new Error(`the set ended with ${code}`)));
    });
    return served;
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }

  /** What is left of the heap after a collection. Unit: bytes. @throws Error if the process is gone, or does nothing else */
  async heap(): Promise<number> {
    this.#asked += 1;
    this.#process.kill('SIGUSR2');
    const untilMs = performance.now() + ANSWER_MS;
    while (performance.now() < untilMs && this.#process.exitCode === null) {
      const [turn, bytes] = readOr(this.#heapFile).split(' ');
      if (Number(turn) === this.#asked && bytes) return Number(bytes);
      await sleep(10);
    }
    const { exitCode } = this.#process;
    throw new Error(exitCode === null ? 'the served process does not collect its heap' : `it ended with ${exitCode}`);
  }

  /** What each member says of itself, to whoever connects to it alone. */
  async members(): Promise<string[]> {
    const [, hosts = ''] = /^mongodb:\/\/([^/]*)/.exec(this.uri) ?? [];
    return Promise.all(
      hosts.split(',').map(async (host) => {
        const client = new MongoClient(`mongodb://${host}/?directConnection=true`, {
          serverSelectionTimeoutMS: 10_000,
        });
        try {
          const hello = await within(20_000, `${host}, asked alone,`, client.db('admin').command({ hello: 1 }));
          const { isWritablePrimary, secondary, primary, localTime } = hello;
          return `${host}: ${JSON.stringify({ isWritablePrimary, secondary, primary, localTime })}`;
        } catch (error) {
          return `${host}: ${(error as Error).message}`;
        } finally {
          client.close().catch(() => {});
        }
      }),
    );
  }

  /** For how long its thread has run so far, and for how long it has waited for a processor. Unit: s. */
  get ran(): { readonly ranSecs: number; readonly waitedSecs: number } {
    const [ran, waited] = readFileSync(`/proc/${this.#process.pid}/schedstat`, 'utf8').split(' ').map(Number);
    return { ranSecs: ran! / 1e9, waitedSecs: waited! / 1e9 };
  }

  get descriptors(): number {
    return readdirSync(`/proc/${this.#process.pid}/fd`).length;
  }

  /** Files may go while they are counted. */
  disk(): { readonly files: number; readonly bytes: number } {
    const entries = readdirSync(join(this.#folder, 'data'), { recursive: true, withFileTypes: true });
    const sizes = entries.flatMap((entry) => {
      const found = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
      return found?.isFile() ? [found.size] : [];
    });
    return { files: sizes.length, bytes: sizes.reduce((sum, each) => sum + each, 0) };
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
