import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, Running } from './program.ts';

/** Debian's `redis-server`, on a port of the loopback and in a folder of its own, which remembers what it was told. */
export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  #args: readonly string[];
  #running: Running | undefined;

  private constructor(port: number, args: readonly string[]) {
    this.port = port;
    this.#folder = mkdtempSync(join(tmpdir(), 'redis-'));
    this.#args = args;
  }

  /** One that speaks TLS only, for localhost, by a certificate of an authority of its own, which this machine does not trust. */
  static async startTls(...args: readonly string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), args);
    const file = (name: string) => join(server.#folder, name);
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file('key.pem')];
    execFileSync('openssl', ['req', '-x509', ...key, '-out', file('cert.pem'), '-days', '2', ...subject], {
      stdio: 'ignore',
    });
    server.#args = [
      ...['--port', '0', '--tls-port', `${server.port}`, '--tls-auth-clients', 'no'],
      ...[
        '--tls-cert-file',
        file('cert.pem'),
        '--tls-key-file',
        file('key.pem'),
        '--tls-ca-cert-file',
        file('cert.pem'),
      ],
      ...args,
    ];
    await server.again();
    return server;
  }

  /** The file of the authority of a server that speaks TLS. */
  get authority(): string {
    return join(this.#folder, 'cert.pem');
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
