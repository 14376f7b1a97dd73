import { activeConfigsInOrder } from '../../src/index.ts';
import { checkerTest, configInstalled, configOf, started, termChanged } from '../support.ts';

const names = ['n1', 'n2', 'n3'];
const [first, second, raised] = [configOf(1, 1, ...names), configOf(2, 1, ...names), configOf(1, 2, ...names)];

checkerTest(activeConfigsInOrder, {
  holds: {
    'version by version and term by term': [
      ...names.map((name) => configInstalled(name, first)),
      configInstalled('n1', second),
      configInstalled('n2', second),
      ...names.map((name) => configInstalled(name, configOf(2, 2, ...names))),
    ],
    'a version that was never in force is passed over': [
      ...names.map((name) => configInstalled(name, first)),
      configInstalled('n1', second),
      configInstalled('n2', raised),
      configInstalled('n3', raised),
    ],
    'nor was a version that a voter took when it had voted in a later term': [
      ...names.map((name) => configInstalled(name, first)),
      configInstalled('n1', second),
      termChanged('n3', 1, 2),
      configInstalled('n3', second),
      configInstalled('n2', raised),
      configInstalled('n3', raised),
    ],
    'nor one that it took then and finds on its disk': [
      ...names.map((name) => configInstalled(name, first)),
      configInstalled('n1', second),
      started('n3', { hasReplSetConfig: true, term: 2 }),
      configInstalled('n3', second),
      configInstalled('n2', raised),
      configInstalled('n3', raised),
    ],
  },
  fires: {
    'a later term knows nothing of a version in force': {
      events: [
        ...names.map((name) => configInstalled(name, first)),
        configInstalled('n1', second),
        configInstalled('n2', second),
        configInstalled('n2', raised),
        configInstalled('n3', raised),
      ],
      detail: 'config version 1 of term 2 is in force, though version 2 of term 1 was',
    },
    'a restart in a later term does not undo what was taken in time': {
      events: [
        ...names.map((name) => configInstalled(name, first)),
        configInstalled('n3', second),
        started('n3', { hasReplSetConfig: true, term: 2 }),
        configInstalled('n3', second),
        configInstalled('n1', second),
        configInstalled('n2', raised),
        configInstalled('n3', raised),
      ],
      detail: 'config version 1 of term 2 is in force, though version 2 of term 1 was',
    },
  },
});
