import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { everywhere, faultTextOf, instantsBefore } from '../../src/search/everywhere.ts';
import { tryOut } from '../../src/search/trial.ts';

test('an instant right before each at which something happens, once the steps have begun', () => {
  expect(instantsBefore([0, 5, 10, 12, 13], 9)).toEqual([11, 12]);
});

test('every instant, and of two faults every pair', () => {
  const [kill, heal] = [{ fault: { kill: 'n1' } }, { fault: { heal: 'all' } }];
  const one = everywhere([kill], [3, 7]);
  expect(Array.from({ length: one.count }, (_, i) => one.at(i))).toEqual([
    [{ atMicros: 3, fault: kill.fault }],
    [{ atMicros: 7, fault: kill.fault }],
  ]);
  const two = everywhere([kill, heal], [3, 7]);
  const pairs = Array.from({ length: two.count }, (_, i) => two.at(i).map(({ atMicros }) => atMicros));
  expect(pairs).toEqual([
    [3, 3],
    [3, 7],
    [7, 3],
    [7, 7],
  ]);
});

test('the same fault twice has each pair of instants once', () => {
  const kill = { fault: { kill: 'primary' } };
  const twice = everywhere([kill, { fault: { kill: 'primary' } }], [3, 7, 9]);
  const pairs = Array.from({ length: twice.count }, (_, i) => twice.at(i).map(({ atMicros }) => atMicros));
  expect(pairs).toEqual([
    [3, 3],
    [3, 7],
    [7, 7],
    [3, 9],
    [7, 9],
    [9, 9],
  ]);
  const many = everywhere(
    [kill, kill],
    Array.from({ length: 300 }, (_, i) => i),
  );
  const all = new Set(
    Array.from({ length: many.count }, (_, i) =>
      many
        .at(i)
        .map(({ atMicros }) => atMicros)
        .join(),
    ),
  );
  expect(all.size).toBe((300 * 301) / 2);
});

describe('a fault is written as', () => {
  test.for([
    ['kill primary', { kill: 'primary' }],
    ['  kill   n1 ', { kill: 'n1' }],
    ['kill: n1', { kill: 'n1' }],
    ['{ kill: n1 }', { kill: 'n1' }],
    ['partition [[n1], [n2, n3]]', { partition: [['n1'], ['n2', 'n3']] }],
    ['cut { from: n1, to: n2 }', { cut: { from: 'n1', to: 'n2' } }],
  ] as const)('%s', ([text, fault]) => {
    expect(faultTextOf(text)).toEqual({ fault });
  });

  test.for(['', 'kill', '[', '{ kill: n1, pause: n2 }', '{ [ }', '3'])('and not as %j', (text) => {
    expect(() => faultTextOf(text)).toThrow('no fault reads');
  });
});

/** How much of a run repeats the base run up to its fault, of its instants, averaged over all faults. */
async function repeated(scenario: string): Promise<string> {
  const file = fileURLToPath(new URL(`../../../../scenarios/${scenario}.yaml`, import.meta.url));
  const { instants = [], beganMicros } = await tryOut({ text: readFileSync(file, 'utf8'), wantsInstants: true });
  const first = instants.length - instantsBefore(instants, beganMicros).length;
  return `${(((first + instants.length - 1) / 2 / instants.length) * 100).toFixed(0)} %`;
}

test('the page says how much of each run is a repetition', async () => {
  const page = readFileSync(new URL('../../../../docs/explore.md', import.meta.url), 'utf8').replaceAll('\n', ' ');
  for (const scenario of ['election/failover-on-kill', 'oplog/unreplicated-write-is-rolled-back'])
    expect(page).toContain(
      `${await repeated(scenario)} ${scenario.startsWith('e') ? 'of the instants in' : 'in'} \`${scenario}\``,
    );
});
