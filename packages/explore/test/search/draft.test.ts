import { expect, test } from 'vitest';
import { Draft } from '../../src/search/draft.ts';
import { W1 } from './scenarios.ts';

test('faults stand above the steps, each on its line', () => {
  const faults = [
    { atMicros: 21_500_000, fault: { kill: 'n1' } },
    { atMicros: 30_000_001, fault: { partition: [['n1'], ['n2', 'n3']] } },
  ];
  const { text } = Draft.of(W1).add(faults);
  expect(text).toContain(
    'meanwhile:\n  - { at: 21.5s, kill: n1 }\n  - { at: 30.000001s, partition: [[n1], [n2, n3]] }\nsteps:\n',
  );
  expect(text.startsWith('# What one member acknowledged may be lost.\n')).toBe(true);
  expect(Draft.of(text).faults).toBe(2);
  expect(Draft.of(text).removeFaults(new Set([0, 1])).text).not.toContain('meanwhile');
});

test('lists on one line are not padded, whatever stands in texts', () => {
  const text =
    'name: "[ a ]" # [ b ]\nsteps:\n  - note: \'[ c ] ] [\'\n  - partition: [[n1], [n2]]\n  - { note: [] }\n';
  expect(Draft.of(text).text).toBe(text);
});

test('more faults join those that there are', () => {
  const one = Draft.of(W1).add([{ atMicros: 1, fault: { kill: 'n1' } }]);
  expect(one.add([{ atMicros: 2, fault: { kill: 'n2' } }]).faults).toBe(2);
});

test('a copy does not change what it was made of', () => {
  const draft = Draft.of(W1);
  const { text } = draft;
  draft.copy().removeSteps(0, 3).delete('begin').set(['replicaSet', 'members'], 1);
  expect(draft.text).toBe(text);
});

test('steps come before the one at an index', () => {
  const { text } = Draft.of(W1).insert(1, { advance: { to: '3s' } }, { kill: 'n1' });
  expect(text).toContain('  - note: clients write all the time\n  - advance: { to: 3s }\n  - kill: n1\n  - workload:');
});
