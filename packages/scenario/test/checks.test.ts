import { Long } from 'bson';
import { expect, test } from 'vitest';
import type { Command, FakeSet } from './fakeSet.ts';
import { complaint, play } from './playing.ts';

/** Asks at time zero; what is not a check's question is answered by `ok`. */
const check = (text: string, prepare?: (set: FakeSet) => void) => play([`expect: { ${text} }`], prepare);
const talking = (talk: (command: Command, member: string) => object) => (set: FakeSet) => {
  set.talk = talk;
};

test.for<[text: string, prepare: (set: FakeSet) => void, got: string | undefined]>([
  ['primary: n1', () => {}, undefined],
  ['primary: any', () => {}, undefined],
  ['primary: none', () => {}, 'n1 says so'],
  ['primary: n2', () => {}, 'n1 says so'],
  ['primary: n1', (set) => set.primaries.clear(), 'no member says it is a writable primary'],
  ['primary: any', (set) => set.primaries.clear(), 'no member says it is a writable primary'],
  ['primary: none', (set) => set.primaries.clear(), undefined],
  ['primary: n1', (set) => set.primaries.set('n2', 2), 'n1 and n2 say so'],
  ['primary: n2', (set) => set.primaries.set('n2', 2), undefined],
  ['primary: n1', (set) => set.primaries.set('n2', 1), 'n1 and n2 say so'],
  ['primary: n1', (set) => set.kill('n1'), 'n1 is not running'],
  ['primary: n1', (set) => set.pause('n1'), 'n1 is paused and does not answer'],
])('%s', async ([text, prepare, got]) => {
  expect((await check(text, prepare)).result.failure?.got).toBe(got);
});

const states = talking((_command, member) => {
  if (member === 'n1') return { ok: 1, myState: 1 };
  if (member === 'n2') return { ok: 0, code: 94, codeName: 'NotYetInitialized' };
  return { ok: 0, code: 93, codeName: 'InvalidReplicaSetConfig', state: 10 };
});

test.for<[text: string, complaint: [string, string] | undefined]>([
  ['state: { n1: PRIMARY, n2: STARTUP, n3: REMOVED }', undefined],
  ['state: { n1: SECONDARY, n2: STARTUP, n3: DOWN }', ['n1 is SECONDARY, n3 is DOWN', 'n1 is PRIMARY, n3 is REMOVED']],
])('%s', async ([text, expected]) => {
  expect(complaint(await check(text, states))).toEqual(expected);
});

test('DOWN means that the process is not running', async () => {
  const killed = (set: FakeSet) => set.kill('n3');
  expect((await check('state: { n3: DOWN }', killed)).result.ok).toBe(true);
  expect(complaint(await check('state: { n3: SECONDARY }', killed))).toEqual(['n3 is SECONDARY', 'n3 is DOWN']);
  expect(complaint(await check('state: { n3: DOWN }', (set) => set.pause('n3')))).toEqual([
    'n3 is DOWN',
    'n3 is paused',
  ]);
});

test('count asks each member, secondaries too', async () => {
  const asked: [string, Command][] = [];
  const prepare = talking((command, member) => {
    asked.push([member, command]);
    return { ok: 1, n: member === 'n3' ? 7 : 5 };
  });
  const played = await check('on: all, count: app.s.t, filter: { a: 1 }, is: { $lte: 5 }', prepare);
  expect(complaint(played)).toEqual(['count {$lte:5}, on n3', '7']);
  const command = { count: 's.t', query: { a: 1 }, $db: 'app', $readPreference: { mode: 'secondaryPreferred' } };
  expect(asked).toEqual([
    ['n1', command],
    ['n2', command],
    ['n3', command],
  ]);
  expect((await check('on: [n1, n2], count: app.s, is: 5', prepare)).result.ok).toBe(true);
  expect((await check('on: secondaries, count: app.s, is: 5', prepare)).result.ok).toBe(false);
  expect((await check('on: primary, count: app.s, is: 5', prepare)).result.ok).toBe(true);
});

test('any is one of them, whichever it is', async () => {
  const counting = (counts: Record<string, number>) =>
    talking((_command, member) => {
      const n = counts[member];
      return n === undefined
        ? { ok: 0, code: 13436, codeName: 'NotPrimaryOrSecondary', errmsg: 'recovering' }
        : { ok: 1, n };
    });
  const any = 'on: any, count: app.s, is: 5';
  expect((await check(any, counting({ n1: 1, n2: 2, n3: 5 }))).result.ok).toBe(true);
  expect((await check(any, counting({ n3: 5 }))).result.ok).toBe(true);
  expect(complaint(await check(any, counting({ n1: 1, n2: 2, n3: 3 })))).toEqual([
    'count 5, on n1, or on any other',
    '1',
  ]);
  expect((await check(`not: { ${any} }`, counting({ n1: 1, n2: 2, n3: 5 }))).result.ok).toBe(false);
  expect((await check(`not: { ${any} }`, counting({ n1: 1, n2: 2, n3: 3 }))).result.ok).toBe(true);
  // Who knows what n2 has?
  expect((await check(`not: { ${any} }`, counting({ n1: 1, n3: 3 }))).result.ok).toBe(false);
});

test('an error is no answer, nor is silence', async () => {
  const refusing = talking(() => ({ ok: 0, code: 13436, codeName: 'NotPrimaryOrSecondary', errmsg: 'recovering' }));
  expect(complaint(await check('on: n2, count: a.b, is: 0', refusing))).toEqual([
    '{count: "b", query: {}, $db: "a"}, on n2',
    'NotPrimaryOrSecondary (13436): recovering',
  ]);
  expect(complaint(await check('on: n2, count: a.b, is: 0', (set) => set.kill('n2')))).toEqual([
    'an answer from n2',
    'n2 is not running',
  ]);
  expect(complaint(await check('on: primary, count: a.b, is: 0', (set) => set.primaries.clear()))).toEqual([
    'primary',
    'no member says it is primary',
  ]);
  expect(
    complaint(
      await check('on: all, count: a.b, is: 0', (set) => {
        for (const member of set.memberNames) set.kill(member);
      }),
    ),
  ).toEqual(['all', 'no such member answers']);
});

test('arbiters are not asked for data', async () => {
  const asked: string[] = [];
  const prepare = (set: FakeSet) => {
    set.arbiters.add('n3');
    set.talk = (_command, member) => {
      asked.push(member);
      return { ok: 1, n: 0 };
    };
  };
  expect((await check('on: all, count: a.b, is: 0', prepare)).result.ok).toBe(true);
  expect(asked).toEqual(['n1', 'n2']);
});

const batch = (documents: object[]) => talking(() => ({ ok: 1, cursor: { id: 0, ns: 'a.b', firstBatch: documents } }));

test.for<[text: string, documents: object[], complaint: [string, string] | undefined]>([
  ['on: n1, find: a.b, is: [{ _id: 1 }, { _id: 2 }]', [{ _id: 2 }, { _id: 1 }], undefined],
  ['on: n1, find: a.b, is: []', [], undefined],
  ['on: n1, find: a.b, is: []', [{ _id: 2 }], ['exactly 0 in any order: , on n1', '1: {_id: 2}']],
  [
    'on: n1, find: a.b, sort: { _id: 1 }, is: [{ _id: 1 }, { _id: 2 }]',
    [{ _id: 2 }, { _id: 1 }],
    ['exactly 2 in this order: {_id: 1}, {_id: 2}, on n1', '2: {_id: 2}, {_id: 1}'],
  ],
  ['on: n1, oplog: { op: d }, count: 2', [{ op: 'd' }, { op: 'd' }], undefined],
  [
    'on: n1, oplog: { op: d }, count: 1',
    [{ op: 'd' }, { op: 'd', o: { _id: 2 } }],
    ['1 matching entries, on n1', '2: {op: "d"}, {op: "d", o: {_id: 2}}'],
  ],
  ['on: n1, oplog: {}, entries: [{ op: i }, { op: d }]', [{ op: 'i' }, { op: 'd' }], undefined],
  [
    'on: n1, oplog: {}, entries: [{ op: d }, { op: i }]',
    [{ op: 'i' }, { op: 'd' }],
    ['entry 1 of 2 like {op: "d"}, on n1', '2: {op: "i"}, {op: "d"}'],
  ],
  [
    'on: n1, oplog: {}, entries: [{ op: i }]',
    [{ op: 'i' }, { op: 'd' }],
    ['1 entries, on n1', '2: {op: "i"}, {op: "d"}'],
  ],
  [
    'on: n1, oplog: {}, entries: [{ op: i }, { op: d }]',
    [{ op: 'i' }],
    ['entry 2 of 2 like {op: "d"}, on n1', '1: {op: "i"}'],
  ],
])('%s', async ([text, documents, expected]) => {
  expect(complaint(await check(text, batch(documents)))).toEqual(expected);
});

test('the oplog is read by find on local', async () => {
  const asked: Command[] = [];
  const prepare = talking((command) => {
    asked.push(command);
    return { ok: 1, cursor: { firstBatch: [] } };
  });
  await check('on: n2, oplog: { op: d, o._id: 1 }, count: 0', prepare);
  expect(asked).toEqual([
    {
      find: 'oplog.rs',
      filter: { op: 'd', 'o._id': 1 },
      batchSize: 1_000_000,
      $db: 'local',
      $readPreference: { mode: 'secondaryPreferred' },
    },
  ]);
});

test('log lines are looked at as documents', async () => {
  const line = (id: number) => JSON.stringify({ t: { $date: '2025-01-01T00:00:00.000Z' }, s: 'I', id, attr: { n: 5 } });
  const prepare = talking(() => ({ ok: 1, log: [line(1), line(2), line(2), 'no json'] }));
  expect((await check('on: n1, log: { id: 2, attr.n: 5 }, count: 2', prepare)).result.ok).toBe(true);
  expect((await check('on: n1, log: { t: { $gte: { $date: "2025-01-01" } } }, count: 3', prepare)).result.ok).toBe(
    true,
  );
  expect(complaint(await check('on: n1, log: { id: 1 }, count: 0', prepare))?.[0]).toBe(
    '0 log lines that match {id: 1}, on n1',
  );
});

test('command: matches and errors', async () => {
  const prepare = talking((command) =>
    'bad' in command
      ? { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: 'no' }
      : { ok: 1, metrics: { ttl: { passes: Long.fromNumber(3) } } },
  );
  expect(
    (await check('on: all, command: { serverStatus: 1 }, matches: { metrics.ttl.passes: 3 }', prepare)).result.ok,
  ).toBe(true);
  expect(
    complaint(await check('on: n2, command: { serverStatus: 1 }, matches: { metrics.ttl.passes: 4 }', prepare)),
  ).toEqual(['matches: {metrics.ttl.passes: 4}, on n2', '{metrics.ttl.passes: Long(3)}']);
  expect((await check('on: n1, command: { bad: 1 }, error: CommandNotFound', prepare)).result.ok).toBe(true);
  expect(complaint(await check('on: n1, command: { bad: 1 }, matches: {}', prepare))).toEqual([
    'success, on n1',
    'CommandNotFound (59): no',
  ]);
});

test('same compares hashes of all running members of the set', async () => {
  const hashes: Record<string, Record<string, string>> = {
    n1: { s: 'aa', t: 'bb' },
    n2: { s: 'aa', t: 'bb' },
    n3: { s: 'aa', t: 'cc' },
  };
  const asked: Command[] = [];
  const prepare = talking((command, member) => {
    asked.push(command);
    if ('listDatabases' in command) return { ok: 1, databases: [{ name: 'app' }, { name: 'local' }] };
    const wanted = command.collections as string[] | undefined;
    return {
      ok: 1,
      collections: Object.fromEntries(
        Object.entries(hashes[member]!).filter(([name]) => wanted?.includes(name) ?? true),
      ),
    };
  });
  expect((await check('same: [app.s]', prepare)).result.ok).toBe(true);
  expect(complaint(await check('same: [app.s, app.t]', prepare))).toEqual([
    'same: app.s, app.t',
    'app.t: n1 has bb, n3 has cc',
  ]);
  expect(complaint(await check('same: all', prepare))).toEqual(['same: all', 'app.t: n1 has bb, n3 has cc']);
  expect(asked.some(({ $db }) => $db === 'local')).toBe(false);
  const without = (set: FakeSet) => {
    prepare(set);
    set.kill('n3');
  };
  expect((await check('same: all', without)).result.ok).toBe(true);
  delete hashes.n2!.t;
  expect(complaint(await check('same: all', without))).toEqual([
    'same: all',
    'app.t: n1 has bb, n2 has no such collection',
  ]);
});

test('several keys must all hold; not turns a check round', async () => {
  expect((await check('primary: n1, state: { n2: DOWN }', (set) => set.kill('n2'))).result.ok).toBe(true);
  expect((await check('primary: n2, state: { n2: DOWN }', (set) => set.kill('n2'))).result.ok).toBe(false);
  expect((await check('primary: n1, state: { n3: DOWN }', (set) => set.kill('n2'))).result.ok).toBe(false);
  expect((await check('not: { primary: n2 }')).result.ok).toBe(true);
  expect(complaint(await check('not: { primary: n1 }'))).toEqual(['not (primary: n1)', 'it holds']);
});

test('$now in a check is the clock of the member that is asked', async () => {
  const prepare = (set: FakeSet) => {
    set.talk = (_command, member) => ({ ok: 1, at: new Date(set.wallMs(member)) });
    set.at(1_500_000, () => {});
  };
  const steps = ['advance: 2s', 'expect: { on: all, command: { ping: 1 }, matches: { at: { $now: 0s } } }'];
  expect(
    (await play(steps, prepare, {}, 'replicaSet: { members: [n1, { name: n2, clock: { offset: 90s } }] }')).result
      .failure,
  ).toBeUndefined();
});
