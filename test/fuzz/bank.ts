import type { Random } from '@replsim/kernel';
import type { ReplSet } from '@replsim/replset';
import { ACCOUNTS, type Account, LEDGER, type Ledger, misfit, type Transfer } from './books.ts';
import { askNow, Caller, type Doc } from './caller.ts';
import type { Shape } from './shape.ts';
import type { Tally } from './tally.ts';
import { Teller } from './teller.ts';

const TELLERS = [1, 2, 3, 5];

/** Money that sessions move by transactions: neither made nor lost, and what was promised of a transfer holds. */
export class Bank implements Ledger {
  readonly #set: ReplSet;
  readonly #shape: Shape;
  readonly #random: Random;
  readonly #tally: Tally;
  readonly tellers: Teller[] = [];
  /** By `_id`: a transfer that is not promised may be there or not, if its commit was ever sent. */
  readonly #known = new Map<string, 'there' | 'perhaps' | 'not'>();
  readonly #names = new Map<Doc, string>();

  constructor(set: ReplSet, random: Random, tally: Tally, shape: Shape) {
    this.#set = set;
    this.#random = random;
    this.#tally = tally;
    this.#shape = shape;
  }

  open(): void {
    const count = this.#random.pick(TELLERS);
    for (let i = 1; i <= count; i++) {
      const caller = new Caller(this.#set, `teller${i}`, this.#random.split('teller', i));
      this.tellers.push(new Teller(caller, this, this.#tally, this.#shape.large));
    }
  }

  close(): void {
    for (const teller of this.tellers) teller.stop();
  }

  get atWork(): boolean {
    return this.tellers.some(({ atWork }) => atWork);
  }

  // --- what tellers say ---

  nameOf(lsid: Doc): string {
    const name = this.#names.get(lsid) ?? `t${this.#names.size + 1}`;
    this.#names.set(lsid, name);
    return name;
  }

  begun({ _id }: Transfer): void {
    this.#known.set(_id, 'not');
  }

  mayBe({ _id }: Transfer): void {
    this.#known.set(_id, 'perhaps');
  }

  isThere({ _id }: Transfer): void {
    this.#known.set(_id, 'there');
  }

  isNot({ _id }: Transfer): void {
    this.#known.set(_id, 'not');
  }

  check(accounts: readonly Account[], transfers: readonly Transfer[], read: string): void {
    const wrong = misfit(accounts, transfers);
    // A forced config voids what a majority was promised.
    if (wrong !== undefined && !this.#shape.forces) throw new Error(`${wrong}, read ${read}`);
  }

  // --- what members say ---

  /** What a member's books have lost, doubled, or hold in part. */
  brokenPromise(member: string): string | undefined {
    const all = (find: string) => {
      const read = { find, batchSize: 100_000, $readPreference: { mode: 'secondaryPreferred' }, $db: 'app' };
      return (askNow(this.#set, member, read).cursor as { firstBatch: Doc[] }).firstBatch;
    };
    const transfers = all(LEDGER) as unknown as Transfer[];
    const there = new Set(transfers.map(({ _id }) => _id));
    for (const [_id, known] of this.#known) {
      if (known === 'there' && !there.has(_id)) return `transfer ${_id} was committed by a majority and is gone`;
      if (known === 'not' && there.has(_id)) return `transfer ${_id} was not committed, and is there`;
    }
    return misfit(all(ACCOUNTS) as unknown as Account[], transfers);
  }
}
