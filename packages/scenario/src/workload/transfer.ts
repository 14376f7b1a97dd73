import type { Random } from '@replsim/kernel';
import { decodeFields } from '@replsim/protocol';
import { firstBatch } from '../answers.ts';
import type { Statement } from '../client/transaction.ts';
import type { Waiting } from '../client/waiting.ts';
import type { TransferTurn } from '../scenario.ts';

/** An account is `{ _id, balance }`, with `_id`s from 1. */
const ACCOUNT = new Set(['_id', 'balance']);

/**
 * One transfer between two accounts, as the statements of a transaction: it reads all accounts, adds up what they hold, and moves
 * some of what one of them holds to another. Where there are no accounts it opens them.
 * @param saw told what all accounts hold together in the snapshot, if there are any
 */
export function* transfer(
  statement: Statement,
  { db, collection, accounts, initial }: TransferTurn,
  random: Random,
  saw: (sum: number) => void,
): Waiting<void> {
  const found = firstBatch(
    yield* statement(
      command([
        ['find', collection],
        ['batchSize', ALL],
        ['singleBatch', true],
      ]),
    ),
  );
  if (found.length === 0) {
    const documents = Array.from({ length: accounts }, (_, index) => ({ _id: index + 1, balance: initial }));
    yield* statement(
      command([
        ['insert', collection],
        ['documents', documents],
      ]),
    );
    return;
  }
  const balances = found.map((document) => decodeFields(document, ACCOUNT) as { _id: number; balance: number });
  saw(balances.reduce((sum, { balance }) => sum + balance, 0));
  const payers = balances.filter(({ balance }) => balance > 0);
  if (payers.length === 0 || balances.length < 2) return;
  const from = random.pick(payers);
  const to = random.pick(balances.filter((each) => each !== from));
  const amount = random.int(1, from.balance + 1);
  yield* statement(increase(from._id, -amount));
  yield* statement(increase(to._id, amount));

  function increase(_id: number, by: number) {
    return command([
      ['update', collection],
      ['updates', [{ q: { _id }, u: { $inc: { balance: by } } }]],
    ]);
  }

  function command(fields: readonly (readonly [string, unknown])[]): ReadonlyMap<string, unknown> {
    return new Map<string, unknown>([...fields, ['$db', db]]);
  }
}

/** More than there are accounts. */
const ALL = 1_000_000;
