import { withNewlyAdded, withoutNewlyAdded } from '@replsim/pipeline';
import { expect, test } from 'vitest';
import { memberOf, set } from './support.ts';

/** Which members of a config are newly added. */
const marked = (config: ReturnType<typeof set>) =>
  config.members.filter(({ newlyAdded }) => newlyAdded).map(({ _id }) => _id);

test.for<[what: string, before: string, after: string, marked: number[]]>([
  ['a new voter is', 'PS', 'PSS', [2]],
  ['a new voter without priority is', 'PS', 'PSh', [2]],
  ['a new member without a vote is not', 'PS', 'PSn', []],
  ['a new arbiter is not', 'PS', 'PSA', []],
  ['a known member that gets a vote is not', 'PSn', 'PSS', []],
  ['one that was, still is', 'PSw', 'PSS', [2]],
  ['one that was, still is without a vote', 'PSw', 'PSn', [2]],
  ['two at once are', 'P', 'PSS', [1, 2]],
])('%s', ([, before, after, expected]) => {
  expect(marked(withNewlyAdded(set(before), set(after)))).toEqual(expected);
});

test('until the mark is gone, votes and priority count as 0', () => {
  const config = withNewlyAdded(set('PS'), set('PSS', 2));
  expect(memberOf(config, 2)).toMatchObject({ priority: 0, votes: 0, newlyAdded: { priority: 1, votes: 1 } });
  const without = withoutNewlyAdded(config, 2);
  expect(without).toEqual(set('PSS', 3));
});

test('a mark is taken from one member at a time', () => {
  const config = set('Pww');
  expect(marked(withoutNewlyAdded(config, 1))).toEqual([2]);
});
