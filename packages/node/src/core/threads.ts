/**
 * The threads of a mongod by whose names its log lines are told apart (`ctx`). Pools number theirs; here the first of
 * each does all the work, and a client's thread has a number only where a connection has one.
 */
export const Threads = {
  /** Heartbeats' answers, elections, takeovers. */
  replCoord: 'ReplCoord-0',
  /** Cloning, and the answers of the oplog that is fetched. */
  external: 'ReplCoordExtern-0',
  /** Chooses sources, and rolls back. */
  producer: 'BackgroundSync',
  writer: 'OplogWriter-0',
  batcher: 'ReplBatcher',
  /** Applies batches, and makes a drained member a primary. */
  applier: 'OplogApplier-0',
  /** Kills what holds locks when the role changes. */
  killer: 'RstlKillOpThread',
  noopWriter: 'NoopWriter',
  sessionRefresh: 'LogicalSessionCacheRefresh',
  sessionReap: 'LogicalSessionCacheReap',
  signalHandler: 'SignalHandler',
  /** Starts the process. */
  main: 'initandlisten',
  client: 'conn',
} as const;

/** The threads that a process keeps for itself, whatever they do now, as `currentOp` shows them to who asks for all. */
export function threadsOf(isMember: boolean, ttlStarted: boolean): readonly string[] {
  const { signalHandler, sessionRefresh, sessionReap, replCoord, producer, writer, batcher, applier, noopWriter } =
    Threads;
  return [
    signalHandler,
    'JournalFlusher',
    'Checkpointer',
    sessionRefresh,
    sessionReap,
    ...(ttlStarted ? ['TTLMonitor'] : []),
    ...(isMember ? [replCoord, producer, writer, batcher, applier, noopWriter] : []),
  ];
}
