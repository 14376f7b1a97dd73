import { CommandError } from '@replsim/protocol';

/** Thrown by `ledger()` and `lost()` if the ledger is turned off. An empty answer would claim that nothing is lost. */
export class NoLedgerError extends CommandError {
  constructor() {
    super(
      'IllegalOperation',
      'the ledger of this set is turned off (ledger: false, or --no-ledger), so it is not known which writes are lost; ' +
        'leave that option out and run again',
    );
    this.name = 'NoLedgerError';
  }
}
