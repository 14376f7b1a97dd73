import { setTimeout } from 'node:timers/promises';
import { BSON, type Document, type TopologyDescription } from 'mongodb';
import type { TestRun } from '../testRun.ts';
import { Failure, shown } from '../verdicts.ts';
import type { Operations } from './operation.ts';

/** How long `waitForEvent` and `waitForPrimaryChange` are patient. Unit: ms. */
const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 10;

/** The operations of `testRunner`, which is no entity. */
export const TEST_RUNNER: Operations<TestRun> = {
  createEntities: ({ entities }, args) => entities.create(args.entities),
  failPoint: (run, { client, failPoint }) => run.setFailPoint(run.entities.client(client), failPoint),
  // A session is pinned to a mongos alone; here its server is the primary.
  targetedFailPoint: (run, { failPoint }) => run.setFailPoint(run.admin, failPoint),

  wait: (_, { ms }) => setTimeout(ms),
  waitForEvent: async ({ entities }, { client, event, count }) => {
    const seen = () => entities.log(client).count(event, entities);
    await patiently(
      () => seen() >= count,
      PATIENCE_MS,
      () => `${shown(event)} came ${seen()} times, not ${count}`,
    );
  },
  assertEventCount: ({ entities }, { client, event, count }) => {
    const seen = entities.log(client).count(event, entities);
    expectEqual(seen, count, `events ${shown(event)}`);
  },
  runOnThread: (run, { thread, operation }) => {
    const { entities } = run;
    const target = entities.thread(thread);
    target.done = target.done.then(() => run.execute(operation));
    // Whoever waits for the thread hears of it; until then it is nobody's failure.
    target.done.catch(() => undefined);
  },
  waitForThread: ({ entities }, { thread }) => entities.thread(thread).done,

  recordTopologyDescription: ({ entities }, { client, id }) => entities.keep(id, topologyOf(entities.client(client))),
  assertTopologyType: ({ entities }, { topologyDescription, topologyType }) => {
    const { type } = entities.value(topologyDescription) as TopologyDescription;
    expectEqual(type, topologyType, 'topology');
  },
  waitForPrimaryChange: async ({ entities }, { client, priorTopologyDescription, timeoutMS = PATIENCE_MS }) => {
    const before = primaryOf(entities.value(priorTopologyDescription) as TopologyDescription);
    const now = () => primaryOf(topologyOf(entities.client(client)));
    const isOther = () => now() !== undefined && now() !== before;
    await patiently(isOther, timeoutMS, () => `the primary is still ${now() ?? 'nobody'}`);
  },
  assertNumberConnectionsCheckedOut: ({ entities }, { client, connections }) => {
    const { servers } = topologyStateOf(entities.client(client));
    const counts = Array.from(servers.values(), ({ pool }) => pool.currentCheckedOutCount);
    expectEqual(
      counts.reduce((sum, count) => sum + count, 0),
      connections,
      'connections checked out',
    );
  },

  assertSessionDirty: ({ entities }, { session }) => expectEqual(isDirty(entities.session(session)), true, 'dirty'),
  assertSessionNotDirty: ({ entities }, { session }) => expectEqual(isDirty(entities.session(session)), false, 'dirty'),
  assertSessionPinned: ({ entities }, { session }) => expectEqual(isPinned(entities.session(session)), true, 'pinned'),
  assertSessionUnpinned: ({ entities }, { session }) =>
    expectEqual(isPinned(entities.session(session)), false, 'pinned'),
  assertSessionTransactionState: ({ entities }, { session, state }) =>
    expectEqual(transactionStateOf(entities.session(session)), state, 'state of the transaction'),
  assertSameLsidOnLastTwoCommands: ({ entities }, { client }) =>
    expectEqual(distinctLsids(entities.log(client).lastCommands(2)), 1, 'lsids'),
  assertDifferentLsidOnLastTwoCommands: ({ entities }, { client }) =>
    expectEqual(distinctLsids(entities.log(client).lastCommands(2)), 2, 'lsids'),

  assertCollectionExists: (run, { databaseName, collectionName }) =>
    expectCollection(run, databaseName, collectionName, true),
  assertCollectionNotExists: (run, { databaseName, collectionName }) =>
    expectCollection(run, databaseName, collectionName, false),
  assertIndexExists: (run, args) => expectIndex(run, args, true),
  assertIndexNotExists: (run, args) => expectIndex(run, args, false),
};

async function patiently(holds: () => boolean, patienceMS: number, otherwise: () => string): Promise<void> {
  for (let leftMS = patienceMS; !holds(); leftMS -= LOOK_EVERY_MS) {
    if (leftMS <= 0) throw new Failure(otherwise());
    await setTimeout(LOOK_EVERY_MS);
  }
}

function expectEqual(found: unknown, wanted: unknown, what: string): void {
  if (found !== wanted) throw new Failure(`${what}: ${shown(found)}, not ${shown(wanted)}`);
}

// What follows reaches into the driver, which has no other way to say it.

interface TopologyState {
  readonly description: TopologyDescription;
  readonly servers: ReadonlyMap<string, { readonly pool: { readonly currentCheckedOutCount: number } }>;
}

function topologyStateOf(client: object): TopologyState {
  return (client as { topology: { s: TopologyState } }).topology.s;
}

const topologyOf = (client: object) => topologyStateOf(client).description;

function primaryOf({ servers }: TopologyDescription): string | undefined {
  return [...servers.values()].find(({ type }) => type === 'RSPrimary')?.address;
}

const isDirty = (session: object) =>
  (session as { serverSession?: { isDirty?: boolean } }).serverSession?.isDirty === true;
const isPinned = (session: object) => (session as { isPinned?: boolean }).isPinned === true;

/** `TRANSACTION_IN_PROGRESS` is what the format calls `in_progress`. */
function transactionStateOf(session: object): string {
  const { state } = (session as { transaction: { state: string } }).transaction;
  return state === 'NO_TRANSACTION' ? 'none' : state.replace(/_?TRANSACTION_?/, '').toLowerCase();
}

function distinctLsids(commands: readonly Document[]): number {
  return new Set(commands.map(({ lsid }) => BSON.EJSON.stringify(lsid))).size;
}

async function expectCollection({ admin }: TestRun, db: string, name: string, wanted: boolean): Promise<void> {
  const found = await admin.db(db).listCollections({ name }, { nameOnly: true }).toArray();
  expectEqual(found.length > 0, wanted, `a collection ${db}.${name}`);
}

async function expectIndex({ admin }: TestRun, args: Document, wanted: boolean): Promise<void> {
  const { databaseName, collectionName, indexName } = args;
  // Without its collection there is no index either.
  const indexes = await admin
    .db(databaseName)
    .collection(collectionName)
    .listIndexes()
    .toArray()
    .catch(() => []);
  expectEqual(
    indexes.some(({ name }) => name === indexName),
    wanted,
    `an index ${indexName}`,
  );
}
