import type { Term } from '@replsim/protocol';
import { assign, setup } from 'xstate';
import type { ElectionReason } from './electionReason.ts';

export interface RoleContext {
  /** The term of the latest candidacy: in a dry run the one already held, then the one that is run for. */
  readonly term: Term;
  readonly reason: ElectionReason;
}

export type RoleEvent =
  | { readonly type: 'stand'; readonly reason: ElectionReason; readonly term: Term; readonly skipDryRun: boolean }
  /** Enough votes came in. */
  | { readonly type: 'roundWon' }
  /** This candidacy is over, for whatever reason. */
  | { readonly type: 'lost'; readonly why: string }
  | { readonly type: 'votePersisted' }
  /** Somebody who is up holds entries that this new primary lacks. */
  | { readonly type: 'behind' }
  | { readonly type: 'catchUpConcluded' }
  /** The first entry of the term is written. */
  | { readonly type: 'drained' }
  | { readonly type: 'stepDownAttempted' }
  | { readonly type: 'stepDownAbandoned' }
  | { readonly type: 'stepDown'; readonly why: string }
  | { readonly type: 'roleGivenUp' };

/**
 * A member's role and, while it leads, its leader mode. It calls itself PRIMARY in all of `leader` and `steppingDown`; it
 * accepts writes in `WritablePrimary` alone, and not while it attempts to step down. That attempt runs beside the way to
 * writability, so that a failed one leaves the mode which was reached meanwhile.
 * Upstream: TopologyCoordinator's Role and LeaderMode, replication_coordinator_impl_elect_v1.cpp.
 *
 * Only what may change the role comes here; heartbeats and oplog entries do not. Effects are data: `transition()` hands
 * back their types and params, `elections.ts` carries them out.
 */
export const roleMachine = setup({
  types: { context: {} as RoleContext, events: {} as RoleEvent },
  actions: {
    /** Asks all other voters; the dry run in the term already held. */
    requestVotes: (_, _params: { term: Term; dryRun: boolean }) => {},
    /**
     * The own term goes up, and the vote for oneself goes to disk, before anybody else is asked: a candidate that asked first, died
     * and came back would vote for somebody else in the same term, and both could win. Upstream: _writeLastVoteForMyElection.
     */
    voteForSelf: (_, _params: { term: Term }) => {},
    announceLoss: (_, _params: { term: Term; dryRun: boolean; why: string }) => {},
    takeOffice: (_, _params: { term: Term }) => {},
    countCatchUp: () => {},
    startDrain: () => {},
    becomeWritable: () => {},
    /** The attempt began or failed: `hello` and every write must hear of it. */
    announceWritability: () => {},
    killConflictingOperations: () => {},
    giveUpRole: (_, _params: { why: string }) => {},
    begin: assign(({ context, event }) =>
      event.type === 'stand' ? { term: event.term, reason: event.reason } : context,
    ),
    raiseTerm: assign({ term: ({ context }) => context.term + 1 }),
  },
  guards: {
    // A term that was run for once is never run for again, whatever the caller believes.
    skipsDryRun: ({ context, event }) => event.type === 'stand' && event.skipDryRun && event.term >= context.term,
    isCurrent: ({ context, event }) => event.type === 'stand' && event.term >= context.term,
  },
}).createMachine({
  id: 'role',
  context: { term: 0, reason: 'electionTimeout' },
  initial: 'follower',
  states: {
    follower: {
      on: {
        stand: [
          { guard: 'skipsDryRun', target: 'candidate.voting', actions: 'begin' },
          { guard: 'isCurrent', target: 'candidate.dryRun', actions: 'begin' },
        ],
      },
    },
    candidate: {
      initial: 'dryRun',
      states: {
        // A primary that hears of a higher term steps down. A member that is cut off stands every ten seconds, and would come back with
        // a term that deposes a healthy primary; so it asks in the term that it holds until it knows that it would win.
        // Upstream: replication_coordinator_impl_elect_v1.cpp, _processDryRunResult.
        dryRun: {
          entry: { type: 'requestVotes', params: ({ context: { term } }) => ({ term, dryRun: true }) },
          on: {
            roundWon: 'voting',
            lost: {
              target: '#role.follower',
              actions: {
                type: 'announceLoss',
                params: ({ context: { term }, event: { why } }) => ({ term, dryRun: true, why }),
              },
            },
          },
        },
        voting: {
          entry: ['raiseTerm', { type: 'voteForSelf', params: ({ context: { term } }) => ({ term }) }],
          initial: 'persisting',
          states: {
            persisting: { on: { votePersisted: 'asking' } },
            asking: {
              entry: { type: 'requestVotes', params: ({ context: { term } }) => ({ term, dryRun: false }) },
              on: { roundWon: '#role.leader' },
            },
          },
          on: {
            lost: {
              target: '#role.follower',
              actions: {
                type: 'announceLoss',
                params: ({ context: { term }, event: { why } }) => ({ term, dryRun: false, why }),
              },
            },
          },
        },
      },
    },
    leader: {
      type: 'parallel',
      entry: { type: 'takeOffice', params: ({ context: { term } }) => ({ term }) },
      states: {
        writability: {
          initial: 'LeaderElect',
          states: {
            LeaderElect: {
              initial: 'catchUp',
              states: {
                catchUp: {
                  initial: 'hearing',
                  states: {
                    // Until everybody was heard of since the election, nobody knows who holds the newest entry.
                    hearing: { on: { behind: { target: 'fetching', actions: 'countCatchUp' } } },
                    fetching: {},
                  },
                  on: {
                    catchUpConcluded: { target: 'drain', actions: 'startDrain' },
                  },
                },
                drain: { on: { drained: '#role.leader.writability.WritablePrimary' } },
              },
            },
            WritablePrimary: { entry: 'becomeWritable' },
          },
        },
        stepDownAttempt: {
          initial: 'none',
          states: {
            none: {
              on: {
                stepDownAttempted: {
                  target: 'AttemptingStepDown',
                  actions: ['announceWritability', 'killConflictingOperations'],
                },
              },
            },
            AttemptingStepDown: { on: { stepDownAbandoned: { target: 'none', actions: 'announceWritability' } } },
          },
        },
      },
      on: {
        stepDown: {
          target: 'SteppingDown',
          actions: ['killConflictingOperations', { type: 'giveUpRole', params: ({ event: { why } }) => ({ why }) }],
        },
      },
    },
    // Certain, and so short that nobody but the operations that it kills ever sees it.
    SteppingDown: { on: { roleGivenUp: 'follower' } },
  },
});
