import { electableMemberExists } from '../../src/index.ts';
import { checkerTest, config, configInstalled } from '../support.ts';

const passive = config({ version: 2, members: config().members.map((member) => ({ ...member, priority: 0 })) });

checkerTest(electableMemberExists, {
  holds: {
    'somebody may be elected': [configInstalled('n1', config()), configInstalled('n2', config())],
    'not in force yet': [configInstalled('n1', passive)],
  },
  fires: {
    'all have priority 0': {
      events: [configInstalled('n1', passive), configInstalled('n2', passive)],
      detail: 'config version 2 of term 1 is in force, and none of its voters may become primary',
    },
  },
});
