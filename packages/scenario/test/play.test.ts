import { CommandError, type TraceEvent } from '@replsim/protocol';
import { icuVersion } from '@replsim/query';
import type { ReplSetOptions } from '@replsim/replset';
import { expect, test } from 'vitest';
import { parseScenario, playScenario } from '../src/index.ts';
import type { FakeSet } from './fakeSet.ts';
import { complaint, play } from './playing.ts';

test.for<[step: string, did: string[]]>([
  ['kill: n2', ['kill n2']],
  ['kill: primary', ['kill n1']],
  ['kill: secondaries', ['kill n2', 'kill n3']],
  ['kill: all', ['kill n1', 'kill n2', 'kill n3']],
  ['shutdown: n2', ['shutdown n2']],
  ['restart: n2', ['shutdown n2', 'start n2 {}']],
  [
    'restart: { member: n2, as: standalone, wipe: true, parameters: { syncdelay: 1.5, quiet: 1 } }',
    ['shutdown n2', 'start n2 {"as":"standalone","parameters":{"syncdelay":1.5,"quiet":1},"wipe":true}'],
  ],
  ['pause: any', ['pause n1']],
  ['resume: n1', ['resume n1']],
  ['partition: [[n1, n2], [n3]]', ['partition [["n1","n2"],["n3"]]']],
  ['partition: [[primary], [secondaries]]', ['partition [["n1"],["n2","n3"]]']],
  ['partition: [[n2], [all]]', ['partition [["n2"],["n1","n3"]]']],
  ['cut: { from: primary, to: [n2, n3] }', ['cut n1 n2', 'cut n1 n3']],
  ['cut: { from: all, to: all }', ['cut n1 n2', 'cut n1 n3', 'cut n2 n1', 'cut n2 n3', 'cut n3 n1', 'cut n3 n2']],
  ['heal: all', ['heal all']],
  ['heal: [n1, secondaries]', ['heal ["n1","n2","n3"]']],
  ['link: { from: n1, to: n2, latencyMs: [50, 60], loss: 0.5 }', ['link n1 n2 {"latencyMs":[50,60],"loss":0.5}']],
  ['link: { from: n1, to: n2, loss: 0.5, latencyMs: 100 }', ['link n1 n2 {"loss":0.5,"latencyMs":[100,100]}']],
  [
    'link: { between: [n1, n2], latencyMs: 100 }',
    ['link n1 n2 {"latencyMs":[100,100]}', 'link n2 n1 {"latencyMs":[100,100]}'],
  ],
  // Ways within an entry stay as they are.
  [
    'link: { between: [[n1, n2], n3], loss: 1 }',
    ['link n1 n3 {"loss":1}', 'link n2 n3 {"loss":1}', 'link n3 n1 {"loss":1}', 'link n3 n2 {"loss":1}'],
  ],
  // Each way once.
  [
    'link: { between: [n1, all], loss: 1 }',
    ['link n1 n2 {"loss":1}', 'link n1 n3 {"loss":1}', 'link n2 n1 {"loss":1}', 'link n3 n1 {"loss":1}'],
  ],
  ['clock: { on: secondaries, jump: -90s }', ['clock n2 {"jumpMs":-90000}', 'clock n3 {"jumpMs":-90000}']],
  ['disk: { on: secondaries, latencyMs: 50 }', ['disk n2 {"latencyMs":50}', 'disk n3 {"latencyMs":50}']],
  ['disk: { on: n1, full: false, corrupt: true }', ['disk n1 {"full":false,"corrupt":true}']],
  ['clock: { on: n1, drift: 50 }', ['clock n1 {"driftPpm":50}']],
  ['clock: { on: n1, jump: 1s, drift: 50 }', ['clock n1 {"jumpMs":1000,"driftPpm":50}']],
  ['partition: [primary, secondaries]', ['partition [["n1"],["n2","n3"]]']],
  ['disconnect: { from: n1, to: all }', ['disconnect n1 n2', 'disconnect n1 n3']],
])('%s', async ([step, did]) => {
  const { set, result } = await play([step]);
  expect(result.failure).toBeUndefined();
  expect(set.did).toEqual(did);
  expect(set.closed).toBe(true);
});

test('start brings a member back in another mode', async () => {
  const { set } = await play([
    'kill: n3',
    'start: { member: n3, as: { replSet: rs1 } }',
    'kill: [n1, n2]',
    'start: all',
  ]);
  expect(set.did).toEqual([
    'kill n3',
    'start n3 {"as":{"replSet":"rs1"}}',
    'kill n1',
    'kill n2',
    'start n1 {}',
    'start n2 {}',
  ]);
});

test.for<[name: string, steps: string[], complaint: [string, string] | undefined, prepare?: (set: FakeSet) => void]>([
  ['a dead member cannot be killed', ['kill: n2', 'kill: n2'], ['n2 is running', 'n2 is not running']],
  ['all means those that run', ['kill: n2', 'kill: all'], undefined],
  ['a running member cannot be started', ['start: n2'], ['n2 starts', 'it is running already']],
  [
    'nobody is meant',
    ['kill: primary'],
    ['a member that matches "primary"', 'there is none now'],
    (set) => set.primaries.clear(),
  ],
  ['a process that refuses', ['kill: n2', 'start: n2'], ['n2 starts', 'BadValue: out of bounds'], refusing],
  ['a process that must refuse', ['kill: n2', 'start: { member: n2, error: true }'], undefined, refusing],
  [
    'a process that should have refused',
    ['kill: n2', 'start: { member: n2, error: true }'],
    ['n2 refuses to start', 'it started'],
  ],
  ['back in time', ['advance: 5s', 'advance: { to: 4s }'], ['4.000s after time zero', 'it is 5.000s already']],
  ['forth in time', ['advance: 5s', 'advance: { to: 5s }', 'advance: { to: 6s }'], undefined],
])('%s', async ([, steps, expected, prepare]) => {
  const played = await play(steps, prepare);
  expect(complaint(played)).toEqual(expected);
});

function refusing(set: FakeSet): void {
  set.startFails = new CommandError('BadValue', 'out of bounds');
}

test('time: expect, let and note cost none', async () => {
  const { result } = await play([
    'advance: 1m',
    'expect: { primary: n1 }',
    'note: text',
    'let: { x: { on: n1, command: { ping: 1 }, path: ok } }',
    'advance: { to: 1h }',
  ]);
  expect(result).toMatchObject({ ok: true, steps: 5, virtualMicros: 3_600_000_000 });
});

const electionAt = (micros: number) => (set: FakeSet) => {
  set.primaries.clear();
  set.at(micros, () => set.primaries.set('n2', 2));
};

test.for<[step: string, at: number, complaint: [string, string] | undefined, virtualMicros: number]>([
  ['eventually: { within: 10s, primary: n2 }', 3_210_000, undefined, 3_210_000],
  ['eventually: { within: 10s, primary: n2 }', 10_000_000, undefined, 10_000_000],
  [
    'eventually: { within: 10s, primary: n2 }',
    10_000_001,
    ['within 10s: n2 is primary', 'no member says it is a writable primary'],
    10_000_000,
  ],
  ['eventually: { within: 10s, after: 5s, primary: n2 }', 5_000_000, undefined, 5_000_000],
  [
    'eventually: { within: 10s, after: 5s, primary: n2 }',
    4_999_999,
    ['it does not hold before 5s', 'it holds after 4.999999s'],
    4_999_999,
  ],
  // It may hold at once.
  ['eventually: { within: 10s, after: 0s, primary: n2 }', 0, undefined, 0],
  ['eventually: { within: 10s, after: 0s, primary: n2 }', 3_210_000, undefined, 3_210_000],
  ['eventually: { within: 0s, primary: n2 }', 0, undefined, 0],
  [
    'eventually: { within: 0s, primary: n2 }',
    1,
    ['within 0s: n2 is primary', 'no member says it is a writable primary'],
    0,
  ],
  ['always: { for: 10s, primary: none }', 10_000_001, undefined, 10_000_000],
  ['always: { for: 10s, primary: none }', 2_500_000, ['for 10s: no primary', 'after 2.5s: n2 says so'], 2_500_000],
])('%s with an election at %d µs', async ([step, at, expected, virtualMicros]) => {
  const played = await play([step], electionAt(at));
  expect(complaint(played)).toEqual(expected);
  expect(played.result.virtualMicros).toBe(virtualMicros);
});

test('the trace holds steps, notes and checks, in order', async () => {
  const { events } = await play([
    'note:  hello ',
    'kill: n1',
    'expect: { primary: none }',
    'expect: { primary: any }',
    'kill: n2',
  ]);
  const asked = { form: 'primary', found: 'nobody' };
  expect(events.slice(1)).toEqual([
    { atMicros: 0, type: 'note', text: 'hello' },
    { atMicros: 0, type: 'step', index: 2, text: 'kill: n1' },
    { atMicros: 0, type: 'stepEnded', index: 2, outcome: 'done', sinceMicros: 0 },
    { atMicros: 0, type: 'checked', text: 'expect: {primary: none}', held: true, ...asked },
    {
      atMicros: 0,
      type: 'checked',
      text: 'expect: {primary: any}',
      held: false,
      detail: 'no member says it is a writable primary',
      ...asked,
    },
    { atMicros: 0, type: 'runEnded', held: false, failure: expect.stringContaining('expect: {primary: any}') },
  ]);
});

test.for<[step: string, reply: object, returned: string | undefined]>([
  ['insert: { into: app.c, count: 3, document: { _id: $i } }', { ok: 1, n: 3 }, '3 inserted'],
  ['delete: { from: app.c }', { ok: 1, n: 2 }, '2 deleted'],
  ['update: { in: app.c, update: { $set: { a: 1 } } }', { ok: 1, n: 2, nModified: 1 }, '1 updated'],
  [
    'update: { in: app.c, update: { a: 1 }, upsert: true }',
    { ok: 1, n: 1, nModified: 0, upserted: [{}] },
    '1 upserted',
  ],
  ['find: { in: app.c }', { ok: 1, cursor: { id: 0, firstBatch: [{ _id: 1 }] } }, '1 document'],
  ['find: { in: app.c }', { ok: 1, cursor: { id: 7, firstBatch: [{}, {}] } }, '2 documents, and more to come'],
  ['run: { on: all, db: app, command: { count: c } }', { ok: 1, n: 4 }, '4 counted'],
  ['run: { on: n1, command: { ping: 1 } }', { ok: 1 }, undefined],
  ['run: { on: n1, command: { ping: 1 }, as: later }', { ok: 1, n: 1 }, undefined],
  ['run: { on: n1, command: { a: 1 }, error: BadValue }', { ok: 0, code: 2, codeName: 'BadValue' }, 'BadValue'],
  ['let: { x: { on: n1, command: { ping: 1 }, path: ok } }', { ok: 1 }, 'x is 1'],
  ['advance: 2s', {}, undefined],
  // What is not waited for has returned nothing yet.
  ['insert: { as: later, into: app.c, documents: [{ _id: 1 }] }', { ok: 1, n: 1 }, undefined],
])('%s returns in short', async ([step, reply, returned]) => {
  const { events, result } = await play([step], (set) => {
    set.talk = () => reply;
  });
  expect(result.failure).toBeUndefined();
  const end = { atMicros: result.virtualMicros, type: 'stepEnded', index: 1, outcome: 'done', sinceMicros: 0 };
  expect(events.at(-2)).toEqual({ ...end, ...(returned !== undefined && { returned }) });
});

const UNHELD = { ok: 1, n: 1, writeConcernError: { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waiting' } };
test.for<[path: string, ok: boolean, reply: object]>([
  ['n', false, UNHELD],
  ['ok', false, UNHELD],
  ['n', false, { ok: 1, n: 0, writeErrors: [{ index: 0, code: 11000, errmsg: 'duplicate' }] }],
  ['writeConcernError.code', true, UNHELD],
])('let takes %s of an answer with an error: %s', async ([path, ok, reply]) => {
  const { result } = await play([`let: { x: { on: n1, command: { insert: c }, path: ${path} } }`], (set) => {
    set.talk = () => reply;
  });
  expect(result.ok).toBe(ok);
});

test('a step that takes time says since when, one that fails what it got; so does a check', async () => {
  const late = await play(['run: { on: n1, command: { ping: 1 } }', 'kill: n1', 'kill: n1'], (set) => {
    set.talk = () => ({ reply: { ok: 1, n: 5 }, afterMicros: 3000 });
  });
  expect(late.events.filter(({ type }) => type === 'stepEnded')).toMatchObject([
    { atMicros: 3000, sinceMicros: 0, outcome: 'done' },
    { atMicros: 3000, sinceMicros: 3000, outcome: 'done' },
    { outcome: 'failed', returned: 'n1 is not running' },
  ]);
  const checked = await play(['eventually: { within: 10s, primary: n2 }'], electionAt(3_210_000));
  expect(checked.events.at(-2)).toMatchObject({ type: 'checked', held: true, sinceMicros: 0 });
});

test('a failure says the step, its line, what was asked, what came back, and what led there', async () => {
  const { result } = await play(['advance: 1s', 'kill: n1', 'expect: { primary: any }']);
  expect(result).toMatchObject({ ok: false, steps: 2, seed: 1 });
  expect(result.failure).toMatchObject({ index: 3, line: 6, text: 'expect: {primary: any}' });
  expect(result.failure!.title).toBe('step 3, line 6: expect: {primary: any}');
  expect(result.failure!.detail).toMatch(
    /^asked: some primary\ngot: {3}no member says it is a writable primary\ntry: {3}.*within: 30s.*\nwhy:\n {2}n1 .*\n(.*\n)*before that:\n(.*\n)* +1\.000s > kill: n1\n/,
  );
});

test('a run that plays on goes past checks that fail, and past nothing else', async () => {
  const steps = ['expect: { primary: n2 }', 'advance: 5s', 'expect: { primary: n3 }', 'advance: 5s'];
  const stopped = await play(steps);
  expect(stopped.result).toMatchObject({ ok: false, steps: 0, isWhole: false, virtualMicros: 0 });
  expect(stopped.result.failures).toHaveLength(1);
  const { result, events } = await play(steps, undefined, { playsOn: true });
  expect(result).toMatchObject({ ok: false, steps: 2, isWhole: true, virtualMicros: 10e6 });
  expect(result.failures.map(({ index }) => index)).toEqual([1, 3]);
  expect(result.failure).toBe(result.failures[0]);
  expect(events.at(-1)).toMatchObject({ type: 'runEnded', held: false, failure: result.failure!.title });
  const blocked = await play([...steps, 'find: { in: app.c, error: 27 }', 'advance: 5s'], undefined, { playsOn: true });
  expect(blocked.result).toMatchObject({ steps: 2, isWhole: false, virtualMicros: 10e6 });
  expect(blocked.result.failures.map(({ index }) => index)).toEqual([1, 3, 5]);
});

test('a run that plays on ends where an invariant is broken', async () => {
  const observers = [({ type }: TraceEvent) => (type === 'note' ? { name: 'noNotes', detail: 'one' } : undefined)];
  const steps = ['note: one', 'expect: { primary: n2 }', 'advance: 5s'];
  const { result } = await play(steps, undefined, { playsOn: true, observers });
  expect(result).toMatchObject({ isWhole: false, steps: 0 });
});

test('a broken invariant fails the run where it happens, and is told right behind its event', async () => {
  const observer = (event: { type: string }) =>
    event.type === 'note' ? { name: 'noNotes', detail: 'somebody took one' } : undefined;
  const { result, events } = await play(['note: a', 'advance: 1s'], undefined, { observers: [observer] });
  expect(result).toMatchObject({
    ok: false,
    steps: 0,
    brokenInvariants: [{ name: 'noNotes', detail: 'somebody took one' }],
  });
  expect(result.failure).toMatchObject({ index: 1, asked: 'invariant noNotes', got: 'somebody took one' });
  expect(events.map(({ type }) => type)).toEqual(['runStarted', 'note', 'invariantBroken', 'runEnded']);
});

const scenario = parseScenario('name: a\nseed: 7\nsteps: [ advance: 1s ]\n', 'a.yaml');

test('the seed is the scenario’s, or the one that is asked for', async () => {
  const { result, set } = await play(['advance: 1s'], undefined, {}, 'seed: 7');
  expect([result.seed, set.options.seed]).toEqual([7, 7]);
  expect((await play(['advance: 1s'], undefined, { seed: 9 }, 'seed: 7')).set.options.seed).toBe(9);
});

test('a set that refuses its options fails the scenario; a bug of ours is thrown', async () => {
  const refused = await playScenario(scenario, () => Promise.reject(new CommandError('BadValue', 'no such parameter')));
  expect(refused).toMatchObject({
    ok: false,
    steps: 0,
    failure: { asked: 'a set that starts', got: 'no such parameter', title: 'before the first step' },
  });
  await expect(playScenario(scenario, () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
});

test('a bug in the middle closes the set all the same', async () => {
  let closed: FakeSet | undefined;
  const broken = play(['kill: n1'], (set) => {
    closed = set;
    set.fault = () => {
      throw new TypeError('a bug');
    };
  });
  await expect(broken).rejects.toThrow('a bug');
  expect(closed!.closed).toBe(true);
});

test('a paced run is the same run, and waits as time passes', async () => {
  const steps = ['advance: 1s', 'eventually: { within: 10s, primary: n2 }'];
  const waits: number[] = [];
  const plain = await play(steps, electionAt(3_210_000));
  const paced = await play(steps, electionAt(3_210_000), {
    pace: async (micros) => {
      waits.push(micros);
    },
  });
  expect(paced.result).toEqual(plain.result);
  expect(paced.events).toEqual(plain.events);
  expect(waits.length).toBeGreaterThan(100);
  expect(waits.at(-1)).toBe(3_210_000);
  expect(waits).toEqual([...waits].sort((a, b) => a - b));
});

test.for([
  ['run: { on: n1, db: app, command: { find: c, collation: { locale: fr } } }', icuVersion()],
  ['createIndex: { in: app.c, keys: { a: 1 }, options: { collation: { locale: fr } } }', icuVersion()],
  ['find: { in: app.c, filter: { $text: { $search: été } }, error: 27 }', icuVersion()],
  [
    'run: { on: n1, db: app, command: { find: c, projection: { h: { $hour: { date: $$NOW, timezone: Asia/Tokyo } } } } }',
    icuVersion(),
  ],
  ['run: { on: n1, db: app, command: { find: c } }', undefined],
  ['note: no collation here', undefined],
  [`{ at: 1s, send: { to: n1, command: '{"find":"c","collation":{"locale":"fr"},"$db":"app"}' } }`, undefined],
] as const)('%s: the trace names the ICU %s', async ([step, icu]) => {
  const scenario = parseScenario(`name: strings\nreplicaSet: { members: [n1] }\nsteps:\n  - ${step}\n`, 'file.yaml');
  let asked: ReplSetOptions | undefined;
  await playScenario(scenario, (options) => {
    asked = options;
    return Promise.reject(new CommandError('BadValue', 'seen enough'));
  });
  expect(asked!.icu).toBe(icu);
  expect(icuVersion()).toMatch(/^\d+\.\d+$/);
});

test('one number for the latency of the network', () => {
  const { options } = parseScenario('name: a\nnetwork: { loss: 0, latencyMs: 5 }\nsteps: [ advance: 1s ]\n', 'a.yaml');
  expect(options.network).toEqual({ loss: 0, latencyMs: 5 });
});
