import { CommandError } from '@replsim/protocol';
import type { Operation } from '../operations/operation.ts';

/** What wants collections for itself alone, by their names. */
type Wanted = (ns: string) => boolean;

/** What the locks ask of their catalog. */
export interface LockHolders {
  /** Whether an open transaction has looked at such a collection. */
  anyTouches(wanted: Wanted): boolean;
}

/**
 * Transactions hold on to the collections that they have looked at until they are over; what changes the catalog waits for
 * that, and a transaction that comes to a collection for which somebody waits so gives up soon, so that the waiting has an end.
 * Simplification: plain operations do not queue up behind what waits. Upstream: lock_state.cpp; transaction_participant.idl,
 * maxTransactionLockRequestTimeoutMillis.
 */
export class CollectionLocks {
  readonly #holders: LockHolders;
  readonly #waiting = new Set<Wanted>();

  constructor(holders: LockHolders) {
    this.#holders = holders;
  }

  /** Waits until no open transaction has looked at such a collection. */
  *exclusive(wanted: Wanted): Operation<void> {
    if (!this.#holders.anyTouches(wanted)) return;
    this.#waiting.add(wanted);
    try {
      yield { type: 'wait', what: 'lock', ready: () => !this.#holders.anyTouches(wanted) };
    } finally {
      this.#waiting.delete(wanted);
    }
  }

  /** A transaction comes to collections that it has not looked at yet. Throws LockTimeout 24. @param deadlineMicros how long it waits */
  *shared(namespaces: readonly string[], deadlineMicros: number): Operation<void> {
    if (this.#waiting.size === 0) return;
    const isFree = () => ![...this.#waiting].some((wanted) => namespaces.some(wanted));
    if (isFree() || (yield { type: 'wait', what: 'lock', ready: isFree, deadlineMicros })) return;
    throw new CommandError('LockTimeout', `Unable to acquire a lock on ${namespaces.join(', ')} in time`);
  }
}
