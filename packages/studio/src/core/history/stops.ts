import type { TraceEvent } from '@replsim/protocol';

/** What somebody goes by from one to the next. */
export type Stop = 'event' | 'message' | 'step';

/** Whether who goes by this kind stops at an event. @param member only what is of this one, if one is given; steps are of nobody */
export function isStop(event: TraceEvent, kind: Stop, member: string | undefined): boolean {
  if (kind === 'step') return event.type === 'step';
  if (!('member' in event) || (member !== undefined && event.member !== member)) return false;
  return (kind === 'message' ? MESSAGES : EVENTS).has(event.type);
}

const MESSAGES: ReadonlySet<TraceEvent['type']> = new Set(['sent', 'delivered', 'lost']);

/** Those that change what is shown. */
const EVENTS: ReadonlySet<TraceEvent['type']> = new Set([
  'processStarted',
  'processStopped',
  'processPaused',
  'processResumed',
  'stateChanged',
  'electionStarted',
  'voteAnswered',
  'electionWon',
  'electionLost',
  'acceptsWrites',
  'oplogWritten',
  'applied',
  'commitPoint',
  'rollbackStarted',
  'rolledBack',
  'ttlPassEnded',
  'ttlDeleted',
]);
