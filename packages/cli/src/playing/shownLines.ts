import type { TraceEvent, TraceEventType } from '@replsim/protocol';
import type { ToldLine } from '@replsim/scenario';

/** What `--transcript` takes: how much of the transcript is shown. */
export const TRANSCRIPT_CHOICES = ['acts', 'faults', 'all', 'none'] as const;
export type TranscriptChoice = (typeof TRANSCRIPT_CHOICES)[number];

/** The story as its author divides it. */
const OF_ACTS: readonly TraceEventType[] = ['runStarted', 'act', 'note', 'asked', 'answered', 'invariantBroken'];

/** What befalls the set, and who leads it afterwards with what was lost. */
const OF_FAULTS: readonly TraceEventType[] = [
  ...OF_ACTS,
  'processStarted',
  'processStopped',
  'processPaused',
  'processResumed',
  'partitioned',
  'cut',
  'healed',
  'linkChanged',
  'clockChanged',
  'diskChanged',
  'processorChanged',
  'writeMisdirected',
  'clientsChanged',
  'oplogTruncated',
  'partHeld',
  'partReleased',
  'fsyncLockChanged',
  'electionWon',
  'acceptsWrites',
  'steppedDown',
  'rollbackStarted',
  'rolledBack',
  'tooStale',
];

type Shows = (event: TraceEvent) => boolean;
const only = (types: readonly TraceEventType[]): Shows => {
  const shown = new Set(types);
  return (event) => shown.has(event.type) || isFailure(event);
};

const SHOWS: Readonly<Record<TranscriptChoice, Shows>> = {
  acts: only(OF_ACTS),
  faults: only(OF_FAULTS),
  all: () => true,
  none: () => false,
};

/** Whether a line is shown, by the event that it tells of. Short transcripts still have what failed. */
export function isShown(choice: TranscriptChoice, { event }: Pick<ToldLine, 'event'>): boolean {
  return SHOWS[choice](event);
}

function isFailure(event: TraceEvent): boolean {
  return (event.type === 'checked' && !event.held) || (event.type === 'stepEnded' && event.outcome === 'failed');
}
