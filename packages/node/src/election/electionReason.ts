/** Why a member stands for election. Upstream: StartElectionReasonEnum. */
export type ElectionReason =
  | 'electionTimeout'
  | 'priorityTakeover'
  | 'stepUpRequest'
  | 'stepUpRequestSkipDryRun'
  | 'catchupTakeover'
  | 'singleNodePromptElection';

/** What `electionMetrics` counts apart. */
export type ElectionCounter =
  | 'stepUpCmd'
  | 'priorityTakeover'
  | 'catchUpTakeover'
  | 'electionTimeout'
  | 'freezeTimeout';

/** The log lines of a start and of a start that did not happen, and the counter. Upstream: _startElectSelfIfEligibleV1. */
interface ReasonTraits {
  readonly startId: number;
  readonly startMsg: string;
  readonly refusedId: number;
  readonly refusedMsg: string;
  /** In `electionMetrics`. */
  readonly counter: ElectionCounter;
}

const stepUp: ReasonTraits = {
  startId: 4615661,
  startMsg: 'Starting an election due to step up request',
  refusedId: 4615657,
  refusedMsg: 'Not starting an election for a step up request: not electable',
  counter: 'stepUpCmd',
};

export const ELECTION_REASONS: Readonly<Record<ElectionReason, ReasonTraits>> = {
  electionTimeout: {
    startId: 4615652,
    startMsg: 'Starting an election: no primary was seen within the election timeout period',
    refusedId: 4615655,
    refusedMsg: 'Not starting an election, since not electable',
    counter: 'electionTimeout',
  },
  priorityTakeover: {
    startId: 4615660,
    startMsg: 'Starting an election for a priority takeover',
    refusedId: 4615656,
    refusedMsg: 'Not starting an election for a priority takeover: not electable',
    counter: 'priorityTakeover',
  },
  stepUpRequest: stepUp,
  stepUpRequestSkipDryRun: stepUp,
  catchupTakeover: {
    startId: 4615662,
    startMsg: 'Starting an election for a catchup takeover',
    refusedId: 4615658,
    refusedMsg: 'Not starting an election for a catchup takeover: not electable',
    counter: 'catchUpTakeover',
  },
  singleNodePromptElection: {
    startId: 4615663,
    startMsg: 'Starting an election due to single node replica set prompt election',
    refusedId: 4615653,
    refusedMsg: 'Not starting an election for a single node replica set prompt election: not electable',
    counter: 'freezeTimeout',
  },
};
