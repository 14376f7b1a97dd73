import type { MongodVersion } from '@replsim/protocol';
import { Double } from 'bson';
import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// What a new primary does about TTL indexes whose option is no valid int32. Such specs come into being here as
// they do in upstream's tests: by fail points at createIndexes. Upstream: jstests ttl_index_options.js, nan_ttl.js.

const NAN = new Double(Number.NaN);
const MEMBERS = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];
const SKIPS = ['skipTTLIndexValidationOnCreateIndex', 'skipTTLIndexExpireAfterSecondsValidation'];

async function withIndex(version: MongodVersion, expireAfterSeconds: unknown): Promise<AskedSet> {
  const asked = await AskedSet.start(MEMBERS, { version, parameters: { ttlMonitorSleepSecs: 5 } });
  await asked.until(() => asked.primaryIfAny() === 'n1');
  for (const configureFailPoint of SKIPS) await asked.ok('n1', { configureFailPoint, mode: 'alwaysOn' }, 'admin');
  const indexes = [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds }];
  await asked.ok('n1', { createIndexes: 'c', indexes, writeConcern: { w: 3 } });
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, at: new Date(1e12) }], writeConcern: { w: 3 } });
  return asked;
}

/** The option as it lies in the catalog, which a collMod to the same value tells. */
const entries = (asked: AskedSet, member: string, filter: Doc) =>
  asked.now(member, { find: 'oplog.rs', filter, $readPreference: { mode: 'nearest' } }, 'local').cursor.firstBatch;

const logged = (asked: AskedSet, member: string, id: number): Doc[] =>
  asked
    .now(member, { getLog: 'global' })
    .log.map((line: string) => JSON.parse(line))
    .filter((line: Doc) => line.id === id);

async function failOver(asked: AskedSet): Promise<string> {
  asked.set.kill('n1');
  await asked.until(() => ['n2', 'n3'].includes(asked.primaryIfAny() ?? ''));
  await asked.pass(1000);
  return asked.primary;
}

test.for<[version: MongodVersion, stored: unknown, repaired: number]>([
  ['8.0', NAN, 2147483647],
  ['8.0', new Double(-1), 2147483647],
  ['8.0', new Double(1e12), 2147483647],
  ['8.0', new Double(10000.7), 10000],
  ['7.0', NAN, 2147483647],
  ['7.0', new Double(10000.7), 10000],
])('a new primary of %s repairs %s to %s, and replicates it', async ([version, stored, repaired]) => {
  const asked = await withIndex(version, stored);
  const primary = await failOver(asked);
  const mods = entries(asked, primary, { 'o.collMod': 'c' });
  expect(mods).toHaveLength(1);
  expect(mods[0]).toMatchObject({ op: 'c', o: { index: { name: 'ttl', expireAfterSeconds: repaired } } });
  const [before] = logged(asked, primary, 6847700);
  expect(before).toMatchObject({ s: 'I', c: 'INDEX', ctx: 'InvalidTTLIndexFixer' });
  const uuid = { uuid: { $uuid: expect.any(String) } };
  expect(before!.attr).toEqual({ ns: 'app.c', uuid, name: 'ttl', expireAfterSecondsNew: repaired });
  expect(logged(asked, primary, 6847701)[0]!.attr).toMatchObject({ result: {} });
  await asked.pass(6000);
  const other = primary === 'n2' ? 'n3' : 'n2';
  expect(entries(asked, other, { 'o.collMod': 'c' })).toHaveLength(1);
  // A value that was only of the wrong type has worked all along.
  expect(await asked.documents(primary, 'c')).toHaveLength(repaired === 10000 ? 0 : 1);
  // Once repaired it is left alone.
  await asked.set.start('n1');
  await asked.until(() => asked.primaryIfAny() === 'n1');
  await asked.pass(1000);
  expect(entries(asked, 'n1', { 'o.collMod': 'c' })).toHaveLength(1);
});

test('what is no number cannot be repaired, and is logged as an error', async () => {
  const asked = await withIndex('8.0', 'soon');
  const primary = await failOver(asked);
  expect(entries(asked, primary, { 'o.collMod': 'c' })).toHaveLength(0);
  expect(logged(asked, primary, 6835901)[0]).toMatchObject({
    s: 'E',
    attr: { namespace: 'app.c', error: { code: 72 } },
  });
});

test.for<[version: MongodVersion, stored: unknown]>([
  ['8.2', NAN],
  ['3.2', new Double(10000.7)],
  ['8.0', 3600],
])('a new primary of %s leaves %s as it is', async ([version, stored]) => {
  const asked = await withIndex(version, stored);
  const primary = await failOver(asked);
  expect(entries(asked, primary, { 'o.collMod': 'c' })).toHaveLength(0);
  expect(logged(asked, primary, 6847700)).toHaveLength(0);
});

test('the fail point TTLMonitorSkipRunningCollMod leaves it unrepaired', async () => {
  const asked = await withIndex('8.0', NAN);
  for (const member of ['n2', 'n3']) {
    await asked.ok(member, { configureFailPoint: 'TTLMonitorSkipRunningCollMod', mode: 'alwaysOn' }, 'admin');
  }
  expect(entries(asked, await failOver(asked), { 'o.collMod': 'c' })).toHaveLength(0);
});

test('a restart warns of NaN in the catalog, as a secondary and as a standalone', async () => {
  const asked = await withIndex('8.2', NAN);
  // A checkpoint, so that the catalog holds it at once.
  await asked.ok('n3', { fsync: 1 }, 'admin');
  for (const as of ['standalone', { replSet: 'rs0' }] as const) {
    asked.set.kill('n3');
    await asked.set.start('n3', { as });
    await asked.pass(100);
    const { log } = asked.now('n3', { getLog: 'startupWarnings' });
    const warnings = log.map((line: string) => JSON.parse(line)).filter(({ id }: Doc) => id === 6852200);
    const spec = { key: { at: 1 }, name: 'ttl', expireAfterSeconds: { $numberDouble: 'NaN' } };
    const uuid = { uuid: { $uuid: expect.any(String) } };
    expect(warnings).toMatchObject([{ s: 'W', c: 'INDEX', attr: { ns: 'app.c', uuid, index: 'ttl', spec } }]);
  }
});
