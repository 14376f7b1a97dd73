import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Random } from '@replsim/kernel';
import { MongoClient } from 'mongodb';
import { Ledger } from './ledger.ts';
import { PLACES, type Place, WAYS } from './places.ts';
import { bear, type Cut, losePower, notedIn } from './powerLoss.ts';

const BIN = fileURLToPath(new URL('../../../packages/replsim/bin/replsim.js', import.meta.url));
const UNSYNCED = new URL('unsynced.js', import.meta.url).href;
/** How many writes are acknowledged in a life before it may end. */
const LEAST_WRITES = 80;
/** How long clients look for a primary. With half a second a driver on a busy machine never connected, as each try begins anew. Unit: ms. */
const PATIENCE_MS = 30_000;
/** How often what is over before the kill is begun anew. */
const TRIES = 30;

/** A kill that was. */
export interface Kill {
  readonly place: Place;
  /** Of a power failure. */
  readonly cut: Cut | undefined;
}

/** One set and its kills. */
export class Victim {
  readonly #folder = mkdtempSync(join(tmpdir(), 'replsim-kills-'));
  readonly #dbpath = join(this.#folder, 'data');
  readonly #synced = join(this.#folder, 'synced');
  readonly #random: Random;
  readonly #firstPlace: number;
  readonly ledger = new Ledger();
  readonly kills: Kill[] = [];
  #process: ChildProcess | undefined;
  /** How long the last one took until it opened its data. Unit: ms. */
  #untilOpenMs = 300;

  /** @param index its number among the sets of a run, each of which begins at another place */
  constructor(seed: number, index: number) {
    this.#random = Random.fromSeed(seed);
    const served = Object.keys(WAYS).length;
    // The first life is served: it gives the others something to recover.
    this.#firstPlace = PLACES.length - served + (index % served);
    // One that outlives this program keeps its output open, and whoever reads that waits for ever.
    process.on('exit', () => this.#process?.kill('SIGKILL'));
  }

  /** @returns what does not hold, which must be nothing */
  async live(kills: number): Promise<string[]> {
    try {
      for (let kill = 0; kill < kills; kill++) {
        const place = PLACES[(kill + this.#firstPlace) % PLACES.length]!;
        const broken = place === 'start' || place === 'recovery' ? await this.#early(place) : await this.#served(place);
        if (broken.length > 0) return broken;
      }
      const client = new MongoClient(await this.#ready());
      return await this.ledger.broken(client).finally(() => client.close());
    } finally {
      this.#process?.kill('SIGKILL');
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  #spawn(): ChildProcess {
    bear(this.#synced);
    const noting = `${UNSYNCED}?log=${encodeURIComponent(this.#synced)}`;
    const args = ['--import', noting, BIN, 'serve', '--port', '0', '--dbpath', this.#dbpath, '--quiet', '--json'];
    this.#process = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    return this.#process;
  }

  /** Kills before anybody is served: before the data are opened, or amid that. */
  async #early(place: 'start' | 'recovery'): Promise<string[]> {
    const child = this.#spawn();
    let isServing = false;
    child.stdout!.on('data', () => {
      isServing = true;
    });
    if (place === 'start') await sleep(this.#random.int(0, Math.round(this.#untilOpenMs / 2)));
    else {
      while (!notedIn(this.#synced).hasOpened) await sleep(1);
      await sleep(this.#random.int(0, 20));
    }
    const where = isServing ? 'writes' : notedIn(this.#synced).hasOpened ? 'recovery' : 'start';
    await this.#kill(where);
    return [];
  }

  /** Kills a set at work, if it has kept its promises. */
  async #served(place: keyof typeof WAYS): Promise<string[]> {
    const uri = await this.#ready();
    const client = new MongoClient(uri, { serverSelectionTimeoutMS: PATIENCE_MS });
    try {
      const broken = await this.ledger.broken(client);
      if (broken.length === 0) await this.#writeUntilKilled(client, uri, place);
      return broken;
    } finally {
      await client.close();
    }
  }

  /** @returns the connection string, once there is a primary */
  async #ready(): Promise<string> {
    const begunMs = performance.now();
    const child = this.#spawn();
    let uri = '';
    for await (const line of createInterface({ input: child.stdout! })) {
      const said = JSON.parse(line);
      if (said.type === 'serving') {
        uri = said.uri;
        this.#untilOpenMs = (performance.now() - begunMs) * 0.7;
      }
      if (said.type === 'ready') return uri;
    }
    throw new Error('the set ended before it had a primary');
  }

  /** Several writers, until the process is no more. */
  async #writeUntilKilled(client: MongoClient, uri: string, place: keyof typeof WAYS): Promise<void> {
    // It stays where it is, whoever is primary.
    const operator = new MongoClient(uri, { serverSelectionTimeoutMS: PATIENCE_MS });
    let killed = false;
    const before = this.ledger.acknowledged;
    const writers = [0, 1, 2, 3].map(async (writer) => {
      // Whatever becomes of it: nothing was promised.
      while (!killed) await this.ledger.write(client, writer, this.#random).catch(() => {});
    });
    while (this.ledger.acknowledged - before < LEAST_WRITES) await sleep(1);
    const where = await this.#place(operator, place).catch(() => 'writes' as const);
    const dead = this.#kill(where);
    killed = true;
    await dead;
    // Writers look for a primary until their client is closed.
    await Promise.all([client.close(), operator.close()]);
    await Promise.all(writers);
  }

  /** Waits for the instant of the kill. @returns where the set is by then */
  async #place(operator: MongoClient, place: keyof typeof WAYS): Promise<Place> {
    const { begin, withinMs } = WAYS[place];
    for (let turn = 0; turn < TRIES; turn++) {
      const { isDone } = await begin(operator.db('admin'), operator, this.#random);
      await sleep(this.#random.int(0, withinMs));
      if (!isDone()) return place;
    }
    return 'writes';
  }

  /** Every second one is a power failure. */
  async #kill(place: Place): Promise<void> {
    const child = this.#process!;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    const isPower = this.kills.length % 2 === 1;
    const cut = isPower ? losePower(this.#dbpath, this.#synced, this.#random) : undefined;
    this.kills.push({ place, cut });
  }
}
