import { compareOpTimes, type OpTime, type ReplSetConfig, type Term } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import type { MemberView } from '../topology/memberView.ts';
import type { ElectionHost } from './electionHost.ts';

export type Takeover = 'priorityTakeover' | 'catchupTakeover';

/** What is weighed when the primary's heartbeat was answered. */
export interface TakeoverQuestion {
  readonly config: ReplSetConfig;
  readonly term: Term;
  readonly ownPriority: number;
  readonly primaryPriority: number;
  readonly lastApplied: OpTime;
  readonly primaryApplied: OpTime;
}

/** How many members have a strictly higher priority; 0 for the highest. Upstream: calculatePriorityRank. */
export function priorityRank({ members }: ReplSetConfig, ofPriority: number): number {
  return members.filter(({ priority }) => priority > ofPriority).length;
}

/** Whether this member should be primary instead, and why. Upstream: TopologyCoordinator::_shouldTakeOverPrimary. */
export function takeoverWanted(question: TakeoverQuestion): Takeover | undefined {
  const { config, term, ownPriority, primaryPriority, lastApplied, primaryApplied } = question;
  const { catchUpTimeoutMillis, catchUpTakeoverDelayMillis } = config.settings;
  if (ownPriority <= 0) return undefined;
  // An entry of this term was written by the primary: it has caught up already.
  const catchUp =
    catchUpTimeoutMillis !== 0 &&
    catchUpTakeoverDelayMillis !== -1 &&
    lastApplied.t !== term &&
    compareOpTimes(primaryApplied, lastApplied) < 0;
  const higher = primaryPriority < ownPriority;
  if (catchUp && !(higher && priorityRank(config, ownPriority) === 0)) return 'catchupTakeover';
  return higher ? 'priorityTakeover' : undefined;
}

/** The take-over of a primary that another member would be better at: considered, scheduled, called off. */
export class Takeovers {
  readonly #core: Core;
  readonly #host: ElectionHost;
  #scheduled: Takeover | undefined;
  readonly #fire = (): void => this.#onTimer();

  constructor(core: Core, host: ElectionHost) {
    this.#core = core;
    this.#host = host;
  }

  /** On each answered heartbeat. */
  consider(view: MemberView): void {
    const { topology, positions } = this.#host;
    const { term } = topology;
    // An entry written in this term shows that its primary has caught up.
    if (this.#scheduled === 'catchupTakeover' && view.heartbeat.applied.t === term) this.cancel('catchupTakeover');
    if (this.#scheduled || view.index !== topology.primaryIndex || view.term !== term) return;
    const wanted = takeoverWanted({
      config: topology.configInForce,
      term,
      ownPriority: topology.selfInForce.priority,
      primaryPriority: view.config.priority,
      lastApplied: positions.applied.opTime,
      primaryApplied: view.applied.opTime,
    });
    if (wanted) this.#schedule(wanted);
  }

  #schedule(takeover: Takeover): void {
    const { topology, elections } = this.#host;
    const config = topology.configInForce;
    this.#scheduled = takeover;
    if (takeover === 'catchupTakeover') {
      const delayMillis = config.settings.catchUpTakeoverDelayMillis;
      this.#core.log('I', 'ELECTION', 4615648, 'Scheduled catchup takeover', {
        when: this.#in(delayMillis),
      });
      this.#wait(delayMillis * 1000, 0);
    } else {
      const { electionTimeoutMicros } = topology;
      // The best first, each worse one an election timeout later: if all that are better than the primary stood at once, they would
      // take votes from each other. Upstream: ReplSetConfig::getPriorityTakeoverDelay.
      const delayMicros = (priorityRank(config, topology.selfInForce.priority) + 1) * electionTimeoutMicros;
      const delayMillis = delayMicros / 1000;
      this.#core.log('I', 'ELECTION', 4615601, 'Scheduled priority takeover', {
        when: this.#in(delayMillis),
      });
      this.#wait(delayMicros, elections.timer.jitterMicros(electionTimeoutMicros));
    }
  }

  #wait(delayMicros: number, jitterMicros: number): void {
    this.#core.setJitteredTimer('takeover', this.#fire, delayMicros, jitterMicros, 'takeover');
  }

  /** The jitter, which the host draws, is not in it. */
  #in(delayMillis: number): Date {
    return this.#core.dateOf(this.#core.now.monotonicMicros + delayMillis * 1000);
  }

  #onTimer(): void {
    const takeover = this.#scheduled;
    this.#scheduled = undefined;
    if (takeover) this.#host.elections.stand(takeover);
  }

  /** @param only leaves the other kind alone */
  cancel(only?: Takeover): void {
    if (!this.#scheduled || (only && this.#scheduled !== only)) return;
    if (this.#scheduled === 'priorityTakeover')
      this.#core.log('I', 'REPL', 21484, 'Canceling priority takeover callback');
    else this.#core.log('I', 'REPL', 21485, 'Canceling catchup takeover callback');
    this.#scheduled = undefined;
    this.#core.cancelTimer('takeover');
    this.#core.deadline('takeover', undefined);
  }
}
