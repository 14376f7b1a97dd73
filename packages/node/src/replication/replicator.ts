import type { Core } from '../core/core.ts';
import { OplogFetching } from './fetching.ts';
import { OplogApplier } from './oplogApplier.ts';
import { OplogWriter } from './oplogWriter.ts';
import type { Replication } from './replication.ts';

/**
 * Entries on their way from the source to this member's data: fetched, written to the oplog, applied; a buffer lies
 * before each of the last two. Upstream: bgsync.cpp, oplog_writer_impl.cpp, oplog_applier_impl.cpp.
 */
export class Replicator {
  readonly fetching: OplogFetching;
  readonly writer: OplogWriter;
  readonly applier: OplogApplier;

  constructor(core: Core, repl: Replication) {
    this.applier = new OplogApplier(core, repl, () => {
      this.writer.onRoom();
      if (this.isIdle) repl.onBufferEmpty();
    });
    this.writer = new OplogWriter(core, repl, this.applier, () => this.fetching.onRoom());
    this.fetching = new OplogFetching(core, repl, this.writer);
  }

  get syncSource(): string | undefined {
    return this.fetching.syncSource;
  }

  /** Everything that was fetched is in the data. */
  get isIdle(): boolean {
    return this.writer.isIdle && this.applier.isIdle;
  }

  failPointsChanged(): void {
    this.writer.failPointsChanged();
    this.applier.failPointsChanged();
  }

  start(): void {
    this.fetching.start();
  }

  /** Entries already fetched go on being written and applied. */
  stop(): void {
    this.fetching.stop();
  }
}
