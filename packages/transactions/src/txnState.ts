import { invariant } from '@replsim/protocol';

/**
 * What a session is doing with its newest number. Prepared transactions belong to shards and are missing; a row of
 * `config.transactions` may tell of one that was given up at a step-up. Upstream: transaction_participant.h, TransactionState.
 */
export type TxnState =
  | 'None'
  | 'InProgress'
  | 'Committed'
  | 'AbortedWithoutPrepare'
  /** What a row says whose transaction a new primary has settled. */
  | 'AbortedWithPrepare'
  | 'ExecutedRetryableWrite';

/** From which state to which. Upstream: TransactionState::_isLegalTransition. */
export const TRANSITIONS: Readonly<Record<TxnState, readonly TxnState[]>> = {
  None: ['None', 'InProgress', 'ExecutedRetryableWrite'],
  InProgress: ['None', 'Committed', 'AbortedWithoutPrepare'],
  Committed: ['None'],
  AbortedWithoutPrepare: ['None', 'InProgress'],
  AbortedWithPrepare: ['None'],
  ExecutedRetryableWrite: ['None'],
};

/** The next state. Throws InvariantError for one that cannot follow. */
export function moved(from: TxnState, to: TxnState): TxnState {
  invariant(TRANSITIONS[from].includes(to), `a transaction goes from ${from} to ${to}`);
  return to;
}

/** Whether the number belongs to retryable writes, or to nothing yet. */
export function isRetryableWriteMode(state: TxnState): boolean {
  return state === 'None' || state === 'ExecutedRetryableWrite';
}

/** Whether the number belongs to a transaction that was given up. */
export function isAborted(state: TxnState): boolean {
  return state === 'AbortedWithoutPrepare' || state === 'AbortedWithPrepare';
}
