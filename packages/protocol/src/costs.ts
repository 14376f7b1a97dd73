/**
 * How much virtual time operations take, in microseconds. The defaults are plausible for a real server; scenarios can change them.
 * Without costs, a TTL delete would be instantaneous, and effects such as lag and catch-up could never be observed.
 */
export interface Costs {
  /** For each command, to parse and answer it. Default: 50. */
  readonly commandMicros: number;
  /** For each inserted document. Default: 20. */
  readonly insertMicros: number;
  /** For each updated document. Default: 25. */
  readonly updateMicros: number;
  /** For each deleted document. Default: 20. */
  readonly deleteMicros: number;
  /** For each key written to or removed from an index. Default: 2. */
  readonly indexKeyMicros: number;
  /** For each index key or document examined. Default: 1. */
  readonly scanKeyMicros: number;
  /** For each oplog entry that a secondary fetches, to write it to its oplog. Default: 5. */
  readonly fetchEntryMicros: number;
  /** For each operation that a secondary applies. Default: 15. */
  readonly applyEntryMicros: number;
  /** To flush the journal, however much is in it. Default: 2000. */
  readonly journalFlushMicros: number;
  /** To take a checkpoint. Default: 20,000. */
  readonly checkpointMicros: number;
  /** For each document and index, to build the index. Default: 5. */
  readonly indexBuildMicrosPerDocument: number;
  /** For each document that an initial sync copies. Default: 10. */
  readonly initialSyncMicrosPerDocument: number;
  /** For each storage transaction. Default: 100. */
  readonly commitMicros: number;
}

export const DEFAULT_COSTS: Costs = Object.freeze({
  commandMicros: 50,
  insertMicros: 20,
  updateMicros: 25,
  deleteMicros: 20,
  indexKeyMicros: 2,
  scanKeyMicros: 1,
  fetchEntryMicros: 5,
  applyEntryMicros: 15,
  journalFlushMicros: 2000,
  checkpointMicros: 20_000,
  indexBuildMicrosPerDocument: 5,
  initialSyncMicrosPerDocument: 10,
  commitMicros: 100,
});
