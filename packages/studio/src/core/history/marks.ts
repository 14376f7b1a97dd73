import type { TraceEvent } from '@replsim/protocol';

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
    | 'process'
    | 'failed';
  /** Undefined: it concerns the run as a whole. */
  readonly member: string | undefined;
  readonly text: string;
}

/** What the timeline shows of an event. */
export function markOf(event: TraceEvent): Mark | undefined {
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
