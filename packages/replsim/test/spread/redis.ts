import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, Running } from './program.ts';

/** Debian's `redis-server`, on a port of the loopback and in a folder of its own, which remembers what it was told. */
export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  readonly #args: readonly string[];
  #running: Running | undefined;

  private constructor(port: number, args: readonly string[]) {
    this.port = port;
    this.#folder = mkdtempSync(join(tmpdir(), 'redis-'));
    this.#args = args;
  }

  static async start(...args: readonly string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), args);
    await server.again();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async again(): Promise<void> {
    const own = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--dir', this.#folder, '--save', ''];
    const kept = ['--appendonly', 'yes', '--appendfsync', 'always'];
    this.#running = new Running('redis-server', [...own, ...kept, ...this.#args]);
    await this.#running.said('Ready to accept connections');
  }

  async stop(): Promise<void> {
    await this.#running?.kill('SIGTERM');
  }

  async remove(): Promise<void> {
    await this.#running?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
