import {
  decodePromoted,
  FATE_TRACES,
  type ForcedConfigTrace,
  type OpTime,
  type ReplSetConfig,
  sameOpTime,
  type Term,
  type TraceEvent,
  type TraceEventType,
  TraceNames,
} from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';
import { Branches, type Loss, Losses, showConcern } from '@replsim/why';
import { idsOf } from './writtenIds.ts';

/** A write that was acknowledged to a client and has since been lost: no member that counts has it any more. */
export interface LostWrite {
  /** Name of the command: `insert`, `update`, `delete`, `findAndModify`, `bulkWrite`, `commitTransaction` or another that writes. */
  readonly command: string;
  /** Namespace that it wrote to, `DATABASE.COLLECTION`. */
  readonly ns: string;
  /** The `_id` of each document that it wrote, at most the first 100. */
  readonly ids: readonly unknown[];
  /** How many documents the reply said were written; absent if the reply did not say. */
  readonly documents?: number;
  /** Name of the member that acknowledged it. */
  readonly member: string;
  /** When it was acknowledged, on the set's clock. */
  readonly at: Date;
  /** The write concern with which it was acknowledged, for example `{ w: 1 }`. */
  readonly writeConcern: string;
  /** The client's `appName`, if it has one. */
  readonly appName?: string;
  /** The election that lost it: the winner did not have the write. */
  readonly lostBy: {
    readonly term: number;
    readonly primary: string;
    readonly at: Date;
    /** The forced reconfig that made this possible, by removing members (`without`) that had the write. */
    readonly forced?: {
      readonly member: string;
      readonly version: number;
      readonly at: Date;
      readonly without: readonly string[];
    };
  };
  /** The weakest write concern that would have kept it, for example `{ w: "majority" }`, or `no write concern`. */
  readonly keptBy: string;
  /** Up to this many older writes were lost along with it, of which the ledger no longer has the details. */
  readonly olderWrites?: number;
}

/** The acknowledged writes of a set, and those of them that were lost. */
export interface SetLedger {
  /** How many write commands were acknowledged to clients. A retried write counts once; `w: 0` does not count. */
  readonly acknowledged: number;
  /** The acknowledged writes that are lost as of now, oldest first. */
  readonly lost: readonly LostWrite[];
}

type ClientWrote = Extract<TraceEvent, { type: 'clientWrote' }>;
/** The part of a set that the ledger uses. */
export type LedgerSet = Pick<ReplSet, 'onTrace' | 'epochMs' | 'memberNames' | 'durable'>;
/** A write that was acknowledged to a client. */
interface ToldWrite {
  /** The latest acknowledgement; undefined once a newer write stands for this one. */
  told: ClientWrote | undefined;
  readonly txnNumber: number | undefined;
  opTime: OpTime;
  /** The ids of the documents that it wrote, kept once its oplog entries are no longer remembered. */
  ids: readonly Uint8Array[] | undefined;
}
/** Older writes of one term, of which only the newest is remembered: if that one survives, they all do. */
interface Settled {
  writes: number;
  newest: ToldWrite;
}

/** Acknowledged writes are remembered one by one until all members have them on disk, but no more than this many. */
const KEPT_WRITES = 200_000;
/** After how many writes, and after how many bytes, the ledger checks which of them are safe. */
const LOOK_EVERY = 1000;
const LOOK_EVERY_BYTES = 16 * 1024 * 1024;
/** Of so many sessions the last write is known, lest a retry of it counts twice. */
const KEPT_SESSIONS = 10_000;

/**
 * Keeps account of what clients of a set were told of their writes. Of the members it hears, with each write, that alone, and besides
 * what happens rarely: which writes survive follows from where the line of each term begins, which a new primary says.
 */
export class WriteLedger {
  readonly #set: LedgerSet;
  readonly #names = new TraceNames();
  readonly #branches = new Branches();
  readonly #losses = new Losses(this.#branches);
  /** Oldest first. */
  readonly #told: ToldWrite[] = [];
  /** How many of them, the oldest, have let go of their entries. */
  #lean = 0;
  /** By session: its last write that can be retried. */
  readonly #last = new Map<string, ToldWrite>();
  readonly #settled = new Map<Term, Settled>();
  #acknowledged = 0;
  readonly #sinceLook = { writes: 0, bytes: 0 };
  #config: ReplSetConfig | undefined;

  /** @param set in which nothing has happened yet */
  constructor(set: LedgerSet) {
    this.#set = set;
    set.onTrace((event) => this.#observe(event), new Set<TraceEventType>(FATE_TRACES));
  }

  /** How many writes are remembered one by one. */
  get remembered(): number {
    return this.#told.length;
  }

  /** As of now. */
  report(): SetLedger {
    const settled = [...this.#settled.values()].flatMap(({ writes, newest }) => this.#lost(newest, writes - 1));
    const told = this.#told.flatMap((write) => this.#lost(write, 0));
    return { acknowledged: this.#acknowledged, lost: [...settled, ...told] };
  }

  #observe(event: TraceEvent): void {
    if (event.type === 'clientWrote') return this.#hear(event);
    const named = this.#names.named(event);
    this.#branches.observe(named);
    this.#losses.observe(named);
    if (named.type === 'configInstalled') this.#config = named.config;
  }

  #hear(told: ClientWrote): void {
    const { lsid, txnNumber } = told;
    if (lsid === undefined || txnNumber === undefined) {
      this.#acknowledged += 1;
      this.#add(told);
      return;
    }
    const last = this.#last.get(lsid);
    if (last?.txnNumber === txnNumber) return this.#hearAgain(last, told);
    this.#acknowledged += 1;
    this.#last.set(lsid, this.#add(told));
    if (last || this.#last.size <= KEPT_SESSIONS) return;
    for (const oldest of this.#last.keys()) {
      this.#last.delete(oldest);
      return;
    }
  }

  /** A retry. What a later primary did anew takes the place of what the earlier one did. */
  #hearAgain(last: ToldWrite, told: ClientWrote): void {
    const isAnew = !sameOpTime(last.opTime, told.opTime);
    if (last.told) {
      last.told = told;
      last.opTime = told.opTime;
      last.ids = undefined;
      letGo(last);
    } else if (isAnew && told.lsid !== undefined) this.#last.set(told.lsid, this.#add(told));
  }

  #add(told: ClientWrote): ToldWrite {
    const { txnNumber, opTime, entries } = told;
    const write: ToldWrite = { told, txnNumber, opTime, ids: undefined };
    this.#told.push(write);
    const since = this.#sinceLook;
    since.writes += 1;
    for (const { byteLength } of entries) since.bytes += byteLength;
    if (since.writes >= LOOK_EVERY || since.bytes >= LOOK_EVERY_BYTES) this.#look();
    return write;
  }

  /**
   * Forgets what all members have on disk, and the oldest if there are too many; of each term the newest is kept. What cannot be
   * forgotten need not hold on to documents.
   */
  #look(): void {
    const all = this.#told;
    const ends = this.#durableEnds();
    const isSafe = ({ opTime }: ToldWrite) => ends.every((end) => end && this.#branches.holds(end, opTime));
    let forgotten = 0;
    for (const write of all) {
      const left = all.length - forgotten;
      if (left <= LOOK_EVERY || (left <= KEPT_WRITES && !isSafe(write))) break;
      this.#settle(write);
      forgotten += 1;
    }
    all.splice(0, forgotten);
    for (const { newest } of this.#settled.values()) letGo(newest);
    const lean = this.#sinceLook.bytes >= LOOK_EVERY_BYTES ? all.length : all.length - LOOK_EVERY;
    const before = Math.max(this.#lean - forgotten, 0);
    for (const write of all.slice(before, lean)) letGo(write);
    this.#lean = Math.max(before, lean);
    this.#sinceLook.writes = 0;
    this.#sinceLook.bytes = 0;
  }

  #settle(write: ToldWrite): void {
    const { t } = write.opTime;
    const settled = this.#settled.get(t);
    if (!settled) {
      this.#settled.set(t, { writes: 1, newest: write });
      return;
    }
    settled.newest.told = undefined;
    settled.newest = write;
    settled.writes += 1;
  }

  /** Up to where each member with data has its oplog on disk; undefined where nobody knows. */
  #durableEnds(): readonly (OpTime | undefined)[] {
    if (!this.#config) return [undefined];
    const { memberNames } = this.#set;
    const names = this.#config.members
      .filter(({ arbiterOnly }) => !arbiterOnly)
      .map(({ host }) => host.replace(/:27017$/, ''));
    return names.map((name) => (memberNames.includes(name) ? this.#set.durable(name) : undefined));
  }

  #lost(write: ToldWrite, olderWrites: number): LostWrite[] {
    const { told, opTime } = write;
    if (!told) return [];
    const elected = this.#losses.elected(opTime.t);
    const loss = this.#losses.lossOf({
      opTime,
      // A retry may be answered by another member than the one that wrote it, whose clock may be wrong.
      member: elected?.member ?? told.member,
      atMicros: Math.max(told.writtenMicros, elected?.atMicros ?? 0),
    });
    if (!loss) return [];
    const { name: command, ns, documents, member, atMicros, w, appName } = told;
    return [
      {
        command,
        ns,
        ids: (write.ids ?? idsOf(told.entries)).map((id) => decodePromoted(id)._id),
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
    return new Date(this.#set.epochMs + Math.floor(micros / 1000));
  }
}

/** Its documents' `_id`s are all that is kept of what it wrote. */
function letGo(write: ToldWrite): void {
  const { told } = write;
  if (!told || write.ids) return;
  write.ids = idsOf(told.entries);
  write.told = { ...told, entries: [] };
}
