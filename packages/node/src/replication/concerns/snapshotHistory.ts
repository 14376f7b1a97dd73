import { ServerCounters } from '@replsim/operations';
import { maxTimestamp, type Oplog, type Positions } from '@replsim/oplog';
import type { ParameterStore } from '@replsim/pipeline';
import { CommandError, compareTimestamps, type OplogEntry, required, type Timestamp } from '@replsim/protocol';
import { type ReadView, StorageEngine } from '@replsim/storage';
import type { Core } from '../../core/core.ts';
import { applyEntry } from '../../data/applyEntry.ts';
import type { ApplyHost } from '../../data/applyHost.ts';

/** How many views that had to be made are kept: a cursor comes back to its own with every getMore. */
const KEPT_VIEWS = 4;

/** What a member's history is made of. */
export interface HistoryHost {
  readonly core: Core;
  readonly oplog: Oplog;
  readonly positions: Positions;
  readonly parameters: ParameterStore;
  readonly host: ApplyHost;
  /** Storage's number for the newest kept data that are not newer than the stable optime. */
  stableVersion(): number;
}

/** Data as they were at a time, made from those of an earlier one. */
interface MadeView {
  /** The last entry in it: after a rollback its index may stand for another. */
  readonly entry: OplogEntry;
  readonly view: ReadView;
}

/**
 * The data of a member as they were at any time of the last `minSnapshotHistoryWindowInSeconds`, for snapshot reads. Storage keeps
 * few of the versions older than the stable optime; one that lies between is made from the one before it and the oplog, which
 * holds what was written since. So history costs what was changed, and not how often.
 * Upstream: wiredtiger_kv_engine.cpp, setOldestTimestampFromStable and _calculateHistoryLagFromStableTimestamp.
 */
export class SnapshotHistory {
  readonly #repl: HistoryHost;
  #oldest: Timestamp = { t: 0, i: 0 };
  /** How often 239 was answered. */
  tooOldErrors = 0;
  /** The one used last is the last. */
  #made: MadeView[] = [];

  constructor(repl: HistoryHost) {
    this.#repl = repl;
  }

  /** The earliest time that can be read, and the latest that has been committed. */
  get window(): { readonly oldest: Timestamp; readonly stable: Timestamp } {
    const { ts: stable } = this.#repl.positions.stable;
    const oldest = this.#repl.oplog.lastEntry ? this.#own : stable;
    return { oldest: compareTimestamps(oldest, stable) > 0 ? stable : oldest, stable };
  }

  /**
   * Before it this member had no data, or had let go of them, or they were of no single moment: the oplog that an initial sync leaves
   * begins before the end of the copy. Upstream: _calculateHistoryLagFromStableTimestamp keeps to the initial data timestamp.
   */
  get #own(): Timestamp {
    const { oplog, positions } = this.#repl;
    return maxTimestamp(maxTimestamp(oplog.first.ts, positions.initialData.ts), this.#oldest);
  }

  /** Lets go of what has fallen out of the window. It never goes back: what a longer window asks for is not there. */
  onStableMoved(): void {
    const { core, oplog, positions, parameters } = this.#repl;
    const { t, i } = positions.stable.ts;
    const secs = t - parameters.number('minSnapshotHistoryWindowInSeconds');
    const oldest = { t: secs, i };
    // An arbiter's data and those of a set that is younger than the window are left alone.
    if (secs >= 0 && compareTimestamps(oldest, this.#oldest) > 0) {
      this.#oldest = oldest;
      core.engine.forgetBefore(oplog.lastIndexUpTo(oldest));
      this.#made = this.#made.filter(({ entry }) => compareTimestamps(entry.opTime.ts, oldest) >= 0);
    }
    core.engine.thinBefore(this.#repl.stableVersion());
  }

  /**
   * The data as they were at a time that is not above the stable optime. Errors: SnapshotTooOld 239 for a time before the window, or
   * before this member's own history; SnapshotUnavailable 246 for one within a batch that changed more than documents.
   */
  at(ts: Timestamp): ReadView {
    this.onStableMoved();
    const { core, oplog } = this.#repl;
    const { engine } = core;
    const index = oplog.lastIndexUpTo(ts);
    const base = engine.markedUpTo(index);
    const isGone = !Number.isFinite(base) || base < engine.versions.oldest;
    const isCut = base < index && base + 1 < oplog.firstIndex;
    if (isGone || isCut || compareTimestamps(ts, this.#own) < 0) {
      this.tooOldErrors += 1;
      throw new CommandError(
        'SnapshotTooOld',
        `Read timestamp ${show(ts)} is older than the oldest available timestamp.`,
      );
    }
    const entries = oplog.slice(base + 1, index + 1).filter(({ operation }) => operation.op !== 'n');
    const last = entries.at(-1);
    if (!last) return engine.at(base);
    if (entries.some(({ operations }) => operations.some(({ op }) => op === 'c'))) {
      throw new CommandError(
        'SnapshotUnavailable',
        `Read timestamp ${show(ts)} lies within a batch that this member applied as one; read at another time.`,
      );
    }
    return this.#kept(last) ?? this.#make(base, entries);
  }

  #kept(entry: OplogEntry): ReadView | undefined {
    const at = this.#made.findIndex((made) => made.entry === entry);
    if (at < 0) return undefined;
    this.#made.push(...this.#made.splice(at, 1));
    return this.#made.at(-1)?.view;
  }

  #make(base: number, entries: readonly OplogEntry[]): ReadView {
    const { core, host } = this.#repl;
    const engine = StorageEngine.from(core.engine.at(base));
    const target = { engine, traits: core.traits, tracing: false, trace: () => {} };
    const quietly: ApplyHost = {
      counters: new ServerCounters(),
      relaxed: host.relaxed,
      observer: host.observer,
      buildsIndexes: host.buildsIndexes,
      builds: host.builds,
      findEntry: (opTime) => host.findEntry(opTime),
      memberState: () => host.memberState(),
      acceptsWrites: () => false,
    };
    for (const entry of entries) applyEntry(target, entry, 'recovery', quietly);
    this.#made.push({ entry: required(entries.at(-1), 'last entry'), view: engine });
    if (this.#made.length > KEPT_VIEWS) this.#made.shift();
    return engine;
  }
}

function show({ t, i }: Timestamp): string {
  return `Timestamp(${t}, ${i})`;
}
