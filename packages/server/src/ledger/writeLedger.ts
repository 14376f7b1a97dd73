import {
  decodePromoted,
  FATE_TRACES,
  type ForcedConfigTrace,
  type ReplSetConfig,
  type Term,
  type TraceEvent,
  type TraceEventType,
  TraceNames,
} from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';
import { Branches, type Loss, Losses, showConcern } from '@replsim/why';
import { type DoneWrite, DoneWrites, opTimeKey, sessionKey } from './doneWrites.ts';

/** A write that a client was told is acknowledged, and that no member which counts has any more. */
export interface LostWrite {
  /** `insert`, `update`, `delete`, `findAndModify`, `bulkWrite`, `commitTransaction` or another command that writes. */
  readonly command: string;
  readonly ns: string;
  /** The `_id` of each document that it wrote, the first 100. */
  readonly ids: readonly unknown[];
  /** How many documents the client was told were written; absent where a reply does not say. */
  readonly documents?: number;
  /** Who acknowledged it, when on the set's clock, and by which write concern: `{ w: 1 }`. */
  readonly member: string;
  readonly at: Date;
  readonly writeConcern: string;
  readonly appName?: string;
  /** The election whose winner did not have it. */
  readonly lostBy: {
    readonly term: number;
    readonly primary: string;
    readonly at: Date;
    /** The reconfig by force without which a majority that had it would have had a say. */
    readonly forced?: {
      readonly member: string;
      readonly version: number;
      readonly at: Date;
      readonly without: readonly string[];
    };
  };
  /** The weakest write concern that would have kept it, `{ w: "majority" }`; or `no write concern`. */
  readonly keptBy: string;
  /** With it, up to so many older writes are lost, of which no more is remembered. */
  readonly olderWrites?: number;
}

/** What the clients of a set were told of their writes, and what became of that. */
export interface SetLedger {
  /** How many commands that write a client was told are acknowledged; a retry counts once, `w: 0` not at all. */
  readonly acknowledged: number;
  /** Those of them that are lost as of now, oldest first. */
  readonly lost: readonly LostWrite[];
}

type ClientWrote = Extract<TraceEvent, { type: 'clientWrote' }>;
interface ToldWrite extends DoneWrite {
  readonly told: ClientWrote;
}
/** Writes of one term that are remembered by the newest of them alone: if that survives, they all do. */
interface Settled {
  writes: number;
  newest: ToldWrite;
}

/** Acknowledged writes are remembered one by one until all members have them on disk, so many at most. */
const KEPT_WRITES = 200_000;
/** How many come in between two looks at which are safe. */
const LOOK_EVERY = 1000;

/** Keeps account of what clients of a set were told of their writes, from its trace alone. */
export class WriteLedger {
  readonly #names = new TraceNames();
  readonly #branches = new Branches();
  readonly #losses = new Losses(this.#branches);
  readonly #done = new DoneWrites();
  readonly #epochMs: number;
  /** Oldest first; by session and number where they have one. */
  #told = new Map<string, ToldWrite>();
  readonly #settled = new Map<Term, Settled>();
  #acknowledged = 0;
  #config: ReplSetConfig | undefined;

  /** @param set in which nothing has happened yet */
  constructor(set: Pick<ReplSet, 'onTrace' | 'epochMs'>) {
    this.#epochMs = set.epochMs;
    const types = new Set<TraceEventType>(FATE_TRACES);
    set.onTrace((event) => this.#observe(event), types);
  }

  /** How many writes are remembered one by one. */
  get remembered(): number {
    return this.#told.size;
  }

  /** As of now. */
  report(): SetLedger {
    const settled = [...this.#settled.values()].flatMap(({ writes, newest }) => this.#lost(newest, writes - 1));
    const told = [...this.#told.values()].flatMap((write) => this.#lost(write, 0));
    return { acknowledged: this.#acknowledged, lost: [...settled, ...told] };
  }

  #observe(event: TraceEvent): void {
    switch (event.type) {
      case 'clientWrote':
        return this.#hear(event);
      case 'oplogWritten':
        if (event.origin === 'self') this.#done.wrote(event);
        return this.#branches.observe(event);
      case 'journalFlushed':
        return this.#branches.observe(event);
    }
    const named = this.#names.named(event);
    this.#branches.observe(named);
    this.#losses.observe(named);
    if (named.type === 'configInstalled') this.#config = named.config;
  }

  #hear(event: ClientWrote): void {
    const { lsid, txnNumber, opTime } = event;
    const key =
      lsid !== undefined && txnNumber !== undefined ? sessionKey(lsid, txnNumber) : opTime && opTimeKey(opTime);
    if (key === undefined) return;
    const found = this.#done.take(key);
    const written = opTime ?? found?.opTime;
    // A retry of what was told before, or a transaction that has written nothing.
    if (!written) return;
    if (!this.#told.has(key)) this.#acknowledged += 1;
    this.#told.set(key, {
      opTime: written,
      member: found?.member ?? event.member,
      atMicros: found?.atMicros ?? event.atMicros,
      ids: found?.ids ?? [],
      told: event,
    });
    if (this.#acknowledged % LOOK_EVERY === 0) this.#settle();
  }

  /** Forgets what all members have on disk, and the oldest if there are too many; of each term the newest is kept. */
  #settle(): void {
    let left = this.#told.size;
    for (const [key, write] of this.#told) {
      if (left <= LOOK_EVERY || (left <= KEPT_WRITES && !this.#isSafe(write))) return;
      this.#told.delete(key);
      left -= 1;
      const { t } = write.opTime;
      const settled = this.#settled.get(t);
      if (!settled) this.#settled.set(t, { writes: 1, newest: write });
      else {
        settled.writes += 1;
        settled.newest = write;
      }
    }
  }

  #isSafe({ opTime }: ToldWrite): boolean {
    const { durable } = this.#branches.holders(opTime);
    const members = this.#config?.members.filter(({ arbiterOnly }) => !arbiterOnly) ?? [];
    return members.length > 0 && members.every(({ host }) => durable.includes(host.replace(/:27017$/, '')));
  }

  #lost(write: ToldWrite, olderWrites: number): LostWrite[] {
    const loss = this.#losses.lossOf(write);
    if (!loss) return [];
    const { ids, told } = write;
    const { name: command, ns, documents, member, atMicros, w, appName } = told;
    return [
      {
        command,
        ns,
        ids: ids.map((id) => decodePromoted(id)._id),
        ...(documents !== undefined && { documents }),
        member,
        at: this.#date(atMicros),
        writeConcern: `{ w: ${typeof w === 'number' ? w : JSON.stringify(w)} }`,
        ...(appName !== undefined && { appName }),
        ...this.#fate(loss),
        ...(olderWrites > 0 && { olderWrites }),
      },
    ];
  }

  #fate({ term, primary, electedMicros, forced, keptBy }: Loss): Pick<LostWrite, 'lostBy' | 'keptBy'> {
    const force = forced && { forced: this.#forced(forced) };
    return { lostBy: { term, primary, at: this.#date(electedMicros), ...force }, keptBy: showConcern(keptBy) };
  }

  #forced({ member, version, atMicros, without }: ForcedConfigTrace): NonNullable<LostWrite['lostBy']['forced']> {
    return { member, version, at: this.#date(atMicros), without };
  }

  #date(micros: number): Date {
    return new Date(this.#epochMs + Math.floor(micros / 1000));
  }
}
