import { configMonotonic } from '../../src/index.ts';
import { checkerTest, config, configInstalled, started } from '../support.ts';

const installed = (member: string, version: number, term: number) =>
  configInstalled(member, config({ version, term }), term === -1);

checkerTest(configMonotonic, {
  holds: {
    'versions and terms grow': [
      installed('n1', 1, 0),
      installed('n1', 1, 1),
      installed('n1', 2, 1),
      installed('n1', 2, 2),
    ],
    'a newer term may have a lower version': [installed('n1', 5, 1), installed('n1', 4, 2)],
    'a forced one jumps, and the next term follows it': [
      installed('n1', 2, 3),
      installed('n1', 20_002, -1),
      installed('n1', 20_003, 3),
    ],
    'a restart installs it again': [installed('n1', 2, 1), started('n1'), installed('n1', 2, 1)],
    'an emptied disk begins anew': [
      installed('n1', 2, 1),
      started('n1', { hasReplSetConfig: false }),
      installed('n1', 1, 0),
    ],
    'another member is behind': [installed('n1', 2, 1), installed('n2', 1, 1)],
  },
  fires: {
    'a lower version': {
      events: [installed('n1', 3, 1), installed('n1', 2, 1)],
      detail: 'n1 went back from config version 3 of term 1 to version 2 of term 1',
    },
    'a lower term, though the version is higher': {
      events: [installed('n1', 3, 2), installed('n1', 4, 1)],
      detail: 'n1 went back from config version 3 of term 2 to version 4 of term 1',
    },
    'a lower version than was forced': {
      events: [installed('n1', 20_000, -1), installed('n1', 3, 9)],
      detail: 'n1 went back from config version 20000 (forced) to version 3 of term 9',
    },
    'over a restart': {
      events: [installed('n1', 3, 1), started('n1'), installed('n1', 2, 1)],
      detail: 'n1 went back from config version 3 of term 1 to version 2 of term 1',
    },
  },
});
