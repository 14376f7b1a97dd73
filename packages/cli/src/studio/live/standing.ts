import type { TraceEvent, TraceEventType } from '@replsim/protocol';

/**
 * Events that say how things stand until another one says otherwise, and by which fields beside type and member it is the same thing of
 * which they speak. All others tell of something that is over.
 */
const LASTING: { readonly [Type in TraceEventType]?: readonly string[] } = {
  runStarted: [],
  partitioned: ['groups'],
  cut: ['from', 'to'],
  healed: ['members'],
  linkChanged: ['from', 'to'],
  processStarted: [],
  processStopped: [],
  processPaused: [],
  processResumed: [],
  partHeld: ['part'],
  partReleased: ['part'],
  clockChanged: [],
  diskChanged: [],
  processorChanged: [],
  writeMisdirected: [],
  rollbackFile: ['path'],
  configInstalled: [],
  stateChanged: [],
  termChanged: [],
  memberSeen: ['other', 'to'],
  electionStarted: [],
  electionNotStarted: [],
  votesRequested: [],
  votesCounted: [],
  voteAnswered: ['candidate'],
  votePersisted: [],
  electionLost: [],
  electionWon: [],
  acceptsWrites: [],
  steppedDown: [],
  deadline: ['of'],
  oplogWritten: [],
  applied: [],
  journalFlushed: [],
  commitPoint: [],
  positionsReceived: ['from'],
  syncSourceChanged: [],
  fetchFailed: [],
  tooStale: [],
  initialSync: [],
  rollbackStarted: [],
  rolledBack: [],
  fsyncLockChanged: [],
  ttlMonitor: [],
  ttlPassEnded: [],
  ttlIndexRegistered: ['ns', 'index'],
};

const WALLS: ReadonlySet<TraceEventType> = new Set(['partitioned', 'cut', 'healed']);

/**
 * What the beginning of a trace comes to, where it is not kept: the last word on each thing, in the order and with the times of the
 * trace. Whoever folds these events, and then the rest of the trace, gets what the whole would have come to.
 */
export class Standing {
  readonly #events = new Map<string, TraceEvent>();

  observe(event: TraceEvent): void {
    const fields = LASTING[event.type];
    if (fields === undefined) return;
    if (event.type === 'healed' && event.members === 'all') this.#forgetWalls();
    const key = keyOf(event, fields);
    const before = this.#events.get(key);
    // Those that hold stand in the order of the trace.
    this.#events.delete(key);
    this.#events.set(key, shortened(before === undefined ? event : together(before, event)));
  }

  /** In the order of the trace. */
  get events(): readonly TraceEvent[] {
    return [...this.#events.values()];
  }

  #forgetWalls(): void {
    for (const [key, { type }] of this.#events) if (WALLS.has(type)) this.#events.delete(key);
  }
}

function keyOf(event: TraceEvent, fields: readonly string[]): string {
  const member = 'member' in event ? event.member : '';
  const values = fields.map((field) => (event as unknown as Readonly<Record<string, unknown>>)[field]);
  return `${event.type} ${member} ${fields.length === 0 ? '' : JSON.stringify(values)}`;
}

/** Some say only what has changed. */
function together(before: TraceEvent, event: TraceEvent): TraceEvent {
  if (event.type === 'clockChanged' && before.type === 'clockChanged') {
    const jumpMs = (before.jumpMs ?? 0) + (event.jumpMs ?? 0);
    return { ...before, ...event, jumpMs };
  }
  if (event.type === 'linkChanged' && before.type === 'linkChanged')
    return { ...event, settings: { ...before.settings, ...event.settings } };
  return event.type === 'diskChanged' || event.type === 'processorChanged'
    ? ({ ...before, ...event } as TraceEvent)
    : event;
}

/** Of entries the last is enough: where a log stands. */
function shortened(event: TraceEvent): TraceEvent {
  if (event.type === 'oplogWritten') return { ...event, entries: event.entries.slice(-1) };
  if (event.type !== 'applied' || event.batch === undefined) return event;
  const { batch: _, ...rest } = event;
  return rest;
}
