/** Somebody asks what became of writes, in a set of which no account is kept: an empty answer would say that nothing is lost. */
export class NoLedgerError extends Error {
  override readonly name = 'NoLedgerError';

  constructor() {
    super('the set was started without a ledger (ledger: false), so nobody knows which writes are lost');
  }
}
