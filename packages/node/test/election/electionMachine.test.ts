import fc from 'fast-check';
import { expect, test } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { type ElectionEvent, electionMachine } from '../../src/election/electionMachine.ts';

const stand: ElectionEvent = {
  type: 'stand',
  reason: 'electionTimeout',
  term: 3,
  ownVotes: 1,
  votesNeeded: 2,
  skipDryRun: false,
};
const yes: ElectionEvent = { type: 'voteGranted' };
const persisted: ElectionEvent = { type: 'votePersisted' };
const lost: ElectionEvent = { type: 'lost', why: 'too few votes' };

/** Runs events from the beginning; gives back where the machine ended and what it asked for on the way. */
function play(...events: ElectionEvent[]) {
  let snapshot = initialTransition(electionMachine)[0];
  const asked: { type: string; params: unknown }[] = [];
  for (const event of events) {
    const [next, actions] = transition(electionMachine, snapshot, event);
    snapshot = next;
    asked.push(...(actions as unknown as { type: string; params: unknown }[]));
  }
  return { value: snapshot.value, context: snapshot.context, asked, types: asked.map(({ type }) => type) };
}

test('a dry run asks in the term already held; only winning it raises the term', () => {
  const dryRun = play(stand);
  expect(dryRun.value).toBe('dryRun');
  expect(dryRun.asked).toMatchObject([{ type: 'requestVotes', params: { term: 3, dryRun: true } }]);
  const won = play(stand, yes);
  expect(won.value).toEqual({ candidate: 'persisting' });
  expect(won.asked.at(-1)).toMatchObject({ type: 'voteForSelf', params: { term: 4 } });
});

test('a lost dry run leaves the term alone', () => {
  const { value, context, asked } = play(stand, lost);
  expect(value).toBe('follower');
  expect(context.term).toBe(3);
  expect(asked.at(-1)).toMatchObject({ type: 'electionLost', params: { term: 3, dryRun: true } });
});

test('nobody is asked before the own vote is on disk', () => {
  expect(play(stand, yes, yes).types).toEqual(['requestVotes', 'voteForSelf']);
  expect(play(stand, yes, persisted).asked.at(-1)).toMatchObject({
    type: 'requestVotes',
    params: { term: 4, dryRun: false },
  });
});

test('a majority wins, and leads without writing', () => {
  const { value, asked } = play(stand, yes, persisted, yes);
  expect(value).toEqual({ leader: 'catchUp' });
  expect(asked.at(-1)).toMatchObject({ type: 'electionWon', params: { term: 4, votes: 2 } });
});

test('catch-up, drain, writes', () => {
  const elected = [stand, yes, persisted, yes];
  expect(play(...elected, { type: 'caughtUp', why: 'Succeeded' }).value).toEqual({ leader: 'drain' });
  const writable = play(...elected, { type: 'caughtUp', why: 'Succeeded' }, { type: 'drained' });
  expect(writable.value).toEqual({ leader: 'writable' });
  expect(writable.types.slice(-2)).toEqual(['enterDrain', 'becomeWritable']);
});

test('a set of one needs nobody', () => {
  const alone = { ...stand, votesNeeded: 1 };
  expect(play(alone).value).toEqual({ candidate: 'persisting' });
  expect(play(alone, persisted).value).toEqual({ leader: 'catchUp' });
});

test('a hand-off skips the dry run', () => {
  const { value, types } = play({ ...stand, skipDryRun: true });
  expect(value).toEqual({ candidate: 'persisting' });
  expect(types).toEqual(['voteForSelf']);
});

test('an attempted step-down stops writes; a failed one allows them again without a new first entry', () => {
  const primary: ElectionEvent[] = [stand, yes, persisted, yes, { type: 'caughtUp', why: '' }, { type: 'drained' }];
  expect(play(...primary, { type: 'stepDownAttempt' }).types.at(-1)).toBe('stopWrites');
  const failed = play(...primary, { type: 'stepDownAttempt' }, { type: 'stepDownFailed' });
  expect(failed.types.at(-1)).toBe('allowWrites');
  expect(failed.types.filter((type) => type === 'becomeWritable')).toHaveLength(1);
  expect(play(...primary, { type: 'stepDownAttempt' }, { type: 'stepDown', why: 'x' }).value).toBe('follower');
});

const anyEvent: fc.Arbitrary<ElectionEvent> = fc.oneof(
  fc.record({
    type: fc.constant('stand' as const),
    reason: fc.constant('electionTimeout' as const),
    term: fc.nat(5),
    ownVotes: fc.constantFrom(0, 1),
    votesNeeded: fc.integer({ min: 1, max: 4 }),
    skipDryRun: fc.boolean(),
  }),
  fc.constantFrom<ElectionEvent>(
    yes,
    persisted,
    lost,
    { type: 'caughtUp', why: '' },
    { type: 'drained' },
    { type: 'stepDownAttempt' },
    { type: 'stepDownFailed' },
    { type: 'stepDown', why: '' },
  ),
);

test('whatever happens: no win without enough votes, no votes asked in earnest before the own one is stored', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      let snapshot = initialTransition(electionMachine)[0];
      let stored = false;
      for (const event of events) {
        const before = snapshot;
        const [next, actions] = transition(electionMachine, snapshot, event);
        snapshot = next;
        for (const action of actions as unknown as { type: string; params: { votes: number; dryRun: boolean } }[]) {
          if (action.type === 'voteForSelf') stored = false;
          if (action.type === 'electionWon') {
            expect(action.params.votes).toBeGreaterThanOrEqual(before.context.votesNeeded);
          }
          if (action.type === 'requestVotes' && !action.params.dryRun)
            expect(stored || event.type === 'votePersisted').toBe(true);
        }
        if (event.type === 'votePersisted') stored = true;
      }
    }),
  );
});
