import {
  compareOpTimes,
  formatOpTime,
  isNewerConfig,
  type MemberState,
  type OpTime,
  type ReplSetConfig,
  sameOpTime,
  type TraceEvent,
} from '@replsim/protocol';
import type { EventOf } from '../checker.ts';
import { configInWords, sameConfig } from '../config/installedConfigs.ts';
import { memberOf } from '../voters.ts';
import { Isolation } from './isolation.ts';

/** The latest that the trace said about one member. */
interface LastKnown {
  running: boolean;
  state: MemberState;
  accepts: boolean;
  config: ReplSetConfig | undefined;
  commitPoint: OpTime | undefined;
  applied: EventOf<'applied'> | undefined;
}

/**
 * What must come about in the end: L1 to L7 of the reference. No checker, since "in the end" is not a moment of every run:
 * a driver shows it the whole trace, lets a run heal, and asks whether all has come about.
 */
export class Liveness {
  readonly #members = new Map<string, LastKnown>();
  readonly #isolation = new Isolation();
  #epochSecs = 0;
  #elections: EventOf<'electionWon'>[] = [];

  observe(event: TraceEvent): void {
    this.#isolation.observe(event);
    if (event.type === 'runStarted') this.#epochSecs = Math.floor(event.epochMs / 1000);
    if (!('member' in event)) return;
    const known = this.#of(event.member);
    switch (event.type) {
      case 'processStarted':
        Object.assign(known, { running: true, state: 'STARTUP', accepts: false, commitPoint: undefined });
        if (!event.hasReplSetConfig) Object.assign(known, { config: undefined, applied: undefined });
        return;
      case 'processStopped':
        known.running = false;
        return;
      case 'stateChanged':
        known.state = event.to;
        return;
      case 'acceptsWrites':
        known.accepts = event.value;
        return;
      case 'configInstalled':
        known.config = event.config;
        return;
      case 'commitPoint':
        known.commitPoint = event.opTime;
        return;
      case 'applied':
        known.applied = event;
        return;
      case 'electionWon':
        this.#elections.push(event);
        return;
    }
  }

  /** How many elections were won since then: none may be without a fault (L4). */
  electionsSince(atMicros: number): number {
    return this.#elections.filter((won) => won.atMicros >= atMicros).length;
  }

  /** L5, over the whole run: primaries that went on accepting writes although they were cut off for long. */
  get isolatedTooLong(): readonly string[] {
    return this.#isolation.broken;
  }

  /**
   * What has not come about, in words, a line each; none when the set is at rest. On an idle set it may miss by the moment
   * in which a no-op is on its way, so ask until it holds.
   */
  broken(): string[] {
    const newest = this.#newestConfig();
    if (newest === undefined) return ['no member has a config'];
    const hosts = newest.members.map(({ host }) => memberOf(host));
    const running = hosts.filter((name) => this.#of(name).running);
    const primaries = running.filter((name) => this.#of(name).accepts);
    const [primary] = primaries;
    if (primary === undefined || primaries.length > 1)
      return [primary === undefined ? 'L1: nobody accepts writes' : `L1: ${primaries.join(' and ')} accept writes`];
    return [
      ...this.#commitPoints(primary, running),
      ...this.#configs(newest, running),
      ...this.#priorities(newest, primary),
      ...this.#data(newest, primary),
      ...newest.members
        .filter((member) => 'newlyAdded' in member)
        .map(({ host }) => `L7: ${memberOf(host)} is still newly added`),
    ];
  }

  #of(name: string): LastKnown {
    let known = this.#members.get(name);
    if (known === undefined) {
      known = {
        running: false,
        state: 'STARTUP',
        accepts: false,
        config: undefined,
        commitPoint: undefined,
        applied: undefined,
      };
      this.#members.set(name, known);
    }
    return known;
  }

  #newestConfig(): ReplSetConfig | undefined {
    let newest: ReplSetConfig | undefined;
    for (const { config } of this.#members.values())
      if (config !== undefined && (newest === undefined || isNewerConfig(config, newest))) newest = config;
    return newest;
  }

  /** L2. */
  #commitPoints(primary: string, running: readonly string[]): string[] {
    const { commitPoint } = this.#of(primary);
    if (commitPoint === undefined) return [`L2: ${primary} has committed nothing`];
    return running
      .filter((name) => {
        const other = this.#of(name).commitPoint;
        return other === undefined || !sameOpTime(other, commitPoint);
      })
      .map((name) => `L2: ${name} does not know of the commit point ${formatOpTime(commitPoint, this.#epochSecs)}`);
  }

  /** L3. */
  #configs(newest: ReplSetConfig, running: readonly string[]): string[] {
    return running
      .filter((name) => {
        const { config } = this.#of(name);
        return config === undefined || !sameConfig(config, newest);
      })
      .map((name) => `L3: ${name} does not have config ${configInWords(newest)}`);
  }

  /** L4: nobody who could be elected has a higher priority. */
  #priorities({ members }: ReplSetConfig, primary: string): string[] {
    const own = members.find(({ host }) => memberOf(host) === primary)?.priority ?? 0;
    return members
      .filter(({ host, priority }) => priority > own && this.#isSecondary(memberOf(host)))
      .map(
        ({ host, priority }) => `L4: ${memberOf(host)}, of priority ${priority}, leaves it to ${primary} with ${own}`,
      );
  }

  #isSecondary(name: string): boolean {
    const { running, state } = this.#of(name);
    return running && state === 'SECONDARY';
  }

  /** L6: a member that holds data is readable and has what the primary has; a delayed member may have it later. */
  #data({ members }: ReplSetConfig, primary: string): string[] {
    const own = this.#of(primary).applied;
    const broken: string[] = [];
    for (const { host, arbiterOnly, secondaryDelaySecs } of members) {
      const name = memberOf(host);
      const { running, state, applied } = this.#of(name);
      if (!running || arbiterOnly || name === primary) continue;
      if (state !== 'SECONDARY') broken.push(`L6: ${name} is ${state}`);
      else if (secondaryDelaySecs === 0 && !sameData(own, applied))
        broken.push(`L6: ${name} does not have what ${primary} has`);
    }
    return broken;
  }
}

function sameData(a: EventOf<'applied'> | undefined, b: EventOf<'applied'> | undefined): boolean {
  if (a === undefined || b === undefined || compareOpTimes(a.opTime, b.opTime) !== 0) return false;
  return a.dataHash[0] === b.dataHash[0] && a.dataHash[1] === b.dataHash[1];
}
