import type { StartupOptions } from '../core/core.ts';

/** How much of the oplog is kept. Upstream: local_oplog_info.cpp, and storageGlobalParams.oplogMinRetentionHours. */
export class OplogCap {
  readonly #startupBytes: number;
  /** What `replSetResizeOplog` set; it is stronger than the command line, and outlives the process. */
  changedToBytes: number | undefined;
  /** Entries younger than this are kept even beyond the cap; 0 keeps none. It does not outlive the process. */
  minRetentionHours: number;

  constructor({ oplogSizeBytes, oplogMinRetentionHours = 0 }: StartupOptions) {
    this.#startupBytes = oplogSizeBytes;
    this.minRetentionHours = oplogMinRetentionHours;
  }

  get sizeBytes(): number {
    return this.changedToBytes ?? this.#startupBytes;
  }

  /** Entries written after this may not go; wall clock, ms since 1970. */
  keepFromMs(nowWallMs: number): number {
    return this.minRetentionHours === 0 ? Number.POSITIVE_INFINITY : nowWallMs - this.minRetentionHours * 3_600_000;
  }
}
