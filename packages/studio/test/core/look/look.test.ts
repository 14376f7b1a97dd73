import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { traceLine } from '@replsim/scenario';
import { describe, expect, test } from 'vitest';
import type { DataSeen, ExpirySeen, Look, StatusSeen } from '../../../src/core/look/look.ts';
import { ScenarioPlayer } from '../../../src/core/run/play.ts';
import type { Slice } from '../../../src/core/run/player.ts';

// What members answer at an instant of a run that has been played.

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../../../scenarios/${name}.yaml`, import.meta.url)), 'utf8');

/** A player that has played. */
async function played(text: string): Promise<ScenarioPlayer> {
  const player = new ScenarioPlayer();
  expect(await player.play(text, undefined, () => {})).toMatchObject({ kind: 'played' });
  return player;
}

async function data(player: ScenarioPlayer, atMicros: number, ns?: string): Promise<DataSeen> {
  return (await player.look({ kind: 'data', atMicros, ...(ns !== undefined && { ns }) })) as DataSeen;
}

/** The documents of each member, line by line; those that are not there are empty. */
function tableOf({ rows }: DataSeen): (string | undefined)[][] {
  return rows.map(({ cells }) => cells.map((cell) => cell && (cell.text ?? '')));
}

describe('a failover', async () => {
  const player = await played(read('election/failover-on-kill'));
  const status = async (member: string, atMicros: number) =>
    (await player.look({ kind: 'status', atMicros, member })) as StatusSeen;

  test('the disk of a member that is down is looked at, and said to be one', async () => {
    const seen = await data(player, 20e6);
    expect(seen.columns.map(({ member, presence }) => `${member} ${presence}`)).toEqual([
      'n1 down',
      'n2 running',
      'n3 running',
    ]);
    const pen = '{_id: 1, item: "pen"}';
    expect(tableOf(seen)).toEqual([[pen, pen, pen]]);
    expect(seen.indexes).toEqual([{ text: '{v: 2, key: {_id: 1}, name: "_id_"}', members: ['n1', 'n2', 'n3'] }]);
  });

  test('a look leaves the member as it was for the next one', async () => {
    await data(player, 20e6);
    expect(await status('n1', 20e6)).toMatchObject({ presence: 'down', silence: 'n1 is down: killed at 11.122s' });
    expect((await data(player, 20e6)).columns[0]).toEqual({ member: 'n1', presence: 'down', count: 1 });
    const { members } = await status('n2', 20e6);
    expect(members.map(({ name, stateStr }) => `${name} ${stateStr}`)).toEqual([
      'n1:27017 (not reachable/healthy)',
      'n2:27017 (itself) SECONDARY',
      'n3:27017 SECONDARY',
    ]);
  });

  test('status: the table, and the whole answer', async () => {
    const seen = await status('n3', 11e6);
    expect(seen.members[0]).toEqual({
      name: 'n1:27017',
      stateStr: 'PRIMARY',
      health: 'up',
      optime: expect.stringMatching(/^\(10,\d+ t1\)$/),
      syncSourceHost: '',
      lastHeartbeatRecv: expect.stringMatching(/^2025-01-01T00:00:1\d/),
      message: '',
    });
    expect(JSON.parse(seen.status)).toMatchObject({ set: 'rs0', myState: 2, term: 1 });
    expect(JSON.parse(seen.ttl)).toMatchObject({ passes: 0, deletedDocuments: 0 });
  });

  test('beyond the end of the run it is as it ended', async () => {
    const seen = await data(player, 1e12);
    expect(seen.atMicros).toBeLessThan(60e6);
    expect(seen.columns.map(({ count }) => count)).toEqual([2, 2, 2]);
  });

  test('before the set has data there is nothing to see', async () => {
    const seen = await data(player, 0);
    expect(seen).toMatchObject({ rows: [], more: 0 });
    expect(seen.collections).not.toContain('app.orders');
  });

  test('how a member voted, what its monitor does, a document: each at its instant', async () => {
    const why = async (question: Parameters<typeof player.why>[0]) =>
      (await player.why(question)).map(({ text }) => text);
    expect((await why({ kind: 'vote', atMicros: 15e6, member: 'n2' })).join()).toContain('n1');
    expect(await why({ kind: 'monitor', atMicros: 15e6, member: 'n2' })).toEqual([
      'n2 accepts no writes, so its TTL monitor deletes nothing',
    ]);
    const [{ id } = { id: '' }] = (await data(player, 20e6)).rows;
    const document = { kind: 'document', ns: 'app.orders', id, member: 'n3' } as const;
    expect((await why({ ...document, atMicros: 20e6 })).join()).toMatch(/inserted/);
    expect(await why({ ...document, atMicros: 9e6 })).toEqual(['no oplog entry is about app.orders']);
    expect(await why({ kind: 'operation', atMicros: 15e6, workload: 'w1', turn: 13 })).toEqual([
      'there is no workload w1 yet',
    ]);
  });
});

test('the trace of a run is the same whether or not it was looked into', async () => {
  const text = read('election/failover-on-kill');
  const linesOf = async (player: ScenarioPlayer) => {
    const slices: Slice[] = [];
    await player.play(text, undefined, (slice) => void slices.push(slice));
    return slices.flatMap(({ events }) => events.map(traceLine));
  };
  const player = new ScenarioPlayer();
  const before = await linesOf(player);
  const reasons = await player.why({ kind: 'primary', atMicros: 20e6 });
  for (const look of [{ kind: 'data' }, { kind: 'status', member: 'n1' }, { kind: 'expiry' }] as const)
    await player.look({ ...look, atMicros: 20e6 } as Look);
  expect(await player.why({ kind: 'primary', atMicros: 20e6 })).toEqual(reasons);
  expect(await linesOf(player)).toEqual(before);
});

describe('a member that lags', async () => {
  const player = await played(read('ttl/lagging-member-shows-documents-longer'));
  const expiry = async (atMicros: number) => (await player.look({ kind: 'expiry', atMicros })) as ExpirySeen;

  test('differs, in words', async () => {
    const seen = await data(player, 100e6);
    expect(seen.columns.map(({ count }) => count)).toEqual([0, 0, 20]);
    expect(seen.rows).toHaveLength(20);
    const [n1, n2, n3] = seen.rows[0]!.cells;
    expect(n1).toEqual({});
    expect(n2).toEqual({});
    expect(n3).toEqual({
      text: expect.stringMatching(/^\{_id: 1, lastSeen: ISODate/),
      unlike: 'n1 does not have it',
      expired: expect.stringMatching(
        /^expired 58\.\d+s ago, by ttl: n1 has deleted it; n3 lags by \d+ entries: its part apply has been held since 11\.\d+s$/,
      ),
    });
    expect((await data(player, 301e6)).rows).toEqual([]);
  });

  test('what is due says what it waits for', async () => {
    const { rows } = await data(player, 50e6);
    const sleeps = 'the TTL monitor of n1 sleeps until 60.001s, and has made no pass yet';
    expect(rows[0]!.cells.map((cell) => cell?.expired)).toEqual([
      `expired 8.878s ago, by ttl: ${sleeps}`,
      `expired 8.878s ago, by ttl: n2 waits for the delete of n1; ${sleeps}`,
      `expired 8.878s ago, by ttl: n3 waits for the delete of n1; ${sleeps}`,
    ]);
    expect((await data(player, 30e6)).rows[0]!.cells[0]!.expired).toBeUndefined();
  });

  test('the index, its monitors, and how late it is', async () => {
    const due = await expiry(50e6);
    expect(due.indexes).toEqual([
      {
        ns: 'app.sessions',
        index: 'ttl',
        expireAfterSeconds: 30,
        on: 'n1',
        due: 20,
        oldest: '8.878s: 8.878s sleep',
        gone: '0 gone',
        members: ['n1: 0 gone', 'n2: 0 gone', 'n3: 0 gone'],
      },
    ]);
    expect(due.monitors[1]).toEqual({
      member: 'n2',
      sentences: ['n2 accepts no writes, so its TTL monitor deletes nothing'],
      passes: 0,
      deletedDocuments: 0,
    });
    const after = await expiry(100e6);
    expect(after.indexes[0]).toMatchObject({ due: 0, expireAfterSeconds: 30 });
    expect(after.indexes[0]!.members).toContain('n3: 0 gone, 20 still there');
    expect(after.indexes[0]!.members.find((each) => each.startsWith('n2'))).toMatch(/^n2: 20 gone: .* lag/);
    expect(after.indexes[0]!.gone).toMatch(/^20 gone: median 18\.\d+s late/);
    expect(after.monitors[0]).toMatchObject({ passes: 1, deletedDocuments: 20 });
  });
});

test('what came expired is late by its arrival first', async () => {
  const player = await played(`name: It came late
steps:
  - eventually: { primary: n1, within: 30s }
  - createIndex: { in: app.s, keys: { at: 1 }, options: { name: ttl, expireAfterSeconds: 60 } }
  - advance: { to: 20s }
  - insert: { into: app.s, document: { _id: 1, at: { $now: -90s } } }
  - advance: { to: 40s }
`);
  const { indexes } = (await player.look({ kind: 'expiry', atMicros: 40e6 })) as ExpirySeen;
  expect(indexes[0]!.oldest).toMatch(/^50s: 30\.?\d*s arrival, (19\.99\d|20)s sleep$/);
});

test('a paused member has what it holds in memory, and one whose disk is damaged says so', async () => {
  const player = await played(`name: Two are not there
steps:
  - eventually: { primary: n1, within: 30s }
  - insert: { into: app.s, document: { _id: 1 }, writeConcern: { w: 3 } }
  - kill: n3
  - disk: { on: n3, corrupt: true }
  - pause: n2
  - update: { in: app.s, filter: { _id: 1 }, update: { $set: { seen: true } } }
  - advance: { to: 20s }
`);
  const seen = await data(player, 20e6);
  expect(seen.columns).toEqual([
    { member: 'n1', presence: 'running', count: 1 },
    { member: 'n2', presence: 'paused', count: 1 },
    { member: 'n3', presence: 'down', silence: expect.stringMatching(/^its disk cannot be read: /) },
  ]);
  expect(seen.rows[0]!.cells).toEqual([
    { text: '{_id: 1, seen: true}' },
    { text: '{_id: 1}', unlike: 'not as on n1' },
    undefined,
  ]);
});

test('an arbiter holds no data, and says so', async () => {
  const player = await played(`name: It has an arbiter
replicaSet: { members: [n1, n2, { name: arb, arbiterOnly: true }] }
steps:
  - eventually: { primary: n1, within: 30s }
  - insert: { into: app.s, document: { _id: 1 } }
  - advance: 1s
`);
  const { columns } = await data(player, 60e6);
  expect(columns[2]).toMatchObject({ member: 'arb', silence: expect.stringMatching(/^it answers /) });
});

test('of many documents the first are shown, laid side by side as far as all are known', async () => {
  const player = await played(`name: There are many
steps:
  - eventually: { primary: n1, within: 30s }
  - insert: { into: app.s, count: 300, document: { _id: $i }, writeConcern: { w: 3 } }
  - hold: { on: n3, part: fetch }
  - delete: { from: app.s, filter: { _id: { $lte: 150 } }, multi: true, writeConcern: { w: 2 } }
  - advance: 1s
`);
  const seen = await data(player, 60e6);
  expect(seen.columns.map(({ count }) => count)).toEqual([150, 150, 300]);
  expect(seen.rows.map(({ idText }) => Number(idText))).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
  expect(seen.more).toBe(100);
  expect(seen.rows[199]!.cells.map((cell) => cell?.text)).toEqual(Array(3).fill('{_id: 200}'));
});

test('another run is looked at afterwards, and none before there was one', async () => {
  const player = new ScenarioPlayer();
  expect(await player.look({ kind: 'data', atMicros: 0 })).toBeUndefined();
  await player.play(read('election/failover-on-kill'), undefined, () => {});
  expect((await data(player, 20e6)).ns).toBe('app.orders');
  await player.play(read('ttl/lagging-member-shows-documents-longer'), undefined, () => {});
  expect((await data(player, 20e6)).ns).toBe('app.sessions');
});

test('a collection that nobody has gives way to the first of users', async () => {
  const player = await played(read('election/failover-on-kill'));
  expect((await data(player, 20e6, 'config.transactions')).ns).toBe('config.transactions');
  expect((await data(player, 20e6, 'app.gone')).ns).toBe('app.orders');
});

test('each of many that have expired is marked', async () => {
  const player = await played(`name: There are many
steps:
  - eventually: { primary: n1, within: 30s }
  - createIndex: { in: app.s, keys: { at: 1 }, options: { expireAfterSeconds: 5 } }
  - insert: { into: app.s, count: 180, document: { _id: $i, at: { $now: 0s } }, writeConcern: { w: 3 } }
  - advance: 10s
`);
  const { rows } = await data(player, 20e6);
  expect(rows).toHaveLength(180);
  expect(rows.every(({ cells }) => cells.every((cell) => cell?.expired?.startsWith('expired ')))).toBe(true);
});

test('where a batch is full before, nothing is said of what it has no room for', async () => {
  const player = await played(`name: They are big
steps:
  - eventually: { primary: n1, within: 30s }
  - insert: { into: app.s, count: 20, document: { _id: $i, big: ${'a'.repeat(1_000_000)} }, writeConcern: { w: 3 } }
  - hold: { on: n3, part: fetch }
  - delete: { from: app.s, filter: { _id: { $lte: 18 } }, multi: true, writeConcern: { w: 2 } }
  - advance: 1s
`);
  const seen = await data(player, 60e6);
  expect(seen.columns.map(({ count }) => count)).toEqual([2, 2, 20]);
  expect(seen.rows.length).toBeLessThan(18);
  expect(seen.rows.every(({ cells }) => cells[2]?.unlike === 'n1 does not have it')).toBe(true);
  expect(seen.more).toBe(20 - seen.rows.length);
});
