import { Checkers } from '@replsim/checker';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { TransactionClient } from './transactionClient.ts';

// Whatever befalls a set, money that is moved by transactions is neither made nor lost: every snapshot of every member sums up to
// the same, and what was acknowledged by a majority is there.

const ACCOUNTS = 4;
const START = 100;

const anyTurn = fc.record({
  who: fc.integer({ min: 1, max: 3 }),
  act: fc.constantFrom('transfer', 'transfer', 'begin', 'move', 'move', 'commit', 'abort', 'plain'),
  from: fc.nat(ACCOUNTS - 1),
  to: fc.nat(ACCOUNTS - 1),
  fault: fc.constantFrom('none', 'none', 'none', 'none', 'stepDown', 'kill', 'split', 'pass'),
});

class Bank {
  readonly asked: AskedSet;
  readonly clients = new Map<number, TransactionClient>();
  readonly #open = new Set<number>();

  constructor(asked: AskedSet) {
    this.asked = asked;
  }

  async turn({ who, act, from, to }: { who: number; act: string; from: number; to: number }): Promise<void> {
    const { asked } = this;
    if (asked.primaryIfAny() === undefined) return asked.pass(1_000);
    if (act === 'plain') {
      // Adds nothing; it meets open transactions, and waits for no longer than this.
      const updates = [{ q: { _id: from }, u: { $inc: { touched: 1 } } }];
      await asked.run(asked.primary, { update: 'accounts', updates, maxTimeMS: 50 });
      return;
    }
    const client = this.clients.get(who) ?? new TransactionClient(asked, who);
    this.clients.set(who, client);
    if (act === 'begin' || act === 'transfer' || !this.#open.has(who)) {
      client.begin();
      this.#open.add(who);
    }
    if (act === 'move' || act === 'transfer') await this.#move(client, from, to);
    if (act === 'commit' || act === 'transfer') await this.#end(client, 'commit', who);
    if (act === 'abort') await this.#end(client, 'abort', who);
  }

  async #move(client: TransactionClient, from: number, to: number): Promise<void> {
    const { asked } = this;
    for (const [_id, by] of [
      [from, -1],
      [to, 1],
    ]) {
      if (asked.primaryIfAny() === undefined) return;
      const reply = await client.run({ update: 'accounts', updates: [{ q: { _id }, u: { $inc: { balance: by } } }] });
      // Who does not hear that all went well must not commit: the server knows that as well.
      if (reply.ok !== 1) return;
    }
  }

  async #end(client: TransactionClient, how: 'commit' | 'abort', who: number): Promise<void> {
    this.#open.delete(who);
    if (this.asked.primaryIfAny() === undefined) return;
    await client[how]({ writeConcern: { w: 'majority', wtimeout: 500 } });
  }
}

async function totals(asked: AskedSet): Promise<(number | undefined)[]> {
  const sums: (number | undefined)[] = [];
  for (const member of asked.set.memberNames) {
    if (!asked.set.status(member).running || ![1, 2].includes(asked.state(member))) continue;
    const accounts: Doc[] = await asked.documents(member, 'accounts');
    sums.push(accounts.length === 0 ? undefined : accounts.reduce((sum, { balance }) => sum + balance, 0));
  }
  return sums;
}

test('the sum of all accounts is the same on every member, at all times', { timeout: 60_000 }, async () => {
  const limits = { maxNumberOfTransactionOperationsInSingleOplogEntry: 1 };
  await fc.assert(
    fc.asyncProperty(fc.array(anyTurn, { maxLength: 25 }), fc.boolean(), fc.nat(1_000), async (turns, chains, seed) => {
      const members = ['n1', 'n2', 'n3'].map((name) => ({ name, parameters: chains ? limits : {} }));
      const asked = await AskedSet.create({ members, seed });
      const checkers = new Checkers();
      asked.set.onTrace((event) => checkers.observe(event), checkers.events);
      await asked.untilPrimary();
      const documents = Array.from({ length: ACCOUNTS }, (_, _id) => ({ _id, balance: START }));
      await asked.ok(asked.primary, { insert: 'accounts', documents, writeConcern: { w: 3 } });
      const bank = new Bank(asked);
      for (const { fault, ...turn } of turns) {
        await bank.turn(turn);
        const primary = asked.primaryIfAny();
        const down = asked.set.memberNames.filter((name) => !asked.set.status(name).running);
        if (fault === 'stepDown' && primary) await asked.run(primary, { replSetStepDown: 5, force: true }, 'admin');
        if (fault === 'kill' && primary && down.length === 0) asked.set.kill(primary);
        if (fault === 'split' && primary) {
          asked.set.partition([[primary], asked.set.memberNames.filter((name) => name !== primary)]);
        }
        if (fault === 'pass') {
          await asked.pass(12_000);
          asked.set.heal('all');
          for (const name of down) await asked.set.start(name);
        }
        // Who has written the accounts to its journal may not have applied them yet.
        for (const sum of await totals(asked)) expect(sum ?? ACCOUNTS * START).toBe(ACCOUNTS * START);
      }
      asked.set.heal('all');
      for (const name of asked.set.memberNames) if (!asked.set.status(name).running) await asked.set.start(name);
      await asked.untilPrimary();
      await asked.pass(100_000);
      expect(await totals(asked)).toEqual([1, 2, 3].map(() => ACCOUNTS * START));
      expect(checkers.violations.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([]);
      await asked.set.close();
    }),
    { numRuns: 12, seed: 7 },
  );
});
