import { oneVotingChange } from '../../src/index.ts';
import { at, checkerTest, configInstalled, configOf, fetched, flushed, learned, wrote } from '../support.ts';

const names = ['n1', 'n2', 'n3'];
const first = configOf(1, 1, ...names);
const second = configOf(2, 1, ...names);
const firstEverywhere = names.map((name) => configInstalled(name, first));
/** The primary's first entry is on two disks, and the second config on two members. */
const settled = [
  ...firstEverywhere,
  wrote('n1', at(1, 1)),
  flushed('n1', at(1, 1)),
  fetched('n2', at(1, 1)),
  flushed('n2', at(1, 1)),
  configInstalled('n1', second),
  configInstalled('n2', second),
];

checkerTest(oneVotingChange, {
  holds: {
    'one voter more': [...settled, configInstalled('n1', configOf(3, 1, ...names, 'n4'))],
    'one voter less': [...settled, configInstalled('n1', configOf(3, 1, 'n1', 'n2'))],
    'at step-up nothing is asked': [...firstEverywhere, configInstalled('n1', configOf(1, 2, ...names))],
    'force asks for nothing': [...settled, configInstalled('n1', configOf(9, -1, 'n1'), true)],
    'who merely hears of it may jump': [
      ...settled,
      configInstalled('n1', configOf(3, 1, ...names, 'n4')),
      configInstalled('n3', configOf(3, 1, ...names, 'n4')),
    ],
    "under a set's first config nothing has to be committed": [...firstEverywhere, configInstalled('n1', second)],
  },
  fires: {
    'two voters at once': {
      events: [...settled, configInstalled('n1', configOf(3, 1, ...names, 'n4', 'n5'))],
      detail: 'n1 went from config version 2 of term 1 to version 3 of term 1, which changes 2 voters at once',
    },
    'one voter exchanged for another': {
      events: [...settled, configInstalled('n1', configOf(3, 1, 'n1', 'n2', 'n4'))],
      detail: 'n1 went from config version 2 of term 1 to version 3 of term 1, which changes 2 voters at once',
    },
    'a majority never had the former': {
      events: [...firstEverywhere, configInstalled('n1', second), configInstalled('n1', configOf(3, 1, ...names))],
      detail:
        "n1 went from config version 2 of term 1 to version 3 of term 1, though only 1 of the former's 3 voters ever had it",
    },
    "the term's first entry is on one disk only": {
      events: [
        ...firstEverywhere,
        wrote('n1', at(1, 1)),
        flushed('n1', at(1, 1)),
        configInstalled('n1', second),
        configInstalled('n2', second),
        configInstalled('n1', configOf(3, 1, ...names)),
      ],
      detail:
        'n1 went from config version 2 of term 1 to version 3 of term 1, though (1,1 t1) was not committed under the former',
    },
    'what was committed under the one before is not committed under the former': {
      events: [
        ...firstEverywhere,
        wrote('n1', at(1, 1), at(2, 1)),
        flushed('n1', at(2, 1)),
        fetched('n2', at(1, 1)),
        flushed('n2', at(1, 1)),
        learned('n1', at(2, 1)),
        configInstalled('n1', second),
        configInstalled('n2', second),
        configInstalled('n1', configOf(3, 1, ...names)),
      ],
      detail:
        'n1 went from config version 2 of term 1 to version 3 of term 1, though (2,1 t1) was not committed under the former',
    },
  },
});
