import type { Statement, Waiting } from '@replsim/driver';
import type { Random } from '@replsim/kernel';
import { decodeFields } from '@replsim/protocol';
import { Decimal128, Long } from 'bson';
import type { TransferTurn } from '../scenario.ts';
import { firstBatch } from '../stage/answers.ts';

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
  const all = found.map((document) => {
    const { _id, balance } = decodeFields(document, ACCOUNT);
    return { _id, holds: numberOf(balance) };
  });
  saw(all.reduce((sum, { holds }) => sum + (holds ?? 0), 0));
  // What holds no number is asked for something, too: that `$inc` is refused (TypeMismatch), and the ledger has the error.
  const payers = all.filter(({ holds }) => holds === undefined || holds >= 1);
  if (payers.length === 0 || all.length < 2) return;
  const from = random.pick(payers);
  const to = random.pick(all.filter((each) => each !== from));
  const amount = random.int(1, Math.min(Math.floor(from.holds ?? 1), MOST) + 1);
  yield* statement(increase(from._id, -amount));
  yield* statement(increase(to._id, amount));

  function increase(_id: unknown, by: number) {
    return command([
      ['update', collection],
      ['updates', [{ q: { _id }, u: { $inc: { balance: by } } }]],
    ]);
  }

  function command(fields: readonly (readonly [string, unknown])[]): ReadonlyMap<string, unknown> {
    return new Map<string, unknown>([...fields, ['$db', db]]);
  }
}

/** What an account holds, for `$inc`: nothing where there is no balance; undefined if it is no number. */
function numberOf(balance: unknown): number | undefined {
  if (balance === undefined) return 0;
  if (balance instanceof Long || balance instanceof Decimal128) return Number(balance.toString());
  return typeof balance === 'number' ? balance : undefined;
}

/** More than there are accounts. */
const ALL = 1_000_000;
/** At one time. */
const MOST = 1_000_000_000;
