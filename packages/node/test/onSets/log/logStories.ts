import type { LogLine } from '@replsim/protocol';
import type { ReplSetOptions } from '@replsim/replset';
import { AskedSet } from '../../../../replset/test/askedSet.ts';

/** Everything that replication and the TTL monitor have to say, debug lines included. */
const TALKATIVE = { logComponentVerbosity: { replication: { verbosity: 5 }, index: { verbosity: 3 } } };

/** Plays a story and gives every log line that its members wrote. */
export type Story = () => Promise<LogLine[]>;

/** @param of whose lines are kept; everybody's if absent */
function story(options: ReplSetOptions, play: (set: AskedSet) => Promise<void>, of?: string): Story {
  return async () => {
    const set = await AskedSet.create({ parameters: TALKATIVE, ...options });
    const lines: LogLine[] = [];
    set.set.onTrace((event) => {
      if (event.type === 'log' && (of === undefined || event.member === of)) lines.push(event.line);
    });
    await play(set);
    await set.set.close();
    return lines;
  };
}

const THREE = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];
const insert = (_id: unknown, w: number | string = 1) => ({ insert: 'c', documents: [{ _id }], writeConcern: { w } });

async function reconfig(set: AskedSet, on: string, change: (config: Config) => void, force = false): Promise<void> {
  const { config } = set.now(on, { replSetGetConfig: 1 });
  change(config);
  await set.run(on, { replSetReconfig: { ...config, version: config.version + 1 }, force }, 'admin');
}

interface Config {
  members: Record<string, unknown>[];
  settings: Record<string, unknown>;
}

const FIVE = ['n1', 'n2', 'n3', 'n4', 'n5'].map((name, i) => ({ name, config: { priority: [5, 1, 1, 0, 0][i]! } }));

/** n2 alone has the dead primary's last write, and is frozen; n3 is elected, and cannot fetch. */
async function electTheLaggard(set: AskedSet): Promise<void> {
  await set.untilPrimary('n1');
  await set.pass(5000);
  for (const name of ['n3', 'n4', 'n5']) set.set.hold(name, 'fetch');
  await set.run('n1', insert(1, 2), 'app');
  set.set.kill('n1');
  await set.run('n2', { replSetFreeze: 100 }, 'admin');
  await set.untilState('n3', 1);
}

/** Two members do not hear each other; everybody else hears both. */
function sever(set: AskedSet, one: string, other: string): void {
  set.set.cut(one, other);
  set.set.cut(other, one);
}

/** Writes that nobody waits for. */
async function write(set: AskedSet, secs: number, perSec = 1): Promise<void> {
  const primary = await set.untilPrimary();
  for (let i = 0; i < secs * perSec; i++) {
    set.send(primary, { insert: 'c', documents: [{ i }] }, 'app');
    await set.pass((1 / perSec) * 1000);
  }
}

/** Two of three members lose sight of each other until one has found the third to fetch from, which it keeps. */
async function fetchFrom(set: AskedSet, member: string, source: string, other: string): Promise<void> {
  sever(set, member, other);
  await set.until(() => {
    const { syncSourceHost } = set.now(member, { replSetGetStatus: 1 });
    return syncSourceHost === `${source}:27017`;
  });
  set.set.heal('all');
  await set.pass(3000);
}

async function failover(set: AskedSet): Promise<void> {
  await set.untilPrimary('n1');
  await set.pass(5000);
  set.set.kill('n1');
  await set.untilPrimary('n2');
  await set.pass(1000);
}

/** What members of a set live through, each story short enough to be told in a second. */
export const STORIES: Readonly<Record<string, Story>> = {
  'a day in a set': story({ members: [...THREE, { name: 'n4', spare: true }] }, async (set) => {
    await set.untilPrimary('n1');
    await set.run('n1', insert(1, 3), 'app');
    await set.pass(25_000);
    await set.run('n2', { replSetFreeze: 5 }, 'admin');
    await set.run('n2', { replSetFreeze: 0 }, 'admin');
    await set.run('n1', { replSetFreeze: 5 }, 'admin');
    await reconfig(set, 'n1', ({ members }) => members.push({ _id: 3, host: 'n4:27017' }));
    await set.untilState('n4', 2);
    await set.pass(10_000);
    await set.run('n3', { replSetSyncFrom: 'n2:27017' }, 'admin');
    await set.pass(5000);
    await set.run('n1', { replSetStepDown: 30 }, 'admin');
    await set.pass(5000);
    await set.run('n3', { replSetStepUp: 1 }, 'admin');
    await set.pass(5000);
    await reconfig(set, 'n3', (config) => {
      config.members = config.members.filter(({ _id }) => _id !== 3);
    });
    await set.pass(40_000);
    set.set.shutdown('n2');
    await set.pass(20_000);
    set.set.shutdown(await set.untilPrimary());
    await set.pass(20_000);
  }),

  'a primary dies': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.pass(5000);
    set.set.kill('n1');
    await set.pass(20_000);
    await set.set.start('n1');
    await set.pass(40_000);
  }),

  'a primary that is cut off rolls back': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.pass(5000);
    set.set.partition([['n1'], ['n2', 'n3']]);
    await set.run('n1', insert('lost'), 'app');
    await set.pass(30_000);
    set.set.heal('all');
    await set.pass(30_000);
  }),

  'a primary hears of a newer term': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.pass(5000);
    await set.run('n2', { replSetStepUp: 1 }, 'admin');
    await set.pass(5000);
  }),

  'nobody can take over': story({ members: [{ name: 'n1' }, { name: 'n2', config: { priority: 0 } }] }, async (set) => {
    await set.untilPrimary('n1');
    await set.pass(5000);
    await set.run('n1', { replSetStepDown: 5, secondaryCatchUpPeriodSecs: 1, force: true }, 'admin');
    await set.pass(10_000);
    set.set.kill('n2');
    await set.pass(30_000);
  }),

  alone: story({ members: [{ name: 'n1' }] }, async (set) => {
    await set.untilPrimary('n1');
    await set.run('n1', { replSetStepDown: 5, force: true }, 'admin');
    await set.pass(10_000);
  }),

  'catching up': story(
    { members: ['n1', 'n2', 'n3', 'n4', 'n5'].map((name, i) => ({ name, config: { priority: [5, 1, 2, 0, 0][i]! } })) },
    async (set) => {
      await set.untilPrimary('n1');
      await set.pass(5000);
      const lagging = ['n3', 'n4', 'n5'];
      for (const name of lagging) set.set.hold(name, 'fetch');
      await set.run('n1', insert(1, 2), 'app');
      set.set.kill('n1');
      await set.untilState('n3', 1);
      await set.pass(5000);
      for (const name of lagging) set.set.release(name, 'fetch');
      await set.pass(20_000);
    },
  ),

  'a catch-up takeover': story({ members: FIVE, settings: { catchUpTakeoverDelayMillis: 3000 } }, async (set) => {
    await electTheLaggard(set);
    await set.pass(5000);
    await set.run('n2', { replSetFreeze: 0 }, 'admin');
    await set.pass(20_000);
  }),

  'votes that are refused': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.pass(5000);
    set.set.hold('n2', 'fetch');
    await set.run('n1', insert(1, 2), 'app');
    set.set.kill('n1');
    await set.run('n2', { replSetStepUp: 1, skipDryRun: true }, 'admin');
    await set.run('n2', { replSetStepUp: 1 }, 'admin');
    await set.pass(30_000);
  }),

  'a set is cut into pieces by force': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.pass(5000);
    await reconfig(set, 'n2', (config) => {
      config.members = config.members.filter(({ _id }) => _id !== 0);
    }, true); // biome-ignore format: the flag belongs to the call
    await set.pass(30_000);
  }),

  'no catch-up': story({ members: THREE, settings: { catchUpTimeoutMillis: 0 } }, failover),

  'a quiet day': story({ members: THREE, parameters: {} }, failover),

  'n2 takes over from n1, told by n2': story(
    { members: [...THREE.slice(0, 2), { name: 'n3', config: { priority: 0 } }], parameters: {} },
    failover,
    'n2',
  ),

  'a candidate in an old term, and a takeover that the primary refuses': story(
    { members: THREE, settings: { catchUpTakeoverDelayMillis: 1000 } },
    async (set) => {
      await set.untilPrimary('n1');
      await set.pass(5000);
      set.set.partition([['n1', 'n2'], ['n3']]);
      await set.run('n2', { replSetStepUp: 1, skipDryRun: true }, 'admin');
      await set.pass(3000);
      set.set.heal('all');
      await set.run('n3', { replSetFreeze: 1000 }, 'admin');
      await set.run('n3', { replSetStepUp: 1 }, 'admin');
      await set.pass(20_000);
    },
  ),

  'a primary steps down before it has written': story({ members: FIVE }, async (set) => {
    await electTheLaggard(set);
    await set.run('n3', { replSetStepDown: 5, secondaryCatchUpPeriodSecs: 1 }, 'admin');
    await set.pass(2000);
  }),

  'a catch-up that takes too long': story(
    { members: FIVE, settings: { catchUpTakeoverDelayMillis: -1, catchUpTimeoutMillis: 2000 } },
    async (set) => {
      await electTheLaggard(set);
      await set.pass(5000);
    },
  ),

  'a takeover to which the primary says nothing': story(
    { members: FIVE, settings: { catchUpTakeoverDelayMillis: 5000 } },
    async (set) => {
      await electTheLaggard(set);
      await set.run('n2', { replSetFreeze: 0 }, 'admin');
      await set.pass(3000);
      set.set.cut('n3', 'n2');
      await set.pass(20_000);
    },
  ),

  'a forced config takes the primary its priority': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.pass(5000);
    await reconfig(set, 'n1', ({ members }) => Object.assign(members[0]!, { priority: 0 }), true);
    await set.pass(5000);
  }),

  'a config whose forerunner is not committed': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.pass(5000);
    set.set.hold('n3', 'fetch');
    await set.run('n1', insert(1, 'majority'), 'app');
    await reconfig(set, 'n1', (config) => {
      config.members = config.members.filter(({ _id }) => _id !== 1);
    });
    const { config } = set.now('n1', { replSetGetConfig: 1 });
    await set.run('n1', { replSetReconfig: { ...config, version: config.version + 1 }, maxTimeMS: 1000 }, 'admin');
  }),

  'a dry run that meets a later term': story(
    { members: THREE, settings: { electionTimeoutMillis: 2000 } },
    async (set) => {
      await set.untilPrimary('n1');
      await set.pass(5000);
      // n3 goes two terms ahead in its corner; n2 stands as soon as it can be heard again.
      set.set.partition([['n1', 'n2'], ['n3']]);
      await set.run('n3', { replSetStepUp: 1, skipDryRun: true }, 'admin');
      await set.run('n3', { replSetStepUp: 1, skipDryRun: true }, 'admin');
      set.set.kill('n1');
      set.set.heal('all');
      await set.run('n2', { replSetStepUp: 1 }, 'admin');
      await set.pass(10_000);
    },
  ),

  'sources that are left': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.pass(5000);
    await fetchFrom(set, 'n3', 'n2', 'n1');
    // n2 falls behind by more than half a minute.
    set.set.hold('n2', 'fetch');
    await write(set, 45);
    set.set.release('n2', 'fetch');
    await set.pass(5000);
    await fetchFrom(set, 'n3', 'n2', 'n1');
    // n2 cannot fetch any more, so it is no source either.
    sever(set, 'n1', 'n2');
    await write(set, 15);
    set.set.heal('all');
    await set.pass(5000);
    await fetchFrom(set, 'n3', 'n2', 'n1');
    await reconfig(set, 'n1', (config) => {
      config.members = config.members.filter(({ _id }) => _id !== 1);
    });
    await write(set, 5);
  }),

  'no chaining': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.pass(5000);
    await fetchFrom(set, 'n3', 'n2', 'n1');
    await reconfig(set, 'n1', ({ settings }) => Object.assign(settings, { chainingAllowed: false }));
    // Its source is left once it hears of the primary again, after a heartbeat that the cut has swallowed.
    await write(set, 10);
  }),

  'the only source': story({ members: [{ name: 'n1' }, { name: 'n2', config: { priority: 0 } }] }, async (set) => {
    await set.untilPrimary('n1');
    await set.pass(5000);
    sever(set, 'n1', 'n2');
    await set.pass(12_000);
    set.set.heal('all');
    await set.pass(20_000);
    await write(set, 10);
  }),

  'a source far away': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.pass(5000);
    await fetchFrom(set, 'n3', 'n1', 'n2');
    await set.pass(20_000);
    set.set.link('n1', 'n3', { latencyMs: [50, 60] });
    set.set.link('n3', 'n1', { latencyMs: [50, 60] });
    await write(set, 10, 100);
  }),

  'too stale, until a longer oplog is found': story(
    { members: [{ name: 'n1', oplogSizeMB: 0.01 }, { name: 'n2', oplogSizeMB: 0.01 }, { name: 'n3' }, { name: 'n4' }] },
    async (set) => {
      const primary = await set.untilPrimary();
      await set.pass(5000);
      set.set.kill('n3');
      const fill = { insert: 'c', documents: Array.from({ length: 100 }, () => ({ x: 'x'.repeat(100) })) };
      for (let i = 0; i < 3; i++) {
        await set.run(primary, fill, 'app');
        await set.pass(65_000);
      }
      await set.set.start('n3');
      sever(set, 'n3', 'n4');
      await set.until(() => set.state('n3') === 3, 100_000);
      set.set.heal('all');
      await set.run(primary, { insert: 'c', documents: [{ x: 1 }] }, 'app');
      await set.pass(90_000);
    },
  ),

  'a rollback that would take too much': story(
    { members: THREE, parameters: { ...TALKATIVE, rollbackTimeLimitSecs: 2 } },
    async (set) => {
      await set.untilPrimary('n1');
      await set.pass(5000);
      set.set.partition([['n1'], ['n2', 'n3']]);
      for (const _id of [1, 2]) {
        await set.run('n1', insert(_id), 'app');
        await set.pass(4000);
      }
      await set.pass(20_000);
      set.set.heal('all');
      await set.pass(20_000);
    },
  ),

  'an initial sync without a source': story(
    {
      members: [{ name: 'n1' }, { name: 'n2', config: { priority: 0 } }],
      parameters: { ...TALKATIVE, numInitialSyncAttempts: 2, numInitialSyncConnectAttempts: 2 },
    },
    async (set) => {
      await set.untilPrimary('n1');
      set.set.kill('n2');
      await set.set.start('n2', { wipe: true });
      await set.untilState('n2', 5);
      set.set.kill('n1');
      await set.pass(30_000);
    },
  ),

  'expired documents': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    const indexes = [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 1 }];
    await set.run('n1', { createIndexes: 'c', indexes }, 'app');
    await set.run(
      'n1',
      { create: 'k', clusteredIndex: { key: { _id: 1 }, unique: true }, expireAfterSeconds: 1 },
      'app',
    );
    await set.run('n1', { insert: 'c', documents: [{ _id: 1, at: new Date(0) }] }, 'app');
    await set.run('n1', { insert: 'k', documents: [{ _id: new Date(0) }] }, 'app');
    await set.pass(61_000);
    await set.run('n1', { setParameter: 1, ttlMonitorSleepSecs: 10 }, 'admin');
    await set.run('n1', { setParameter: 1, ttlMonitorEnabled: false }, 'admin');
    await set.pass(20_000);
  }),
};
