import type { Term } from '@replsim/protocol';
import { assign, setup } from 'xstate';

/** Why a member stands for election. Upstream: StartElectionReasonEnum. */
export type ElectionReason =
  | 'electionTimeout'
  | 'priorityTakeover'
  | 'stepUpRequest'
  | 'stepUpRequestSkipDryRun'
  | 'catchupTakeover'
  | 'singleNodePromptElection';

export interface ElectionContext {
  readonly term: Term;
  readonly reason: ElectionReason;
  readonly votes: number;
  /** `majorityVoteCount` of the config. */
  readonly votesNeeded: number;
}

export type ElectionEvent =
  | {
      readonly type: 'stand';
      readonly reason: ElectionReason;
      readonly term: Term;
      /** 1 if this member has a vote. */
      readonly ownVotes: number;
      readonly votesNeeded: number;
      readonly skipDryRun: boolean;
    }
  | { readonly type: 'voteGranted' }
  /** Everybody answered or timed out, a higher term was seen, a new config came: this round is lost. */
  | { readonly type: 'lost'; readonly why: string }
  | { readonly type: 'votePersisted' }
  | { readonly type: 'caughtUp'; readonly why: string }
  | { readonly type: 'drained' }
  | { readonly type: 'stepDownAttempt' }
  | { readonly type: 'stepDownFailed' }
  | { readonly type: 'stepDown'; readonly why: string };

/**
 * A member's role and, while it leads, its leader mode.
 * Upstream: replication_coordinator_impl_elect_v1.cpp; TopologyCoordinator's Role and LeaderMode.
 *
 * Only what may change the role comes here; heartbeats and oplog entries do not. Effects are data: `transition()`
 * hands back their types and params, `elections.ts` carries them out.
 */
export const electionMachine = setup({
  types: { context: {} as ElectionContext, events: {} as ElectionEvent },
  actions: {
    /** Asks all other voters; the dry run in the term already held. */
    requestVotes: (_, _params: { term: Term; dryRun: boolean }) => {},
    /** The own term goes up, and the vote for oneself goes to disk, before anybody else is asked. */
    voteForSelf: (_, _params: { term: Term }) => {},
    electionLost: (_, _params: { term: Term; dryRun: boolean; why: string }) => {},
    electionWon: (_, _params: { term: Term; votes: number }) => {},
    enterDrain: (_, _params: { why: string }) => {},
    becomeWritable: () => {},
    stopWrites: () => {},
    allowWrites: () => {},
    leaveLeadership: (_, _params: { why: string }) => {},
    countVote: assign({ votes: ({ context }) => context.votes + 1 }),
    raiseTerm: assign({ term: ({ context }) => context.term + 1 }),
    stand: assign(({ event, context }) =>
      event.type === 'stand'
        ? { term: event.term, reason: event.reason, votes: event.ownVotes, votesNeeded: event.votesNeeded }
        : context,
    ),
  },
  guards: {
    wins: ({ context }) => context.votes + 1 >= context.votesNeeded,
    winsAlone: ({ context }) => context.votes >= context.votesNeeded,
    skipsDryRun: ({ event }) => event.type === 'stand' && event.skipDryRun,
  },
}).createMachine({
  id: 'election',
  context: { term: 0, reason: 'electionTimeout', votes: 0, votesNeeded: 1 },
  initial: 'follower',
  states: {
    follower: {
      on: {
        stand: [
          { guard: 'skipsDryRun', target: 'candidate', actions: 'stand' },
          { target: 'dryRun', actions: 'stand' },
        ],
      },
    },
    // Only a won dry run raises the term, so a member that is cut off cannot drive terms up.
    dryRun: {
      entry: { type: 'requestVotes', params: ({ context: { term } }) => ({ term, dryRun: true }) },
      always: { guard: 'winsAlone', target: 'candidate' },
      on: {
        voteGranted: [{ guard: 'wins', target: 'candidate' }, { actions: 'countVote' }],
        lost: {
          target: 'follower',
          actions: {
            type: 'electionLost',
            params: ({ context: { term }, event }) => ({ term, dryRun: true, why: event.why }),
          },
        },
      },
    },
    candidate: {
      entry: [
        'raiseTerm',
        assign({ votes: 1 }),
        { type: 'voteForSelf', params: ({ context: { term } }) => ({ term }) },
      ],
      initial: 'persisting',
      states: {
        persisting: { on: { votePersisted: 'asking' } },
        asking: {
          entry: { type: 'requestVotes', params: ({ context: { term } }) => ({ term, dryRun: false }) },
          always: { guard: 'winsAlone', target: '#election.leader' },
          on: {
            voteGranted: [
              { guard: 'wins', target: '#election.leader', actions: 'countVote' },
              { actions: 'countVote' },
            ],
          },
        },
      },
      on: {
        lost: {
          target: 'follower',
          actions: {
            type: 'electionLost',
            params: ({ context: { term }, event }) => ({ term, dryRun: false, why: event.why }),
          },
        },
      },
    },
    // The member calls itself PRIMARY from here on; it accepts writes in `writable` alone.
    leader: {
      entry: { type: 'electionWon', params: ({ context: { term, votes } }) => ({ term, votes }) },
      initial: 'catchUp',
      states: {
        catchUp: {
          on: {
            caughtUp: {
              target: 'drain',
              actions: { type: 'enterDrain', params: ({ event }) => ({ why: event.why }) },
            },
          },
        },
        drain: { on: { drained: 'writable' } },
        writable: {
          entry: 'becomeWritable',
          on: { stepDownAttempt: { target: 'attemptingStepDown', actions: 'stopWrites' } },
        },
        attemptingStepDown: { on: { stepDownFailed: { target: 'writableAgain', actions: 'allowWrites' } } },
        writableAgain: { on: { stepDownAttempt: { target: 'attemptingStepDown', actions: 'stopWrites' } } },
      },
      on: {
        stepDown: {
          target: 'follower',
          actions: { type: 'leaveLeadership', params: ({ event }) => ({ why: event.why }) },
        },
      },
    },
  },
});
