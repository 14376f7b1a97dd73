/** Somebody asks what became of writes, in a set of which no account is kept: an empty answer would say that nothing is lost. */
export class NoLedgerError extends Error {
  override readonly name = 'NoLedgerError';

  constructor() {
    super(
      'the ledger of this set was turned off (ledger: false, or --no-ledger), so nobody knows which writes are lost; ' +
        'start the set without that to ask',
    );
  }
}
