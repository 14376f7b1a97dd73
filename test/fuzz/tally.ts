import type { TraceEvent } from '@replsim/protocol';

/** How often each kind of thing came about, over any number of runs. */
export class Tally {
  readonly counts = new Map<string, number>();

  add(kind: string, by = 1): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + by);
  }

  merge(other: Tally): void {
    for (const [kind, count] of other.counts) this.add(kind, count);
  }

  of(kind: string): number {
    return this.counts.get(kind) ?? 0;
  }
}

/** Reads one run's trace and counts what a reader of MongoDB's metrics would count. */
export class TraceTally {
  readonly #tally: Tally;
  readonly #reasons = new Map<string, string>();
  readonly #leaders = new Set<string>();
  readonly #newlyAdded = new Map<string, number>();

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  observe(event: TraceEvent): void {
    const kind = this.#kindOf(event);
    if (kind !== undefined) this.#tally.add(kind);
  }

  #kindOf(event: TraceEvent): string | undefined {
    switch (event.type) {
      case 'indexBuild':
        return `index build: ${event.phase}`;
      case 'electionStarted':
        this.#reasons.set(event.member, event.reason);
        return undefined;
      case 'electionWon':
        this.#leaders.add(`${event.member}:27017`);
        return `election: ${this.#reasons.get(event.member)}`;
      case 'electionLost':
        return 'election lost';
      case 'voteAnswered':
        return event.granted ? undefined : 'vote refused';
      case 'steppedDown':
        this.#leaders.delete(`${event.member}:27017`);
        return 'step-down';
      case 'catchUpEnded':
        return `catch-up: ${event.reason}`;
      case 'rolledBack':
        for (const { operation } of event.removedEntries)
          if (operation.transaction && !operation.transaction.partialTxn) this.#tally.add('transaction: rolled back');
        return 'rollback';
      case 'oplogWritten':
        if (event.origin === 'self' && event.entries[0]?.operation.transaction) this.#countChain(event);
        return undefined;
      case 'log':
        return event.line.id === 20707 ? 'transaction: expired' : undefined;
      case 'initialSync':
        if (event.phase === 'failed') return 'initial sync failed';
        return event.phase === 'done' ? 'initial sync' : undefined;
      case 'tooStale':
        return 'too stale';
      case 'configInstalled':
        return this.#configKind(event);
      case 'processStopped':
        this.#leaders.delete(`${event.member}:27017`);
        return `process ${event.how}`;
      case 'processPaused':
        return 'process paused';
      case 'partHeld':
        return 'part held';
      case 'syncSourceChanged':
        return event.to !== undefined && this.#leaders.size > 0 && !this.#leaders.has(event.to)
          ? 'chained source'
          : undefined;
      case 'oplogTruncated':
        return 'oplog cut at its head';
      case 'diskChanged':
        if (event.lost) return 'disk that loses writes';
        if (event.torn) return 'torn write';
        if (event.corrupt) return 'corrupt disk';
        if (event.full) return 'full disk';
        return event.latencyMs ? 'slow disk' : undefined;
      case 'writeMisdirected':
        return 'misdirected write';
      case 'processorChanged':
        if (event.cores) return 'one core';
        return (event.slowdown ?? 1) > 1 ? 'slow processor' : undefined;
      case 'ttlDeleted':
        return 'TTL delete';
      case 'writeAcknowledged':
        return event.majority ? 'majority write acknowledged' : 'write acknowledged';
      default:
        return undefined;
    }
  }

  #countChain({ entries }: Extract<TraceEvent, { type: 'oplogWritten' }>): void {
    const last = entries.at(-1)!;
    if (!last.applyOps) this.#tally.add('transaction: chain given up');
    else this.#tally.add(entries.length > 1 ? 'transaction: several entries' : 'transaction: one entry');
  }

  /** One member tells enough: whoever installs a config with fewer newly added members than it had. */
  #configKind(event: Extract<TraceEvent, { type: 'configInstalled' }>): string {
    const now = event.config.members.filter(({ newlyAdded }) => newlyAdded).length;
    const before = this.#newlyAdded.get(event.member) ?? 0;
    this.#newlyAdded.set(event.member, now);
    return now < before ? 'newlyAdded removed' : event.forced ? 'config forced' : 'config installed';
  }
}
