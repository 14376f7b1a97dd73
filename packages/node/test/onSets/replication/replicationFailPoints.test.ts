import type { FailPointName } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// The fail points of mongod's replication tests: each holds a member at one place, shown by what it has done and what not yet.

const N1_LEADS = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3', config: { priority: 0 } }];

class Held extends AskedSet {
  static async begin(options: Doc = {}): Promise<Held> {
    const held = new Held((await AskedSet.start(N1_LEADS, options)).set);
    await held.untilPrimary('n1');
    // Until everybody has the config of its term.
    await held.pass(5000);
    return held;
  }

  async switch(member: string, name: FailPointName, mode: unknown, data: Doc = {}): Promise<void> {
    await this.ok(member, { configureFailPoint: name, mode, data }, 'admin');
  }

  on(member: string, name: FailPointName, data: Doc = {}): Promise<void> {
    return this.switch(member, name, 'alwaysOn', data);
  }

  off(member: string, name: FailPointName): Promise<void> {
    return this.switch(member, name, 'off');
  }

  async entered(member: string, name: FailPointName, timesEntered = 1): Promise<void> {
    await this.ok(member, { waitForFailPoint: name, timesEntered, maxTimeMS: 60_000 }, 'admin');
  }

  insert(ids: readonly unknown[], w: number, extra: Doc = {}): { reply(): Doc | undefined } {
    return this.send('n1', { insert: 'c', documents: ids.map((_id) => ({ _id })), writeConcern: { w }, ...extra });
  }

  async inserted(ids: readonly unknown[], w = 3): Promise<void> {
    const { reply } = this.insert(ids, w);
    await this.until(() => reply() !== undefined);
    expect(reply()).toMatchObject({ ok: 1, n: ids.length });
  }

  async ids(member: string): Promise<unknown[]> {
    return (await this.documents(member, 'c')).map(({ _id }) => _id);
  }

  source(member: string): string {
    return this.now(member, { replSetGetStatus: 1 }).syncSourceHost;
  }
}

/** Lets the set live for a while with the fail point on, then without it. */
async function held(set: Held, member: string, name: FailPointName, stands: () => unknown, done: () => boolean) {
  await set.entered(member, name);
  await stands();
  await set.pass(5000);
  await stands();
  await set.off(member, name);
  await set.until(done);
  await set.set.close();
}

describe('a new primary that drains', () => {
  test.for([
    ['hangBeforeRSTLOnDrainComplete', false],
    ['hangBeforeReconfigOnDrainComplete', false],
    ['hangAfterReconfigOnDrainComplete', true],
  ] as const)('%s: it leads and accepts no writes', async ([name, raised]) => {
    const set = await Held.begin();
    await set.on('n2', name);
    await set.ok('n2', { replSetStepUp: 1 }, 'admin');
    const term = set.now('n2', { replSetGetStatus: 1 }).term;
    const stands = () => {
      expect(set.state('n2')).toBe(1);
      expect(set.now('n2', { hello: 1 })).toMatchObject({ isWritablePrimary: false, secondary: true });
      expect(set.now('n2', { replSetGetConfig: 1 }).config.term === term).toBe(raised);
    };
    await held(set, 'n2', name, stands, () => set.primaryIfAny() === 'n2');
  });

  test('who is deposed meanwhile does not go on', async () => {
    const set = await Held.begin();
    await set.on('n2', 'hangBeforeReconfigOnDrainComplete');
    await set.ok('n2', { replSetStepUp: 1 }, 'admin');
    await set.entered('n2', 'hangBeforeReconfigOnDrainComplete');
    await set.ok('n1', { replSetStepUp: 1 }, 'admin');
    await set.untilPrimary('n1');
    await set.off('n2', 'hangBeforeReconfigOnDrainComplete');
    await set.pass(5000);
    expect(set.primary).toBe('n1');
    expect(set.now('n2', { hello: 1 }).isWritablePrimary).toBe(false);
    await set.set.close();
  });
});

test('hangDuringQuiesceMode: who shuts down refuses hello and goes on with the rest, for longer than 15 s', async () => {
  const set = await Held.begin();
  await set.inserted([1]);
  await set.on('n2', 'hangDuringQuiesceMode');
  set.set.shutdown('n2');
  await set.entered('n2', 'hangDuringQuiesceMode');
  await set.pass(60_000);
  expect(set.now('n2', { hello: 1 })).toMatchObject({ ok: 0, code: 91, remainingQuiesceTimeMillis: 0 });
  await set.inserted([2]);
  expect(await set.ids('n2')).toEqual([1, 2]);
  await set.off('n2', 'hangDuringQuiesceMode');
  await set.pass(1000);
  expect(set.set.status('n2').running).toBe(false);
  await set.set.close();
});

describe('a rollback', () => {
  test.for([
    ['rollbackHangBeforeStart', 2],
    ['rollbackHangBeforeTransitioningToRollback', 2],
    ['rollbackHangAfterTransitionToRollback', 9],
  ] as const)('%s: nothing is taken back yet', async ([name, state]) => {
    const set = await Held.begin();
    await set.inserted(['kept']);
    set.set.partition([['n1'], ['n2', 'n3']]);
    await set.inserted(['lost'], 1);
    await set.until(() => set.now('n2', { hello: 1 }).isWritablePrimary === true);
    await set.on('n1', name);
    set.set.heal('all');
    // Whoever is in ROLLBACK has closed the connections of those who wait.
    if (state === 9) await set.untilState('n1', 9);
    else await set.entered('n1', name);
    expect(set.state('n1')).toBe(state);
    await set.pass(5000);
    expect(set.state('n1')).toBe(state);
    expect(set.now('n1', { replSetGetRBID: 1 }).rbid).toBe(1);
    await set.off('n1', name);
    await set.until(() => set.now('n1', { replSetGetRBID: 1 }).rbid === 2 && set.state('n1') !== 9);
    await set.pass(1000);
    expect(await set.ids('n1')).toEqual(['kept']);
    await set.set.close();
  });

  test('a member that is elected while it stands before its rollback keeps its oplog', async () => {
    const name = 'rollbackHangBeforeTransitioningToRollback';
    const set = await Held.begin();
    await set.inserted(['kept']);
    set.set.partition([['n1'], ['n2', 'n3']]);
    await set.inserted(['lost'], 1);
    // What n2 writes as a primary is held by nobody else, so that n3 may vote for n1 later on.
    set.set.hold('n3', 'fetch');
    await set.until(() => set.now('n2', { hello: 1 }).isWritablePrimary === true);
    await set.on('n1', name);
    set.set.heal('all');
    await set.entered('n1', name);
    set.set.kill('n2');
    set.set.release('n3', 'fetch');
    await set.until(() => set.now('n1', { hello: 1 }).isWritablePrimary === true);
    // The source is there again, with all that a rollback needs.
    set.set.hold('n2', 'fetch');
    await set.set.start('n2');
    await set.pass(5000);
    await set.off('n1', name);
    await set.pass(5000);
    expect(set.state('n1')).toBe(1);
    expect(set.now('n1', { replSetGetRBID: 1 }).rbid).toBe(1);
    expect(await set.ids('n1')).toEqual(['kept', 'lost']);
    await set.set.close();
  });
});

describe('a secondary', () => {
  test.for(['pauseBatchApplicationAfterWritingOplogEntries', 'pauseBatchApplicationBeforeCompletion'] as const)(
    '%s: what is in the oplog is not in the data',
    async (name) => {
      const set = await Held.begin();
      await set.inserted([1]);
      await set.on('n2', name);
      await set.inserted([2], 2);
      const stands = async () => {
        expect(await set.ids('n2')).toEqual([1]);
        const oplog = { find: 'oplog.rs', filter: { 'o._id': 2 }, $readPreference: { mode: 'nearest' } };
        expect((await set.ok('n2', oplog, 'local')).cursor.firstBatch).toHaveLength(1);
      };
      await held(
        set,
        'n2',
        name,
        stands,
        () => set.now('n2', { count: 'c', $readPreference: { mode: 'nearest' } }, 'app').n === 2,
      );
    },
  );

  test('stopReplProducerOnDocument: it has what comes before the document', async () => {
    const set = await Held.begin();
    await set.on('n2', 'stopReplProducerOnDocument', { document: { 'o._id': 2 } });
    await set.inserted([1, 2, 3], 2);
    const stands = async () => expect(await set.ids('n2')).toEqual([1]);
    await set.entered('n2', 'stopReplProducerOnDocument');
    await set.pass(1000);
    await held(set, 'n2', 'stopReplProducerOnDocument', stands, () => {
      return set.now('n2', { count: 'c', $readPreference: { mode: 'nearest' } }, 'app').n === 3;
    });
  });

  test('stopReplProducerOnDocument needs a filter', async () => {
    const set = await Held.begin();
    for (const data of [{}, { document: 1 }, { document: { $nope: 1 } }]) {
      const command = { configureFailPoint: 'stopReplProducerOnDocument', mode: 'alwaysOn', data };
      expect(await set.run('n2', command, 'admin')).toMatchObject({ ok: 0, code: 2 });
    }
    await set.set.close();
  });

  test.for(['n2', 'n2:27017'])(
    'forceSyncSourceCandidate: %s is fetched from, at the next choice',
    async (hostAndPort) => {
      const set = await Held.begin();
      await set.until(() => set.source('n3') === 'n1:27017');
      await set.on('n3', 'forceSyncSourceCandidate', { hostAndPort });
      await set.on('n3', 'stopReplProducer');
      await set.inserted([1], 2);
      await set.entered('n3', 'stopReplProducer');
      await set.off('n3', 'stopReplProducer');
      await set.until(() => set.source('n3') === 'n2:27017');
      await set.inserted([2]);
      await set.set.close();
    },
  );

  test.for([{}, { hostAndPort: 'n9' }])('forceSyncSourceCandidate: %j ends the process, as in mongod', async (data) => {
    const set = await Held.begin();
    await set.on('n3', 'forceSyncSourceCandidate', data);
    await set.on('n3', 'stopReplProducer');
    await set.inserted([1], 2);
    set.send('n3', { configureFailPoint: 'stopReplProducer', mode: 'off' }, 'admin');
    await set.until(() => !set.set.status('n3').running);
    await set.set.close();
  });
});

describe('an election', () => {
  test('voteYesInDryRunButNoInRealElection: terms go by, and nobody wins', async () => {
    const set = await Held.begin();
    for (const member of ['n2', 'n3']) await set.on(member, 'voteYesInDryRunButNoInRealElection');
    const { term } = set.now('n2', { replSetGetStatus: 1 });
    set.set.kill('n1');
    await set.pass(40_000);
    expect(set.primaryIfAny()).toBeUndefined();
    expect(set.now('n2', { replSetGetStatus: 1 }).term).toBeGreaterThan(term);
    await set.set.close();
  });

  test('electionHangsBeforeUpdateMemberState: the winner takes office so much later', async () => {
    const set = await Held.begin();
    await set.on('n2', 'electionHangsBeforeUpdateMemberState', { waitForMillis: 4000 });
    const { reply } = set.send('n2', { replSetStepUp: 1 }, 'admin');
    await set.entered('n2', 'electionHangsBeforeUpdateMemberState');
    await set.pass(3000);
    expect(set.state('n2')).toBe(2);
    await set.until(() => reply() !== undefined, 2000);
    await set.until(() => set.primaryIfAny() === 'n2', 3000);
    await set.set.close();
  });

  test('hangInWritingLastVoteForDryRun: the vote is stored, and nobody is asked', async () => {
    const set = await Held.begin();
    await set.on('n2', 'hangInWritingLastVoteForDryRun');
    set.set.kill('n1');
    const stands = () => expect(set.state('n2')).toBe(2);
    await held(set, 'n2', 'hangInWritingLastVoteForDryRun', stands, () => set.primaryIfAny() === 'n2');
  });

  test('blockHeartbeatStepdown: a primary that is alone goes on as one', async () => {
    const set = await Held.begin();
    await set.on('n1', 'blockHeartbeatStepdown');
    set.set.partition([['n1'], ['n2', 'n3']]);
    const stands = () => expect(set.now('n1', { hello: 1 }).isWritablePrimary).toBe(true);
    await held(set, 'n1', 'blockHeartbeatStepdown', stands, () => set.state('n1') === 2);
  });

  test.for(['stepdownHangBeforeRSTLEnqueue', 'stepdownHangAfterGrabbingRSTL'] as const)(
    '%s: the primary is one until then',
    async (name) => {
      const set = await Held.begin();
      await set.on('n1', name);
      set.send('n1', { replSetStepDown: 60 }, 'admin');
      const stands = () => expect(set.state('n1')).toBe(1);
      await held(set, 'n1', name, stands, () => set.state('n1') === 2);
    },
  );
});

describe('hello', () => {
  test('waitInHello: it waits, for a while, or only of internal clients', async () => {
    const set = await Held.begin();
    const hello = (extra: Doc = {}) => set.send('n2', { hello: 1, ...extra }, 'admin');
    await set.on('n2', 'waitInHello');
    const first = hello();
    await set.entered('n2', 'waitInHello');
    await set.pass(3000);
    expect(first.reply()).toBeUndefined();
    await set.switch('n2', 'waitInHello', 'alwaysOn', { internalClient: true });
    await set.until(() => first.reply() !== undefined, 1000);
    await set.until(() => hello().reply !== undefined, 1000);
    await set.switch('n2', 'waitInHello', { skip: 1 }, { delayMillis: 700 });
    const [skipped, delayed] = [hello(), hello()];
    await set.pass(500);
    expect([skipped.reply()?.ok, delayed.reply()?.ok]).toEqual([1, undefined]);
    await set.until(() => delayed.reply() !== undefined, 500);
    await set.set.close();
  });

  test('hangs while a client waits for news, and counts those who wait', async () => {
    const set = await Held.begin();
    const { topologyVersion } = set.now('n2', { hello: 1 });
    const ask = () => set.send('n2', { hello: 1, topologyVersion, maxAwaitTimeMS: 1000n }, 'admin');
    await set.on('n2', 'waitForHelloResponse');
    const plain = ask();
    await set.entered('n2', 'waitForHelloResponse');
    await set.until(() => plain.reply() !== undefined, 2000);
    for (const name of ['hangWhileWaitingForHelloResponse', 'hangAfterWaitingForTopologyChangeTimesOut'] as const) {
      await set.on('n2', name);
      const { reply } = ask();
      await set.entered('n2', name);
      await set.pass(3000);
      expect(reply(), name).toBeUndefined();
      await set.off('n2', name);
      await set.until(() => reply() !== undefined, 2000);
    }
    await set.set.close();
  });
});

describe('a config', () => {
  const next = (set: Held, change: (config: Doc) => void): Doc => {
    const { config } = set.now('n1', { replSetGetConfig: 1 });
    config.version += 1;
    change(config);
    return { replSetReconfig: config };
  };
  const version = (set: Held, member: string) => set.now(member, { replSetGetConfig: 1 }).config.version;

  test.for([
    ['hangBeforeNewConfigValidationChecks', 0],
    ['hangAfterReconfig', 1],
  ] as const)('%s: replSetReconfig waits', async ([name, more]) => {
    const set = await Held.begin();
    const before = version(set, 'n1');
    await set.on('n1', name);
    const { reply } = set.send(
      'n1',
      next(set, (config) => (config.members[2].hidden = true)),
      'admin',
    );
    const stands = () => expect([reply(), version(set, 'n1')]).toEqual([undefined, before + more]);
    await held(set, 'n1', name, stands, () => reply()?.ok === 1);
  });

  test('blockHeartbeatReconfigFinish: what came by heartbeat is not in force', async () => {
    const set = await Held.begin();
    const before = version(set, 'n3');
    await set.on('n3', 'blockHeartbeatReconfigFinish');
    await set.ok(
      'n1',
      next(set, (config) => (config.members[2].hidden = true)),
      'admin',
    );
    const stands = () => expect(version(set, 'n3')).toBe(before);
    await held(set, 'n3', 'blockHeartbeatReconfigFinish', stands, () => version(set, 'n3') === before + 1);
  });

  test('omitConfigQuorumCheck: nobody is asked before', async () => {
    const set = await Held.begin();
    set.set.partition([['n1'], ['n2', 'n3']]);
    const before = version(set, 'n1');
    await set.on('n1', 'omitConfigQuorumCheck');
    set.send(
      'n1',
      next(set, (config) => (config.members[2].hidden = true)),
      'admin',
    );
    await set.pass(1000);
    expect(version(set, 'n1')).toBe(before + 1);
    await set.set.close();
  });
});

describe('an initial sync', () => {
  const begin = async (name: FailPointName, data: Doc = {}): Promise<Held> => {
    const asked = await AskedSet.start([{ name: 'n1' }, { name: 'n2' }, { name: 'n3', spare: true }]);
    const set = new Held(asked.set);
    await set.ok(set.primary, { insert: 'c', documents: [{ _id: 1 }, { _id: 2 }], writeConcern: { w: 2 } });
    await set.on('n3', name, data);
    const { config } = set.now(set.primary, { replSetGetConfig: 1 });
    config.version += 1;
    config.members.push({ _id: 7, host: 'n3:27017', priority: 0 });
    await set.ok(set.primary, { replSetReconfig: config }, 'admin');
    return set;
  };
  const isMember = (set: Held) => set.state('n3') === 2;
  const copied = (set: Held) => set.now('n3', { replSetGetStatus: 1, initialSync: 1 }).initialSyncStatus;

  test.for([
    ['initialSyncHangBeforeChoosingSyncSource', false],
    ['initialSyncHangBeforeCreatingOplog', false],
    ['initialSyncHangAfterGettingBeginFetchingTimestamp', false],
    ['initialSyncHangBeforeSplittingControlFlow', false],
    ['initialSyncHangBeforeCopyingDatabases', false],
    ['initialSyncHangDuringCollectionClone', true, { namespace: 'app.c', numDocsToClone: 2 }],
    ['initialSyncHangCollectionClonerAfterHandlingBatchResponse', true, { nss: 'app.c' }],
    ['hangBeforeClonerStage', false, { cloner: 'AllDatabaseCloner', stage: 'listDatabases' }],
    ['hangAfterClonerStage', false, { cloner: 'AllDatabaseCloner', stage: 'listDatabases' }],
    ['hangBeforeClonerStage', false, { cloner: 'DatabaseCloner', stage: 'listCollections', database: 'app' }],
    ['hangBeforeClonerStage', false, { cloner: 'CollectionCloner', stage: 'listIndexes', nss: 'app.c' }],
    ['hangBeforeClonerStage', false, { cloner: 'CollectionCloner', stage: 'query', nss: 'app.c' }],
    ['hangAfterClonerStage', true, { cloner: 'CollectionCloner', stage: 'query', nss: 'app.c' }],
    ['initialSyncHangAfterDataCloning', true],
    ['initialSyncHangBeforeFinish', true],
  ] as const)('%s: the member stays in STARTUP2 (%s, %j)', async ([name, cloned, data]) => {
    const set = await begin(name, data);
    const stands = () => {
      expect(set.state('n3')).toBe(5);
      const databases = copied(set)?.databases ?? {};
      expect(databases.app?.['app.c']?.documentsCopied ?? 0).toBe(cloned ? 2 : 0);
    };
    await held(set, 'n3', name, stands, () => isMember(set));
  });

  test('hangBeforeClonerStage: other collections and stages are passed over', async () => {
    const set = await begin('hangBeforeClonerStage', { cloner: 'CollectionCloner', stage: 'query', nss: 'app.d' });
    await set.until(() => isMember(set));
    await set.set.close();
  });

  test('skipClearInitialSyncState: how it went is told of afterwards', async () => {
    const set = await begin('skipClearInitialSyncState');
    await set.until(() => isMember(set));
    expect(set.now('n3', { replSetGetStatus: 1 }).initialSyncStatus).toMatchObject({ failedInitialSyncAttempts: 0 });
    expect(set.now('n3', { replSetGetStatus: 1, initialSync: 0 }).initialSyncStatus).toBeUndefined();
    await set.set.close();
  });

  test('failCollectionInserts: an attempt fails, and the next one does not', async () => {
    const set = await begin('skipClearInitialSyncState');
    await set.switch('n3', 'failCollectionInserts', { times: 1 }, { collectionNS: 'app.c' });
    await set.until(() => isMember(set));
    const { initialSyncAttempts, databases } = copied(set);
    expect(initialSyncAttempts.map(({ status }: Doc) => status)).toEqual([
      expect.stringMatching(/^FailPointEnabled: /),
      'OK',
    ]);
    expect(databases.app['app.c'].documentsCopied).toBe(2);
    await set.set.close();
  });

  test('failInitialSyncWithBadHost: an attempt fails, and the next one does not', async () => {
    const set = await begin('failInitialSyncWithBadHost');
    await set.switch('n3', 'failInitialSyncWithBadHost', { times: 1 });
    await set.until(() => isMember(set));
    await set.set.close();
  });

  test.for(['doNotRemoveNewlyAddedOnHeartbeats', 'hangDuringAutomaticReconfig'] as const)(
    '%s: the new member has no vote',
    async (name) => {
      const set = await begin('hangInWritingLastVoteForDryRun');
      const { primary } = set;
      await set.on(primary, name);
      const votes = () => set.now(primary, { replSetGetStatus: 1 }).votingMembersCount;
      await held(
        set,
        primary,
        name,
        () => expect(votes()).toBe(2),
        () => votes() === 3,
      );
    },
  );
});

test('hangAfterCollectionInserts: of one collection, of a first _id', async () => {
  const set = await Held.begin();
  await set.on('n1', 'hangAfterCollectionInserts', { collectionNS: 'app.c', first_id: 'a' });
  await set.inserted(['b', 'a2']);
  const { reply } = set.insert(['a', 'x'], 1);
  const stands = async () => {
    expect(reply()).toBeUndefined();
    expect(await set.ids('n1')).toEqual(['a2', 'b']);
  };
  await held(set, 'n1', 'hangAfterCollectionInserts', stands, () => reply()?.n === 2);
});

test('skip and times count each coming by', async () => {
  const set = await Held.begin();
  await set.switch('n1', 'hangAfterCollectionInserts', { skip: 1 });
  await set.inserted([1]);
  const { reply } = set.insert([2], 1);
  await set.pass(3000);
  expect(reply()).toBeUndefined();
  await set.off('n1', 'hangAfterCollectionInserts');
  await set.until(() => reply() !== undefined);
  await set.set.close();
});
