import { VERSIONS } from '@replsim/protocol';
import { beforeEach, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

// What exporters of metrics read: mongodb_exporter, telegraf's mongodb input, the integration of Datadog.

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', ...Array.from({ length: 100 }, (_, _id) => ({ _id, x: 'x'.repeat(1000) })));
});

const NAMES = {
  'block-manager': ['blocks read', 'blocks written', 'bytes read', 'bytes written', 'mapped bytes read'],
  cache: [
    'bytes currently in the cache',
    'maximum bytes configured',
    'modified pages evicted',
    'pages currently held in the cache',
    'pages read into cache',
    'pages written from cache',
    'tracked dirty bytes in the cache',
    'unmodified pages evicted',
  ],
  log: ['log bytes written', 'log sync operations', 'log write operations', 'total log buffer size'],
  session: ['open cursor count', 'open session count'],
  transaction: ['transaction begins', 'transactions committed', 'transactions rolled back'],
};

test.for(Object.entries(NAMES))('%s is numbers', ([section, names]) => {
  const shown = member.ok({ serverStatus: 1 }).wiredTiger[section];
  for (const name of names) expect(shown[name], name).toEqual(expect.any(Number));
});

test('the cache holds what there is, and more than that would fit', () => {
  const { cache } = member.ok({ serverStatus: 1 }).wiredTiger;
  const { size, storageSize, wiredTiger } = member.ok({ collStats: 'c' });
  expect(cache['bytes currently in the cache']).toBeGreaterThan(size);
  expect(cache['maximum bytes configured']).toBeGreaterThan(cache['bytes currently in the cache']);
  expect(wiredTiger).toMatchObject({
    type: 'file',
    'block-manager': { 'file size in bytes': storageSize, 'file bytes available for reuse': 0 },
    cache: { 'bytes currently in the cache': storageSize },
  });
});

test('nobody waits for a ticket, wherever a release shows them', () => {
  const tickets = { read: { out: 0, available: 128, totalTickets: 128 }, write: { out: 0 } };
  expect(member.ok({ serverStatus: 1 })).toMatchObject({ queues: { execution: tickets } });
  member.traits = VERSIONS['7.0'];
  const { queues, wiredTiger } = member.ok({ serverStatus: 1 });
  expect(queues).toBeUndefined();
  expect(wiredTiger.concurrentTransactions).toMatchObject(tickets);
});

test('an engine of long ago tells nothing of it', () => {
  member.traits = VERSIONS['3.2'];
  expect(member.ok({ serverStatus: 1 }).wiredTiger).toBeUndefined();
  expect(member.ok({ collStats: 'c' }).wiredTiger).toBeUndefined();
});

test('snapshot-window-settings tell from when to when snapshots can be read', () => {
  const settings = member.ok({ serverStatus: 1 }).wiredTiger['snapshot-window-settings'];
  expect(settings).toEqual({
    'total number of SnapshotTooOld errors': 3,
    'minimum target snapshot window size in seconds': 300,
    'current available snapshot window size in seconds': 299,
    'latest majority snapshot timestamp available': 'Jan  1 00:05:00:7',
    'oldest majority snapshot timestamp available': 'Jan  1 00:00:01:2',
    'pinned timestamp requests': 0,
    'min pinned timestamp': expect.objectContaining({ t: 0xffff_ffff, i: 0xffff_ffff }),
  });
});
