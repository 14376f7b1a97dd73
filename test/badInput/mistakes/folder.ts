import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReplicaSet } from 'replsim';
import { main } from '../../../packages/cli/src/main.ts';
import { testIo } from '../../../packages/cli/test/io.ts';

const GOOD = 'name: A claim\nsteps:\n  - eventually: { within: 30s, primary: any }\n';
const FORECAST = 'name: Tokens\ninsert: 20\nexpireAfterSeconds: 300\n';

/** A folder as people have it who make the mistakes, and the sets that stand there. */
export class Folder {
  readonly #path = mkdtempSync(join(tmpdir(), 'replsim-mistakes-'));
  readonly #taken: Server = createServer();
  #port = 0;
  #held: ReplicaSet | undefined;
  /** A set that runs, and one that has ended. */
  set!: ReplicaSet;
  stopped!: ReplicaSet;

  async make(): Promise<void> {
    for (const name of ['empty', 'old']) mkdirSync(join(this.#path, name));
    this.write('good.yaml', GOOD);
    this.write('forecast.yaml', FORECAST);
    this.write('misspelt.yaml', `${FORECAST}parameters: { ttlMonitorSleepSec: 1 }\n`);
    this.write('notes.txt', 'What I have learnt\n');
    this.write('table.csv', 'at,count\n1,2\n');
    this.write('picture.yaml', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]));
    this.write('old/replsim.json', '{"format":99}');
    const { out } = await this.replsim('run good.yaml --trace good.trace');
    // What is printed, kept by whoever wanted to look at it later.
    this.write('good.transcript', out);
    const trace = readFileSync(join(this.#path, 'good.trace'), 'utf8');
    const [first = '', second = ''] = trace.split('\n');
    this.write('cut.trace', `${first}\n${second.slice(0, 40)}`);
    this.write('old.trace', trace.replace(/"traceVersion":\d+/, '"traceVersion":1'));
    await new Promise<void>((resolve) => this.#taken.listen(0, '127.0.0.1', resolve));
    this.#port = (this.#taken.address() as { port: number }).port;
    this.#held = await ReplicaSet.start({ dbpath: join(this.#path, 'held'), speed: 0 });
    this.set = await ReplicaSet.start({ speed: 0 });
    this.stopped = await ReplicaSet.start({ members: 1, speed: 0 });
    await this.stopped.stop();
  }

  async clear(): Promise<void> {
    await this.set.stop();
    await this.#held?.stop();
    this.#taken.close();
    rmSync(this.#path, { recursive: true });
  }

  write(name: string, content: string | Uint8Array): void {
    writeFileSync(join(this.#path, name), content);
  }

  /** A command line in this folder: what it prints, and its exit code. */
  async replsim(line: string): Promise<{ code: number; out: string; err: string }> {
    const io = testIo();
    const code = await main(
      line.split(' ').map((word) => this.#word(word)),
      io,
    );
    return { code, out: this.#seen(io.stdout), err: this.#seen(io.stderr) };
  }

  #word(word: string): string {
    if (word === 'TAKEN') return String(this.#port);
    return /^[\w/]+\.(yaml|trace|transcript|txt|csv|xml)$|^(empty|old|held)$/.test(word)
      ? join(this.#path, word)
      : word;
  }

  /** As they see it, wherever the folder is. */
  #seen(text: string): string {
    return text
      .replaceAll(`${this.#path}/`, '')
      .replaceAll(this.#path, '.')
      .replaceAll(`port ${this.#port}`, 'port TAKEN')
      .trimEnd();
  }
}
