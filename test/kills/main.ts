import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '@replsim/kernel';
import { MongoClient, type WriteConcernSettings } from 'mongodb';

// `replsim serve --dbpath`, killed with SIGKILL again and again while a client writes: what was acknowledged must be there
// when it is started the next time. npm run kills -- --kills N --seed K. No virtual time here: the processes, the disk and the kills are real.

const BIN = fileURLToPath(new URL('../../../packages/replsim/bin/replsim.js', import.meta.url));
const { values } = parseArgs({
  options: { kills: { type: 'string', default: '40' }, seed: { type: 'string', default: '1' } },
});
const [KILLS, FIRST_SEED] = [Number(values.kills), Number(values.seed)];
/** How long a set lives before it is killed. Unit: ms. */
const LONGEST_LIFE_MS = 500;
/** How long a writer looks for a primary where there is none any more. Unit: ms. */
const PATIENCE_MS = 500;
const CONCERNS: readonly WriteConcernSettings[] = [{ w: 'majority' }, { w: 1, j: true }];

/** One set and its kills. */
class Victim {
  readonly #dbpath = mkdtempSync(join(tmpdir(), 'replsim-kills-'));
  readonly #random: Random;
  readonly #acknowledged = new Set<number>();
  #next = 0;
  #process: ChildProcess | undefined;

  constructor(seed: number) {
    this.#random = Random.fromSeed(seed);
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** @returns what is missing, which must be nothing */
  async live(kills: number): Promise<number[]> {
    try {
      for (let kill = 0; kill < kills; kill++) {
        const missing = await this.#oneLife();
        if (missing.length > 0) return missing;
      }
      return await this.#oneLife();
    } finally {
      this.#process?.kill('SIGKILL');
      rmSync(this.#dbpath, { recursive: true, force: true });
    }
  }

  async #oneLife(): Promise<number[]> {
    const uri = await this.#serve();
    const missing = await this.#missing(uri);
    if (missing.length === 0) await this.#writeUntilKilled(uri);
    return missing;
  }

  /** @returns the connection string, once there is a primary */
  async #serve(): Promise<string> {
    const args = [BIN, 'serve', '--port', '0', '--dbpath', this.#dbpath, '--quiet', '--json'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#process = child;
    let uri = '';
    for await (const line of createInterface({ input: child.stdout! })) {
      const said = JSON.parse(line);
      if (said.type === 'serving') uri = said.uri;
      if (said.type === 'ready') return uri;
    }
    throw new Error('the set ended before it had a primary');
  }

  async #missing(uri: string): Promise<number[]> {
    const client = new MongoClient(uri);
    const found = await documents(client)
      .find({}, { projection: { _id: 1 } })
      .toArray();
    await client.close();
    const there = new Set(found.map(({ _id }) => _id));
    return [...this.#acknowledged].filter((id) => !there.has(id));
  }

  /** Several writers, each with its own promise of durability, until the process is no more. */
  async #writeUntilKilled(uri: string): Promise<void> {
    const client = new MongoClient(uri, { serverSelectionTimeoutMS: PATIENCE_MS });
    const child = this.#process!;
    let killed = false;
    const writers = [0, 1, 2, 3].map(async (writer) => {
      const writeConcern = CONCERNS[writer % CONCERNS.length]!;
      while (!killed) {
        const id = this.#next++;
        await documents(client)
          .insertOne({ _id: id }, { writeConcern })
          .then(
            () => this.#acknowledged.add(id),
            // Whatever becomes of it: nothing was promised.
            () => {},
          );
      }
    });
    await sleep(this.#random.int(0, LONGEST_LIFE_MS));
    killed = true;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    await Promise.all(writers);
    await client.close();
  }
}

function documents(client: MongoClient) {
  return client.db('app').collection<{ _id: number }>('documents');
}

/** Two at a time, as there are that many cores. */
const victims = [new Victim(FIRST_SEED), new Victim(FIRST_SEED + 1)];
const missing = (await Promise.all(victims.map((victim) => victim.live(Math.ceil(KILLS / victims.length))))).flat();
const acknowledged = victims.reduce((sum, victim) => sum + victim.acknowledged, 0);
process.stdout.write(`${KILLS} kills, ${acknowledged} acknowledged writes, ${missing.length} lost\n`);
if (acknowledged === 0) throw new Error('no write was ever acknowledged');
if (missing.length > 0) {
  process.stdout.write(`lost: ${missing.slice(0, 20).join(', ')}\n`);
  process.exitCode = 1;
}
