import {
  compareOpTimes,
  ErrorCodes,
  NULL_OP_TIME,
  type OplogProbeReply,
  type OplogReply,
  type OpTime,
  type ReplData,
} from '@replsim/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FetcherContext,
  type FetcherEffect,
  type FetcherEvent,
  type FetcherState,
  STOPPED_FETCHER,
  stepFetcher,
} from '../src/index.ts';
import { at, entry } from './entries.ts';

// I have fetched up to (20, 2), and the commit point I know is (10, 1).
const MINE = at(20, 2);
const context: FetcherContext = {
  term: 2,
  commitPoint: at(10, 1),
  electionTimeoutMillis: 10_000,
  requiredOpTime: undefined,
  shouldChangeOnError: false,
};

const start = { type: 'start', lastFetched: MINE } as const;
const enqueued: FetcherEvent = { type: 'enqueued' };
const chosen = (source: string | undefined): FetcherEvent => ({ type: 'sourceChosen', source });
const probedTo = (first: OpTime | undefined): FetcherEvent => ({ type: 'probed', reply: probeReply(first) });
const failed = (code: number): FetcherEvent => ({ type: 'failed', reply: { ok: 0, code, errmsg: 'no luck' } });

function probeReply(first: OpTime | undefined): OplogProbeReply {
  return { ok: 1, first, lastEntry: first && entry(first), rbid: 1 };
}

function batch(
  opTimes: readonly OpTime[],
  changes: { lastOpApplied?: OpTime; committed?: OpTime; cursorId?: number } = {},
) {
  const { lastOpApplied = opTimes.at(-1) ?? NULL_OP_TIME, committed = NULL_OP_TIME, cursorId = 7 } = changes;
  const committing = { lastOpCommitted: committed, lastCommittedWallMs: 0 };
  const $replData: ReplData = {
    ...committing,
    term: 2,
    configVersion: 1,
    configTerm: 2,
    primaryIndex: 0,
    syncSourceIndex: -1,
    isPrimary: true,
  };
  const $oplogQueryData = {
    ...committing,
    lastOpApplied,
    lastOpWritten: lastOpApplied,
    rbid: 1,
    primaryIndex: 0,
    syncSourceIndex: -1,
    syncSourceHost: '',
  };
  const reply: OplogReply = {
    ok: 1,
    cursorId,
    batch: opTimes.map((opTime) => entry(opTime)),
    $replData,
    $oplogQueryData,
  };
  return { type: 'batch', reply } as const;
}

/** Runs events one after the other; gives the last state and the effects of the last event. */
function run(events: readonly FetcherEvent[], from: FetcherState = STOPPED_FETCHER) {
  let state = from;
  let effects: readonly FetcherEffect[] = [];
  for (const event of events) [state, effects] = stepFetcher(state, event, context);
  return { state, effects, types: effects.map(({ type }) => type) };
}

const TO_PROBING = [start, chosen('a')];
const TO_FINDING = [...TO_PROBING, probedTo(at(1, 1))];
const TO_ENQUEUING = [...TO_FINDING, batch([MINE, at(21, 2)])];
const TO_TAILING = [...TO_ENQUEUING, enqueued];
const FOUND: FetcherEffect = { type: 'sourceFound', same: false };
const FIND = {
  find: 'oplog.rs',
  filter: { ts: { $gte: MINE.ts } },
  tailable: true,
  awaitData: true,
  batchSize: 13_981_010,
  maxTimeMS: 60_000,
  term: 2,
  readConcern: { level: 'local', afterClusterTime: { t: 0, i: 1 } },
};
const ASK_AGAIN: FetcherEffect = { type: 'chooseSource', lastFetched: MINE };

describe('from nothing to tailing', () => {
  test('asks for a source ahead of what it holds', () => {
    const { state, effects } = run([start]);
    expect(effects).toEqual([{ type: 'chooseSource', lastFetched: MINE }]);
    expect(state).toEqual({ ...STOPPED_FETCHER, phase: 'choosing', lastFetched: MINE });
  });

  test('names the source, then probes it: half a minute to answer', () => {
    const { state, effects } = run(TO_PROBING);
    expect(state).toMatchObject({ phase: 'probing', source: 'a' });
    expect(effects).toEqual([
      { type: 'sourceChanged', from: undefined, to: 'a' },
      { type: 'request', to: 'a', command: { find: 'oplog.rs', limit: 1 }, timeoutMs: 30_000 },
    ]);
  });

  test('opens a cursor at its own newest timestamp', () => {
    const { state, effects } = run(TO_FINDING);
    expect(state).toMatchObject({ phase: 'finding', remoteFirst: at(1, 1) });
    expect(effects).toEqual([FOUND, { type: 'request', to: 'a', command: FIND, timeoutMs: 65_000 }]);
  });

  test('drops the entry it has, enqueues the rest, then asks for more', () => {
    const first = batch([MINE, at(21, 2), at(22, 2)], { cursorId: 9 });
    const { state, effects } = run([...TO_FINDING, first]);
    expect(state).toMatchObject({ phase: 'enqueuing', lastFetched: at(22, 2), cursorId: 9 });
    expect(effects).toEqual([
      { type: 'enqueue', entries: first.reply.batch.slice(1), reply: first.reply, before: MINE },
    ]);
    const command = {
      getMore: 9,
      collection: 'oplog.rs',
      batchSize: 13_981_010,
      maxTimeMS: 5000,
      term: 2,
      lastKnownCommittedOpTime: at(10, 1),
    };
    const next = run([enqueued], state);
    expect(next.state.phase).toBe('tailing');
    expect(next.effects).toEqual([{ type: 'request', to: 'a', command, timeoutMs: 10_000 }]);
  });

  test('asks for nothing more while a batch waits for room, nor once it was stopped meanwhile', () => {
    const { state } = run(TO_ENQUEUING);
    expect(run([{ type: 'stop' }, enqueued], state).effects).toEqual([]);
  });

  test('a source is ahead if either its word or its entries say so', () => {
    const entries = run([...TO_FINDING, batch([MINE, at(21, 2)], { lastOpApplied: MINE })]);
    expect(entries.state.phase).toBe('enqueuing');
    const word = run([...TO_FINDING, batch([MINE], { lastOpApplied: at(21, 2) })]);
    expect(word.state.phase).toBe('enqueuing');
  });

  test('goes on so; an empty batch brings its metadata', () => {
    const more = batch([at(22, 2)]);
    const second = run([...TO_TAILING, more]);
    expect(second.state.lastFetched).toEqual(at(22, 2));
    expect(second.effects).toEqual([
      { type: 'enqueue', entries: more.reply.batch, reply: more.reply, before: at(21, 2) },
    ]);
    const nothing = batch([], { lastOpApplied: at(21, 2) });
    const third = run([...TO_TAILING, nothing]);
    expect(third.state).toMatchObject({ phase: 'enqueuing', lastFetched: at(21, 2) });
    expect(third.effects).toEqual([{ type: 'enqueue', entries: [], reply: nothing.reply, before: at(21, 2) }]);
    expect(run([enqueued], third.state).types).toEqual(['request']);
  });

  test.for([
    [10_000, 5000],
    [1001, 500],
    [120_000, 30_000],
  ])('an election timeout of %i ms lets a getMore wait for %i', ([electionTimeoutMillis, maxTimeMS]) => {
    const { state } = run([...TO_TAILING, batch([])]);
    const [, effects] = stepFetcher(state, enqueued, { ...context, electionTimeoutMillis: electionTimeoutMillis! });
    expect(effects[0]).toMatchObject({ command: { maxTimeMS }, timeoutMs: maxTimeMS! + 5000 });
  });

  test('tells the newest commit point that it knows or has just heard, lest the source repeats it at once', () => {
    const { state } = run(TO_TAILING);
    const told = (committed: OpTime, commitPoint: OpTime) =>
      stepFetcher(run([batch([], { committed })], state).state, enqueued, { ...context, commitPoint })[1][0];
    expect(told(at(19, 2), at(10, 1))).toMatchObject({ command: { lastKnownCommittedOpTime: at(19, 2) } });
    expect(told(at(19, 2), at(20, 2))).toMatchObject({ command: { lastKnownCommittedOpTime: at(20, 2) } });
  });
});

describe('no source', () => {
  test('waits a second, then looks again', () => {
    const { state, effects } = run([start, chosen(undefined)]);
    expect(state).toMatchObject({ phase: 'waiting', source: undefined });
    expect(effects).toEqual([{ type: 'noSource' }, { type: 'retryLater', afterMs: 1000 }]);
    expect(run([{ type: 'retry' }], state).effects).toEqual([ASK_AGAIN]);
  });

  test('a source left before is let go of first', () => {
    const { types, effects } = run([...TO_PROBING, failed(6), chosen(undefined)]);
    expect(types).toEqual(['sourceChanged', 'noSource', 'retryLater']);
    expect(effects[0]).toEqual({ type: 'sourceChanged', from: 'a', to: undefined });
  });

  test('too stale, if a source was found too stale since one was last usable', () => {
    const tooStale = run([...TO_PROBING, probedTo(at(21, 2))]);
    expect(tooStale.state.tooStaleSources).toEqual(['a']);
    const { state, types } = run([chosen('b'), failed(6), chosen(undefined)], tooStale.state);
    expect(types).toEqual(['sourceChanged', 'tooStale', 'noSource', 'retryLater']);
    // Said once; it is said again when the sources are probed again.
    expect(run([{ type: 'retry' }, chosen(undefined)], state).types).toEqual(['noSource', 'retryLater']);
  });

  test('not too stale any more, once a source was usable', () => {
    const { state } = run([...TO_PROBING, probedTo(at(21, 2)), chosen('b'), probedTo(at(20, 1))]);
    expect(state.tooStaleSources).toEqual([]);
    expect(run([failed(6), failed(6), chosen(undefined)], state).types).not.toContain('tooStale');
  });
});

describe('a source that its probe finds of no use is put aside and another one chosen', () => {
  const { OplogStartMissing, TooStaleToSyncFromSource } = ErrorCodes;
  const MISSING = [...TO_FINDING, batch([at(21, 2), at(22, 2)])];

  test.for<[what: string, events: FetcherEvent[], forMs: number, code: number]>([
    ['the probe fails', [...TO_PROBING, failed(6)], 10_000, 6],
    ['a lost cursor is no excuse for a probe', [...TO_PROBING, failed(43)], 10_000, 43],
    ['its oplog is empty', [...TO_PROBING, probedTo(undefined)], 10_000, OplogStartMissing],
    ['its oldest entry is newer', [...TO_PROBING, probedTo(at(21, 1))], 60_000, TooStaleToSyncFromSource],
    ['its oplog starts too late after all', [...MISSING, probedTo(at(21, 2))], 60_000, TooStaleToSyncFromSource],
    ['it cannot say where its oplog starts', [...MISSING, failed(6)], 10_000, 6],
    ['it is empty by now', [...MISSING, probedTo(undefined)], 10_000, OplogStartMissing],
  ])('%s', ([, events, forMs, code]) => {
    const { state, effects } = run(events);
    expect(state).toMatchObject({ phase: 'choosing', source: 'a', lastFetched: MINE });
    expect(effects).toEqual([
      { type: 'denylist', host: 'a', forMs },
      { type: 'fetchFailed', source: 'a', code, detail: expect.stringMatching(/./) },
      { type: 'chooseSource', lastFetched: MINE },
    ]);
  });

  describe('an entry that must be reached', () => {
    const requiring = { ...context, requiredOpTime: at(25, 2) };
    const [asked, effects] = stepFetcher(run(TO_PROBING).state, probedTo(at(1, 1)), requiring);

    test('is asked for', () => {
      const ts = at(25, 2).ts;
      const command = { find: 'oplog.rs', filter: { ts: { $gte: ts, $lte: ts } }, limit: 1 };
      expect(asked.phase).toBe('requiring');
      expect(effects).toEqual([{ type: 'request', to: 'a', command, timeoutMs: 30_000 }]);
    });

    test.for([
      ['there', at(25, 2), 'finding', undefined],
      ['there in another term', at(25, 3), 'choosing', 60_000],
      ['missing', undefined, 'choosing', 60_000],
    ] as const)('%s', ([, first, phase, forMs]) => {
      const [next, then] = stepFetcher(asked, probedTo(first), requiring);
      expect(next.phase).toBe(phase);
      expect(then[0]).toEqual(forMs ? { type: 'denylist', host: 'a', forMs } : FOUND);
    });
  });

  test('the probe goes by ts alone: an old first entry may be of any term', () => {
    expect(run([...TO_PROBING, probedTo(at(20, 9))]).state.phase).toBe('finding');
    expect(run([...TO_PROBING, probedTo({ ts: { t: 20, i: 2 }, t: 1 })]).state.phase).toBe('choosing');
  });

  test('the next source is then named as a change from the old one', () => {
    const { effects } = run([...TO_PROBING, failed(6), chosen('b')]);
    expect(effects[0]).toEqual({ type: 'sourceChanged', from: 'a', to: 'b' });
  });
});

describe('a source that fails later is left, but not put aside: only a probe does that', () => {
  const { InvalidSyncSource, OplogOutOfOrder } = ErrorCodes;

  test.for<[what: string, events: FetcherEvent[], code: number, lastFetched?: OpTime]>([
    ['it is level with me', [...TO_FINDING, batch([MINE])], InvalidSyncSource],
    ['it is behind me', [...TO_FINDING, batch([], { lastOpApplied: at(19, 2) })], InvalidSyncSource],
    ['the query fails twice', [...TO_FINDING, failed(6), failed(89)], 89],
    ['out of order', [...TO_FINDING, batch([MINE, at(22, 2), at(21, 2)])], OplogOutOfOrder],
    ['a repeated entry', [...TO_TAILING, batch([at(21, 2)])], OplogOutOfOrder, at(21, 2)],
    ['ts goes back in a newer term', [...TO_TAILING, batch([at(20, 3)])], OplogOutOfOrder, at(21, 2)],
    ['a term goes down', [...TO_TAILING, batch([at(22, 1)])], OplogOutOfOrder, at(21, 2)],
  ])('%s', ([, events, code, lastFetched = MINE]) => {
    const { state, effects } = run(events);
    expect(state).toMatchObject({ phase: 'choosing', source: 'a', lastFetched });
    expect(effects).toEqual([
      { type: 'fetchFailed', source: 'a', code, detail: expect.stringMatching(/./) },
      { type: 'chooseSource', lastFetched },
    ]);
  });

  test('the same source again is probed, and fetched from only after a second', () => {
    const level = [...TO_FINDING, batch([MINE]), chosen('a'), probedTo(at(1, 1))];
    const { state, effects } = run(level);
    expect(state.phase).toBe('pausing');
    expect(effects).toEqual([
      { type: 'sourceFound', same: true },
      { type: 'retryLater', afterMs: 1000 },
    ]);
    expect(run([{ type: 'retry' }], state).effects).toEqual([
      { type: 'request', to: 'a', command: FIND, timeoutMs: 65_000 },
    ]);
    // Another one is not, nor the same after a time without any.
    expect(run([...TO_FINDING, batch([MINE]), chosen('b'), probedTo(at(1, 1))]).state.phase).toBe('finding');
    const waited = [...TO_FINDING, batch([MINE]), chosen(undefined), { type: 'retry' } as const, chosen('a')];
    expect(run([...waited, probedTo(at(1, 1))]).state.phase).toBe('finding');
  });

  test('is not asked a second time where another is better', () => {
    const { state } = run(TO_TAILING);
    const [next] = stepFetcher(state, failed(43), { ...context, shouldChangeOnError: true });
    expect(next.phase).toBe('choosing');
  });
});

describe('a query that fails is begun anew, once', () => {
  const again = { ...FIND, filter: { ts: { $gte: at(21, 2).ts } }, maxTimeMS: 2000 };

  test('from the newest entry fetched, with less time', () => {
    const { state, effects } = run([...TO_TAILING, failed(43)]);
    expect(state).toMatchObject({ phase: 'finding', source: 'a' });
    expect(effects).toEqual([
      { type: 'fetchFailed', source: 'a', code: 43, detail: 'no luck' },
      { type: 'request', to: 'a', command: again, timeoutMs: 7000 },
    ]);
  });

  test('the source may now be level with me, but not behind', () => {
    const { state } = run([...TO_TAILING, failed(43)]);
    expect(run([batch([at(21, 2)])], state)).toMatchObject({
      state: { phase: 'enqueuing' },
      types: ['enqueue'],
    });
    expect(run([batch([], { lastOpApplied: at(20, 2) })], state).types).toContain('chooseSource');
    // Where nothing was tailed yet, it has to be ahead as before.
    expect(run([...TO_FINDING, failed(43), batch([MINE])]).types).toContain('chooseSource');
  });

  test('a second error in a row gives the source up; after a good batch it is the first again', () => {
    const { state } = run([...TO_TAILING, failed(43)]);
    expect(run([failed(43)], state).types).toEqual(['fetchFailed', 'chooseSource']);
    expect(run([batch([at(21, 2)]), enqueued, failed(43)], state).types).toEqual(['fetchFailed', 'request']);
  });

  test('the next source starts afresh', () => {
    const next = [chosen('b'), probedTo(at(1, 1))];
    const { state } = run([...TO_TAILING, failed(43), failed(43), ...next]);
    expect(run([failed(6)], state).types).toEqual(['fetchFailed', 'request']);
    expect(run([batch([at(21, 2)])], state).types).toContain('chooseSource');
  });
});

describe('the oplogs part', () => {
  const DIVERGED: FetcherEffect = { type: 'rollback', source: 'a' };

  test('nothing there from my newest timestamp on, though its term is newer', () => {
    const { state, effects } = run([...TO_FINDING, batch([], { lastOpApplied: at(15, 3) })]);
    expect(effects).toEqual([DIVERGED]);
    expect(state).toMatchObject({ phase: 'stopped', source: 'a' });
  });

  test.for([
    ['another entry', at(21, 3)],
    ['the same timestamp in another term', at(20, 3)],
  ] as const)('%s comes first: once it is clear that the source goes back far enough', ([, first]) => {
    const asked = run([...TO_FINDING, batch([first, at(25, 3)])]);
    expect(asked.state).toMatchObject({ phase: 'probing', lastFetched: MINE });
    expect(asked.effects).toEqual([
      { type: 'request', to: 'a', command: { find: 'oplog.rs', limit: 1 }, timeoutMs: 30_000 },
    ]);
    expect(run([probedTo(at(1, 1))], asked.state).effects).toEqual([DIVERGED]);
    expect(run([probedTo(at(20, 1))], asked.state).effects).toEqual([DIVERGED]);
  });

  test('if the source does not say, the next one is judged by its own oplog', () => {
    const { state } = run([...TO_FINDING, batch([at(21, 3)]), failed(6), chosen('b'), probedTo(at(1, 1))]);
    expect(state).toMatchObject({ phase: 'finding', source: 'b' });
  });

  test('after the rollback the change of source is seen as one', () => {
    const { state } = run([...TO_FINDING, batch([], { lastOpApplied: at(15, 3) })]);
    const restart: FetcherEvent = { type: 'start', lastFetched: at(12, 1) };
    const next = run([restart, chosen('b')], state);
    expect(next.effects[0]).toEqual({ type: 'sourceChanged', from: 'a', to: 'b' });
    expect(next.state.lastFetched).toEqual(at(12, 1));
    expect(run([restart, chosen('a')], state).types).toEqual(['request']);
  });
});

test('a source that should be left is kept until the next is chosen, and the batch in hand with it', () => {
  const { state, effects } = run([...TO_ENQUEUING, { type: 'leaveSource', lastFetched: at(21, 2) }]);
  expect(state).toMatchObject({ phase: 'choosing', source: 'a', lastFetched: at(21, 2) });
  expect(effects).toEqual([{ type: 'chooseSource', lastFetched: at(21, 2) }]);
  expect(run([chosen('a')], state).types).toEqual(['request']);
  expect(run([chosen('b')], state).types).toEqual(['sourceChanged', 'request']);
});

test('a batch that was dropped is fetched again from the next source', () => {
  const { effects } = run([...TO_ENQUEUING, { type: 'leaveSource', lastFetched: MINE }]);
  expect(effects).toEqual([{ type: 'chooseSource', lastFetched: MINE }]);
});

describe('every phase and every event', () => {
  const PHASES: Record<FetcherState['phase'], FetcherState> = {
    stopped: STOPPED_FETCHER,
    choosing: run([start]).state,
    waiting: run([start, chosen(undefined)]).state,
    probing: run(TO_PROBING).state,
    finding: run(TO_FINDING).state,
    requiring: stepFetcher(run(TO_PROBING).state, probedTo(at(1, 1)), { ...context, requiredOpTime: at(25, 2) })[0],
    pausing: run([...TO_FINDING, batch([MINE]), chosen('a'), probedTo(at(1, 1))]).state,
    enqueuing: run(TO_ENQUEUING).state,
    tailing: run(TO_TAILING).state,
  };
  const EVENTS: Record<Exclude<FetcherEvent['type'], 'start' | 'stop'>, FetcherEvent> = {
    sourceChosen: chosen('b'),
    retry: { type: 'retry' },
    probed: probedTo(at(1, 1)),
    batch: batch([MINE, at(21, 2), at(22, 2)]),
    failed: failed(6),
    enqueued,
    leaveSource: { type: 'leaveSource', lastFetched: MINE },
  };
  const HEEDED: Record<FetcherState['phase'], readonly FetcherEvent['type'][]> = {
    stopped: [],
    choosing: ['sourceChosen'],
    waiting: ['retry'],
    probing: ['probed', 'failed'],
    finding: ['batch', 'failed'],
    requiring: ['probed', 'failed'],
    pausing: ['retry'],
    enqueuing: ['enqueued', 'leaveSource'],
    tailing: ['batch', 'failed'],
  };

  for (const [phase, state] of Object.entries(PHASES) as [FetcherState['phase'], FetcherState][]) {
    test(phase, () => {
      expect(state.phase).toBe(phase);
      for (const [type, event] of Object.entries(EVENTS) as [FetcherEvent['type'], FetcherEvent][]) {
        const [next, effects] = stepFetcher(state, event, context);
        const ignored = next === state && effects.length === 0;
        expect(ignored, `${phase}, ${type}`).toBe(!HEEDED[phase].includes(type));
      }
    });

    test(`${phase}: start begins from scratch, stop ends`, () => {
      const source = phase === 'stopped' || phase === 'choosing' || phase === 'waiting' ? undefined : 'a';
      const [begun, asked] = stepFetcher(state, { ...start, lastFetched: at(30, 3) }, context);
      expect(begun).toEqual({ ...STOPPED_FETCHER, phase: 'choosing', source, lastFetched: at(30, 3) });
      expect(asked).toEqual([{ type: 'chooseSource', lastFetched: at(30, 3) }]);
      const [ended, effects] = stepFetcher(state, { type: 'stop' }, context);
      expect(ended).toEqual({ ...STOPPED_FETCHER, lastFetched: state.lastFetched });
      expect(effects).toEqual(source ? [{ type: 'sourceChanged', from: 'a', to: undefined }] : []);
    });
  }
});

describe('whatever happens', () => {
  const anySource = fc.constantFrom('a', 'a', 'b', 'b', undefined);
  const anyFirst = fc.constantFrom(at(1, 1), at(1, 1), at(1, 1), at(20, 2), at(25, 2), undefined);
  const anySteps = fc.array(fc.tuple(fc.constantFrom(1, 1, 1, 1, 2, 2, 2, 3, 0, -1), fc.nat(9)), {
    minLength: 1,
    maxLength: 4,
  });
  /** A move becomes an event once the state is known: mostly one that fits, so that runs get somewhere. */
  const anyMove = fc
    .tuple(fc.nat(59), anySource, anyFirst, fc.nat(9), anySteps)
    .map(([kind, source, first, odd, steps]) => ({ phase, lastFetched }: FetcherState): FetcherEvent => {
      if (kind === 0) return start;
      if (kind === 1) return { type: 'stop' };
      if (kind <= 5) return failed(43);
      if (kind === 6) return { type: 'leaveSource', lastFetched };
      if (phase === 'enqueuing') return enqueued;
      if (phase === 'pausing') return { type: 'retry' };
      if (kind === 7) return probedTo(first);
      if (phase === 'choosing') return chosen(source);
      if (phase === 'waiting') return { type: 'retry' };
      if (phase === 'probing') return probedTo(first);
      let newest = lastFetched;
      const opTimes = (odd === 9) === (phase === 'tailing') ? [newest] : [];
      for (const [secs, term] of steps) {
        newest = at(newest.ts.t + secs, newest.t + (term === 9 ? 1 : 0));
        opTimes.push(newest);
      }
      return batch(opTimes);
    });

  test('what is fetched forms one oplog; one question is open at a time; each change of source is told', () => {
    let tailed = 0;
    fc.assert(
      fc.property(fc.array(anyMove, { maxLength: 40, size: 'max' }), (moves) => {
        let state = STOPPED_FETCHER;
        let told: string | undefined;
        let newest = MINE;
        for (const move of [() => start, ...moves]) {
          const event = move(state);
          const [next, effects] = stepFetcher(state, event, context);
          if (event.type === 'start') newest = MINE;
          for (const effect of effects) {
            if (effect.type === 'sourceChanged') {
              expect(effect.from).toBe(told);
              told = effect.to;
            }
            if (effect.type === 'request') expect(effect.to).toBe(next.source);
            if (effect.type !== 'enqueue') continue;
            for (const { opTime } of effect.entries) {
              expect(compareOpTimes(opTime, newest)).toBeGreaterThan(0);
              newest = opTime;
            }
            tailed += 1;
          }
          expect(next.source).toBe(told);
          if (event.type !== 'stop') expect(next.lastFetched).toEqual(newest);
          // The host answers `chooseSource` at once, so nothing may come after it; nor after a question to a member.
          const questions = effects.filter(({ type }) =>
            ['chooseSource', 'request', 'retryLater', 'rollback', 'enqueue'].includes(type),
          );
          expect(questions.length).toBeLessThanOrEqual(1);
          if (questions.length === 1) expect(effects.at(-1)).toBe(questions[0]);
          const asking = {
            stopped: undefined,
            choosing: 'chooseSource',
            waiting: 'retryLater',
            pausing: 'retryLater',
            enqueuing: 'enqueue',
          } as const;
          if (next !== state && next.phase !== 'stopped') {
            const expected = next.phase in asking ? asking[next.phase as keyof typeof asking] : 'request';
            expect(questions[0]?.type).toBe(expected);
          }
          state = next;
        }
      }),
      { seed: 1, numRuns: 500 },
    );
    expect(tailed).toBeGreaterThan(500);
  });
});
