import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// What follows when a config comes into force, however it came.

const three = ['n1', 'n2', 'n3'].map((name, _id) => ({ _id, host: `${name}:27017` }));
const changed = (index: number, fields: Doc): Doc[] => three.map((m, i) => (i === index ? { ...m, ...fields } : m));
const configOf = (set: AskedSet, name: string): Doc => set.now(name, { replSetGetConfig: 1 }).config;
const stateOf = (set: AskedSet, name: string): string => {
  const { members, stateStr } = set.now(name, { replSetGetStatus: 1 });
  return stateStr ?? members.find(({ self }: Doc) => self).stateStr;
};
const logged = (set: AskedSet, name: string, id: number): Doc[] =>
  set
    .now(name, { getLog: 'global' })
    .log.map((line: string) => JSON.parse(line))
    .filter((line: Doc) => line.id === id);

/** A set whose n1 leads, with its config committed. */
async function settled(extra: readonly Doc[] = []): Promise<AskedSet> {
  const specs = ['n1', 'n2', 'n3'].map((name) => ({ name }));
  const set = await AskedSet.start([...specs, ...(extra as typeof specs)]);
  expect(set.primary).toBe('n1');
  await set.until(() => set.now('n1', { replSetGetConfig: 1, commitmentStatus: true }).commitmentStatus);
  return set;
}

const reconfig = (set: AskedSet, name: string, members: readonly Doc[], more: Doc = {}, options: Doc = {}) =>
  set.ok(
    name,
    {
      replSetReconfig: { ...configOf(set, name), version: configOf(set, name).version + 1, members, ...more },
      ...options,
    },
    'admin',
  );

test('hello’s topologyVersion grows by one on every member', async () => {
  const set = await settled();
  const counter = (name: string) => Number(set.now(name, { hello: 1 }).topologyVersion.counter);
  const before = ['n1', 'n2', 'n3'].map(counter);
  await reconfig(set, 'n1', changed(2, { tags: { dc: 'east' } }));
  await set.until(() => ['n2', 'n3'].every((name) => configOf(set, name).version === 2));
  expect(['n1', 'n2', 'n3'].map(counter)).toEqual(before.map((count) => count + 1));
});

test('what is known of a member stays while _id and host do', async () => {
  const set = await settled([{ name: 'n4', spare: true }]);
  const others = () => set.now('n1', { replSetGetStatus: 1 }).members.filter(({ self }: Doc) => !self);
  await reconfig(set, 'n1', [...changed(1, { priority: 0.5 })]);
  expect(others()).toMatchObject([
    { health: 1, stateStr: 'SECONDARY' },
    { health: 1, stateStr: 'SECONDARY' },
  ]);
  await reconfig(set, 'n1', changed(2, { host: 'n4:27017' }));
  const [, moved] = others();
  expect(moved).toMatchObject({ _id: 2, name: 'n4:27017' });
  expect(moved.stateStr, 'another host is another process').not.toBe('SECONDARY');
});

test('a priority takes effect at once', async () => {
  const set = await settled();
  await reconfig(set, 'n1', changed(1, { priority: 5 }));
  await set.until(() => set.primaryIfAny() === 'n2');
  expect(set.now('n2', { serverStatus: 1 }).electionMetrics.priorityTakeover.successful).toBe(1);
});

test('a primary that forces itself to priority 0 steps down', async () => {
  const set = await settled();
  await reconfig(set, 'n1', changed(0, { priority: 0 }), {}, { force: true });
  expect(stateOf(set, 'n1')).toBe('SECONDARY');
  expect(logged(set, 'n1', 21355)).toHaveLength(1);
  await set.until(() => set.primaryIfAny() !== undefined && set.primaryIfAny() !== 'n1');
});

describe('REMOVED', () => {
  const without = [three[0]!, three[1]!];

  test('is what a member stays over a restart, until it is taken back', async () => {
    const set = await settled();
    await reconfig(set, 'n1', without);
    await set.until(() => stateOf(set, 'n3') === 'REMOVED');
    expect(logged(set, 'n3', 21394)).toHaveLength(1);
    expect(logged(set, 'n3', 21482)).toHaveLength(1);
    set.set.kill('n3');
    await set.set.start('n3');
    await set.set.advanceTo(set.set.nowMicros + 5_000_000);
    expect(stateOf(set, 'n3')).toBe('REMOVED');
    expect(set.now('n3', { hello: 1 })).toMatchObject({ isWritablePrimary: false, secondary: false, setName: 'rs0' });
    await reconfig(set, 'n1', [...without, { _id: 3, host: 'n3:27017' }]);
    await set.until(() => stateOf(set, 'n3') === 'SECONDARY');
  });

  test.for([
    {
      what: 'lies between a member with data and an arbiter, which copies everything when it is to hold data',
      cut: false,
    },
    { what: 'may be missed by a member that is away meanwhile, with the same end', cut: true },
  ])('$what', async ({ cut }) => {
    const set = await settled();
    const initialSyncs: string[] = [];
    set.set.onTrace((event) => {
      if (event.type === 'initialSync' && event.phase === 'done') initialSyncs.push(event.member);
    });
    await set.ok('n1', { setDefaultRWConcern: 1, defaultWriteConcern: { w: 'majority' } }, 'admin');
    const as = async (n3: Doc, state: string) => {
      if (cut) set.set.partition([['n1', 'n2'], ['n3']]);
      await reconfig(set, 'n1', without);
      if (!cut) await set.until(() => stateOf(set, 'n3') === 'REMOVED');
      await reconfig(set, 'n1', [...without, { ...n3, host: 'n3:27017' }]);
      set.set.heal('all');
      await set.until(() => stateOf(set, 'n3') === state);
    };
    await set.ok('n1', { insert: 'c', documents: [{ _id: 'before' }], writeConcern: { w: 3 } });
    await as({ _id: 3, arbiterOnly: true }, 'ARBITER');
    await set.ok('n1', { insert: 'c', documents: [{ _id: 'meanwhile' }], writeConcern: { w: 2 } });
    await set.pass(5000);
    const fetches = () => set.now('n3', { serverStatus: 1 }).metrics.repl.network.getmores.num;
    const before = fetches();
    await set.pass(20_000);
    expect(fetches()).toBe(before);
    await as({ _id: 4 }, 'SECONDARY');
    await set.ok('n1', { insert: 'c', documents: [{ _id: 'later' }], writeConcern: { w: 3 } });
    expect((await set.documents('n3', 'c')).map(({ _id }) => _id)).toEqual(['before', 'later', 'meanwhile']);
    expect(initialSyncs).toEqual(['n3']);
  });

  test('comes directly after PRIMARY where a forced config leaves the primary out', async () => {
    const set = await settled();
    const seen: string[] = [];
    set.set.onTrace((event) => {
      if (event.type === 'stateChanged' && event.member === 'n1') seen.push(`${event.from} ${event.to}`);
    });
    await reconfig(set, 'n2', three.slice(1), {}, { force: true });
    await set.until(() => stateOf(set, 'n1') === 'REMOVED');
    expect(seen).toEqual(['PRIMARY REMOVED']);
    expect(logged(set, 'n1', 21481)).toHaveLength(1);
  });
});

test('a member that waits for its vote elects nobody and is asked by nobody', async () => {
  const set = await settled([{ name: 'n4', spare: true }]);
  set.set.hold('n4', 'fetch');
  await reconfig(set, 'n1', [...three, { _id: 3, host: 'n4:27017', priority: 9 }]);
  await set.until(() => configOf(set, 'n2').version === 2 && configOf(set, 'n3').version === 2);
  expect(set.now('n1', { replSetGetStatus: 1 })).toMatchObject({ votingMembersCount: 3, majorityVoteCount: 2 });
  const voters = new Set<string>();
  set.set.onTrace((event) => {
    if (event.type === 'voteAnswered') voters.add(event.member);
  });
  set.set.kill('n1');
  await set.until(() => set.primaryIfAny() !== undefined);
  expect(['n2', 'n3']).toContain(set.primaryIfAny());
  expect(voters).not.toContain('n4');
});

test('a config that makes committed mean something else takes the committed snapshot away', async () => {
  const set = await settled();
  await set.ok('n1', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 3 } });
  await set.set.advanceTo(set.set.nowMicros + 20_000_000);
  const read = { count: 'c', readConcern: { level: 'majority' }, $readPreference: { mode: 'nearest' }, maxTimeMS: 500 };
  expect((await set.run('n2', read)).n).toBe(1);
  set.set.partition([['n1'], ['n2'], ['n3']]);
  await reconfig(set, 'n2', [three[1]!, { ...three[2]!, priority: 0.5 }], {}, { force: true });
  expect((await set.run('n2', read)).code, 'nobody commits anything now').toBe(50);
  set.set.heal('all');
  await set.until(() => ['n2', 'n3'].includes(set.primaryIfAny() ?? ''));
  await set.until(
    () =>
      set.now('n2', { count: 'c', readConcern: { level: 'majority' }, $readPreference: { mode: 'nearest' } }, 'app')
        .ok === 1,
  );
});

test('a primary in drain takes a forced config over, and no other', async () => {
  const set = await settled();
  set.set.hold('n2', 'apply');
  set.set.hold('n3', 'fetch');
  await set.run('n1', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 1 } });
  await set.set.advanceTo(set.set.nowMicros + 3_000_000);
  set.set.kill('n1');
  await set.until(() => stateOf(set, 'n2') === 'PRIMARY');
  set.set.release('n3', 'fetch');
  expect(set.now('n2', { hello: 1 }).isWritablePrimary).toBe(false);
  expect((await set.run('n2', { replSetReconfig: configOf(set, 'n2') }, 'admin')).code).toBe(10107);
  await reconfig(set, 'n3', three.slice(1), {}, { force: true });
  await set.until(() => configOf(set, 'n2').version > 10_000);
  expect(set.now('n2', { hello: 1 }).isWritablePrimary, 'it is still draining').toBe(false);
  set.set.release('n2', 'apply');
  await set.until(() => set.primaryIfAny() === 'n2');
  expect(configOf(set, 'n2').term, 'a forced config gets no term at step-up').toBeUndefined();
});

test('no election begins while a config is on its way to disk', async () => {
  const set = await settled();
  await reconfig(set, 'n1', changed(1, { priority: 5 }));
  await set.until(() => configOf(set, 'n2').version === 2);
  set.set.hold('n2', 'journal');
  set.send('n2', { replSetReconfig: { ...configOf(set, 'n2'), version: 3 }, force: true }, 'admin');
  await set.set.advanceTo(set.set.nowMicros + 500_000);
  const refused: string[] = [];
  set.set.onTrace((event) => {
    if (event.type === 'electionNotStarted' && event.member === 'n2') refused.push(event.detail);
  });
  await set.run('n2', { replSetStepUp: 1 }, 'admin');
  expect(refused).toEqual(['its config is about to change']);
});
