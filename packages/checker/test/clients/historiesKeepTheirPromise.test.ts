import type { HistoryReads, ListOperation, TraceEvent, WorkloadOperation } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { ClientHistories, historiesKeepTheirPromise, judgeHistory, promisedTo } from '../../src/index.ts';
import { checkerTest } from '../support.ts';

const LINEARIZABLE: HistoryReads = {
  readConcern: 'linearizable',
  readPreference: 'primary',
  causalConsistency: false,
  afterWrites: false,
  w: 'majority',
};
const CAUSAL: HistoryReads = { ...LINEARIZABLE, readConcern: 'majority', causalConsistency: true, afterWrites: true };
const SNAPSHOT: HistoryReads = { ...CAUSAL, readConcern: 'snapshot' };

const started = (workload: string, history?: HistoryReads, operation: WorkloadOperation = 'update'): TraceEvent => ({
  ...{ atMicros: 0, type: 'workloadStarted', workload, operation, everyMicros: 1, ns: 'app.c' },
  ...(history && { history }),
});
const ended = (workload: string): TraceEvent => ({
  ...{ atMicros: 99, type: 'workloadEnded', workload, operation: 'update', counts: {}, losses: [] },
});
const called = (client: string, call: number, fields: object): TraceEvent =>
  ({ atMicros: 10 * call, type: 'clientCalled', workload: 'w', client, call, key: '1', ...fields }) as TraceEvent;
const returned = (client: string, call: number, fields: object = {}): TraceEvent =>
  ({
    atMicros: 10 * call + 5,
    type: 'clientReturned',
    workload: 'w',
    client,
    call,
    outcome: 'ok',
    ...fields,
  }) as TraceEvent;
const wrote = (client: string, call: number, value: string, outcome = 'ok') => [
  called(client, call, { kind: 'write', value }),
  returned(client, call, { outcome }),
];
const read = (client: string, call: number, value?: string) => [
  called(client, call, { kind: 'read' }),
  returned(client, call, value === undefined ? {} : { value }),
];
const transaction = (client: string, call: number, ...operations: readonly ListOperation[]) => [
  called(client, call, { kind: 'transaction', operations }),
  returned(client, call, { operations }),
];
const append = (key: string, value: string): ListOperation => ({ f: 'append', key, value });
const found = (key: string, ...list: readonly string[]): ListOperation => ({ f: 'read', key, list });

const stale = [...wrote('w', 1, 'a'), ...wrote('w', 2, 'b'), ...read('w', 3, 'a')];
const skewed = [
  ...transaction('w', 1, found('x'), append('y', '1')),
  ...transaction('v', 1, found('y'), append('x', '2')),
  ...transaction('u', 1, found('x', '2'), found('y', '1')),
];
const torn = [
  ...transaction('w', 1, append('x', '1'), append('y', '2')),
  ...transaction('v', 1, found('x', '1'), found('y')),
  ...transaction('u', 2, found('x', '1'), found('y', '2')),
];

checkerTest(historiesKeepTheirPromise, {
  holds: {
    'what is linearizable': [started('w', LINEARIZABLE), ...wrote('w', 1, 'a'), ...read('w', 2, 'a'), ended('w')],
    'a workload without a history': [started('w'), ...stale, ended('w')],
    'a history to which nothing is promised': [started('w', { ...LINEARIZABLE, w: 1 }), ...stale, ended('w')],
    'the least that is promised to all clients of a collection': [
      started('w', LINEARIZABLE),
      started('v', { ...LINEARIZABLE, readConcern: 'local' }),
      ...stale,
      ended('w'),
    ],
    'write skew among snapshots': [started('w', SNAPSHOT, 'append'), ...skewed, ended('w')],
    'nothing before the end': [started('w', LINEARIZABLE), ...stale],
  },
  fires: {
    'a stale read': {
      events: [started('w', LINEARIZABLE), ...stale, ended('w')],
      detail:
        'the history of w is not linearizable: not linearizable: w read a in document 1 between 0.000s and 0.000s, when by any order of the calls before it held b',
    },
    'a client that does not find what it has written': {
      events: [started('w', CAUSAL), ...stale, ended('w')],
      detail:
        'the history of w is not readYourWrites: own write not read: w read a in document 1 at 0.000s, and had written b there before, acknowledged at 0.000s',
    },
    'a client whose reads go back': {
      events: [
        started('w', { ...CAUSAL, afterWrites: false }),
        ...wrote('w', 1, 'a'),
        ...wrote('w', 2, 'b'),
        ...read('v', 3, 'b'),
        ...read('v', 4, 'a'),
        ended('w'),
      ],
      detail:
        'the history of w is not monotonicReads: read went back: v read a in document 1 at 0.000s, and had read b there at 0.000s, which was written later',
    },
    'a torn snapshot': {
      events: [started('w', SNAPSHOT, 'append'), ...torn, ended('w')],
      detail:
        'the history of w is not snapshotIsolation: G-single: no order of these: v at 0.000s read list y empty, before w at 0.000s appended 2; w at 0.000s appended 1 to list x, which v at 0.000s read',
    },
  },
});

describe('what is promised', () => {
  test.for<[WorkloadOperation, Partial<HistoryReads>, readonly string[]]>([
    ['update', {}, ['linearizable']],
    ['insert', {}, ['linearizable']],
    ['update', { readPreference: 'secondary' }, []],
    ['update', { w: 1 }, []],
    ['update', { readConcern: 'majority' }, []],
    ['update', { readConcern: 'majority', causalConsistency: true }, ['monotonicReads']],
    [
      'update',
      { readConcern: 'majority', causalConsistency: true, afterWrites: true },
      ['readYourWrites', 'monotonicReads'],
    ],
    [
      'update',
      { readConcern: 'majority', causalConsistency: true, afterWrites: true, readPreference: 'nearest' },
      ['readYourWrites', 'monotonicReads'],
    ],
    ['update', { readConcern: 'majority', causalConsistency: true, w: 2 }, []],
    ['update', { readConcern: 'local', causalConsistency: true }, []],
    ['append', { readConcern: 'snapshot' }, ['snapshotIsolation']],
    ['append', { readConcern: 'snapshot', w: 1 }, []],
    ['append', { readConcern: 'majority' }, ['readCommitted']],
    ['append', { readConcern: 'local' }, []],
  ])('%s with %j: %j', ([operation, how, models]) => {
    expect(promisedTo(operation, { ...LINEARIZABLE, ...how })).toEqual(models);
  });
});

describe('what cannot be judged is undecided', () => {
  const historyOf = (...events: readonly TraceEvent[]) => {
    const histories = new ClientHistories();
    for (const event of [started('w', LINEARIZABLE), ...events]) histories.observe(event);
    return histories.of('w')!;
  };

  test('where nothing was read', () => {
    const history = historyOf(
      ...wrote('w', 1, 'a'),
      called('w', 2, { kind: 'read' }),
      returned('w', 2, { outcome: 'fail' }),
    );
    for (const model of ['linearizable', 'readYourWrites', 'serializable'] as const)
      expect(judgeHistory(history, model)).toEqual({ kind: 'undecided', why: 'nothing was read' });
  });

  test('where there is more than is remembered', () => {
    const history = historyOf(...stale, ...Array.from({ length: 50_000 }, (_, i) => called('v', i, { kind: 'read' })));
    expect(judgeHistory(history, 'linearizable')).toEqual({
      kind: 'undecided',
      why: 'more than the 50000 calls that are remembered',
    });
  });

  test('what a client was never answered may be done at any time', () => {
    const history = historyOf(
      ...wrote('w', 1, 'a'),
      called('w', 2, { kind: 'write', value: 'b' }),
      ...read('v', 3, 'a'),
      ...read('v', 4, 'b'),
    );
    expect(judgeHistory(history, 'linearizable')).toEqual({ kind: 'holds' });
  });
});
