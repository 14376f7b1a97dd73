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
  readonly fetchEntryMicros: number;
  readonly applyEntryMicros: number;
  readonly journalFlushMicros: number;
  readonly checkpointMicros: number;
  readonly indexBuildMicrosPerDocument: number;
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
