import { DEFAULT_COSTS } from '@replsim/protocol';
import { type Document, Long } from 'bson';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AskedSet } from '../../../../replset/test/askedSet.ts';
import { shapeOf } from '../../../../replset/test/shapeOf.ts';

const HELLO = { hello: 1 };
const THREE = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];

/** In mongod's order. */
const HEAD = ['topologyVersion object', 'hosts array'];
const ROLE = ['setName string', 'setVersion int', 'isWritablePrimary bool', 'secondary bool'];
const LIMITS = [
  ...['maxBsonObjectSize int', 'maxMessageSizeBytes int', 'maxWriteBatchSize int', 'localTime date'],
  ...['logicalSessionTimeoutMinutes int', 'connectionId int', 'minWireVersion int', 'maxWireVersion int'],
  ...['readOnly bool', 'ok double'],
];
const TIMES = ['$clusterTime object', 'operationTime timestamp'];

/** What a driver tells a member's situation by. */
function role({ isWritablePrimary, secondary, primary, electionId }: Document): [boolean, boolean, unknown, boolean] {
  return [isWritablePrimary, secondary, primary, electionId !== undefined];
}

function counterOf(set: AskedSet, member: string): number {
  return set.now(member, HELLO).topologyVersion.counter;
}

describe('a set of every kind of member', () => {
  let set: AskedSet;
  beforeAll(async () => {
    set = await AskedSet.create({
      members: [
        { name: 'n1', config: { priority: 2, tags: { dc: 'east', rack: '7' } } },
        { name: 'n2' },
        { name: 'n3', config: { priority: 0 } },
        { name: 'n4', config: { priority: 0, hidden: true, votes: 0 } },
        { name: 'n5', config: { priority: 0, secondaryDelaySecs: 3, votes: 0 } },
        { name: 'n6', config: { priority: 0, buildIndexes: false, votes: 0 } },
        { name: 'n7', config: { arbiterOnly: true, priority: 0 } },
        { name: 'n8', standalone: true },
      ],
    });
    await set.untilPrimary('n1');
    await set.pass(10_000);
  });
  afterAll(() => set.set.close());

  test.for<[member: string, more: string[], has: Document]>([
    ['n1', ['tags object', 'me string', 'electionId objectid'], { tags: { dc: 'east', rack: '7' }, me: 'n1:27017' }],
    ['n2', ['me string'], { me: 'n2:27017' }],
    ['n3', ['passive bool', 'me string'], { passive: true }],
    ['n4', ['passive bool', 'hidden bool', 'me string'], { hidden: true }],
    ['n5', ['passive bool', 'secondaryDelaySecs int', 'me string'], { secondaryDelaySecs: 3 }],
    ['n6', ['passive bool', 'buildIndexes bool', 'me string'], { buildIndexes: false }],
    ['n7', ['arbiterOnly bool', 'me string'], { arbiterOnly: true }],
  ])('%s shows what it is', ([member, more, has]) => {
    const fields = shapeOf(set.typed(member, HELLO)).map((field) => field.replace('objectId', 'objectid'));
    const lists = ['passives array', 'arbiters array'];
    // An arbiter keeps no time that it could tell.
    const times = member === 'n7' ? TIMES.filter((field) => !/^(\$clusterTime|operationTime) /.test(field)) : TIMES;
    expect(fields).toEqual([...HEAD, ...lists, ...ROLE, 'primary string', ...more, 'lastWrite object', ...LIMITS, ...times]); // biome-ignore format: one line
    expect(set.now(member, HELLO)).toMatchObject(has);
  });

  test('hosts, passives and arbiters leave hidden and delayed members out', () => {
    const { hosts, passives, arbiters } = set.now('n2', HELLO);
    expect([hosts, passives, arbiters]).toEqual([['n1:27017', 'n2:27017'], ['n3:27017', 'n6:27017'], ['n7:27017']]);
  });

  test('types within', () => {
    const hello = set.typed('n1', HELLO);
    expect(shapeOf(hello.topologyVersion)).toEqual(['processId objectId', 'counter long']);
    expect(shapeOf(hello.lastWrite)).toEqual([
      ...['opTime object', 'lastWriteDate date', 'majorityOpTime object', 'majorityWriteDate date'],
    ]);
    expect(hello.lastWrite.lastWriteDate.getTime() % 1000).toBe(0);
    expect(hello.electionId.toHexString()).toBe('7fffffff0000000000000001');
    expect(set.now('n1', HELLO)).toMatchObject({
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      logicalSessionTimeoutMinutes: 30,
      minWireVersion: 0,
      maxWireVersion: 25,
      readOnly: false,
    });
  });

  test('isMaster calls two fields by their old names, and says helloOk to whom it tells something', () => {
    const old = set.now('n5', { isMaster: 1 });
    expect(old).toMatchObject({ ismaster: false, secondary: true, slaveDelay: 3 });
    expect(Object.keys(old)).not.toContain('isWritablePrimary');
    expect(set.now('n1', { ismaster: 1, helloOk: true })).toMatchObject({ ismaster: true, helloOk: true });
    expect(set.now('n1', { isMaster: 1 })).not.toHaveProperty('helloOk');
    expect(set.now('n1', { hello: 1, helloOk: true })).not.toHaveProperty('helloOk');
  });

  test('a standalone', () => {
    expect(shapeOf(set.typed('n8', HELLO))).toEqual(['topologyVersion object', 'isWritablePrimary bool', ...LIMITS]);
    expect(set.now('n8', { isMaster: 1 })).toMatchObject({ ismaster: true });
  });
});

describe('what hello shows, by situation', () => {
  test('from the start to a writable primary, step by step', async () => {
    const set = await AskedSet.create({ members: THREE });
    const processStarted = set.typed('n1', HELLO);
    expect(shapeOf(processStarted)).toEqual([
      ...['topologyVersion object', 'isWritablePrimary bool', 'secondary bool', 'info string', 'isreplicaset bool'],
      ...LIMITS,
    ]);
    expect(role(set.now('n1', HELLO))).toEqual([false, false, undefined, false]);
    await set.untilState('n2', 5);
    expect(role(set.now('n2', HELLO))).toEqual([false, false, undefined, false]);
    await set.untilState('n1', 2);
    expect(role(set.now('n1', HELLO))).toEqual([false, true, undefined, false]);
    const before = counterOf(set, 'n1');
    // Elected: a leader that calls itself a secondary.
    await set.untilState('n1', 1);
    expect(role(set.now('n1', HELLO))).toEqual([false, true, 'n1:27017', true]);
    expect(counterOf(set, 'n1')).toBe(before + 1);
    // The config has the new term, writes are not accepted yet: the same picture.
    await set.until(() => counterOf(set, 'n1') > before + 1);
    await set.untilPrimary('n1');
    expect(role(set.now('n1', HELLO))).toEqual([true, false, 'n1:27017', true]);
    expect(counterOf(set, 'n1')).toBe(before + 3);
    await set.until(() => set.now('n2', HELLO).primary === 'n1:27017');
    expect(role(set.now('n2', HELLO))).toEqual([false, true, 'n1:27017', false]);
    await set.set.close();
  });

  test('a step-down attempt, its failure, and a step-down', async () => {
    const set = await AskedSet.create({ members: THREE });
    await set.untilPrimary('n1');
    await set.pass(5000);
    // Nobody can catch up.
    set.set.partition([['n1'], ['n2', 'n3']]);
    await set.run('n1', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 1 } }, 'app');
    const before = counterOf(set, 'n1');
    set.send('n1', { replSetStepDown: 60, secondaryCatchUpPeriodSecs: 3 }, 'admin');
    await set.until(() => !set.now('n1', HELLO).isWritablePrimary);
    expect(role(set.now('n1', HELLO))).toEqual([false, false, 'n1:27017', true]);
    expect(counterOf(set, 'n1')).toBe(before + 1);
    await set.until(() => set.now('n1', HELLO).isWritablePrimary);
    expect(counterOf(set, 'n1')).toBe(before + 2);
    set.set.heal('all');
    await set.pass(5000);
    await set.run('n1', { replSetStepDown: 60 }, 'admin');
    expect(role(set.now('n1', HELLO))).toEqual([false, true, undefined, false]);
    expect(counterOf(set, 'n1')).toBe(before + 4);
    await set.set.close();
  });

  test('learning who leads, and new opTimes, are no news to those who wait', async () => {
    const set = await AskedSet.create({ members: THREE });
    await set.untilPrimary('n1');
    await set.pass(5000);
    const before = counterOf(set, 'n3');
    await set.run('n1', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 3 } }, 'app');
    set.set.kill('n1');
    await set.until(() => set.now('n3', HELLO).primary === undefined);
    expect(counterOf(set, 'n3')).toBe(before);
    await set.set.close();
  });

  test('a member in maintenance', async () => {
    const set = await AskedSet.create({ members: THREE });
    await set.untilPrimary('n1');
    await set.pass(5000);
    const before = counterOf(set, 'n3');
    await set.run('n3', { replSetMaintenance: true }, 'admin');
    expect(set.state('n3')).toBe(3);
    expect(set.now('n3', { replSetGetStatus: 1 }).members[2]).toMatchObject({ maintenanceMode: 1 });
    expect(role(set.now('n3', HELLO))).toEqual([false, false, 'n1:27017', false]);
    expect(counterOf(set, 'n3')).toBe(before + 1);
    await set.run('n3', { replSetMaintenance: false }, 'admin');
    expect(role(set.now('n3', HELLO))).toEqual([false, true, 'n1:27017', false]);
    expect(counterOf(set, 'n3')).toBe(before + 2);
    await set.set.close();
  });

  test('a member that shuts down answers its hellos with an error, the waiting ones too', async () => {
    const set = await AskedSet.create({ members: THREE });
    await set.untilPrimary('n1');
    await set.pass(5000);
    const { topologyVersion } = set.typed('n3', HELLO);
    const waiting = set.send('n3', { hello: 1, topologyVersion, maxAwaitTimeMS: 600_000 }, 'admin');
    await set.pass(1000);
    set.set.shutdown('n3');
    await set.until(() => waiting.reply() !== undefined, 1000);
    for (const reply of [set.typed('n3', HELLO), set.typed('n3', { isMaster: 1 })]) {
      expect(shapeOf(reply).filter((field) => !field.startsWith('$') && !field.startsWith('operationTime'))).toEqual([
        ...['ok double', 'errmsg string', 'code int', 'codeName string', 'remainingQuiesceTimeMillis long'],
        'topologyVersion object',
      ]);
      expect(reply.topologyVersion.counter.toNumber()).toBe(topologyVersion.counter.toNumber() + 1);
    }
    expect(set.now('n3', HELLO)).toMatchObject({ code: 91, codeName: 'ShutdownInProgress' });
    await set.set.close();
  });

  test('a removed member', async () => {
    const set = await AskedSet.create({ members: THREE });
    await set.untilPrimary('n1');
    await set.pass(5000);
    const { config } = set.now('n1', { replSetGetConfig: 1 });
    const members = config.members.slice(0, 2);
    await set.run('n1', { replSetReconfig: { ...config, version: config.version + 1, members } }, 'admin');
    await set.untilState('n3', 10);
    const removed = set.now('n3', HELLO);
    expect(role(removed)).toEqual([false, false, undefined, false]);
    expect(removed).toMatchObject({ setName: 'rs0', isreplicaset: true });
    expect(removed).not.toHaveProperty('hosts');
    expect(removed).not.toHaveProperty('lastWrite');
    await set.set.close();
  });

  test('a set without an electable member but one that is hidden has no list of passives', async () => {
    const set = await AskedSet.create({
      members: [{ name: 'n1' }, { name: 'n2', config: { priority: 0, hidden: true } }],
    });
    await set.untilPrimary('n1');
    const hello = set.now('n2', HELLO);
    expect(Object.keys(hello)).not.toContain('passives');
    expect(Object.keys(hello)).not.toContain('arbiters');
    await set.set.close();
  });
});

describe('a hello that waits', () => {
  let set: AskedSet;
  let known: Document;
  beforeAll(async () => {
    set = await AskedSet.create({ members: THREE });
    await set.untilPrimary('n1');
    await set.pass(5000);
    known = set.typed('n2', HELLO).topologyVersion;
  });
  afterAll(() => set.set.close());
  const raised = (by: number) => ({ ...known, counter: known.counter.add(by) });

  test.for<[what: string, more: () => Document, code: number]>([
    ['topologyVersion alone', () => ({ topologyVersion: known }), 31368],
    ['maxAwaitTimeMS alone', () => ({ maxAwaitTimeMS: 100 }), 31368],
    ['a negative wait', () => ({ topologyVersion: known, maxAwaitTimeMS: -1 }), 31373],
    [
      'a negative counter',
      () => ({ topologyVersion: { ...known, counter: Long.fromNumber(-1) }, maxAwaitTimeMS: 1 }),
      31372,
    ],
    ['a counter that is not here yet', () => ({ topologyVersion: raised(1), maxAwaitTimeMS: 1 }), 31382],
    ['no processId', () => ({ topologyVersion: { counter: known.counter }, maxAwaitTimeMS: 1 }), 40414],
    ['no counter', () => ({ topologyVersion: { processId: known.processId }, maxAwaitTimeMS: 1 }), 40414],
    ['a processId of another type', () => ({ topologyVersion: { ...known, processId: 'x' }, maxAwaitTimeMS: 1 }), 14],
    ['a topologyVersion of another type', () => ({ topologyVersion: 7, maxAwaitTimeMS: 1 }), 14],
    ['a wait of another type', () => ({ topologyVersion: known, maxAwaitTimeMS: 'x' }), 14],
  ])('%s is refused', async ([, more, code]) => {
    expect(await set.run('n2', { hello: 1, ...more() }, 'admin')).toMatchObject({ ok: 0, code });
    expect(await set.run('n2', { isMaster: 1, ...more() }, 'admin')).toMatchObject({ ok: 0, code });
  });

  test.for<[what: string, version: () => Document]>([
    ['another process', () => ({ ...known, processId: set.typed('n1', HELLO).topologyVersion.processId })],
    [
      'another process, whatever the counter',
      () => ({ processId: set.typed('n1', HELLO).topologyVersion.processId, counter: Long.fromNumber(1e6) }),
    ],
    ['an older counter', () => raised(-1)],
  ])('%s: at once', async ([, version]) => {
    const before = set.set.nowMicros;
    expect(await set.run('n2', { hello: 1, topologyVersion: version(), maxAwaitTimeMS: 5000 }, 'admin')).toMatchObject({
      ok: 1,
    });
    expect(set.set.nowMicros - before).toBe(DEFAULT_COSTS.commandMicros);
  });

  test('nothing new: when the time is over', async () => {
    const before = set.set.nowMicros;
    const reply = await set.run('n2', { hello: 1, topologyVersion: known, maxAwaitTimeMS: 5000 }, 'admin');
    expect(reply).toMatchObject({ ok: 1, topologyVersion: { counter: known.counter.toNumber() } });
    expect(set.set.nowMicros - before).toBe(5_000_000 + DEFAULT_COSTS.commandMicros);
    expect(await set.run('n2', { hello: 1, topologyVersion: known, maxAwaitTimeMS: 0 }, 'admin')).toMatchObject({
      ok: 1,
    });
  });

  test('who waits is counted, and told when the counter grows', async () => {
    const waiting = [1, 2].map(() =>
      set.send('n2', { hello: 1, topologyVersion: known, maxAwaitTimeMS: 600_000 }, 'admin'),
    );
    await set.pass(1000);
    expect(set.now('n2', { serverStatus: 1 }).connections).toMatchObject({
      current: 2,
      active: 0,
      awaitingTopologyChanges: 2,
    });
    const { config } = set.now('n1', { replSetGetConfig: 1 });
    await set.run('n1', { replSetReconfig: { ...config, version: config.version + 1 } }, 'admin');
    await set.until(() => waiting.every(({ reply }) => reply() !== undefined), 1000);
    expect(counterOf(set, 'n2')).toBe(known.counter.toNumber() + 1);
  });
});

test('a rollback ends the connection of a hello that waits; asked anew, the member is neither', async () => {
  const set = await AskedSet.create({ members: THREE });
  await set.untilPrimary('n1');
  await set.pass(5000);
  set.set.partition([['n1'], ['n2', 'n3']]);
  await set.run('n1', { insert: 'c', documents: [{ _id: 'lost' }], writeConcern: { w: 1 } }, 'app');
  await set.until(() => !set.now('n1', HELLO).isWritablePrimary);
  set.set.heal('all');
  // A driver's monitor: each answer is followed by the next question.
  let { topologyVersion } = set.typed('n1', HELLO);
  for (;;) {
    const reply = await set.run('n1', { hello: 1, topologyVersion, maxAwaitTimeMS: 10_000 }, 'admin');
    if (reply.ok === 0) {
      expect(reply.codeName).toBe('HostUnreachable');
      break;
    }
    expect(reply.secondary).toBe(true);
    topologyVersion = { ...topologyVersion, counter: Long.fromNumber(reply.topologyVersion.counter) };
  }
  expect(set.state('n1')).toBe(9);
  expect(role(set.now('n1', HELLO)).slice(0, 2)).toEqual([false, false]);
  expect(counterOf(set, 'n1')).toBe(topologyVersion.counter.toNumber() + 1);
  await set.set.close();
});

describe('a waiting hello', () => {
  /** The answers of one who asks again and again from `member`, until one of them is `last`. */
  async function follow(set: AskedSet, member: string, cause: () => unknown, last: (reply: Document) => boolean) {
    let { topologyVersion } = set.now(member, HELLO);
    const seen: Document[] = [];
    const ask = () =>
      set.send(
        member,
        {
          ...HELLO,
          topologyVersion: { ...topologyVersion, counter: Long.fromNumber(topologyVersion.counter) },
          maxAwaitTimeMS: Long.fromNumber(60_000),
        },
        'admin',
      );
    let waiting = ask();
    await set.pass(5);
    cause();
    while (!seen.some(last)) {
      await set.until(() => waiting.reply() !== undefined);
      const reply = waiting.reply()!;
      seen.push({ by: reply.topologyVersion.counter - topologyVersion.counter, reply });
      topologyVersion = reply.topologyVersion;
      waiting = ask();
    }
    return seen;
  }

  test('is answered with what the first change of an instant made, and the next one with the rest', async () => {
    const set = await AskedSet.start(THREE);
    await set.untilPrimary('n1');
    await set.pass(2000);
    const down = await follow(
      set,
      'n1',
      () => set.send('n1', { replSetStepDown: 5, force: true, secondaryCatchUpPeriodSecs: 0 }, 'admin'),
      ({ reply }) => reply.secondary,
    );
    // It stops to accept writes first, and gives its role up then.
    expect(down.map(({ by, reply }) => [by, reply.isWritablePrimary, reply.secondary])).toEqual([
      [1, false, false],
      [1, false, true],
    ]);
    const up = await follow(
      set,
      'n1',
      () => set.set.kill('n2'),
      ({ reply }) => reply.isWritablePrimary,
    );
    // It leads first, and accepts writes when it has written the first entry of its term.
    expect(up.map(({ by }) => by)).toEqual(up.map(() => 1));
    expect(up.map(({ reply }) => reply.isWritablePrimary)).toEqual([...up.slice(1).map(() => false), true]);
    expect(up.length).toBeGreaterThan(1);
    // It leads, and is no writable primary yet.
    expect(up.map(({ reply }) => [reply.secondary, reply.electionId !== undefined])).toContainEqual([true, true]);
    await set.set.close();
  });

  test('hears of each of several configs', async () => {
    const set = await AskedSet.start(THREE);
    const { config } = await set.ok(set.primary, { replSetGetConfig: 1 }, 'admin');
    const changed = await follow(
      set,
      'n1',
      () => set.send(set.primary, { replSetReconfig: { ...config, version: config.version + 1 } }, 'admin'),
      ({ reply }) => reply.setVersion > config.version,
    );
    expect(changed.map(({ by }) => by)).toEqual(changed.map(() => 1));
    await set.set.close();
  });
});
