import { type CommandError, NULL_OP_TIME, type OplogEntry, type OpTime, required } from '@replsim/protocol';
import type { Replication } from '../replication.ts';
import { CloneStats } from './cloneStats.ts';

/** What one attempt of an initial sync knows; its two sides, copying and fetching, share it. */
export class InitialSyncAttempt {
  readonly repl: Replication;
  readonly startedMicros: number;
  endedMicros: number | undefined;
  source: string | undefined;
  /** The source's rollback id when the attempt began. */
  rbid = -1;
  /** Which copy of the data the source holds; undefined if it was never synced from another. */
  initialSyncId: string | undefined;
  /** Entries from here on are fetched. */
  beginFetching: OpTime = NULL_OP_TIME;
  /** Entries after this one are applied; the data were copied later. */
  beginApplying: OpTime = NULL_OP_TIME;
  /** The data are consistent once this is applied. */
  stop: OpTime = NULL_OP_TIME;
  /** What was fetched and is not applied yet. Upstream: a collection, `local.temp_oplog_buffer`. */
  buffer: OplogEntry[] = [];
  lastFetched: OpTime = NULL_OP_TIME;
  appliedOps = 0;
  readonly stats = new CloneStats();
  // --- a source that does not answer ---
  operationsRetried = 0;
  /** How many calls are being repeated now, and since when the source has not answered. */
  retrying = 0;
  unreachableSinceMicros = 0;
  unreachableMicros = 0;
  // --- the end ---
  givenUpFor: CommandError | undefined;
  over = false;

  constructor(repl: Replication) {
    this.repl = repl;
    this.startedMicros = repl.core.now.monotonicMicros;
  }

  /** `source` for what is asked of it: it is chosen before anything else is done. */
  get chosenSource(): string {
    return required(this.source, 'source of the initial sync');
  }

  /** Upstream: InitialSyncSharedData::getTotalTimeUnreachable. Unit: µs. */
  get totalUnreachableMicros(): number {
    const now = this.repl.core.now.monotonicMicros;
    return this.unreachableMicros + (this.retrying > 0 ? now - this.unreachableSinceMicros : 0);
  }
}
