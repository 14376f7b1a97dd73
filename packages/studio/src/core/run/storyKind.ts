import type { TraceEvent } from '@replsim/protocol';

/** What a line of the story is about. */
export const STORY_KINDS = [
  'steps',
  'faults',
  'elections',
  'writes',
  'replication',
  'TTL',
  'clients',
  'checks',
] as const;
export type StoryKind = (typeof STORY_KINDS)[number];

/** By the event that a line tells of. What is in none of these concerns how entries get from member to member. */
export function storyKindOf(event: TraceEvent): StoryKind {
  if (event.type === 'oplogWritten') return event.origin === 'self' ? 'writes' : 'replication';
  return KINDS[event.type] ?? 'replication';
}

const KINDS: Readonly<Partial<Record<TraceEvent['type'], StoryKind>>> = {
  runStarted: 'steps',
  note: 'steps',
  step: 'steps',
  stepEnded: 'steps',
  checked: 'checks',
  invariantBroken: 'checks',
  partitioned: 'faults',
  cut: 'faults',
  healed: 'faults',
  linkChanged: 'faults',
  processStarted: 'faults',
  processStopped: 'faults',
  processPaused: 'faults',
  processResumed: 'faults',
  clockChanged: 'faults',
  diskChanged: 'faults',
  processorChanged: 'faults',
  writeMisdirected: 'faults',
  clientsChanged: 'faults',
  quiesceBegan: 'faults',
  partHeld: 'faults',
  partReleased: 'faults',
  stateChanged: 'elections',
  memberSeen: 'elections',
  configInstalled: 'elections',
  electionStarted: 'elections',
  electionNotStarted: 'elections',
  voteAnswered: 'elections',
  electionLost: 'elections',
  electionWon: 'elections',
  catchUpEnded: 'elections',
  acceptsWrites: 'elections',
  steppedDown: 'elections',
  commandEnded: 'writes',
  fsyncLockChanged: 'writes',
  ttlPassEnded: 'TTL',
  workloadStarted: 'clients',
  workloadStopped: 'clients',
  clientSent: 'clients',
  clientTold: 'clients',
  workloadEnded: 'clients',
};
