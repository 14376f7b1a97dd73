import { expect, test } from 'vitest';
import { eachWay, type FaultDoor, sidesOf } from '../../src/faults/fault.ts';
import { membersMeant, type Roster, type Target, wordsOf } from '../../src/faults/targets.ts';

const rosterOf = (names: readonly string[]): Roster => ({
  names,
  all: () => names,
  primary: () => names[1],
  secondaries: () => names.filter((_, index) => index !== 1),
});

test.for<[target: Target, meant: string[]]>([
  ['n3', ['n3']],
  ['primary', ['n2']],
  ['secondaries', ['n1', 'n3']],
  ['any', ['n1']],
  [
    ['n3', 'all'],
    ['n3', 'n1', 'n2'],
  ],
  [
    ['secondaries', 'n1'],
    ['n1', 'n3'],
  ],
  ['n9', ['n9']],
])('%j means %j', ([target, meant]) => {
  expect(membersMeant(target, rosterOf(['n1', 'n2', 'n3']))).toEqual(meant);
});

test('nobody is meant by primary while there is none', () => {
  expect(membersMeant('primary', rosterOf(['n1']))).toEqual([]);
});

test('a member that is called as a word is meant by it', () => {
  expect(membersMeant(['all', 'any'], rosterOf(['n1', 'n2', 'all']))).toEqual(['all', 'n1']);
});

/** A door that writes down what it is told. */
function doorOf(names: readonly string[], takesOneSide = false): FaultDoor & { said: string[] } {
  const said: string[] = [];
  return {
    said,
    takesOneSide,
    members: (_, target) => membersMeant(target, rosterOf(names)),
    durationMs: () => 0,
    document: (_, given) => given,
    mistake: (at, message) => void said.push(`${at.join('.')}: ${message}`),
    nobody: (at, target) => void said.push(`${at.join('.')}: nobody is ${wordsOf(target).join()}`),
  };
}

test.for<[sides: Target[], groups: string[][], said?: string[]]>([
  [
    ['n1', ['n2', 'n3']],
    [['n1'], ['n2', 'n3']],
  ],
  [
    ['n2', 'all'],
    [['n2'], ['n1', 'n3']],
  ],
  [
    ['secondaries', 'n1'],
    [['n3'], ['n1']],
  ],
  [
    ['all', 'n2'],
    [['n1', 'n3'], ['n2']],
  ],
  [['all', 'secondaries'], [['n1', 'n2', 'n3'], []], ['1: nobody is secondaries']],
  [
    [
      ['n1', 'n2'],
      ['n3', 'n2'],
    ],
    [['n1', 'n2'], ['n3']],
    ['1.1: n2 is on two sides'],
  ],
  [['n1'], [['n1']], [': a partition has at least two sides: [[n1, n2], [n3]]']],
])('%j parts into %j', ([sides, groups, said = []]) => {
  const door = doorOf(['n1', 'n2', 'n3']);
  expect(sidesOf(sides, door)).toEqual(groups);
  expect(door.said).toEqual(said);
});

test('one side is enough where it stands for itself and the rest', () => {
  const door = doorOf(['n1', 'n2'], true);
  expect(sidesOf(['n1'], door)).toEqual([['n1']]);
  expect(door.said).toEqual([]);
});

test('ways lead from each to each, and never to oneself', () => {
  const ways = eachWay({ from: ['n1', 'n2'], to: 'all' }, doorOf(['n1', 'n2', 'n3']), (from, to) => `${from}>${to}`);
  expect(ways).toEqual(['n1>n2', 'n1>n3', 'n2>n1', 'n2>n3']);
});
