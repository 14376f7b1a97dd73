import type { Reply } from '@replsim/pipeline';
import { ErrorCodes } from '@replsim/protocol';

/** How a wait for other members ended. */
export interface EndedWait {
  /** From when the write was done. Unit: ms. */
  readonly millis: number;
  /** 0 for success. */
  readonly code: number;
  /** The client said it, and no default. */
  readonly isClients: boolean;
}

/**
 * `metrics.getLastError` of serverStatus: waits for write concerns that ask other members, of writes that were done here.
 * Upstream: write_concern.cpp, gleWtimeStats and its neighbours in waitForWriteConcern.
 */
export class WriteConcernCounts {
  #waits = 0;
  #totalMillis = 0;
  #timeouts = 0;
  readonly #byDefault = { unsatisfiable: 0, timeouts: 0 };

  waited({ millis, code, isClients }: EndedWait): void {
    this.#waits += 1;
    this.#totalMillis += Math.floor(millis);
    const timedOut = code === ErrorCodes.WriteConcernFailed;
    if (timedOut) this.#timeouts += 1;
    if (isClients) return;
    if (timedOut) this.#byDefault.timeouts += 1;
    if (code === ErrorCodes.UnsatisfiableWriteConcern) this.#byDefault.unsatisfiable += 1;
  }

  report(): Reply {
    const { unsatisfiable, timeouts } = this.#byDefault;
    return {
      default: { unsatisfiable: BigInt(unsatisfiable), wtimeouts: BigInt(timeouts) },
      wtime: { num: this.#waits, totalMillis: this.#totalMillis },
      wtimeouts: BigInt(this.#timeouts),
    };
  }
}
