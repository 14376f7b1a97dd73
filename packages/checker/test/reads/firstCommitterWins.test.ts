import { NULL_OP_TIME, OplogEntry, type OplogOperation, type OpTime, type SharedDocument } from '@replsim/protocol';
import { firstCommitterWins } from '../../src/index.ts';
import { at, checkerTest, fetched, wrote } from '../support.ts';

const o = Uint8Array.of(5, 0, 0, 0, 0);
const [v1, v2, v3, v4]: readonly SharedDocument[] = Array.from({ length: 4 }, () => ({ bytes: o }));
const updates = (before: SharedDocument | undefined, document: SharedDocument | undefined): OplogOperation => ({
  op: 'u',
  ns: 'app.things',
  o,
  o2: o,
  ...(before && { before }),
  ...(document && { document }),
});
const deletes = (document: SharedDocument | undefined): OplogOperation => ({
  op: 'd',
  ns: 'app.things',
  o,
  ...(document && { document }),
});

/** A transaction in one entry, or an entry of one. */
function transaction(opTime: OpTime, applyOps: OplogOperation[], partialTxn = false, prevOpTime = NULL_OP_TIME) {
  const link = { lsid: o, txnNumber: 1n, ...(partialTxn && { partialTxn }) };
  return new OplogEntry({ op: 'c', ns: 'admin.$cmd', o, transaction: link }, opTime, 0, applyOps, prevOpTime);
}
const begun = wrote('n1', at(1, 1));
const first = wrote('n1', transaction(at(2, 1), [updates(v1, v2)]));

checkerTest(firstCommitterWins, {
  holds: {
    'one after the other': [begun, first, wrote('n1', transaction(at(3, 1), [updates(v2, v3), deletes(v3)]))],
    'on another branch, where the first is lost': [
      begun,
      fetched('n2', at(1, 1)),
      first,
      wrote('n2', at(5, 2)),
      wrote('n2', transaction(at(6, 2), [updates(v1, v4)])),
    ],
    'of which the trace has no versions': [begun, wrote('n1', transaction(at(2, 1), [updates(undefined, v2)]))],
  },
  fires: {
    'two updates of one version': {
      events: [begun, first, wrote('n1', transaction(at(3, 1), [updates(v1, v3)]))],
      detail:
        'n1 committed a transaction at (3,1 t1) that overwrites a document of app.things as it was before (2,1 t1), ' +
        'where n1 had overwritten it',
    },
    'an update and a delete of the next primary, in two entries': {
      events: [
        begun,
        first,
        fetched('n2', at(1, 1), at(2, 1)),
        wrote('n2', at(5, 2)),
        wrote(
          'n2',
          transaction(at(6, 2), [deletes(v1)], true),
          transaction(at(7, 2), [updates(v3, v4)], false, at(6, 2)),
        ),
      ],
      detail:
        'n2 committed a transaction at (7,1 t2) that overwrites a document of app.things as it was before (2,1 t1), ' +
        'where n1 had overwritten it',
    },
  },
});
