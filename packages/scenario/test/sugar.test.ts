import { expect, test } from 'vitest';
import { play } from './playing.ts';

const NOW = Date.UTC(2025, 0, 1);

/** What a step sends. */
test.for<[step: string, member: string, command: object]>([
  [
    'insert: { into: app.s.t, count: 2, document: { _id: $i, at: { $now: { minus: 1h, times: $i } } }, writeConcern: { w: majority }, ordered: false }',
    'n1',
    {
      insert: 's.t',
      documents: [
        { _id: 1, at: new Date(NOW - 3_600_000) },
        { _id: 2, at: new Date(NOW - 7_200_000) },
      ],
      ordered: false,
      writeConcern: { w: 'majority' },
      $db: 'app',
    },
  ],
  [
    'insert: { on: n3, into: a.b, documents: [{ at: { $now: -90s } }] }',
    'n3',
    { insert: 'b', documents: [{ at: new Date(NOW + 5000 - 90_000) }], $db: 'a' },
  ],
  [
    'update: { in: a.b, filter: { _id: 1 }, update: { $set: { x: 1 } }, upsert: true, arrayFilters: [{ e: 1 }] }',
    'n1',
    {
      update: 'b',
      updates: [{ q: { _id: 1 }, u: { $set: { x: 1 } }, upsert: true, arrayFilters: [{ e: 1 }] }],
      $db: 'a',
    },
  ],
  [
    'update: { in: a.b, update: [{ $set: { x: $y } }] }',
    'n1',
    { update: 'b', updates: [{ q: {}, u: [{ $set: { x: '$y' } }] }], $db: 'a' },
  ],
  [
    'delete: { from: a.b, filter: { _id: 1 } }',
    'n1',
    { delete: 'b', deletes: [{ q: { _id: 1 }, limit: 1 }], $db: 'a' },
  ],
  [
    'delete: { from: a.b, multi: true, writeConcern: { w: 1 } }',
    'n1',
    { delete: 'b', deletes: [{ q: {}, limit: 0 }], writeConcern: { w: 1 }, $db: 'a' },
  ],
  [
    'find: { in: a.b, filter: { x: 1 }, sort: { _id: 1 }, limit: 5, skip: 1, projection: { x: 1 } }',
    'n1',
    { find: 'b', filter: { x: 1 }, sort: { _id: 1 }, projection: { x: 1 }, limit: 5, skip: 1, $db: 'a' },
  ],
  ['find: { on: n2, in: a.b }', 'n2', { find: 'b', $db: 'a', $readPreference: { mode: 'secondaryPreferred' } }],
  [
    'find: { on: n2, in: a.b, readPreference: { mode: primary } }',
    'n2',
    { find: 'b', $db: 'a', $readPreference: { mode: 'primary' } },
  ],
  [
    'createIndex: { in: a.b, keys: { x: 1, "y.z": -1 }, options: { sparse: true } }',
    'n1',
    {
      createIndexes: 'b',
      indexes: [{ key: { x: 1, 'y.z': -1 }, name: 'x_1_y.z_-1', sparse: true }],
      $db: 'a',
    },
  ],
  [
    'createIndex: { in: a.b, keys: { x: 1 }, options: { name: ttl }, commitQuorum: majority }',
    'n1',
    { createIndexes: 'b', indexes: [{ key: { x: 1 }, name: 'ttl' }], commitQuorum: 'majority', $db: 'a' },
  ],
  [
    'collMod: { in: a.b, index: { name: ttl, expireAfterSeconds: 5 } }',
    'n1',
    { collMod: 'b', index: { name: 'ttl', expireAfterSeconds: 5 }, $db: 'a' },
  ],
  [
    'setParameter: { on: n2, parameters: { ttlMonitorSleepSecs: 5 } }',
    'n2',
    { setParameter: 1, ttlMonitorSleepSecs: 5, $db: 'admin' },
  ],
  ['stepDown: primary', 'n1', { replSetStepDown: 60, $db: 'admin' }],
  [
    'stepDown: { stepDownSecs: 20, secondaryCatchUpPeriodSecs: 5, force: true }',
    'n1',
    { replSetStepDown: 20, secondaryCatchUpPeriodSecs: 5, force: true, $db: 'admin' },
  ],
  ['stepDown: { stepDownSecs: 5 }', 'n1', { replSetStepDown: 5, secondaryCatchUpPeriodSecs: 5, $db: 'admin' }],
  ['stepDown: { stepDownSecs: 5, force: true }', 'n1', { replSetStepDown: 5, force: true, $db: 'admin' }],
  ['stepUp: n2', 'n2', { replSetStepUp: 1, $db: 'admin' }],
  ['freeze: { on: n2, seconds: 120 }', 'n2', { replSetFreeze: 120, $db: 'admin' }],
  [
    'initiate: { on: n1, config: { _id: rs0, members: [] } }',
    'n1',
    { replSetInitiate: { _id: 'rs0', members: [] }, $db: 'admin' },
  ],
  [
    'initiate: n1',
    'n1',
    {
      replSetInitiate: {
        _id: 'rs0',
        version: 1,
        members: [
          { _id: 0, host: 'n1:27017' },
          { _id: 1, host: 'n2:27017' },
          { _id: 2, host: 'n3:27017', priority: 0.5 },
        ],
      },
      $db: 'admin',
    },
  ],
])('%s', async ([step, member, command]) => {
  const head = 'replicaSet: { members: [n1, n2, { name: n3, priority: 0.5, clock: { offset: 5s } }], spares: [n4] }';
  const { set, result } = await play([step], undefined, {}, head);
  expect(result.failure).toBeUndefined();
  expect(set.sent).toEqual([{ member, command }]);
  expect(Object.keys(set.sent[0]!.command)).toEqual(Object.keys(command));
});

const config = {
  _id: 'rs0',
  version: 3,
  term: 2,
  members: [
    { _id: 0, host: 'n1:27017', priority: 1 },
    { _id: 4, host: 'n2:27017', priority: 1 },
  ],
  settings: {},
};

test.for<[step: string, config: object, force?: boolean]>([
  [
    'reconfig: { update: { $set: { members.1.priority: 5, settings.electionTimeoutMillis: 5000 } }, force: true }',
    {
      ...config,
      version: 4,
      members: [config.members[0], { ...config.members[1], priority: 5 }],
      settings: { electionTimeoutMillis: 5000 },
    },
    true,
  ],
  [
    'addMember: { name: n3, priority: 0, votes: 0, tags: { dc: east } }',
    {
      ...config,
      version: 4,
      members: [...config.members, { _id: 5, host: 'n3:27017', priority: 0, votes: 0, tags: { dc: 'east' } }],
    },
  ],
  ['removeMember: n2', { ...config, version: 4, members: [config.members[0]] }],
  ['removeMember: { name: n2, force: true }', { ...config, version: 4, members: [config.members[0]] }, true],
])('%s', async ([step, changed, force]) => {
  const { set, result } = await play([step], (fake) => {
    fake.talk = (command) => ('replSetGetConfig' in command ? { ok: 1, config } : { ok: 1 });
  });
  expect(result.failure).toBeUndefined();
  expect(set.sent).toEqual([
    { member: 'n1', command: { replSetReconfig: changed, ...(force && { force }), $db: 'admin' } },
  ]);
});

test('an update that does not fit the config fails the step', async () => {
  const { result } = await play(['reconfig: { update: { $inc: { members: 1 } } }'], (fake) => {
    fake.talk = () => ({ ok: 1, config });
  });
  expect(result.failure?.got).toMatch(/^TypeMismatch: /);
});

test('a member that is not in the config cannot be removed', async () => {
  const { result } = await play(['removeMember: n3'], (fake) => {
    fake.talk = () => ({ ok: 1, config });
  });
  expect(result.failure).toMatchObject({
    asked: 'a config without n3:27017',
    got: 'it is not in the config, which has n1:27017, n2:27017',
  });
});

test('find compares what comes back', async () => {
  const found = [{ _id: 2, n: 1.5 }, { _id: 1 }];
  const answers = (fake: { talk: unknown }) => {
    fake.talk = () => ({ ok: 1, cursor: { id: 0, ns: 'a.b', firstBatch: found } });
  };
  expect((await play(['find: { in: a.b, is: [{ _id: 1.0 }, { _id: 2, n: 1.5 }] }'], answers)).result.ok).toBe(true);
  const ordered = await play(['find: { in: a.b, sort: { _id: 1 }, is: [{ _id: 1 }, { _id: 2, n: 1.5 }] }'], answers);
  expect(ordered.result.failure).toMatchObject({
    asked: 'exactly 2 in this order: {_id: 1}, {_id: 2, n: 1.5}, from n1',
    got: '2: {_id: 2, n: 1.5}, {_id: 1}',
  });
  expect((await play(['find: { in: a.b, is: [{ _id: 1 }] }'], answers)).result.ok).toBe(false);
  expect((await play(['find: { in: a.b, is: [{ _id: 1 }, { _id: 1 }] }'], answers)).result.ok).toBe(false);
});

test('let remembers a value with its type, and $plus counts on', async () => {
  const steps = [
    'let: { x: { on: n2, command: { replSetGetStatus: 1 }, path: members.1.term } }',
    'run: { command: { ping: $x, next: { $plus: [$x, 1] } } }',
  ];
  const { set } = await play(steps, (fake) => {
    fake.talk = (command) => ('ping' in command ? { ok: 1 } : { ok: 1, members: [{}, { term: 5n }] });
  });
  expect(set.sent).toEqual([{ member: 'n1', command: { ping: 5, next: 6, $db: 'admin' } }]);
  const missing = await play(['let: { x: { on: n2, command: { ping: 1 }, path: a.b } }']);
  expect(missing.result.failure).toMatchObject({ asked: 'a.b in the answer of n2', got: '{ok: 1}' });
  const text = await play([...steps], (fake) => {
    fake.talk = () => ({ ok: 1, members: [{}, { term: 'text' }] });
  });
  expect(text.result.failure).toMatchObject({
    index: 2,
    asked: 'values to send',
    got: '$plus adds numbers, or a number to a date or timestamp',
  });
});
