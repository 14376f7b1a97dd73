import type { Doc } from './caller.ts';

export const ACCOUNTS = 'accounts';
/** One document of each transfer, written by the same transaction. */
export const LEDGER = 'ledger';
export const ACCOUNT_IDS = ['ann', 'bob', 'cid', 'dan'];
/** An account that nobody has written yet holds so much. */
export const START = 100;

export interface Account {
  readonly _id: string;
  readonly balance?: number;
  /** How many transfers it was part of. */
  readonly moves?: number;
}

export interface Transfer {
  readonly _id: string;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
}

/** What clients know of their transfers. */
export interface Ledger {
  /** What a session is called in the ledger. */
  nameOf(lsid: Doc): string;
  begun(transfer: Transfer): void;
  /** Its commit has been sent. */
  mayBe(transfer: Transfer): void;
  isThere(transfer: Transfer): void;
  isNot(transfer: Transfer): void;
  /** @param read how it was read, in words */
  check(accounts: readonly Account[], transfers: readonly Transfer[], read: string): void;
}

/** What does not fit between accounts and the transfers that made them what they are. */
export function misfit(accounts: readonly Account[], transfers: readonly Transfer[]): string | undefined {
  for (const id of ACCOUNT_IDS) {
    const { balance = START, moves = 0 } = accounts.find(({ _id }) => _id === id) ?? {};
    const own = transfers.filter(({ from, to }) => from === id || to === id);
    const sum = own.reduce((total, { from, amount }) => total + (from === id ? -amount : amount), START);
    if (balance !== sum) return `${id} has ${balance}, and by ${own.length} transfers it should be ${sum}`;
    if (moves !== own.length) return `${id} was written by ${moves} transfers, and ${own.length} are in the ledger`;
  }
  return undefined;
}
