import { CommandError } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { moved, Participant, TRANSITIONS, type TxnState } from '../src/index.ts';

/** A participant that has come to number 5, and how often it has let go of data. */
function participantIn(state: TxnState) {
  let aborted = 0;
  const participant = new Participant('s', () => {
    aborted += 1;
  });
  if (state === 'ExecutedRetryableWrite') participant.refresh({ txnNumber: 5n });
  else if (state === 'AbortedWithPrepare') participant.refresh({ txnNumber: 5n, state: 'aborted' });
  else if (state === 'None') participant.beginRetryableWrite(5n);
  else participant.start(5n);
  if (state === 'Committed') participant.committed();
  if (state === 'AbortedWithoutPrepare') participant.abort();
  expect(participant.state).toBe(state);
  const before = aborted;
  return { participant, aborted: () => aborted - before };
}

function codeOf(work: () => void): number {
  try {
    work();
    return 0;
  } catch (error) {
    if (error instanceof CommandError) return error.code;
    throw error;
  }
}

const states = Object.keys(TRANSITIONS) as TxnState[];

describe.for(states)('in %s', (state) => {
  const isTransaction = !['None', 'ExecutedRetryableWrite'].includes(state);

  test('a lower number is too old, whatever it is for', () => {
    for (const ask of [
      (p: Participant) => p.start(4n),
      (p: Participant) => p.continueWith(4n, true),
      (p: Participant) => p.beginRetryableWrite(4n),
    ]) {
      const { participant, aborted } = participantIn(state);
      expect(codeOf(() => ask(participant))).toBe(225);
      expect(participant.state).toBe(state);
      expect(aborted()).toBe(0);
    }
  });

  test('the same number begins no transaction again', () => {
    const { participant, aborted } = participantIn(state);
    expect(codeOf(() => participant.start(5n))).toBe(117);
    expect(participant.state).toBe(state);
    expect(aborted()).toBe(0);
  });

  test('the same number goes on with a transaction, and with nothing else', () => {
    const { participant } = participantIn(state);
    expect(codeOf(() => participant.continueWith(5n, true))).toBe(isTransaction ? 0 : 251);
    expect(participant.state).toBe(state);
  });

  test('the same number is a retryable write only where it was none of a transaction', () => {
    const { participant } = participantIn(state);
    expect(codeOf(() => participant.beginRetryableWrite(5n))).toBe(isTransaction ? 217 : 0);
    expect(participant.state).toBe(state);
  });

  test('a higher number begins, and gives up what is open', () => {
    for (const begin of [(p: Participant) => p.start(6n), (p: Participant) => p.beginRetryableWrite(6n)]) {
      const { participant, aborted } = participantIn(state);
      begin(participant);
      expect(participant.txnNumber).toBe(6n);
      expect(aborted()).toBe(state === 'InProgress' ? 1 : 0);
    }
    const { participant } = participantIn(state);
    expect(codeOf(() => participant.continueWith(6n, true))).toBe(251);
    expect(participant.state).toBe(state);
  });

  test('what may run', () => {
    const { participant } = participantIn(state);
    const codes = (['commit', 'abort', 'other'] as const).map((kind) => codeOf(() => participant.checkRunnable(kind)));
    const expected = {
      Committed: [0, 256, 256],
      AbortedWithoutPrepare: [251, 251, 251],
      AbortedWithPrepare: [251, 251, 251],
    } as const;
    expect(codes).toEqual(expected[state as keyof typeof expected] ?? [0, 0, 0]);
  });

  test.for(states)('to %s', (to) => {
    if (TRANSITIONS[state].includes(to)) expect(moved(state, to)).toBe(to);
    else expect(() => moved(state, to)).toThrow();
  });
});

test('one whose first statement has left nothing is given up when the second comes', () => {
  const { participant, aborted } = participantIn('InProgress');
  expect(codeOf(() => participant.continueWith(5n, false))).toBe(251);
  expect(participant.state).toBe('AbortedWithoutPrepare');
  expect(aborted()).toBe(1);
});

test('rows of the data count where they are ahead', () => {
  const { participant, aborted } = participantIn('InProgress');
  participant.refresh({ txnNumber: 5n, state: 'committed' });
  participant.refresh(undefined);
  expect(participant.state).toBe('InProgress');
  participant.refresh({ txnNumber: 7n, state: 'committed' });
  expect([participant.txnNumber, participant.state, aborted()]).toEqual([7n, 'Committed', 1]);
});

test('after an election it knows nothing but what the data say', () => {
  const { participant, aborted } = participantIn('InProgress');
  participant.invalidate();
  expect([participant.txnNumber, participant.state, aborted()]).toEqual([-1n, 'None', 1]);
});

test('what is settled stays settled', () => {
  const settled = ['Committed', 'AbortedWithPrepare', 'ExecutedRetryableWrite'] as const;
  for (const state of settled) for (const to of states) if (to !== 'None') expect(() => moved(state, to)).toThrow();
});
