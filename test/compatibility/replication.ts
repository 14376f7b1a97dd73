import { MongoClient, ReadPreference } from 'mongodb';
import { refused, works } from './row.ts';

export const replication = [
  works(
    'write concerns: numbers, `majority`, `j`, `wtimeout`',
    async ({ things, db }) => {
      await things.insertOne({ _id: 1 }, { writeConcern: { w: 3, j: true } });
      const insert = { insert: 'things', documents: [{ _id: 2 }] };
      const { n } = await db.command({ ...insert, writeConcern: { w: 'majority', wtimeout: 60_000 } });
      return n;
    },
    1,
  ),
  works(
    'read concerns: `local`, `available`, `majority`, `linearizable`, `snapshot`',
    async ({ things }) => {
      await things.insertOne({ _id: 1 }, { writeConcern: { w: 'majority' } });
      const levels = ['local', 'available', 'majority', 'linearizable', 'snapshot'] as const;
      return Promise.all(
        levels.map(async (level) => (await things.find({}, { readConcern: { level } }).toArray()).length),
      );
    },
    [1, 1, 1, 1, 1],
  ),
  works(
    'read preferences, `maxStalenessSeconds`',
    async ({ things, client, db }) => {
      await things.insertOne({ _id: 1 }, { writeConcern: { w: 3 } });
      const stale = new ReadPreference('secondaryPreferred', [], { maxStalenessSeconds: 120 });
      const { me } = await client.db(db.databaseName).command({ hello: 1 }, { readPreference: 'secondary' });
      const { primary } = await db.command({ hello: 1 });
      return [await things.find({}, { readPreference: stale }).toArray(), me !== primary];
    },
    [[{ _id: 1 }], true],
  ),
  works(
    'sessions, causal consistency, retryable writes and reads',
    async ({ things, client }) =>
      client.withSession({ causalConsistency: true }, async (session) => {
        await things.insertOne({ _id: 1 }, { session });
        return (await things.find({}, { session, readPreference: 'secondary' }).toArray()).length;
      }),
    1,
  ),
  works(
    'transactions, `withTransaction`',
    async ({ things, client, db }) => {
      await client.withSession((session) =>
        session.withTransaction(async () => {
          await things.insertOne({ _id: 1 }, { session });
          await db.collection<{ _id: number }>('others').insertOne({ _id: 1 }, { session });
        }),
      );
      const aborted = client.withSession((session) =>
        session.withTransaction(async () => {
          await things.insertOne({ _id: 2 }, { session });
          throw new Error('no');
        }),
      );
      return [await aborted.catch(({ message }) => message), await things.countDocuments()];
    },
    ['no', 1],
  ),
  works(
    'write conflicts between transactions',
    async ({ things, client }) => {
      await things.insertOne({ _id: 1, n: 0 });
      return client.withSession(async (one) =>
        client.withSession(async (two) => {
          one.startTransaction();
          two.startTransaction();
          await things.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: one });
          const second = await things
            .updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: two })
            .catch(({ code, errorLabels }) => ({ code, errorLabels }));
          await one.commitTransaction();
          return second;
        }),
      );
    },
    { code: 112, errorLabels: ['TransientTransactionError'] },
  ),
  works(
    'change streams of a collection, a database or the cluster; resume tokens',
    async ({ things }) => {
      await things.insertOne({ _id: 0 });
      const stream = things.watch();
      await stream.tryNext();
      await things.insertOne({ _id: 1 });
      const first = await stream.next();
      await stream.close();
      await things.deleteOne({ _id: 1 });
      const again = things.watch([], { resumeAfter: first._id });
      const second = await again.next();
      await again.close();
      return [first.operationType, second.operationType];
    },
    ['insert', 'delete'],
  ),
  works(
    'pre- and post-images',
    async ({ db }) => {
      const things = await db.createCollection<{ _id: number; a: number }>('imaged', {
        changeStreamPreAndPostImages: { enabled: true },
      });
      await things.insertOne({ _id: 1, a: 1 });
      const stream = things.watch([], { fullDocument: 'required', fullDocumentBeforeChange: 'required' });
      await stream.tryNext();
      await things.updateOne({}, { $inc: { a: 1 } });
      const { fullDocument, fullDocumentBeforeChange } = (await stream.next()) as unknown as Record<
        string,
        { a: number }
      >;
      await stream.close();
      return [fullDocumentBeforeChange?.a, fullDocument?.a];
    },
    [1, 2],
  ),
  works(
    '`replSetGetStatus`, `replSetGetConfig`, `replSetReconfig`, `replSetResizeOplog`',
    async ({ admin }) => {
      const { members } = await admin.command({ replSetGetStatus: 1 });
      const { config } = await admin.command({ replSetGetConfig: 1 });
      await admin.command({ replSetReconfig: { ...config, version: config.version + 1 } });
      await admin.command({ replSetResizeOplog: 1, size: 2000 });
      const { config: now } = await admin.command({ replSetGetConfig: 1 });
      return [members.length, now.version - config.version];
    },
    [3, 1],
  ),
  works(
    '`replSetStepDown`, `replSetFreeze`, `replSetMaintenance`',
    async ({ admin }) => {
      const { primary, me } = await admin.command({ hello: 1 });
      await admin.command({ replSetStepDown: 1, secondaryCatchUpPeriodSecs: 1 });
      await admin.command({ replsimUntilPrimary: 1 });
      const direct = new MongoClient(`mongodb://${me}`, { directConnection: true });
      const member = direct.db('admin');
      const { info } = await member.command({ replSetFreeze: 0 });
      await member.command({ replSetMaintenance: 1 });
      await member.command({ replSetMaintenance: 0 });
      await direct.close();
      return [primary === me, info];
    },
    [true, 'unfreezing'],
  ),
  refused(
    'sharding: `enableSharding`, `shardCollection`, mongos',
    59,
    'CommandNotFound',
    /no such command/,
    ({ admin }) => [admin.command({ enableSharding: 'a' }), admin.command({ shardCollection: 'a.b', key: { _id: 1 } })],
    'as from a mongod outside a sharded cluster',
  ),
];

export const administration = [
  works(
    '`applyOps`, as `mongorestore --oplogReplay` sends it',
    async ({ admin, things }) => {
      await things.insertOne({ _id: 1 });
      const ns = things.namespace;
      const update = { op: 'u', ns, o2: { _id: 1 }, o: { $v: 2, diff: { i: { a: 1 } } } };
      await admin.command({ applyOps: [{ op: 'i', ns, o: { _id: 2 } }, update] });
      return things.find().toArray();
    },
    [{ _id: 1, a: 1 }, { _id: 2 }],
  ),
  works(
    '`serverStatus`, `dbStats`, `collStats`, `top`, `hostInfo`, `buildInfo`, `getLog`, `connectionStatus`',
    async ({ admin, db, things }) => {
      await things.insertOne({ _id: 1 });
      const asked = [{ top: 1 }, { hostInfo: 1 }, { buildInfo: 1 }, { getLog: 'global' }, { connectionStatus: 1 }];
      const { repl } = await admin.command({ serverStatus: 1 });
      return [
        repl.setName,
        (await db.command({ collStats: things.collectionName })).count,
        (await db.command({ dbStats: 1 })).objects,
        ...(await Promise.all(asked.map(async (command) => (await admin.command(command)).ok))),
      ];
    },
    ['rs0', 1, 1, 1, 1, 1, 1, 1],
    '[what exporters read](monitoring.md)',
  ),
  works(
    '`currentOp`, `killOp`, `killCursors`, `killSessions`, `maxTimeMS`',
    async ({ admin, client, db, things }) => {
      await things.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
      const { inprog } = await admin.command({ currentOp: 1, 'command.currentOp': 1 });
      const { info } = await admin.command({ killOp: 1, op: 1 });
      const { cursor } = await db.command({ find: 'things', batchSize: 1, maxTimeMS: 60_000 });
      const { cursorsKilled } = await db.command({ killCursors: 'things', cursors: [cursor.id] });
      const killed = await client.withSession(async (session) => {
        await things.findOne({}, { session });
        await db.command({ killSessions: [{ id: session.id?.id }] });
        return true;
      });
      return [inprog.length, info, cursorsKilled.length, killed];
    },
    [1, 'attempting to kill op', 1, true],
  ),
  works(
    'the profiler',
    async ({ db, things }) => {
      await things.insertOne({ _id: 1 });
      await db.command({ profile: 2 });
      await things.find({ a: 1 }).toArray();
      await db.command({ profile: 0 });
      return (await db.collection('system.profile').findOne({ op: 'query' }))?.planSummary;
    },
    'COLLSCAN',
  ),
  works(
    '`validate`, `dbHash`, `fsync`, `setFeatureCompatibilityVersion`',
    async ({ admin, db, things }) => {
      await things.insertOne({ _id: 1 });
      const { version } = await admin.command({ buildInfo: 1 });
      const release = version.split('.').slice(0, 2).join('.');
      return [
        (await db.command({ validate: things.collectionName })).valid,
        Object.keys((await db.command({ dbHash: 1 })).collections),
        (await admin.command({ fsync: 1 })).ok,
        (await admin.command({ setFeatureCompatibilityVersion: release, confirm: true })).ok,
      ];
    },
    [true, ['things'], 1, 1],
  ),
  works(
    '`getParameter`, `setParameter`, `configureFailPoint`',
    async ({ admin, things }) => {
      await admin.command({ setParameter: 1, ttlMonitorSleepSecs: 30 });
      const { ttlMonitorSleepSecs } = await admin.command({ getParameter: 1, ttlMonitorSleepSecs: 1 });
      await admin.command({
        configureFailPoint: 'failCommand',
        mode: { times: 1 },
        data: { failCommands: ['count'], errorCode: 42 },
      });
      return [ttlMonitorSleepSecs, await things.estimatedDocumentCount().catch(({ code }) => code)];
    },
    [30, 42],
    'those that have a meaning here; others are rejected',
  ),
  works(
    'users and roles: `createUser`, `createRole`',
    async ({ db }) => {
      await db.command({ createRole: 'r', privileges: [], roles: ['read'] });
      await db.command({ createUser: 'u', pwd: 'p', roles: ['r'] });
      const { users } = await db.command({ usersInfo: 'u' });
      await db.command({ dropUser: 'u' });
      await db.command({ dropRole: 'r' });
      return users.map(({ user }: { user: string }) => user);
    },
    ['u'],
    'see [access.md](access.md)',
  ),
];
