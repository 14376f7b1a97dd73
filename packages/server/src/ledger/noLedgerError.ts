import { CommandError } from '@replsim/protocol';

/** The ledger was asked for where it is turned off: an empty answer would say that nothing is lost. */
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
