import { activeConfigsOverlap } from '../../src/index.ts';
import { checkerTest, configInstalled, configOf, started } from '../support.ts';

const of = (version: number, ...names: string[]) => configOf(version, 1, ...names);
const three = of(1, 'n1', 'n2', 'n3');
const inForce = ['n1', 'n2', 'n3'].map((name) => configInstalled(name, three));

checkerTest(activeConfigsOverlap, {
  holds: {
    'one voter more, one voter less': [
      ...inForce,
      ...['n1', 'n2', 'n4'].map((name) => configInstalled(name, of(2, 'n1', 'n2', 'n3', 'n4'))),
      ...['n1', 'n2'].map((name) => configInstalled(name, of(3, 'n1', 'n2', 'n4'))),
    ],
    'a config without a majority is not in force': [...inForce, configInstalled('n1', of(2, 'n1', 'n4', 'n5'))],
    'an emptied disk has no config': [
      ...inForce,
      started('n2', { hasReplSetConfig: false }),
      started('n3', { hasReplSetConfig: false }),
      configInstalled('n4', of(2, 'n4')),
    ],
    'after a forced reconfig nothing is promised': [...inForce, configInstalled('n4', configOf(9, -1, 'n4'), true)],
  },
  fires: {
    'two sets of one': {
      events: [...inForce, configInstalled('n4', of(2, 'n4'))],
      detail:
        'configs version 1 of term 1 and version 2 of term 1 are both in force, by majorities that share no voter',
    },
    'two voters more at once': {
      events: [
        ...inForce,
        configInstalled('n1', of(2, 'n1', 'n2', 'n3', 'n4', 'n5')),
        configInstalled('n4', of(2, 'n1', 'n2', 'n3', 'n4', 'n5')),
        configInstalled('n5', of(2, 'n1', 'n2', 'n3', 'n4', 'n5')),
      ],
      detail:
        'configs version 2 of term 1 and version 1 of term 1 are both in force, by majorities that share no voter',
    },
  },
});
