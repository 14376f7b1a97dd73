import { describe, expect, test } from 'vitest';
import { leavesPrimaryBehind } from '../../src/doors/faultCommand.ts';
import type { Peopled } from '../../src/doors/targets.ts';

describe('after which faults another primary is waited for, n1 being primary of five', () => {
  const names = ['n1', 'n2', 'n3', 'n4', 'n5'];
  const set = { memberNames: names, status: () => ({ running: true }) };
  const five = { set, primary: 'n1' } as unknown as Peopled;

  test.for<[fault: unknown, leaves: boolean]>([
    [{ pause: 'primary' }, true],
    [{ pause: ['n2', 'n1'] }, true],
    [{ pause: 'all' }, true],
    [{ pause: 'secondaries' }, false],
    [
      {
        partition: [
          ['n1', 'n2'],
          ['n3', 'n4', 'n5'],
        ],
      },
      true,
    ],
    // Those that are not named are a side of their own.
    [{ partition: [['n1', 'n2']] }, true],
    [{ partition: [['n4', 'n5']] }, false],
    [{ partition: [['n2', 'n3', 'n4']] }, true],
    [
      {
        partition: [
          ['primary', 'n2', 'n3'],
          ['n4', 'n5'],
        ],
      },
      false,
    ],
    [{ partition: ['primary', 'secondaries'] }, true],
    [{ cut: { from: 'primary', to: 'secondaries' } }, true],
    [{ cut: { from: ['n2', 'n3', 'n4'], to: 'n1' } }, true],
    [{ cut: { from: 'n1', to: ['n2', 'n3'] } }, false],
    [{ cut: { from: 'n2', to: 'n3' } }, false],
    // These end it, or do it no harm: whoever is primary then is right.
    [{ kill: 'primary' }, false],
    [{ clock: { on: 'primary', jump: '5s' } }, false],
    [{ heal: 'all' }, false],
    // What is wrong is said when it is done.
    [{ pause: 'n9' }, false],
    [{ partition: 7 }, false],
    [{ cut: null }, false],
    ['kill', false],
    [null, false],
  ])('%j: %j', ([fault, leaves]) => {
    expect(leavesPrimaryBehind(five, fault)).toBe(leaves);
  });

  test('half of the members are no majority', () => {
    const four = { set: { ...set, memberNames: names.slice(0, 4) }, primary: 'n1' } as unknown as Peopled;
    expect(leavesPrimaryBehind(four, { partition: [['n1', 'n2']] })).toBe(true);
    expect(leavesPrimaryBehind(four, { partition: [['n1', 'n2', 'n3']] })).toBe(false);
  });

  test('where there is none, any is another', () => {
    expect(leavesPrimaryBehind({ ...five, primary: undefined }, { pause: 'primary' })).toBe(false);
  });
});
