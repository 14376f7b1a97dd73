import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'rolldown';

// Processes of their own run no TypeScript, so what they run is bundled as it is published.

const published = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(published, '../../node_modules/.cache');

/** The command line as a program, in a folder of its own. */
export interface Program {
  readonly folder: string;
  readonly bin: string;
  /** What plays for it. */
  readonly player: URL;
  readonly remove: () => void;
}

export async function program(): Promise<Program> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'replsim-spread-'));
  const { bundlesIn } = await import(pathToFileURL(join(published, 'rolldown.config.js')).href);
  const [bundle] = bundlesIn(join(folder, 'dist/bundle')) as BuildOptions[];
  // The other plugins are for the entries of the library.
  const needed = ['late-randomness', 'ascii', 'lazy'];
  const plugins = ((bundle?.plugins ?? []) as Plugin[]).filter(({ name }) => needed.includes(name));
  await build({ ...bundle, plugins, input: { bin: 'src/bin.ts', player: 'src/player.ts' }, cwd: published });
  const player = join(folder, 'bin/player.js');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(player, "require('../dist/bundle/player.cjs');\n");
  return {
    folder,
    bin: join(folder, 'dist/bundle/bin.cjs'),
    player: pathToFileURL(player),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A process whose words can be waited for. */
export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  out = '';
  err = '';
  readonly #waiting = new Set<() => void>();

  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    for (const stream of ['out', 'err'] as const)
      this.child[`std${stream}`]!.setEncoding('utf8').on('data', (text: string) => {
        this[stream] += text;
        for (const look of this.#waiting) look();
      });
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
    this.ended.then(() => {
      for (const look of this.#waiting) look();
    });
  }

  /** Resolves when it has said that so often, rejects if it ends without. */
  said(what: string | RegExp, times = 1): Promise<void> {
    const pattern = new RegExp(typeof what === 'string' ? what.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : what, 'g');
    return new Promise((resolve, reject) => {
      const look = () => {
        const all = this.out + this.err;
        if ((all.match(pattern)?.length ?? 0) >= times) resolve();
        else if (this.child.exitCode !== null || this.child.signalCode !== null)
          reject(new Error(`it ended without saying ${what}: ${all}`));
        else return;
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Whatever it is doing. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.child.kill(signal);
    await this.ended;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
