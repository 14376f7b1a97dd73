import type { Random } from '@replsim/kernel';
import type { ReplSet } from '@replsim/replset';
import { Caller } from './caller.ts';
import type { Tally } from './tally.ts';
import { Watcher } from './watcher.ts';

/** Streams that clients hold open, through all that happens. */
export class Watchers {
  readonly #set: ReplSet;
  readonly #random: Random;
  readonly #tally: Tally;
  readonly #forces: boolean;
  readonly all: Watcher[] = [];

  /** @param forces whether somebody forces configs, which voids what a majority has */
  constructor(set: ReplSet, random: Random, tally: Tally, forces: boolean) {
    this.#set = set;
    this.#random = random;
    this.#tally = tally;
    this.#forces = forces;
  }

  open(): void {
    for (let i = this.#random.int(1, 5); i > 0; i--) {
      const caller = new Caller(this.#set, `watcher${i}`, this.#random.split('watcher', i));
      this.all.push(new Watcher(`w${i}`, caller, this.#tally, this.#forces));
    }
  }

  /** Nobody opens streams elsewhere for the fun of it any more. */
  settle(): void {
    for (const watcher of this.all) watcher.settled = true;
  }

  close(): void {
    for (const watcher of this.all) watcher.stop();
  }

  get atWork(): boolean {
    return this.all.some(({ atWork }) => atWork);
  }

  get allOpen(): boolean {
    return this.all.every(({ isOpen }) => isOpen);
  }

  /** Of all, each with how often it began anew. */
  get names(): string {
    return this.all.map(({ name }) => name).join();
  }

  /** The first that has not shown an insert of this `_id`. */
  without(id: string): Watcher | undefined {
    return this.all.find(({ lastInserted }) => lastInserted !== id);
  }
}
