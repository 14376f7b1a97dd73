import { DEFAULT_COSTS } from '@replsim/protocol';
import { ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// replSetInitiate, replSetReconfig and replSetGetConfig as clients see them; the rules one by one are tables of `node`.

const hosts = (...names: string[]): Doc[] => names.map((name, _id) => ({ _id, host: `${name}:27017` }));
const three = hosts('n1', 'n2', 'n3');
const changed = (index: number, fields: Doc): Doc[] => three.map((m, i) => (i === index ? { ...m, ...fields } : m));

describe('replSetInitiate', () => {
  const fresh = () => AskedSet.create({ members: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3' }], initiate: false });
  const config = (more: Doc = {}): Doc => ({ _id: 'rs0', version: 1, members: three, ...more });

  test.for<[what: string, config: Doc, code: number, text: RegExp]>([
    ['another set name', config({ _id: 'rs1' }), 93, /rs1, command line set name: rs0/],
    ['version 2', config({ version: 2 }), 93, /must have version 1.*\(NewReplicaSetConfigurationIncompatible\)/],
    ['a replicaSetId', config({ settings: { replicaSetId: new ObjectId('01'.repeat(12)) } }), 93, /replicaSetId/],
    ['a newly added member', config({ members: changed(1, { newlyAdded: true }) }), 93, /newlyAdded/],
    ['without oneself', config({ members: hosts('n2', 'n3') }), 93, /\(NodeNotFound\)/],
    ['oneself not electable', config({ members: changed(0, { priority: 0 }) }), 93, /\(NodeNotElectable\)/],
    ['oneself an arbiter', config({ members: changed(0, { arbiterOnly: true }) }), 93, /\(NodeNotElectable\)/],
    ['a wrong type', config({ version: 'one' }), 93, /\(TypeMismatch\)/],
    ['an unknown field', config({ colour: 'red' }), 93, /\(IDLUnknownField\)/],
    ['a member by itself wrong', config({ members: changed(1, { votes: 0 }) }), 93, /non-voting.*\(BadValue\)/],
    ['members wrong together', config({ members: changed(1, { _id: 0 }) }), 93, /same _id.*\(BadValue\)/],
    [
      'a horizon by IP',
      config({ members: three.map((m, i) => ({ ...m, horizons: { out: `10.0.0.${i}:1` } })) }),
      93,
      /\(UnsupportedFormat\)/,
    ],
    ['a mode of an unknown tag', config({ settings: { getLastErrorModes: { m: { dc: 1 } } } }), 93, /\(NoSuchKey\)/],
    ['getLastErrorDefaults', config({ settings: { getLastErrorDefaults: { w: 2 } } }), 93, /getLastErrorDefaults/],
  ])('%s: refused, and nothing has happened', async ([, given, code, text]) => {
    const set = await fresh();
    expect(await set.run('n1', { replSetInitiate: given }, 'admin')).toMatchObject({
      ok: 0,
      code,
      errmsg: expect.stringMatching(text),
    });
    expect(set.now('n1', { replSetGetStatus: 1 }).code).toBe(94);
    expect(set.now('n1', { count: 'system.replset' }, 'local').n).toBe(0);
    expect((await set.run('n1', { replSetInitiate: config() }, 'admin')).ok).toBe(1);
  });

  test('an empty config stands for a set of this one member', async () => {
    const set = await fresh();
    const reply = await set.run('n1', { replSetInitiate: {} }, 'admin');
    expect(reply).toMatchObject({ ok: 1, me: 'n1:27017', info2: expect.stringMatching(/default configuration/) });
    await set.untilPrimary('n1');
    const shown = set.now('n1', { replSetGetConfig: 1 }).config;
    expect(shown).toMatchObject({ _id: 'rs0', version: 1, members: [{ _id: 0, host: 'n1:27017' }] });
    expect(set.now('n1', { serverStatus: 1 }).electionMetrics.electionTimeout.successful).toBe(1);
  });

  test('the first entry has no term, and the first primary’s is 1', async () => {
    const set = await fresh();
    await set.run('n1', { replSetInitiate: config({ term: 77 }) }, 'admin');
    expect(set.now('n1', { replSetGetConfig: 1 }).config.term).toBe(0);
    const { firstBatch } = set.now('n1', { find: 'oplog.rs' }, 'local').cursor;
    expect(firstBatch[0].o).toEqual({ msg: 'initiating set' });
    expect(firstBatch[0]).not.toHaveProperty('t');
    await set.untilPrimary('n1');
    expect(set.now('n1', { replSetGetConfig: 1 }).config).toMatchObject({ version: 1, term: 1 });
  });

  test('whoever has a config, or is about to get one, is initialized already', async () => {
    const set = await fresh();
    const first = set.send('n1', { replSetInitiate: config() }, 'admin');
    await set.pass(1);
    const again = await set.run('n1', { replSetInitiate: config() }, 'admin');
    expect(again).toMatchObject({ code: 23, codeName: 'AlreadyInitialized', errmsg: 'already initialized' });
    await set.until(() => first.reply() !== undefined);
    expect((await set.run('n1', { replSetInitiate: config() }, 'admin')).code).toBe(23);
    await set.until(() => set.now('n2', { replSetGetConfig: 1 }).ok === 1);
    expect((await set.run('n2', { replSetInitiate: config() }, 'admin')).code).toBe(23);
  });

  test('all members are asked at once, and all must answer', async () => {
    const set = await fresh();
    set.set.partition([['n1', 'n3'], ['n2']]);
    const before = set.set.nowMicros;
    const reply = await set.run('n1', { replSetInitiate: config() }, 'admin');
    expect(reply).toMatchObject({ code: 74, errmsg: expect.stringMatching(/n2:27017 failed with/) });
    expect(reply.errmsg).not.toMatch(/n3/);
    expect(set.set.nowMicros - before).toBe(10_000_000 + DEFAULT_COSTS.commandMicros);
    set.set.heal('all');
    expect((await set.run('n1', { replSetInitiate: config() }, 'admin')).ok).toBe(1);
  });

  test('a member of another set vetoes at once', async () => {
    const set = await fresh();
    await set.run('n2', { replSetInitiate: { _id: 'rs0', members: [{ _id: 7, host: 'n2' }] } }, 'admin');
    await set.untilPrimary('n2');
    set.set.partition([['n1', 'n2'], ['n3']]);
    const before = set.set.nowMicros;
    expect((await set.run('n1', { replSetInitiate: config() }, 'admin')).code).toBe(103);
    expect(set.set.nowMicros - before, 'without waiting for n3').toBeLessThan(1_000_000);
  });

  test('data of a standalone are what a set may begin with, but no other member may have any', async () => {
    const set = await AskedSet.create({ members: ['n1', 'n2'].map((name) => ({ name, standalone: true })) });
    for (const [index, name] of set.set.memberNames.entries()) {
      await set.run(name, { insert: 'c', documents: [{ _id: index }] }, 'app');
      await set.pass(1000);
      set.set.kill(name);
      await set.set.start(name, { as: { replSet: 'rs0' } });
    }
    const asked = set.run('n1', { replSetInitiate: config({ members: hosts('n1', 'n2') }) }, 'admin');
    expect(await asked).toMatchObject({ code: 110, codeName: 'CannotInitializeNodeWithData' });
    await set.run('n1', { replSetInitiate: config({ members: hosts('n1') }) }, 'admin');
    await set.untilPrimary('n1');
    const { config: first } = set.now('n1', { replSetGetConfig: 1 });
    await set.run('n1', { replSetReconfig: { ...first, version: 2, members: hosts('n1', 'n2') } }, 'admin');
    await set.untilState('n2', 2);
    const query = { find: 'c', $readPreference: { mode: 'secondary' } };
    expect(set.now('n2', query, 'app').cursor.firstBatch).toEqual([{ _id: 0 }]);
  });

  test('a standalone has no set, and w: 0 no answer', async () => {
    const set = await AskedSet.create({ members: [{ name: 'n1', standalone: true }] });
    for (const name of ['replSetInitiate', 'replSetReconfig', 'replSetGetConfig'])
      expect((await set.run('n1', { [name]: config() }, 'admin')).code).toBe(76);
    const member = await fresh();
    expect((await member.run('n1', { replSetInitiate: config(), writeConcern: { w: 0 } }, 'admin')).code).toBe(72);
  });
});

describe('replSetReconfig', () => {
  const reconfig = (more: Doc = {}): Doc => ({ _id: 'rs0', version: 2, members: three, ...more });

  test('before there is a config', async () => {
    const set = await AskedSet.create({ members: [{ name: 'n1' }], initiate: false });
    expect((await set.run('n1', { replSetReconfig: reconfig() }, 'admin')).code).toBe(94);
    expect((await set.run('n1', { replSetReconfig: reconfig(), force: true }, 'admin')).code).toBe(94);
    expect((await set.run('n1', { replSetGetConfig: 1 }, 'admin')).code).toBe(94);
  });

  test.for<[what: string, config: Doc, code: number, text: RegExp, force?: boolean]>([
    ['a wrong type', reconfig({ version: 'two' }), 93, /\(TypeMismatch\)/],
    ['no version', { _id: 'rs0', members: three }, 93, /\(IDLFailedToParse\)/],
    ['a member by itself wrong', reconfig({ members: changed(1, { hidden: true }) }), 93, /hidden=true.*\(BadValue\)/],
    ['another set name', reconfig({ _id: 'rs1' }), 93, /set name: rs1/],
    ['a newly added member', reconfig({ members: changed(1, { newlyAdded: true }) }), 93, /newlyAdded/],
    [
      'getLastErrorDefaults',
      reconfig({ settings: { getLastErrorDefaults: { w: 2 } } }),
      5_624_102,
      /setDefaultRWConcern/,
    ],
    ['members wrong together', reconfig({ members: changed(1, { host: 'n1' }) }), 103, /same host.*\(BadValue\)/],
    ['no members', reconfig({ members: [] }), 103, /contains 0 members/],
    ['an old version', reconfig({ version: 1 }), 103, /not greater/],
    ['another _id for a host', reconfig({ members: changed(1, { _id: 5 }) }), 103, /n2:27017/],
    ['two voters fewer', reconfig({ members: hosts('n1') }), 103, /at most 1 voting member/],
    [
      'an arbiter that changes the default',
      reconfig({ members: [...hosts('n1', 'n2'), { _id: 9, host: 'n9', arbiterOnly: true }] }),
      103,
      /implicit default write concern/,
    ],
    ['without oneself', reconfig({ members: three.slice(1) }), 74, /maps to this node/],
    ['without oneself, by force', reconfig({ members: three.slice(1) }), 74, /maps to this node/, true],
    ['oneself not electable', reconfig({ members: changed(0, { priority: 0 }) }), 104, /not electable/],
  ])('%s: refused, and nothing has changed', async ([, config, code, text, force]) => {
    const set = await AskedSet.start(3);
    const primary = set.primary;
    expect(primary, 'the configs above are made for it').toBe('n1');
    const before = set.now('n1', { replSetGetConfig: 1 }).config;
    const reply = await set.run('n1', { replSetReconfig: config, ...(force && { force }) }, 'admin');
    expect(reply).toMatchObject({ ok: 0, code, errmsg: expect.stringMatching(text) });
    expect(set.now('n1', { replSetGetConfig: 1 }).config).toEqual(before);
    const noops = set.now('n1', { count: 'oplog.rs', query: { 'o.msg': 'Reconfig set' } }, 'local');
    expect(noops.n).toBe(0);
    // And the way is free for the next.
    await set.ok('n1', { replSetReconfig: reconfig({ members: changed(0, { priority: 2 }) }) }, 'admin');
  });

  test('no document, w: 0, a negative time', async () => {
    const set = await AskedSet.start(1);
    expect((await set.run('n1', { replSetReconfig: 1 }, 'admin')).errmsg).toBe('no configuration specified');
    expect((await set.run('n1', { replSetReconfig: reconfig(), writeConcern: { w: 0 } }, 'admin')).code).toBe(72);
    expect((await set.run('n1', { replSetReconfig: reconfig(), maxTimeMS: -1 }, 'admin')).code).toBe(2);
  });

  test('two at once: the second finds the first under way', async () => {
    const set = await AskedSet.start(3);
    await set.until(() => set.now('n1', { replSetGetConfig: 1, commitmentStatus: true }).commitmentStatus);
    const first = set.send('n1', { replSetReconfig: reconfig() }, 'admin');
    const second = set.send('n1', { replSetReconfig: reconfig() }, 'admin');
    await set.until(() => first.reply() !== undefined && second.reply() !== undefined);
    expect(first.reply()!.ok).toBe(1);
    expect(second.reply()).toMatchObject({ code: 109, codeName: 'ConfigurationInProgress' });
  });

  test('a secondary refuses, and by force obeys', async () => {
    const set = await AskedSet.start(3);
    expect((await set.run('n2', { replSetReconfig: reconfig() }, 'admin')).code).toBe(10107);
    await set.ok('n2', { replSetReconfig: reconfig({ version: 500 }), force: true }, 'admin');
    const { version, term } = set.now('n2', { replSetGetConfig: 1 }).config;
    expect(version).toBeGreaterThanOrEqual(10_500);
    expect(version).toBeLessThan(110_500);
    expect(term).toBeUndefined();
    await set.until(() => set.now('n1', { replSetGetConfig: 1 }).config.version === version);
    expect(set.primary, 'the primary is content with it').toBe('n1');
    // The next safe one brings the term back.
    await set.ok('n1', { replSetReconfig: reconfig({ version: version + 1 }) }, 'admin');
    expect(set.now('n1', { replSetGetConfig: 1 }).config).toMatchObject({ version: version + 1, term: 1 });
  });

  test('a primary that steps down while it waits says so, before the change and after it', async () => {
    const set = await AskedSet.start(3);
    // Its new term is in nobody else's config yet.
    set.set.partition([['n1'], ['n2', 'n3']]);
    const before = await set.run('n1', { replSetReconfig: reconfig() }, 'admin');
    expect(before).toMatchObject({ code: 10107, codeName: 'NotWritablePrimary' });
    set.set.heal('all');
    await set.until(() => set.primaryIfAny() !== undefined);
    const { primary } = set;
    await set.until(() => set.now(primary, { replSetGetConfig: 1, commitmentStatus: true }).commitmentStatus);
    for (const name of ['n1', 'n2', 'n3']) if (name !== primary) set.set.hold(name, 'journal');
    const after = set.send(primary, { replSetReconfig: reconfig() }, 'admin');
    await set.until(() => set.now(primary, { replSetGetConfig: 1 }).config.version === 2);
    set.set.partition(['n1', 'n2', 'n3'].map((name) => [name]));
    await set.until(() => after.reply() !== undefined);
    expect(after.reply()).toMatchObject({ code: 189, codeName: 'PrimarySteppedDown' });
  });

  test('a mode that is the default write concern stays', async () => {
    const set = await AskedSet.start(3);
    const members = three.map((member, i) => ({ ...member, tags: { dc: `d${i}` } }));
    const settings = { getLastErrorModes: { both: { dc: 2 } } };
    await set.ok('n1', { replSetReconfig: reconfig({ members, settings }) }, 'admin');
    await set.ok('n1', { setDefaultRWConcern: 1, defaultWriteConcern: { w: 'both' } }, 'admin');
    const without = await set.run('n1', { replSetReconfig: reconfig({ version: 3, members }) }, 'admin');
    expect(without).toMatchObject({ code: 103, errmsg: expect.stringMatching(/in use as the default/) });
    await set.ok('n1', { setDefaultRWConcern: 1, defaultWriteConcern: { w: 'majority' } }, 'admin');
    await set.ok('n1', { replSetReconfig: reconfig({ version: 3, members }) }, 'admin');
  });

  test('the term is the server’s, whatever the client wrote', async () => {
    const set = await AskedSet.start(3);
    await set.ok('n1', { replSetReconfig: reconfig({ term: 99 }) }, 'admin');
    expect(set.now('n1', { replSetGetConfig: 1 }).config.term).toBe(1);
    const { firstBatch } = set.now('n1', { find: 'oplog.rs', filter: { 'o.msg': 'Reconfig set' } }, 'local').cursor;
    expect(firstBatch[0].o).toEqual({ msg: 'Reconfig set', version: 2 });
  });
});

describe('replSetGetConfig', () => {
  test('only a writable primary knows whether the config is committed', async () => {
    const set = await AskedSet.start(3);
    expect((await set.run('n2', { replSetGetConfig: 1, commitmentStatus: true }, 'admin')).code).toBe(10107);
    expect(await set.run('n2', { replSetGetConfig: 1 }, 'admin')).not.toHaveProperty('commitmentStatus');
    const committed = () => set.now('n1', { replSetGetConfig: 1, commitmentStatus: true }).commitmentStatus;
    expect(committed(), 'right after the election only the primary has its term in the config').toBe(false);
    await set.until(committed);
  });
});

test.for([true, false])(
  'who has no vote yet is shown where test commands are on (%s), by $_internalIncludeNewlyAdded',
  async (enableTestCommands) => {
    const set = await AskedSet.start([
      { name: 'n1', parameters: { enableTestCommands } },
      { name: 'n2', config: { priority: 0 } },
    ]);
    const { config } = await set.ok('n1', { replSetGetConfig: 1 }, 'admin');
    // It cannot be reached, so that it does not get its vote.
    const next = { ...config, version: config.version + 1, members: [...config.members, { _id: 2, host: 'n9:27017' }] };
    set.send('n1', { replSetReconfig: next, maxTimeMS: 5000 }, 'admin');
    await set.pass(6000);
    const shown = (more: Doc) => set.run('n1', { replSetGetConfig: 1, ...more }, 'admin');
    expect((await shown({})).config.members[2]).not.toHaveProperty('newlyAdded');
    const asked = await shown({ $_internalIncludeNewlyAdded: true });
    if (enableTestCommands) expect(asked.config.members[2]).toMatchObject({ host: 'n9:27017', newlyAdded: true });
    else expect(asked).toMatchObject({ ok: 0, code: 72 });
    expect((await shown({ $_internalIncludeNewlyAdded: 'x' })).code).toBe(14);
    await set.set.close();
  },
);
