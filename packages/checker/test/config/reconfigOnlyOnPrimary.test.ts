import { reconfigOnlyOnPrimary } from '../../src/index.ts';
import { accepts, checkerTest, configInstalled, configOf, started, steppedDown, won } from '../support.ts';

const names = ['n1', 'n2', 'n3'];
const first = configOf(1, 0, ...names);
const everywhere = names.map((name) => configInstalled(name, first));
const raised = configOf(1, 1, ...names);
const leading = [...everywhere, won('n1', 1), configInstalled('n1', raised), accepts('n1', true, 1)];

checkerTest(reconfigOnlyOnPrimary, {
  holds: {
    'at step-up, and then a new version': [...leading, configInstalled('n1', configOf(2, 1, ...names))],
    'others take it over': [...leading, configInstalled('n2', raised)],
    'deposed while it went to disk': [
      ...leading,
      steppedDown('n1', 1),
      accepts('n1', false, 1),
      configInstalled('n1', configOf(2, 1, ...names)),
    ],
    'by force anywhere': [...everywhere, configInstalled('n2', configOf(9, -1, ...names), true)],
    'what a predecessor stored': [...everywhere, started('n2'), configInstalled('n2', configOf(2, 0, ...names))],
  },
  fires: {
    'by a secondary': {
      events: [...leading, configInstalled('n2', raised), configInstalled('n2', configOf(2, 1, ...names))],
      detail: 'n2 made config version 2 of term 1, though it accepted no writes in that term',
    },
    'before it accepts writes': {
      events: [
        ...everywhere,
        won('n1', 1),
        configInstalled('n1', raised),
        configInstalled('n1', configOf(2, 1, ...names)),
      ],
      detail: 'n1 made config version 2 of term 1, though it accepted no writes in that term',
    },
    'raised by who was not elected': {
      events: [...everywhere, configInstalled('n2', raised)],
      detail: 'n2 made config version 1 of term 1, though it did not win that term',
    },
  },
});
