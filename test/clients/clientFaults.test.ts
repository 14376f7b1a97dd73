import type { MongoClient } from 'mongodb';
import { ReplicaSet } from 'replsim';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useClients } from './servedSets.ts';

// What stands between clients and members, as real drivers meet it.

let set: ReplicaSet;
beforeAll(async () => {
  set = await ReplicaSet.start({ members: 3, speed: 0, seed: 5 });
});
afterEach(async () => {
  await set.release('all');
  await set.heal();
  await set.advance('15s');
  await set.untilPrimary();
});
afterAll(() => set.stop());

const newClient = useClients();
const named = (appName?: string, more: object = {}) =>
  newClient(set.uri, { ...(appName !== undefined && { appName }), heartbeatFrequencyMS: 500, ...more });
const fault = (client: MongoClient, clients: object) => client.db('admin').command({ replsimFault: { clients } });
const nowMs = () => set.now().getTime();

/** Whether a promise has ended within some turns of the event loop, of which an answer takes a few. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  const soon = new Promise((resolve) => setTimeout(() => resolve(pending), 100));
  return (await Promise.race([promise.catch(() => {}), soon])) === pending;
}

describe('cut', () => {
  test('during an insert: the driver repeats it when it is let in, and it is there once', async () => {
    const client = named('cut');
    const orders = client.db('app').collection<{ _id: number }>('cut');
    await orders.insertOne({ _id: 0 });
    await set.hold({ on: 'secondaries', part: 'fetch' });
    const insert = orders.insertOne({ _id: 1 }, { writeConcern: { w: 'majority' } });
    const other = named('other');
    const seen = () => other.db('app').collection<{ _id: number }>('cut').findOne({ _id: 1 });
    while ((await seen()) === null) await set.advance('10ms');
    const { connections } = await set.clients({ appName: 'cut', cut: true });
    expect(connections).toBeGreaterThanOrEqual(4);
    await set.release('all');
    await set.advance('5s');
    expect(await isPending(insert)).toBe(true);
    expect(await other.db('app').collection('cut').countDocuments()).toBe(2);
    await set.clients({ appName: 'cut', cut: false });
    expect(await insert).toMatchObject({ acknowledged: true, insertedId: 1 });
    expect(await orders.countDocuments()).toBe(2);
  });

  test('without retries the application hears of the broken connection', async () => {
    const client = named('cut', { retryWrites: false });
    const orders = client.db('app').collection('cut');
    await orders.insertOne({});
    await set.hold({ on: 'secondaries', part: 'fetch' });
    const failed = expect(orders.insertOne({}, { writeConcern: { w: 'majority' } })).rejects.toThrow(/clos/);
    await isPending(failed);
    await set.clients({ appName: 'cut', cut: true });
    await failed;
  });

  test('of one member: its clients find the others', async () => {
    const client = named('elsewhere', { readPreference: 'secondaryPreferred', serverSelectionTimeoutMS: 3000 });
    await client.connect();
    await set.clients({ on: 'primary', appName: 'elsewhere', cut: true });
    expect(await client.db('app').collection('any').findOne()).toBeNull();
    await expect(client.db('app').collection('any').findOne({}, { readPreference: 'primary' })).rejects.toThrow(
      /closed|selection/,
    );
  });

  test('outlives the process of the member', async () => {
    const member = set.members.find(({ name }) => name !== set.primary)!;
    await set.clients({ on: member.name, appName: 'late', cut: true });
    await set.restart(member.name);
    const direct = (appName: string) =>
      newClient(`mongodb://${member.host}/?directConnection=true`, { appName, serverSelectionTimeoutMS: 1500 });
    await expect(direct('late').db('admin').command({ ping: 1 })).rejects.toThrow();
    await direct('other').db('admin').command({ ping: 1 });
  });
});

describe('freeze', () => {
  test('what is sent waits, and all of it is answered in the end', async () => {
    const client = named('frozen');
    const orders = client.db('app').collection<{ _id: number }>('frozen');
    await orders.insertOne({ _id: 0 });
    const other = named('other');
    await other.connect();
    expect((await set.clients({ appName: 'frozen', freeze: true })).connections).toBeGreaterThanOrEqual(4);
    const before = nowMs();
    const inserts = [1, 2, 3].map((_id) => orders.insertOne({ _id }));
    expect(await isPending(Promise.race(inserts))).toBe(true);
    await set.advance('3s');
    expect(await isPending(Promise.race(inserts))).toBe(true);
    // Nobody lets time pass for an answer that cannot come.
    expect(nowMs() - before).toBeLessThan(4000);
    expect(await other.db('app').collection('frozen').countDocuments()).toBe(1);
    await set.clients({ appName: 'frozen', freeze: false });
    expect(await Promise.all(inserts)).toHaveLength(3);
    expect(await orders.countDocuments()).toBe(4);
  });

  test('an answer that was on its way is not lost', async () => {
    const client = named('frozen');
    const orders = client.db('app').collection<{ _id: string }>('frozen');
    await orders.findOne();
    await set.hold({ on: 'secondaries', part: 'fetch' });
    const insert = orders.insertOne({ _id: 'held' }, { writeConcern: { w: 'majority' } });
    await isPending(insert);
    await set.clients({ appName: 'frozen', freeze: true });
    await set.release('all');
    await set.advance('5s');
    expect(await isPending(insert)).toBe(true);
    await set.heal();
    expect(await insert).toMatchObject({ insertedId: 'held' });
  });

  test('a new connection waits too', async () => {
    await set.clients({ freeze: true });
    const connecting = named('new').connect();
    expect(await isPending(connecting)).toBe(true);
    await set.clients({ heal: true });
    await connecting;
  });

  test('the process dies meanwhile: the connection closes', async () => {
    const member = set.members.find(({ name }) => name !== set.primary)!;
    const client = newClient(`mongodb://${member.host}/?directConnection=true&appName=frozen&retryReads=false`);
    await client.connect();
    await set.clients({ appName: 'frozen', freeze: true });
    const failed = expect(client.db('admin').command({ ping: 1 })).rejects.toThrow();
    await isPending(failed);
    await set.kill(member.name);
    await failed;
    await set.start(member.name);
  });
});

describe('delay', () => {
  /** How long a ping takes, in virtual milliseconds; others' heartbeats may let a little more pass. */
  async function pingMs(client: MongoClient): Promise<number> {
    const before = nowMs();
    await client.db('admin').command({ ping: 1 });
    return nowMs() - before;
  }
  const direct = (appName: string) =>
    newClient(`mongodb://${set.members[0]!.host}/?directConnection=true`, { appName, heartbeatFrequencyMS: 60_000 });

  test('is virtual time', async () => {
    const [slow, other] = [direct('slow'), direct('other')];
    for (const client of [slow, other]) await pingMs(client);
    await set.clients({ appName: 'slow', delayMs: 200 });
    expect(await pingMs(slow)).toBeGreaterThanOrEqual(200);
    expect(await pingMs(other)).toBeLessThan(100);
    await set.clients({ appName: 'slow', delayMs: [300, 400] });
    expect(await pingMs(slow)).toBeGreaterThanOrEqual(300);
    await set.clients({ appName: 'slow', delayMs: 0 });
    expect(await pingMs(slow)).toBeLessThan(100);
  });

  test('one for a name comes before one for all', async () => {
    const slow = direct('slow');
    await pingMs(slow);
    await set.clients({ appName: 'slow', delayMs: 300 });
    await set.clients({ delayMs: 2000 });
    expect(await pingMs(slow)).toBeLessThan(2000);
  });
});

describe('whoever asks', () => {
  test('hears how many connections are meant; later ones count when they come', async () => {
    const admin = named('admin');
    expect(await fault(admin, { appName: 'nobody', cut: true })).toEqual({ ok: 1, connections: 0 });
    const nobody = named('nobody', { serverSelectionTimeoutMS: 1000 });
    await expect(nobody.connect()).rejects.toThrow();
    expect(await fault(admin, { appName: 'nobody', heal: true })).toMatchObject({ ok: 1 });
    await nobody.connect();
  });

  test('is exempt with all clients of his appName', async () => {
    const admin = named('admin');
    const other = named('other', { serverSelectionTimeoutMS: 1000 });
    for (const client of [admin, other]) await client.connect();
    expect(await fault(admin, { cut: true })).toMatchObject({
      ok: 1,
      note: 'clients with the appName of this one, admin, are exempt',
    });
    await expect(other.db('app').collection('any').findOne()).rejects.toThrow();
    expect(await admin.db('app').collection('any').findOne()).toBeNull();
    expect(await fault(admin, { cut: false })).toMatchObject({ ok: 1 });
    await other.db('app').collection('any').findOne();
  });

  test('is told that without an appName only this connection is exempt', async () => {
    const nameless = newClient(`mongodb://${set.members[0]!.host}/?directConnection=true`);
    expect(await fault(nameless, { freeze: true })).toMatchObject({
      ok: 1,
      note: expect.stringMatching(/^this connection is exempt/),
    });
    await nameless.db('admin').command({ ping: 1 });
  });

  test('is told that he means himself, and the door still lets him out', async () => {
    const own = newClient(`mongodb://${set.members[0]!.host}/?directConnection=true&appName=own`);
    expect(await fault(own, { appName: 'own', freeze: true })).toMatchObject({
      connections: expect.any(Number),
      note: 'this connection is one of them: own is the appName of its own client',
    });
    const ping = own.db('admin').command({ ping: 1 });
    expect(await isPending(ping)).toBe(true);
    await set.heal();
    await ping;
  });

  test('may except others', async () => {
    const [spared, other] = [named('spared'), named('other', { serverSelectionTimeoutMS: 1000 })];
    for (const client of [spared, other]) await client.connect();
    await set.clients({ cut: true, except: ['spared'] });
    await spared.db('app').collection('any').findOne();
    await expect(other.db('app').collection('any').findOne()).rejects.toThrow();
    await set.clients({ appName: 'other', cut: false });
    await other.db('app').collection('any').findOne();
  });
});

test.for<[input: object, message: RegExp]>([
  [{}, /clients: this fault of clients has no effect; cut: true, freeze: true, delayMs: 200, or heal: true/],
  [{ appName: 'a' }, /this fault of clients has no effect/],
  [{ cut: true, freeze: true }, /clients: cut and freeze are two faults; write one after the other/],
  [{ cut: true, delayMs: 5, heal: true }, /cut and delayMs and heal are/],
  [{ delayMs: -1 }, /clients\.delayMs: expected milliseconds, 0 or more/],
  [{ delayMs: [-1, 5] }, /clients\.delayMs/],
  [{ delayMs: [5, 1] }, /clients\.delayMs: the least latency comes first; did you mean \[1, 5\]\?/],
  [{ delayMs: '200ms' }, /clients\.delayMs: .*did you mean 200\?/],
  [{ cut: 1 }, /clients\.cut: expected true or false/],
  [{ heal: false }, /clients\.heal: expected true/],
  [{ on: 'n9', cut: true }, /no member is called "n9": there are n1, n2, n3/],
  [{ appname: 'a', cut: true }, /clients\.appname: unknown key "appname" in clients; did you mean "appName"\?/],
  [{ appName: '', cut: true }, /clients\.appName: expected a name; leave it out to mean all clients/],
  [{ workload: 'w', cut: true }, /a workload's appName is its name: write appName/],
  [{ latencyMs: 5 }, /did you mean "delayMs"/],
])('mistake: %j', async ([input, message]) => {
  await expect(set.clients(input as { cut: true })).rejects.toThrow(message);
});
