import type { LogLine } from '@replsim/protocol';
import type { ReplSetOptions } from '@replsim/replset';
import { TestSet } from './asking.ts';

/** Everything that replication has to say, debug lines included. */
const TALKATIVE = { logComponentVerbosity: { replication: { verbosity: 5 } } };

/** Plays a story and gives every log line that its members wrote. */
export type Story = () => Promise<LogLine[]>;

function story(options: ReplSetOptions, play: (set: TestSet) => Promise<void>): Story {
  return async () => {
    const set = await TestSet.create({ ...options, parameters: { ...TALKATIVE, ...options.parameters } });
    const lines: LogLine[] = [];
    set.set.onTrace((event) => {
      if (event.type === 'log') lines.push(event.line);
    });
    await play(set);
    await set.set.close();
    return lines;
  };
}

const THREE = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];
const insert = (_id: unknown, w: number | string = 1) => ({ insert: 'c', documents: [{ _id }], writeConcern: { w } });

async function reconfig(set: TestSet, on: string, change: (config: Config) => void, force = false): Promise<void> {
  const { config } = set.plain(on, { replSetGetConfig: 1 });
  change(config);
  await set.run(on, { replSetReconfig: { ...config, version: config.version + 1 }, force });
}

interface Config {
  members: Record<string, unknown>[];
  settings: Record<string, unknown>;
}

/** What members of a set live through, each story short enough to be told in a second. */
export const STORIES: Readonly<Record<string, Story>> = {
  'a day in a set': story({ members: [...THREE, { name: 'n4', spare: true }] }, async (set) => {
    await set.untilPrimary('n1');
    await set.run('n1', insert(1, 3), 'app');
    await set.advance(25);
    await set.run('n2', { replSetFreeze: 5 });
    await set.run('n2', { replSetFreeze: 0 });
    await set.run('n1', { replSetFreeze: 5 });
    await reconfig(set, 'n1', ({ members }) => members.push({ _id: 3, host: 'n4:27017' }));
    await set.untilState('n4', 2);
    await set.advance(10);
    await set.run('n3', { replSetSyncFrom: 'n2:27017' });
    await set.advance(5);
    await set.run('n1', { replSetStepDown: 30 });
    await set.advance(5);
    await set.run('n3', { replSetStepUp: 1 });
    await set.advance(5);
    await reconfig(set, 'n3', (config) => {
      config.members = config.members.filter(({ _id }) => _id !== 3);
    });
    await set.advance(40);
    set.set.shutdown('n2');
    await set.advance(20);
  }),

  'a primary dies': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.advance(5);
    set.set.kill('n1');
    await set.advance(20);
    await set.set.start('n1');
    await set.advance(40);
  }),

  'a primary that is cut off rolls back': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.advance(5);
    set.set.partition([['n1'], ['n2', 'n3']]);
    await set.run('n1', insert('lost'), 'app');
    await set.advance(30);
    set.set.heal('all');
    await set.advance(30);
  }),

  'a primary hears of a newer term': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.advance(5);
    await set.run('n2', { replSetStepUp: 1 });
    await set.advance(5);
  }),

  'nobody can take over': story({ members: [{ name: 'n1' }, { name: 'n2', config: { priority: 0 } }] }, async (set) => {
    await set.untilPrimary('n1');
    await set.advance(5);
    await set.run('n1', { replSetStepDown: 5, secondaryCatchUpPeriodSecs: 1, force: true });
    await set.advance(10);
    set.set.kill('n2');
    await set.advance(30);
  }),

  alone: story({ members: [{ name: 'n1' }] }, async (set) => {
    await set.untilPrimary('n1');
    await set.run('n1', { replSetStepDown: 5, force: true });
    await set.advance(10);
  }),

  'catching up': story(
    { members: ['n1', 'n2', 'n3', 'n4', 'n5'].map((name, i) => ({ name, config: { priority: [5, 1, 2, 0, 0][i]! } })) },
    async (set) => {
      await set.untilPrimary('n1');
      await set.advance(5);
      const lagging = ['n3', 'n4', 'n5'];
      for (const name of lagging) set.set.hold(name, 'fetch');
      await set.run('n1', insert(1, 2), 'app');
      set.set.kill('n1');
      await set.untilState('n3', 1);
      await set.advance(5);
      for (const name of lagging) set.set.release(name, 'fetch');
      await set.advance(20);
    },
  ),

  'a catch-up takeover, then a catch-up that takes too long': story(
    {
      members: ['n1', 'n2', 'n3', 'n4', 'n5'].map((name, i) => ({ name, config: { priority: [5, 1, 1, 0, 0][i]! } })),
      settings: { catchUpTakeoverDelayMillis: 3000, catchUpTimeoutMillis: 20_000 },
    },
    async (set) => {
      await set.untilPrimary('n1');
      await set.advance(5);
      const lagging = ['n3', 'n4', 'n5'];
      for (const name of lagging) set.set.hold(name, 'fetch');
      await set.run('n1', insert(1, 2), 'app');
      set.set.kill('n1');
      await set.run('n2', { replSetFreeze: 100 });
      await set.untilState('n3', 1);
      await set.advance(10);
      await set.run('n2', { replSetFreeze: 0 });
      await set.advance(30);
    },
  ),

  'votes that are refused': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.advance(5);
    set.set.hold('n2', 'fetch');
    await set.run('n1', insert(1, 2), 'app');
    set.set.kill('n1');
    await set.run('n2', { replSetStepUp: 1, skipDryRun: true });
    await set.run('n2', { replSetStepUp: 1 });
    await set.advance(30);
  }),

  'a set is cut into pieces by force': story({ members: THREE }, async (set) => {
    await set.untilPrimary('n1');
    await set.advance(5);
    await reconfig(set, 'n2', (config) => {
      config.members = config.members.filter(({ _id }) => _id !== 0);
    }, true); // biome-ignore format: the flag belongs to the call
    await set.advance(30);
  }),
};
