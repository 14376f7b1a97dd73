import { pauseWhileSet, type Scheduler } from '@replsim/operations';
import type { FailPointData } from '@replsim/pipeline';
import type { FailPointName } from '@replsim/protocol';
import type { Core } from '../core/core.ts';

/** What stops for a fail point, and how that is told. */
interface PauseDescription {
  readonly failPoint: FailPointName;
  /** The thread, for `currentOp`. */
  readonly desc: string;
  readonly logId: number;
}

/** A part of replication that is not an operation, and stops while a fail point is set. */
export class PausedPart {
  readonly #core: Core;
  readonly #scheduler: Scheduler;
  readonly #described: PauseDescription;
  readonly #goOn: () => void;
  #pausing = false;

  /** @param goOn called when a pause is over */
  constructor(core: Core, scheduler: Scheduler, described: PauseDescription, goOn: () => void) {
    this.#core = core;
    this.#scheduler = scheduler;
    this.#described = described;
    this.#goOn = goOn;
  }

  get isPausing(): boolean {
    return this.#pausing;
  }

  /**
   * Comes by the fail point.
   * @param concerns whether its data speak of this occasion
   * @returns whether the part has to stand still, until `goOn` is called
   */
  stops(concerns?: (data: FailPointData) => boolean): boolean {
    const { failPoints } = this.#core;
    if (this.#pausing || !failPoints.areConfigured) return this.#pausing;
    const { failPoint, desc, logId } = this.#described;
    // Waiters for the entry are woken in here, and may look at this part.
    this.#pausing = true;
    this.#pausing = failPoints.enter(failPoint, concerns) !== undefined;
    if (!this.#pausing) return false;
    this.#core.log('I', 'REPL', logId, `${desc} stands still until the fail point ${failPoint} is off`, {}, desc);
    const labels = { desc, ns: '', commandName: '', killable: 'never' } as const;
    this.#scheduler.run(labels, pauseWhileSet(this.#core, failPoint, concerns ? { concerns } : {}), () => {
      this.#pausing = false;
      this.#goOn();
    });
    return true;
  }
}
