import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { initialTransition, type SnapshotFrom, transition } from 'xstate';
import { type RoleEvent, roleMachine } from '../../src/election/roleMachine.ts';

type Snapshot = SnapshotFrom<typeof roleMachine>;
interface Asked {
  readonly type: string;
  readonly params: { readonly term: number; readonly dryRun: boolean; readonly why: string };
}

const stand: RoleEvent = { type: 'stand', reason: 'electionTimeout', term: 3, skipDryRun: false };
const won: RoleEvent = { type: 'roundWon' };
const persisted: RoleEvent = { type: 'votePersisted' };
const lost: RoleEvent = { type: 'lost', why: 'too few votes' };
const behind: RoleEvent = { type: 'behind' };
const caughtUp: RoleEvent = { type: 'catchUpConcluded' };
const drained: RoleEvent = { type: 'drained' };
const attempt: RoleEvent = { type: 'stepDownAttempted' };
const abandon: RoleEvent = { type: 'stepDownAbandoned' };
const stepDown: RoleEvent = { type: 'stepDown', why: 'it was asked to' };
const givenUp: RoleEvent = { type: 'roleGivenUp' };

const elected = [stand, won, persisted, won];
const writable = [...elected, caughtUp, drained];

function step(before: Snapshot, event: RoleEvent): [after: Snapshot, asked: Asked[]] {
  const [after, actions] = transition(roleMachine, before, event);
  return [after, actions as unknown as Asked[]];
}

/** Runs events from the beginning; gives back where the machine ended and what it asked for on the way. */
function play(...events: RoleEvent[]) {
  let snapshot = initialTransition(roleMachine)[0];
  const asked: Asked[] = [];
  for (const event of events) {
    const [next, more] = step(snapshot, event);
    snapshot = next;
    asked.push(...more);
  }
  const types = asked.map(({ type }) => type);
  return { snapshot, value: snapshot.value, term: snapshot.context.term, asked, types, accepts: accepts(snapshot) };
}

/** As `Elections` reads it. */
function accepts(snapshot: Snapshot): boolean {
  return (
    snapshot.matches({ leader: { writability: 'WritablePrimary' } }) &&
    !snapshot.matches({ leader: { stepDownAttempt: 'AttemptingStepDown' } })
  );
}

describe('standing', () => {
  test('a dry run asks in the term already held; only winning it raises the term', () => {
    const dryRun = play(stand);
    expect(dryRun.value).toEqual({ candidate: 'dryRun' });
    expect(dryRun.asked).toMatchObject([{ type: 'requestVotes', params: { term: 3, dryRun: true } }]);
    const voting = play(stand, won);
    expect(voting.value).toEqual({ candidate: { voting: 'persisting' } });
    expect(voting.asked.at(-1)).toMatchObject({ type: 'voteForSelf', params: { term: 4 } });
  });

  test('a lost dry run leaves the term alone', () => {
    const { value, term, asked } = play(stand, lost);
    expect([value, term]).toEqual(['follower', 3]);
    expect(asked.at(-1)).toMatchObject({ type: 'announceLoss', params: { term: 3, dryRun: true } });
  });

  test('nobody is asked before the own vote is on disk', () => {
    expect(play(stand, won, won).types).toEqual(['requestVotes', 'voteForSelf']);
    const asking = play(stand, won, persisted);
    expect(asking.asked.at(-1)).toMatchObject({ type: 'requestVotes', params: { term: 4, dryRun: false } });
  });

  test('a hand-off skips the dry run', () => {
    const { value, types, term } = play({ ...stand, skipDryRun: true });
    expect([value, types, term]).toEqual([{ candidate: { voting: 'persisting' } }, ['voteForSelf'], 4]);
  });

  test('a lost election keeps its term: it is never run for again', () => {
    expect(play(stand, won, persisted, lost, stand).value).toBe('follower');
    expect(play(stand, won, persisted, lost, { ...stand, term: 4 }).value).toEqual({ candidate: 'dryRun' });
  });
});

describe('leading', () => {
  test('the way to writability: heard of everybody, fetched, drained', () => {
    const catchUp = (value: string) => ({ writability: { LeaderElect: { catchUp: value } }, stepDownAttempt: 'none' });
    expect(play(...elected).value).toEqual({ leader: catchUp('hearing') });
    expect(play(...elected, behind).value).toEqual({ leader: catchUp('fetching') });
    expect(play(...elected, behind, behind, caughtUp).types.slice(-3)).toEqual([
      'takeOffice',
      'countCatchUp',
      'startDrain',
    ]);
    expect(play(...elected, caughtUp).types.slice(-2)).toEqual(['takeOffice', 'startDrain']);
    expect(play(...writable)).toMatchObject({ accepts: true, term: 4 });
  });

  test.for([
    { name: 'catching up', before: elected, go: [caughtUp, drained] },
    { name: 'draining', before: [...elected, caughtUp], go: [drained] },
    { name: 'writable', before: writable, go: [] },
  ])('an attempt to step down while $name goes back to the mode before, or to the one reached meanwhile', (c) => {
    const back = play(...c.before, attempt, abandon);
    expect(back.value).toEqual(play(...c.before).value);
    const attempting = play(...c.before, attempt, ...c.go);
    expect(attempting.accepts).toBe(false);
    expect(step(attempting.snapshot, abandon)[0].value).toEqual(play(...writable).value);
    expect(play(...c.before, attempt, stepDown, givenUp).value).toBe('follower');
  });

  test('writes are killed when the attempt begins, and allowed again without a second first entry', () => {
    const failed = play(...writable, attempt, abandon);
    expect(failed.types.slice(-3)).toEqual(['announceWritability', 'killConflictingOperations', 'announceWritability']);
    expect(failed.types.filter((type) => type === 'becomeWritable')).toHaveLength(1);
  });

  test('a certain step-down kills, then gives the role up, and is still PRIMARY in between', () => {
    const down = play(...writable, stepDown);
    expect([down.value, down.types.slice(-2)]).toEqual(['SteppingDown', ['killConflictingOperations', 'giveUpRole']]);
    expect(step(down.snapshot, givenUp)[0].value).toBe('follower');
  });
});

const anyEvent: fc.Arbitrary<RoleEvent> = fc.oneof(
  fc.record({
    type: fc.constant('stand' as const),
    reason: fc.constant('electionTimeout' as const),
    term: fc.nat(6),
    skipDryRun: fc.boolean(),
  }),
  fc.constantFrom(won, persisted, lost, behind, caughtUp, drained, attempt, abandon, stepDown, givenUp),
);

/** Sequences that get far more often than blind chance would. */
const anyHistory = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: anyEvent.map((event) => [event]) },
      { weight: 1, arbitrary: fc.constantFrom(elected, writable) },
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.flat());

describe('whatever happens', () => {
  test('no term is won twice, nor without the own vote on disk', () => {
    fc.assert(
      fc.property(anyHistory, (events) => {
        let snapshot = initialTransition(roleMachine)[0];
        let lastWon = 0;
        let stored = 0;
        for (const event of events) {
          if (event.type === 'votePersisted' && snapshot.matches({ candidate: { voting: 'persisting' } }))
            stored = snapshot.context.term;
          const [next, asked] = step(snapshot, event);
          for (const { type, params } of asked) {
            if (type === 'requestVotes' && !params.dryRun) expect(stored).toBe(params.term);
            if (type !== 'takeOffice') continue;
            expect(params.term).toBeGreaterThan(lastWon);
            expect(stored).toBe(params.term);
            lastWon = params.term;
          }
          snapshot = next;
        }
      }),
    );
  });

  test('writes are accepted only after a drain in this very term, and never during an attempt to step down', () => {
    fc.assert(
      fc.property(anyHistory, (events) => {
        let snapshot = initialTransition(roleMachine)[0];
        let drainedIn = -1;
        for (const event of events) {
          const wasDraining = snapshot.matches({ leader: { writability: { LeaderElect: 'drain' } } });
          if (event.type === 'drained' && wasDraining) drainedIn = snapshot.context.term;
          [snapshot] = step(snapshot, event);
          if (!accepts(snapshot)) continue;
          expect(drainedIn).toBe(snapshot.context.term);
          expect(snapshot.matches({ leader: { stepDownAttempt: 'none' } })).toBe(true);
        }
      }),
    );
  });
});
