import { topologyVersionRises } from '../../src/index.ts';
import { accepts, at, checkerTest, later, learned, raised, started, stateChanged } from '../support.ts';

const elected = stateChanged('n1', 'SECONDARY', 'PRIMARY', 1);
const tick = later(200, learned('n1', at(1, 1)));

checkerTest(topologyVersionRises, {
  holds: {
    'before the change or after it': [
      later(100, raised('n1', 1)),
      later(100, elected),
      later(150, accepts('n1', true, 1)),
      later(150, raised('n1', 2)),
      tick,
    ],
    'accepting no writes, as before, changes nothing': [later(100, accepts('n1', false, 1)), tick],
    'a process begins anew': [later(100, raised('n1', 7)), started('n1'), later(200, raised('n1', 1))],
    'a process that ended owes nothing': [later(100, elected), started('n1'), tick],
  },
  fires: {
    'the state changed': {
      events: [later(50, raised('n1', 3)), later(100, elected), tick],
      detail: 'n1 went from SECONDARY to PRIMARY, and its topologyVersion stayed at 3',
    },
    'writes are accepted': {
      events: [later(50, raised('n1', 3)), later(100, accepts('n1', true, 1)), later(200, accepts('n1', true, 1))],
      detail: 'n1 began to accept writes, and its topologyVersion stayed at 3',
    },
    'one change after another': {
      events: [
        later(50, raised('n1', 3)),
        later(100, elected),
        later(200, stateChanged('n1', 'PRIMARY', 'SECONDARY', 2)),
      ],
      detail: 'n1 went from SECONDARY to PRIMARY, and its topologyVersion stayed at 3',
    },
    'a raise comes too late': {
      events: [later(50, raised('n1', 3)), later(100, elected), later(200, raised('n1', 4))],
      detail: 'n1 went from SECONDARY to PRIMARY, and its topologyVersion stayed at 3',
    },
    'it falls': {
      events: [later(50, raised('n1', 3)), later(60, raised('n1', 3))],
      detail: "n1's topologyVersion went from 3 to 3",
    },
  },
});
