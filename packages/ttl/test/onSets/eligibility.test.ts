import type { MongodVersion } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';

// Whether the monitor's thread starts, and what a wake-up does by the member's state, on members that are
// really in that state. `packages/ttl/test/eligibility.test.ts` has the same tables over the bare rules.

const EXPIRED = { _id: 1, at: new Date(0) };
const TTL = { createIndexes: 't', indexes: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 0 }] };
const FAST = { ttlMonitorSleepSecs: 1 };
const LED_BY_N1 = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];

type Version = MongodVersion;
const metrics = (asked: AskedSet, member: string): Doc => asked.now(member, { serverStatus: 1 }).metrics.ttl;
const stateOf = (asked: AskedSet, member: string): number => asked.now(member, { replSetGetStatus: 1 }).myState;
const lines = (asked: AskedSet, member: string, id: number): Doc[] =>
  asked
    .now(member, { getLog: 'global' })
    .log.map((line: string) => JSON.parse(line))
    .filter((line: Doc) => line.id === id);
const warnings = (asked: AskedSet, member: string): number[] =>
  asked.now(member, { getLog: 'startupWarnings' }).log.map((line: string) => JSON.parse(line).id);

async function led(version: Version, options: Parameters<typeof AskedSet.start>[1] = {}): Promise<AskedSet> {
  const asked = await AskedSet.start(LED_BY_N1, { version, parameters: FAST, ...options });
  await asked.until(() => asked.primaryIfAny() === 'n1');
  return asked;
}

/** With a document that is due, which a monitor that is off leaves alone. */
async function withExpired(asked: AskedSet, member: string, db = 'app', writeConcern: Doc = { w: 1 }): Promise<void> {
  await asked.ok(member, { setParameter: 1, ttlMonitorEnabled: false }, 'admin');
  await asked.ok(member, { ...TTL, writeConcern }, db);
  await asked.ok(member, { insert: 't', documents: [EXPIRED], writeConcern }, db);
  await asked.ok(member, { setParameter: 1, ttlMonitorEnabled: true }, 'admin');
}

/** What the counters gain in ten seconds, which are nine or ten wake-ups, as 0, 1 a wake-up, or more than that. */
async function gains(asked: AskedSet, member: string): Promise<{ passes: number; subPasses: number | undefined }> {
  const before = metrics(asked, member);
  await asked.pass(10_000);
  const after = metrics(asked, member);
  const perWake = (n: number) => Math.round(n / 9.5);
  const subPasses = after.subPasses === undefined ? undefined : perWake(after.subPasses - before.subPasses);
  return { passes: perWake(after.passes - before.passes), subPasses };
}

// --- whether the thread starts ---

interface Start {
  readonly config?: boolean;
  readonly standalone?: boolean;
  readonly queryableBackupMode?: boolean;
  readonly parameters?: Doc;
}

/** n1 with data of a set, or of its own, stopped and started again. */
async function restarted({ config = false, standalone = true, ...options }: Start): Promise<AskedSet> {
  const asked = config
    ? await AskedSet.start(1, { parameters: FAST })
    : await AskedSet.start([{ name: 'n1', standalone: true }], { parameters: FAST });
  await withExpired(asked, 'n1');
  await asked.ok('n1', { setParameter: 1, ttlMonitorEnabled: false }, 'admin');
  asked.send('n1', { shutdown: 1, force: true, timeoutSecs: 0 }, 'admin');
  await asked.until(() => !asked.set.status('n1').running);
  await asked.set.start('n1', { as: standalone ? 'standalone' : { replSet: 'rs0' }, ...options });
  await asked.pass(10_000);
  return asked;
}

test.for<[what: string, start: Start, runs: boolean, warned: readonly number[]]>([
  ['a standalone on data of its own', {}, true, []],
  ['a standalone on data of a set', { config: true }, false, [20547]],
  [
    'a standalone on data of a set, its oplog replayed',
    { config: true, parameters: { recoverFromOplogAsStandalone: true } },
    false,
    [21558, 20547],
  ],
  ['a member of the set', { config: true, standalone: false }, true, []],
  ['a backup that is looked into', { queryableBackupMode: true }, false, []],
  ['a backup of a set that is looked into', { config: true, queryableBackupMode: true }, false, []],
])('%s', async ([, start, runs, warned]) => {
  const asked = await restarted(start);
  expect(metrics(asked, 'n1').passes > 0).toBe(runs);
  expect(metrics(asked, 'n1').deletedDocuments).toBe(runs ? 1 : 0);
  expect(warnings(asked, 'n1')).toEqual(warned);
  // The parameters are there all the same.
  expect(await asked.run('n1', { setParameter: 1, ttlMonitorSleepSecs: 2 }, 'admin')).toMatchObject({ was: 1, ok: 1 });
  expect(asked.now('n1', { getParameter: 1, ttlMonitorSleepSecs: 1 }).ttlMonitorSleepSecs).toBe(2);
});

test('a config that is deleted at run time starts no monitor; the next start does', async () => {
  const asked = await restarted({ config: true });
  await asked.ok('n1', { delete: 'system.replset', deletes: [{ q: {}, limit: 0 }] }, 'local');
  await asked.pass(60_000);
  expect(metrics(asked, 'n1')).toMatchObject({ passes: 0, subPasses: 0, deletedDocuments: 0 });
  await asked.ok('n1', { fsync: 1 }, 'admin');
  asked.set.kill('n1');
  await asked.set.start('n1', { as: 'standalone' });
  await asked.pass(5000);
  expect(metrics(asked, 'n1').deletedDocuments).toBe(1);
  expect(warnings(asked, 'n1')).toEqual([]);
});

test.for<[what: string, start: Start]>([
  ['a backup', { queryableBackupMode: true }],
  ['an oplog that was replayed', { config: true, parameters: { recoverFromOplogAsStandalone: true } }],
])('%s can be read, and not written', async ([, start]) => {
  const asked = await restarted(start);
  expect(await asked.documents('n1', 't')).toHaveLength(1);
  for (const db of ['app', 'local']) {
    expect(await asked.run('n1', { insert: 't', documents: [{ _id: 2 }] }, db)).toMatchObject({ ok: 0, code: 20 });
  }
});

test('ttlMonitorEnabled: false at startup is a monitor that runs and does nothing', async () => {
  const asked = await led('8.2', { parameters: { ...FAST, ttlMonitorEnabled: false } });
  await asked.ok('n1', { setParameter: 1, logComponentVerbosity: { index: 1 } }, 'admin');
  expect(await gains(asked, 'n1')).toEqual({ passes: 0, subPasses: 0 });
  expect(lines(asked, 'n1', 22529).length).toBeGreaterThan(8);
});

// --- what a wake-up does: line B, line A, and the monitor of 3.2, which has no sub-passes ---

const VERSIONS = ['8.2', '8.0', '7.0', '3.2'] as const;
type PerVersion = Readonly<Record<'B' | 'A' | 'legacy', readonly [passes: number, subPasses: number]>>;

function expected(version: Version, { A, B, legacy }: PerVersion) {
  const [passes, subPasses] = version === '8.2' ? B : version === '3.2' ? legacy : A;
  return { passes, subPasses: version === '3.2' ? undefined : subPasses };
}

interface State {
  readonly state: string;
  /** Brings `member` into the state; it stays there for ten seconds more. */
  readonly bring: (version: Version) => Promise<{ asked: AskedSet; member: string }>;
  readonly deletes: boolean;
  readonly counts: PerVersion;
}

const EVERYBODY = { B: [1, 1], A: [1, 1], legacy: [1, 1] } as const;
const READABLE = { B: [0, 0], A: [1, 1], legacy: [1, 1] } as const;
const UNREADABLE = { B: [0, 0], A: [1, 0], legacy: [0, 0] } as const;
const NOBODY = { B: [0, 0], A: [0, 0], legacy: [0, 0] } as const;

const STATES: readonly State[] = [
  {
    state: 'a standalone',
    deletes: true,
    counts: EVERYBODY,
    async bring(version) {
      const asked = await AskedSet.start([{ name: 'n1', standalone: true }], { version, parameters: FAST });
      await withExpired(asked, 'n1');
      return { asked, member: 'n1' };
    },
  },
  {
    state: 'PRIMARY',
    deletes: true,
    counts: EVERYBODY,
    async bring(version) {
      const asked = await led(version);
      await withExpired(asked, 'n1');
      return { asked, member: 'n1' };
    },
  },
  {
    state: 'PRIMARY, still draining',
    deletes: false,
    counts: EVERYBODY,
    async bring(version) {
      const asked = await led(version, { settings: { catchUpTimeoutMillis: 0 } });
      asked.set.hold('n1', 'ttl');
      await withExpired(asked, 'n1', 'app', { w: 3 });
      // Before 8.0 what is not applied counts for nothing: who has applied more would vote against n2.
      for (const member of ['n2', 'n3']) asked.set.hold(member, 'apply');
      await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 1 } });
      await asked.pass(500);
      asked.set.kill('n1');
      asked.send('n2', { replSetStepUp: 1, skipDryRun: true }, 'admin');
      await asked.until(() => stateOf(asked, 'n2') === 1);
      expect(asked.now('n2', { hello: 1 }).isWritablePrimary).toBe(false);
      return { asked, member: 'n2' };
    },
  },
  {
    state: 'SECONDARY',
    deletes: false,
    counts: READABLE,
    async bring(version) {
      const asked = await led(version);
      asked.set.hold('n1', 'ttl');
      await withExpired(asked, 'n1', 'app', { w: 3 });
      return { asked, member: 'n2' };
    },
  },
  {
    state: 'STARTUP',
    deletes: false,
    counts: UNREADABLE,
    async bring(version) {
      const members = [...LED_BY_N1, { name: 'n4', spare: true }];
      const asked = await AskedSet.start(members, { version, parameters: FAST });
      return { asked, member: 'n4' };
    },
  },
  {
    state: 'STARTUP2, in initial sync',
    deletes: false,
    counts: UNREADABLE,
    async bring(version) {
      const asked = await led(version, { costs: { initialSyncMicrosPerDocument: 60_000_000 } });
      asked.set.hold('n1', 'ttl');
      await withExpired(asked, 'n1', 'app', { w: 3 });
      asked.set.kill('n3');
      await asked.set.start('n3', { wipe: true });
      await asked.until(() => stateOf(asked, 'n3') === 5);
      await asked.pass(3000);
      return { asked, member: 'n3' };
    },
  },
  {
    state: 'RECOVERING',
    deletes: false,
    counts: UNREADABLE,
    async bring(version) {
      const asked = await led(version);
      await asked.ok('n2', { replSetMaintenance: 1 }, 'admin');
      return { asked, member: 'n2' };
    },
  },
  {
    state: 'ROLLBACK',
    deletes: false,
    counts: UNREADABLE,
    async bring(version) {
      const asked = await led(version);
      asked.set.partition([['n1'], ['n2', 'n3']]);
      await asked.ok('n1', { insert: 'c', documents: [{ _id: 'lost' }], writeConcern: { w: 1 } });
      await asked.pass(15_000);
      await asked.until(() => asked.primaryIfAny() !== undefined);
      await asked.ok(asked.primary, { insert: 'c', documents: [{ _id: 'kept' }], writeConcern: { w: 'majority' } });
      asked.set.heal('all');
      await asked.until(() => stateOf(asked, 'n1') === 9);
      // Its source falls silent, and it waits half a minute for an answer.
      asked.set.partition([['n1'], ['n2', 'n3']]);
      return { asked, member: 'n1' };
    },
  },
  {
    state: 'ARBITER',
    deletes: false,
    counts: UNREADABLE,
    async bring(version) {
      const members = [LED_BY_N1[0]!, { name: 'n2' }, { name: 'n3', config: { arbiterOnly: true } }];
      const asked = await AskedSet.start(members, { version, parameters: FAST });
      await asked.until(() => stateOf(asked, 'n3') === 7);
      return { asked, member: 'n3' };
    },
  },
  {
    state: 'PRIMARY, fsync-locked',
    deletes: false,
    counts: NOBODY,
    async bring(version) {
      const asked = await led(version);
      asked.set.hold('n1', 'ttl');
      await withExpired(asked, 'n1');
      await asked.ok('n1', { fsync: 1, lock: true }, 'admin');
      asked.set.release('n1', 'ttl');
      return { asked, member: 'n1' };
    },
  },
  {
    state: 'PRIMARY, its monitor disabled',
    deletes: false,
    counts: NOBODY,
    async bring(version) {
      const asked = await led(version);
      await withExpired(asked, 'n1');
      await asked.ok('n1', { setParameter: 1, ttlMonitorEnabled: false }, 'admin');
      return { asked, member: 'n1' };
    },
  },
];

test.for(VERSIONS.flatMap((version) => STATES.map((state) => [version, state.state, state] as const)))(
  'a wake-up in %s, %s',
  async ([version, name, { bring, deletes, counts }]) => {
    const { asked, member } = await bring(version);
    const before = name.startsWith('a standalone') || name === 'PRIMARY' ? undefined : metrics(asked, member);
    expect(await gains(asked, member)).toEqual(expected(version, counts));
    expect(metrics(asked, member).deletedDocuments).toBe(deletes ? 1 : (before?.deletedDocuments ?? 0));
    // At the default verbosity nobody but who deletes or fails has anything to tell.
    expect(asked.now(member, { getLog: 'global' }).log.filter((line: string) => line.includes('"TTLMonitor"'))).toEqual(
      [],
    );
  },
);

test.for<[Version, served: boolean]>([
  ['8.2', false],
  ['8.0', true],
  ['7.0', true],
  ['3.2', true],
])('%s serves a TTL index in `local` on a secondary: %s', async ([version, served]) => {
  const asked = await led(version);
  // A secondary builds no index at a client's request, so it gets one while it is a standalone.
  asked.send('n2', { shutdown: 1, force: true, timeoutSecs: 0 }, 'admin');
  await asked.until(() => !asked.set.status('n2').running);
  await asked.set.start('n2', { as: 'standalone' });
  await asked.pass(100);
  await asked.ok('n2', TTL, 'local');
  await asked.ok('n2', { insert: 't', documents: [EXPIRED] }, 'local');
  await asked.ok('n2', { fsync: 1 }, 'admin');
  asked.set.kill('n2');
  await asked.set.start('n2', { as: { replSet: 'rs0' } });
  await asked.until(() => stateOf(asked, 'n2') === 2);
  await asked.pass(5000);
  expect(await asked.documents('n2', 't', 'local')).toHaveLength(served ? 0 : 1);
  expect(metrics(asked, 'n2').deletedDocuments).toBe(served ? 1 : 0);
  expect(asked.now('n1', { find: 'oplog.rs', filter: { op: 'd' } }, 'local').cursor.firstBatch).toEqual([]);
});

// Upstream: ttl_monitor.cpp, TTLMonitor::_doTTLIndexDelete; NamespaceString::isTemporaryReshardingCollection.
test('what a resharding fills is passed over, whichever way it expires, until it has its own name', async () => {
  const asked = await led('8.0');
  const LEFT = ['app.system.resharding.x', 'app.system.resharding.clustered'];
  const DELETED = ['app.t', 'app.resharding.x', 'app.systemresharding.x', 'config.t', 'local.t', 'app.system.js'];
  const clustered = { clusteredIndex: { key: { _id: 1 }, unique: true }, expireAfterSeconds: 0 };
  await asked.ok('n1', { setParameter: 1, ttlMonitorEnabled: false }, 'admin');
  for (const ns of [...LEFT, ...DELETED]) {
    const [db, ...rest] = ns.split('.');
    const name = rest.join('.');
    const isClustered = name.endsWith('clustered');
    if (isClustered) await asked.ok('n1', { create: name, ...clustered }, db);
    await asked.ok('n1', { insert: name, documents: [{ _id: new Date(0), at: new Date(0) }] }, db);
    if (!isClustered) await asked.ok('n1', { createIndexes: name, indexes: TTL.indexes }, db);
  }
  await asked.ok('n1', { setParameter: 1, ttlMonitorEnabled: true }, 'admin');
  await asked.pass(10_000);
  const counts = (names: string[]) =>
    names.map((ns) => asked.now('n1', { count: ns.slice(ns.indexOf('.') + 1) }, ns.slice(0, ns.indexOf('.'))).n);
  expect(counts(LEFT)).toEqual(LEFT.map(() => 1));
  expect(counts(DELETED)).toEqual(DELETED.map(() => 0));
  expect(lines(asked, 'n1', 5400703)).toEqual([]);
  await asked.ok('n1', { renameCollection: LEFT[0], to: 'app.done' }, 'admin');
  await asked.pass(3000);
  expect(counts(['app.done'])).toEqual([0]);
  await asked.set.close();
});
