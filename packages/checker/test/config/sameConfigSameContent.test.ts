import { sameConfigSameContent } from '../../src/index.ts';
import { checkerTest, config, configInstalled } from '../support.ts';

const members = config().members;
const changed = (fields: object) => members.map((member, i) => (i === 2 ? { ...member, ...fields } : member));

checkerTest(sameConfigSameContent, {
  holds: {
    'equal, and the very same': [
      configInstalled('n1', config()),
      configInstalled('n2', config()),
      ...['n1', 'n2'].map((member) => configInstalled(member, config({ version: 2 }))),
    ],
    'another version or term': [
      configInstalled('n1', config()),
      configInstalled('n1', config({ version: 2, members: changed({ priority: 0 }) })),
      configInstalled('n1', config({ term: 2, members: changed({ votes: 0 }) })),
    ],
    'two sets that were initiated apart': [
      configInstalled('n1', config()),
      configInstalled('n2', config({ members: [], settings: { ...config().settings, replicaSetId: 'another' } })),
    ],
  },
  fires: {
    'a field differs': {
      events: [configInstalled('n1', config()), configInstalled('n2', config({ members: changed({ priority: 0 }) }))],
      detail: 'config version 1 of term 1 differs between n1 and n2: members[2].priority is 1 and 0',
    },
    'a member is missing': {
      events: [configInstalled('n1', config()), configInstalled('n2', config({ members: members.slice(0, 2) }))],
      detail: `config version 1 of term 1 differs between n1 and n2: members[2] is ${JSON.stringify(members[2])} and undefined`,
    },
    'a tag is there only once': {
      events: [
        configInstalled('n1', config()),
        configInstalled('n2', config({ members: changed({ tags: { dc: 'x' } }) })),
      ],
      detail: 'config version 1 of term 1 differs between n1 and n2: members[2].tags.dc is undefined and "x"',
    },
    'on one member at two times': {
      events: [
        configInstalled('n1', config()),
        configInstalled('n1', config({ settings: { ...config().settings, chainingAllowed: false } })),
      ],
      detail: 'config version 1 of term 1 differs between n1 and n1: settings.chainingAllowed is true and false',
    },
  },
});
