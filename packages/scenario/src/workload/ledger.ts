import type { ClientTrace, OpTime, TraceEvent, WorkloadOperation, WriteLosses } from '@replsim/protocol';
import { type Loss, showConcern } from '@replsim/why';
import { type LedgerCount, type LedgerTime, PHASES, type Phase } from '../ledgerCounts.ts';
import type { History, RollBack } from './history.ts';
import { type Latency, latencyOf } from './latencies.ts';
import { Unserved } from './outages.ts';

type Event<T extends ClientTrace['type']> = { readonly atMicros: number } & Extract<ClientTrace, { type: T }>;

/** A workload's account: what its client was told, and what became of it. */
export interface LedgerReport {
  readonly workload: string;
  readonly operation: WorkloadOperation;
  readonly ns: string;
  /** The write or read concern as it is sent; absent where it is left to the set. */
  readonly concern?: string;
  readonly counts: Readonly<Record<LedgerCount, number>>;
  /** How long the operations took that were acknowledged or answered: all of them, and those of each phase that has any. */
  readonly latency: Partial<Readonly<Record<'all' | Phase, Latency>>>;
  readonly losses: readonly WriteLosses[];
  readonly operations: readonly OperationReport[];
}

/** One operation of a client. Times are microseconds since time zero. */
export interface OperationReport {
  readonly turn: number;
  readonly sentMicros: number;
  /** When the application was told; absent while it waits. */
  readonly toldMicros?: number;
  readonly outcome: 'acknowledged' | 'read' | 'error' | 'unknown' | 'underWay';
  readonly attempts: number;
  readonly server?: string;
  readonly error?: { readonly name: string; readonly code?: number; readonly message: string };
  /** The entry that carried a write out, where there is one. */
  readonly opTime?: OpTime;
  /** Of a write: it was carried out, and the newest primary has it. Whether the client knew is another matter. */
  readonly survives?: boolean;
  /** Who had the write in the oplog, and in the journal, when the client was told. */
  readonly heldBy?: { readonly written: readonly string[]; readonly durable: readonly string[] };
  /** The election that lost it. */
  readonly lost?: Omit<Loss, 'keptBy'> & { readonly keptBy: string };
  /** Who had to undo it so far. */
  readonly rolledBack?: readonly RollBack[];
  /** Of a read: it showed what a write had left that is lost now. */
  readonly dirty?: boolean;
  /** Of a read: a write on the collection that a majority had acknowledged before it began was not in what it saw. */
  readonly stale?: boolean;
  /** What the snapshots that it read came to. */
  readonly sums?: readonly number[];
  /** How many transactions were aborted for it. */
  readonly aborted?: number;
}

/** One operation as it is remembered. */
interface Entry {
  readonly turn: number;
  sentMicros: number;
  attempts: number;
  lsid: string;
  txnNumber: number | undefined;
  told: Event<'clientTold'> | undefined;
  heldBy: OperationReport['heldBy'];
  /** Of a read: the writes whose outcome it showed. */
  seen: readonly OpTime[];
  stale: boolean;
  /** Of what adds up: how much had been written there by then. */
  written: number;
}

/** Keeps one workload's account from the trace of the run alone. */
export class Ledger {
  readonly #history: History;
  readonly #started: Event<'workloadStarted'>;
  readonly #entries = new Map<number, Entry>();
  readonly #unserved: Unserved;

  constructor(history: History, started: Event<'workloadStarted'>) {
    this.#history = history;
    this.#started = started;
    this.#unserved = new Unserved(started.atMicros, started.everyMicros);
  }

  /** Takes in what its own client did or was told. */
  observe(event: TraceEvent): void {
    this.#unserved.observe(event);
    if (event.type === 'clientSent') {
      const entry = this.#entryOf(event.turn, event.atMicros);
      entry.attempts = event.attempt;
      entry.lsid = event.lsid;
      entry.txnNumber = event.txnNumber;
    } else if (event.type === 'clientTold') {
      const entry = this.#entryOf(event.turn, event.sinceMicros);
      entry.sentMicros = event.sinceMicros;
      entry.told = event;
      entry.written = this.#history.touching(this.#started.ns);
      if (this.#started.operation === 'find' && event.outcome === 'read') this.#judgeRead(entry, event);
      const opTime = this.#opTimeOf(entry);
      if (opTime) entry.heldBy = this.#history.branches.holders(opTime);
    }
  }

  /** How long it had to do without, as of now. */
  times(nowMicros: number): Record<LedgerTime, number> {
    const unserved = this.#unserved.at(nowMicros);
    const orphaned = this.#history.primaries.without(this.#started.atMicros, this.#unserved.endAt(nowMicros));
    return {
      unservedMs: Math.round(unserved.totalMicros / 1000),
      longestUnservedMs: Math.round(unserved.longestMicros / 1000),
      withoutPrimaryMs: Math.round(orphaned.totalMicros / 1000),
      longestWithoutPrimaryMs: Math.round(orphaned.longestMicros / 1000),
    };
  }

  /** The numbers that only events change. */
  counts(): Record<Exclude<LedgerCount, LedgerTime>, number> {
    const counts: Record<Exclude<LedgerCount, LedgerTime>, number> = {
      sent: this.#entries.size,
      acknowledged: 0,
      lost: 0,
      errors: 0,
      unknown: 0,
      reads: 0,
      dirtyReads: 0,
      staleReads: 0,
      aborted: 0,
      sums: 0,
      tornSums: 0,
    };
    const states = new Set<number>();
    for (const entry of this.#entries.values()) {
      const { sums = [], torn = [], aborted = 0 } = entry.told ?? {};
      counts.aborted += aborted;
      counts.sums += sums.length;
      counts.tornSums += torn.length;
      if (sums.length > 0) states.add(entry.written);
      switch (entry.told?.outcome) {
        case 'acknowledged':
          counts.acknowledged++;
          if (this.#isLost(entry)) counts.lost++;
          break;
        case 'read':
          counts.reads++;
          if (this.#isDirty(entry)) counts.dirtyReads++;
          if (entry.stale) counts.staleReads++;
          break;
        case 'error':
          counts.errors++;
          break;
        case 'unknown':
          counts.unknown++;
      }
    }
    // Of what does not change nothing can be torn.
    if (states.size < 2) counts.sums = counts.tornSums;
    return counts;
  }

  report(nowMicros: number): LedgerReport {
    const { workload, operation, ns, concern } = this.#started;
    const operations = [...this.#entries.values()].map((entry) => this.#reportOf(entry));
    return {
      workload,
      operation,
      ns,
      ...(concern !== undefined && { concern }),
      counts: { ...this.counts(), ...this.times(nowMicros) },
      latency: this.#latencies(),
      losses: lossesOf(operations),
      operations,
    };
  }

  /** Of what was acknowledged or answered, in a phase or at all; undefined where nothing was. */
  latency(phase?: Phase): Latency | undefined {
    const { phases } = this.#history;
    const answered = [...this.#entries.values()].flatMap(({ told, sentMicros }) =>
      told?.outcome === 'acknowledged' || told?.outcome === 'read' ? [{ sentMicros, toldMicros: told.atMicros }] : [],
    );
    return latencyOf(phase ? answered.filter((each) => phases.has(phase, each)) : answered);
  }

  #latencies(): LedgerReport['latency'] {
    const known = [undefined, ...PHASES].map((phase) => [phase ?? 'all', this.latency(phase)] as const);
    return Object.fromEntries(known.filter(([, latency]) => latency !== undefined));
  }

  #entryOf(turn: number, sentMicros: number): Entry {
    let entry = this.#entries.get(turn);
    if (!entry) {
      const told = undefined;
      entry = {
        turn,
        sentMicros,
        attempts: 0,
        lsid: '',
        txnNumber: undefined,
        told,
        heldBy: undefined,
        seen: [],
        stale: false,
        written: 0,
      };
      this.#entries.set(turn, entry);
    }
    return entry;
  }

  /**
   * The entry that carried out a write. A retryable write's bears its number; any other is known by what the reply said.
   * The latest counts: a retry after a rollback is carried out anew.
   */
  #opTimeOf({ told, lsid, txnNumber }: Entry): OpTime | undefined {
    if (this.#isRead) return undefined;
    if (txnNumber !== undefined) {
      const entries = this.#history.entriesOf(lsid, txnNumber);
      return entries.findLast((opTime) => this.#history.branches.survives(opTime)) ?? entries.at(-1);
    }
    if (told?.outcome !== 'acknowledged' || told.server === undefined) return undefined;
    const { opTime, operationTime, server } = told;
    return opTime ?? (operationTime && this.#history.branches.opTimeAt(server, operationTime));
  }

  get #isRead(): boolean {
    return this.#started.operation === 'find' || this.#started.operation === 'sum';
  }

  #isLost(entry: Entry): boolean {
    const opTime = this.#opTimeOf(entry);
    return opTime !== undefined && !this.#history.branches.survives(opTime);
  }

  #isDirty({ seen }: Entry): boolean {
    return seen.some((opTime) => !this.#history.branches.survives(opTime));
  }

  /** What a read saw is known by its `operationTime`: the data of that time, on the line of the member that answered. */
  #judgeRead(entry: Entry, { server, operationTime, sinceMicros, ids = [] }: Event<'clientTold'>): void {
    const saw = server !== undefined && operationTime && this.#history.branches.opTimeAt(server, operationTime);
    if (!saw) return;
    const { ns } = this.#started;
    entry.seen = ids.flatMap((id) => this.#history.lastTouching(ns, id, saw) ?? []);
    const committed = this.#history.committedBy(ns, sinceMicros);
    entry.stale = committed !== undefined && !this.#history.branches.holds(saw, committed);
  }

  #reportOf(entry: Entry): OperationReport {
    const { turn, sentMicros, attempts, told, heldBy, stale } = entry;
    const base = { turn, sentMicros, attempts, outcome: told?.outcome ?? ('underWay' as const) };
    const answer = told && {
      toldMicros: told.atMicros,
      ...(told.server !== undefined && { server: told.server }),
      ...(told.error && { error: told.error }),
      ...(told.sums && { sums: told.sums }),
      ...(told.aborted !== undefined && { aborted: told.aborted }),
    };
    if (this.#started.operation === 'find' && told?.outcome === 'read')
      return { ...base, ...answer, dirty: this.#isDirty(entry), stale };
    if (this.#isRead) return { ...base, ...answer };
    const opTime = this.#opTimeOf(entry);
    if (!opTime) return { ...base, ...answer, ...(told?.outcome !== 'acknowledged' && told && { survives: false }) };
    const loss = this.#history.lossOf(opTime);
    const rolledBack = this.#history.rollBacksOf(opTime);
    return {
      ...base,
      ...answer,
      opTime,
      survives: this.#history.branches.survives(opTime),
      ...(heldBy && { heldBy }),
      ...(loss && { lost: { ...loss, keptBy: showConcern(loss.keptBy) } }),
      ...(rolledBack.length > 0 && { rolledBack }),
    };
  }
}

/** Acknowledged writes that are lost, those together that share a fate. */
function lossesOf(operations: readonly OperationReport[]): WriteLosses[] {
  const losses = new Map<string, WriteLosses>();
  for (const { outcome, lost, server = '', toldMicros = 0, heldBy } of operations) {
    if (outcome !== 'acknowledged' || !lost) continue;
    const { term, keptBy } = lost;
    const key = `${server} ${term} ${keptBy}`;
    const { writes = 0, fromMicros = toldMicros, heldBy: before } = losses.get(key) ?? {};
    const held = heldBy?.written.length ?? 0;
    losses.set(key, {
      writes: writes + 1,
      server,
      fromMicros,
      toMicros: toldMicros,
      heldBy: [Math.min(before?.[0] ?? held, held), Math.max(before?.[1] ?? held, held)],
      ...lost,
    });
  }
  return [...losses.values()];
}
