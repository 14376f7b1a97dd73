import type { TraceEventType } from '@replsim/protocol';

/** A state, an election, an acknowledgement, a document. Who fetches from whom, and what members hear of each other, is behind these. */
const CARED_FOR: ReadonlySet<TraceEventType> = new Set<TraceEventType>([
  'processStarted',
  'processStopped',
  'stateChanged',
  'electionStarted',
  'electionLost',
  'electionWon',
  'acceptsWrites',
  'steppedDown',
  'configInstalled',
  'clientTold',
  'writeAcknowledged',
  'workloadEnded',
  'streamShowed',
  'streamEnded',
  'oplogWritten',
  'documentsRemoved',
  'ttlPassEnded',
  'rolledBack',
  'tooStale',
  'initialSync',
]);

/** Whether a line of a transcript that tells of such an event says what somebody would compare two runs for. */
export function isCaredFor(type: TraceEventType): boolean {
  return CARED_FOR.has(type);
}

/** The first line that says something else in one story than in the other, whatever the time; undefined where none does. */
export function firstToldDifference(
  one: readonly { readonly text: string }[],
  other: readonly { readonly text: string }[],
  from = 0,
): number | undefined {
  const most = Math.max(one.length, other.length);
  for (let i = from; i < most; i++) if (one[i]?.text !== other[i]?.text) return i;
  return undefined;
}
