import { beforeAll, expect, test } from 'vitest';
import { History } from '../../../src/core/history/history.ts';
import { type Round, roundsAt } from '../../../src/page/inspector/rounds.ts';
import { traceOf } from '../../core/lesson/traced.ts';

// Who asked for votes, and what was answered.

const history = new History();
beforeAll(async () => history.add(await traceOf('lessons/02-how-an-election-goes')));

const at = (atMicros: number) => roundsAt(history, history.at(atMicros).members, atMicros);
const told = ({ candidate, term, isDryRun, outcome, ballots }: Round) => [
  `${candidate} ${term} ${isDryRun ? 'dry' : 'real'} ${outcome ?? 'open'}`,
  ...ballots.map(({ member, granted, reason }) => `${member} ${granted ?? 'silent'}${reason && `: ${reason}`}`),
];

test('nobody has asked before the first election', () => {
  expect(at(0)).toEqual([]);
});

test('the newest round comes first, with the answers of those who can give one', () => {
  const [election, dryRun] = at(history.endMicros).map(told);
  expect([election, dryRun]).toMatchInlineSnapshot(`
    [
      [
        "n2 2 real won",
        "n1 silent",
        "n3 true",
      ],
      [
        "n2 1 dry won",
        "n1 silent",
        "n3 true",
      ],
    ]
  `);
});

test('a round is open as long as the answers are on their way', () => {
  const [election] = at(history.endMicros);
  const [open] = at(election!.atMicros);
  expect(told(open!)).toMatchInlineSnapshot(`
    [
      "n2 2 real open",
      "n1 silent",
      "n3 silent",
    ]
  `);
});
