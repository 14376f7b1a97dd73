import type { TraceEvent } from '@replsim/protocol';

/** A primary that was lost, and the one that came after it. */
export interface Failover {
  /** The first instant from which on the old one could not lead a majority any more. */
  readonly lostMicros: number;
  /** When the new one began to accept writes; absent if none did before the run was over. */
  readonly electedMicros?: number;
}

/**
 * Follows who leads the set, from the trace alone. A primary is lost when its process ends or stands still, when it steps down, or when it
 * and what it can reach in both directions is no majority of the voters.
 */
export class Failovers {
  readonly #past: Failover[] = [];
  readonly #down = new Set<string>();
  readonly #cuts = new Set<string>();
  /** Links that lose everything. */
  readonly #lossy = new Set<string>();
  readonly #standing = new Map<string, boolean>();
  #names: ReadonlyMap<string, string> = new Map();
  #voters: readonly string[] = [];
  #newestConfig = -1;
  #primary: string | undefined;
  #accepts = false;
  #firstMicros: number | undefined;
  #lostMicros: number | undefined;
  #needless = 0;

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'runStarted':
        this.#names = new Map(event.members.map((name) => [`${name}:27017`, name]));
        break;
      case 'configInstalled':
        this.#vote(event.config);
        break;
      case 'acceptsWrites':
        if (event.value) this.#leads(event.member, event.atMicros);
        else if (event.member === this.#primary) this.#ends(event.atMicros);
        return;
      case 'electionStarted':
        // Before the old primary hears of the new term, and steps down because of that.
        if (!event.dryRun)
          this.#standing.set(event.member, this.#primary !== undefined && this.#lostMicros === undefined);
        return;
      case 'electionWon':
        if (this.#standing.get(event.member)) this.#needless += 1;
        return;
      default:
        if (!this.#changesReach(event)) return;
    }
    this.#look(event.atMicros);
  }

  /** When the first primary began to accept writes. */
  get firstMicros(): number | undefined {
    return this.#firstMicros;
  }

  /** Elections that were won although the primary was neither lost nor had stepped down. */
  get needless(): number {
    return this.#needless;
  }

  /** In their order; what is open still is the last. */
  get all(): readonly Failover[] {
    return this.#lostMicros === undefined ? this.#past : [...this.#past, { lostMicros: this.#lostMicros }];
  }

  #vote({ version, members }: Extract<TraceEvent, { type: 'configInstalled' }>['config']): void {
    if (version < this.#newestConfig) return;
    this.#newestConfig = version;
    this.#voters = members.filter(({ votes }) => votes > 0).map(({ host }) => this.#names.get(host) ?? host);
  }

  #leads(member: string, atMicros: number): void {
    this.#firstMicros ??= atMicros;
    if (this.#primary !== undefined)
      this.#past.push({ lostMicros: this.#lostMicros ?? atMicros, electedMicros: atMicros });
    this.#primary = member;
    this.#accepts = true;
    this.#lostMicros = undefined;
  }

  #ends(atMicros: number): void {
    this.#accepts = false;
    this.#lostMicros ??= atMicros;
  }

  /** @returns whether somebody may reach others than before */
  #changesReach(event: TraceEvent): boolean {
    switch (event.type) {
      case 'processStopped':
      case 'processPaused':
        this.#down.add(event.member);
        if (event.type === 'processStopped' && event.member === this.#primary) this.#ends(event.atMicros);
        return true;
      case 'processStarted':
      case 'processResumed':
        this.#down.delete(event.member);
        return true;
      case 'partitioned':
        this.#partition(event.groups);
        return true;
      case 'cut':
        this.#cuts.add(way(event.from, event.to));
        return true;
      case 'linkChanged':
        if (event.settings.loss === 1) this.#lossy.add(way(event.from, event.to));
        else if ('loss' in event.settings) this.#lossy.delete(way(event.from, event.to));
        return true;
      case 'healed':
        this.#heal(event.members);
        return true;
      default:
        return false;
    }
  }

  #heal(members: 'all' | readonly string[]): void {
    if (members === 'all') this.#lossy.clear();
    for (const each of [...this.#cuts])
      if (members === 'all' || members.some((member) => each.split(' ').includes(member))) this.#cuts.delete(each);
  }

  /** Whoever is in no group is in one more. */
  #partition(given: readonly (readonly string[])[]): void {
    const groups = [...given, [...this.#names.values()].filter((name) => !given.some((group) => group.includes(name)))];
    for (const group of groups)
      for (const other of groups)
        if (group !== other) for (const from of group) for (const to of other) this.#cuts.add(way(from, to));
  }

  /** Whether the primary can lead by now, or again. One that has ended or stepped down cannot. */
  #look(atMicros: number): void {
    const primary = this.#primary;
    if (primary === undefined) return;
    const reached = this.#voters.filter((other) => other === primary || this.#reaches(primary, other));
    const leads = !this.#down.has(primary) && 2 * reached.length > this.#voters.length;
    if (!leads) this.#lostMicros ??= atMicros;
    else if (this.#accepts) this.#lostMicros = undefined;
  }

  #reaches(one: string, other: string): boolean {
    const ways = [way(one, other), way(other, one)];
    return !this.#down.has(other) && !ways.some((each) => this.#cuts.has(each) || this.#lossy.has(each));
  }
}

const way = (from: string, to: string) => `${from} ${to}`;
