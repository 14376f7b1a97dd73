import { writesOnlyWhenAccepting } from '../../src/index.ts';
import {
  abort,
  accepts,
  at,
  checkerTest,
  fetched,
  newPrimary,
  noop,
  started,
  steppedDown,
  won,
  wrote,
  wroteClosed,
} from '../support.ts';

const initiating = noop(at(0, -1), 'initiating set');
const primary = [
  started('n1', { hasReplSetConfig: false }),
  wroteClosed('n1', initiating),
  won('n1', 1),
  wroteClosed('n1', newPrimary(at(1, 1))),
  accepts('n1', true, 1),
];

checkerTest(writesOnlyWhenAccepting, {
  holds: {
    'the whole way': [
      ...primary,
      wrote('n1', at(2, 1), at(3, 1)),
      accepts('n1', false, 1),
      steppedDown('n1', 1),
      fetched('n1', at(4, 2)),
      won('n1', 3),
      wrote('n1', newPrimary(at(5, 3))),
      accepts('n1', true, 3),
      wrote('n1', at(6, 3)),
    ],
    'transactions without their end are given up before the no-op': [
      ...primary,
      won('n1', 2),
      wroteClosed('n1', abort(at(2, 2)), abort(at(3, 2))),
      wroteClosed('n1', newPrimary(at(4, 2))),
    ],
    'a step-down that is tried and fails': [
      ...primary,
      accepts('n1', false, 1),
      accepts('n1', true, 1),
      wrote('n1', at(2, 1)),
    ],
    'what comes from others needs nothing': [fetched('n2', initiating, at(1, 1))],
  },
  fires: {
    'a secondary writes': {
      events: [started('n2'), wrote('n2', at(2, 1))],
      detail: 'n2 wrote (2,1 t1) (i app.things) without a mandate: it won no term, or lost it',
    },
    'a write by its own word not accepted': {
      events: [...primary, wroteClosed('n1', at(2, 1))],
      detail: 'n1 wrote (2,1 t1) (i app.things) while it did not accept writes',
    },
    'a write in catch-up': {
      events: [won('n1', 1), wroteClosed('n1', at(2, 1))],
      detail: 'n1 wrote (2,1 t1) (i app.things) while it did not accept writes',
    },
    'a transaction is given up behind the no-op': {
      events: [won('n1', 1), wroteClosed('n1', newPrimary(at(1, 1))), wroteClosed('n1', abort(at(2, 1)))],
      detail: 'n1 wrote (2,1 t1) (c admin.$cmd) while it did not accept writes',
    },
    'a second no-op before it accepts writes': {
      events: [
        won('n1', 1),
        wroteClosed('n1', newPrimary(at(1, 1))),
        wroteClosed('n1', noop(at(2, 1), 'periodic noop')),
      ],
      detail: 'n1 wrote (2,1 t1) (n) while it did not accept writes',
    },
    'a write that says it was accepted, before the member accepts writes': {
      events: [started('n1'), won('n1', 1), wrote('n1', newPrimary(at(1, 1))), wrote('n1', at(2, 1))],
      detail: 'n1 wrote (2,1 t1) (i app.things) while it did not accept writes',
    },
    'a write after the mode ended': {
      events: [...primary, accepts('n1', false, 1), wrote('n1', at(2, 1))],
      detail: 'n1 wrote (2,1 t1) (i app.things) while it did not accept writes',
    },
    'a write after the deposition': {
      events: [...primary, steppedDown('n1', 1), wrote('n1', at(2, 1))],
      detail: 'n1 wrote (2,1 t1) (i app.things) without a mandate: it won no term, or lost it',
    },
    'a write in a term that another won': {
      events: [...primary, won('n2', 2), wrote('n1', at(2, 2))],
      detail: 'n1 wrote (2,1 t2) (i app.things) while its mandate was for term 1',
    },
    'a mandate does not survive a restart': {
      events: [...primary, started('n1', { lastApplied: at(1, 1), term: 1 }), wrote('n1', at(2, 1))],
      detail: 'n1 wrote (2,1 t1) (i app.things) without a mandate: it won no term, or lost it',
    },
    'an entry without term in the midst': {
      events: [...primary, wrote('n1', noop(at(2, -1), 'initiating set'))],
      detail: "n1 wrote (2,1 no term) (n), which only a set's very first entry may be",
    },
    "a client's entry without term": {
      events: [wrote('n1', at(0, -1))],
      detail: "n1 wrote (0,1 no term) (i app.things), which only a set's very first entry may be",
    },
  },
});
