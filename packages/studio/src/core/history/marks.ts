import { formatInstant } from '@replsim/kernel';
import type { TraceEvent } from '@replsim/protocol';
import { countUpTo } from './search.ts';

/** Something that the timeline points at. */
export interface Mark {
  readonly atMicros: number;
  readonly kind:
    | 'step'
    | 'fault'
    | 'election'
    | 'primary'
    | 'stepDown'
    | 'rollback'
    | 'pass'
    | 'ttl'
    | 'due'
    | 'process'
    | 'failed';
  /** Undefined: it concerns the run as a whole. */
  readonly member: string | undefined;
  readonly text: string;
  /** When the run told of it, if that was later. */
  readonly knownMicros?: number;
}

/** What the timeline points at, by when it happened. */
export class Marks {
  readonly all: Mark[] = [];

  observe(event: TraceEvent): void {
    const mark = markOf(event);
    if (mark) this.all.push(mark);
    const due = event.type === 'ttlDeleted' ? dueMarkOf(event) : undefined;
    if (!due) return;
    const place = countUpTo(this.all, ({ atMicros }) => atMicros, due.atMicros);
    const before = this.all[place - 1];
    // Batches of one pass may begin with documents that expired together.
    if (before?.atMicros === due.atMicros && before.kind === 'due' && before.member === due.member) return;
    this.all.splice(place, 0, due);
  }
}

/**
 * When the oldest of the documents that a TTL monitor deletes expired, by the clock that judged it. The run tells of it when they are deleted.
 * What expired before the run has no place in it.
 */
function dueMarkOf(event: Extract<TraceEvent, { type: 'ttlDeleted' }>): Mark | undefined {
  const { atMicros, ns, dates, wallMs, expireAfterSeconds } = event;
  const oldestMs = dates.reduce((least, date) => Math.min(least, date), Number.POSITIVE_INFINITY);
  // Clocks say whole milliseconds.
  const dueMicros = (Math.floor(atMicros / 1000) - (wallMs - oldestMs - expireAfterSeconds * 1000)) * 1000;
  if (!Number.isFinite(dueMicros) || dueMicros < 0) return undefined;
  const text = dates.length === 1 ? `a document of ${ns} expires` : `documents of ${ns} expire, from here on`;
  return {
    atMicros: Math.min(dueMicros, atMicros),
    kind: 'due',
    member: 'member' in event ? event.member : undefined,
    text: `${text}; TTL deletes ${dates.length === 1 ? 'it' : 'them'} at ${formatInstant(atMicros)}`,
    knownMicros: atMicros,
  };
}

/** What the timeline shows of an event. */
function markOf(event: TraceEvent): Mark | undefined {
  const found = what(event);
  if (!found) return undefined;
  const [kind, text] = found;
  return { atMicros: event.atMicros, kind, member: 'member' in event ? event.member : undefined, text };
}

function what(event: TraceEvent): readonly [Mark['kind'], string] | undefined {
  switch (event.type) {
    case 'step':
      return ['step', event.text];
    case 'input':
      return event.kind === 'fault' ? ['fault', event.what] : undefined;
    case 'checked':
      return event.held ? undefined : ['failed', event.text];
    case 'invariantBroken':
      return ['failed', `invariant ${event.name} is broken`];
    case 'processStopped':
      return ['process', event.how === 'fatal' ? `dies: ${event.detail ?? 'a fatal error'}` : `ends: ${event.how}`];
    case 'processStarted':
      return event.atMicros === 0 ? undefined : ['process', 'starts'];
    case 'electionStarted':
      return ['election', `${event.dryRun ? 'asks in a dry run' : 'stands for election'} in term ${event.term}`];
    case 'electionWon':
      return ['primary', `wins term ${event.term}`];
    case 'steppedDown':
      return ['stepDown', `steps down: ${event.reason}`];
    case 'rolledBack':
      return ['rollback', `undoes ${event.removedEntries.length} entries`];
    case 'ttlDeleted':
      return ['ttl', `TTL deletes ${event.dates.length} from ${event.ns}`];
    case 'ttlPassEnded':
      return ['pass', event.deleted > 0 ? `TTL pass ends: ${event.deleted} deleted` : 'TTL pass: nothing deleted'];
    default:
      return undefined;
  }
}
