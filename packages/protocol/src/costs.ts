/**
 * What things cost in virtual time, microseconds. The defaults are those of a plausible server; scenarios change them.
 * Without a cost a TTL delete would be instantaneous, and targets, lag and catch-up could never be seen.
 */
export interface Costs {
  /** Parsing and answering a command. */
  readonly commandMicros: number;
  readonly insertMicros: number;
  readonly updateMicros: number;
  readonly deleteMicros: number;
  /** For each key written to or removed from an index. */
  readonly indexKeyMicros: number;
  /** For each key or document looked at. */
  readonly scanKeyMicros: number;
  readonly fetchEntryMicros: number;
  readonly applyEntryMicros: number;
  readonly journalFlushMicros: number;
  readonly checkpointMicros: number;
  readonly indexBuildMicrosPerDocument: number;
  readonly initialSyncMicrosPerDocument: number;
  /** For each storage transaction. */
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
