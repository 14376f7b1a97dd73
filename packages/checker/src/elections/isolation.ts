import type { ReplSetConfig, TraceEvent } from '@replsim/protocol';
import { memberOf, voteMajorityOf, votersOf } from '../voters.ts';

/** For messages that were on their way when the network parted. */
const GRACE_MICROS = 1_000_000;

/**
 * Whether a primary that a partition cuts off from a majority of the voters stops accepting writes in time: within the
 * election timeout and one heartbeat if it is alone. Each member on its side may pass on the positions of those on the
 * other for an election timeout more, as it has to think them down first. Only whole partitions are looked at, and only
 * while they last; a process that stands still cannot stop anything.
 */
export class Isolation {
  /** What came too late or not at all, in words. */
  readonly broken: string[] = [];
  readonly #configs = new Map<string, ReplSetConfig>();
  /** Who accepts writes, and since when it may not any more: infinitely long where nothing cuts it off. */
  readonly #deadlines = new Map<string, number>();
  #groups: readonly (readonly string[])[] | undefined;

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'partitioned':
        this.#groups = event.groups;
        for (const member of this.#deadlines.keys())
          this.#deadlines.set(member, this.#deadlineOf(member, event.atMicros));
        return;
      case 'healed':
        this.#groups = undefined;
        for (const member of this.#deadlines.keys()) this.#deadlines.set(member, Number.POSITIVE_INFINITY);
        return;
      case 'configInstalled':
        this.#configs.set(event.member, event.config);
        if (this.#deadlines.has(event.member))
          this.#deadlines.set(event.member, this.#deadlineOf(event.member, event.atMicros));
        return;
      case 'acceptsWrites':
        if (event.value) this.#deadlines.set(event.member, this.#deadlineOf(event.member, event.atMicros));
        else this.#stopped(event.member, event.atMicros);
        return;
      case 'processPaused':
      case 'processStopped':
        this.#deadlines.delete(event.member);
        return;
    }
  }

  #stopped(member: string, atMicros: number): void {
    const deadline = this.#deadlines.get(member) ?? Number.POSITIVE_INFINITY;
    this.#deadlines.delete(member);
    if (atMicros > deadline)
      this.broken.push(
        `L5: ${member} accepted writes for ${(atMicros - deadline) / 1e6}s more than a primary may that is cut off`,
      );
  }

  #deadlineOf(member: string, sinceMicros: number): number {
    const config = this.#configs.get(member);
    const group = this.#groups?.find((names) => names.includes(member));
    if (config === undefined || group === undefined) return Number.POSITIVE_INFINITY;
    const inReach = votersOf(config).filter(({ host }) => group.includes(memberOf(host))).length;
    if (inReach >= voteMajorityOf(config)) return Number.POSITIVE_INFINITY;
    const { electionTimeoutMillis, heartbeatIntervalMillis } = config.settings;
    return sinceMicros + (group.length * electionTimeoutMillis + heartbeatIntervalMillis) * 1000 + GRACE_MICROS;
  }
}
