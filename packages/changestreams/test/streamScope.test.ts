import { expect, test } from 'vitest';
import { StreamScope, type StreamTarget } from '../src/streamScope.ts';
import { entryOf, operation } from './entries.ts';

// Which operations a stream is about.

const collection: StreamTarget = { kind: 'collection', ns: 'app.c' };
const database: StreamTarget = { kind: 'database', db: 'app' };
const cluster: StreamTarget = { kind: 'cluster' };
const plain = { showExpandedEvents: false, showSystemEvents: false, showIndexBuilds: false };
const shown = (of: Parameters<typeof operation>, options = plain) =>
  [collection, database, cluster].map((target) => new StreamScope(target, options).includes(operation(...of)));

test.for<[of: Parameters<typeof operation>, includes: [boolean, boolean, boolean]]>([
  [
    ['i', 'app.c', { _id: 1 }],
    [true, true, true],
  ],
  [
    ['u', 'app.d', { $v: 2 }],
    [false, true, true],
  ],
  [
    ['d', 'other.c', { _id: 1 }],
    [false, false, true],
  ],
  [
    ['i', 'app.c.d', { _id: 1 }],
    [false, true, true],
  ],
  [
    ['i', 'app.system.js', { _id: 1 }],
    [false, false, false],
  ],
  [
    ['i', 'app.system.views', { _id: 1 }],
    [false, false, false],
  ],
  [
    ['i', 'app.systemc', { _id: 1 }],
    [false, true, true],
  ],
  [
    ['i', 'config.transactions', { _id: 1 }],
    [false, false, false],
  ],
  [
    ['i', 'admin.c', { _id: 1 }],
    [false, false, false],
  ],
  [
    ['i', 'app2.c', { _id: 1 }],
    [false, false, true],
  ],
  [
    ['n', '', { msg: 'periodic noop' }],
    [false, false, false],
  ],
  [
    ['c', 'app.$cmd', { create: 'c' }],
    [true, true, true],
  ],
  [
    ['c', 'app.$cmd', { drop: 'c' }],
    [true, true, true],
  ],
  [
    ['c', 'app.$cmd', { drop: 'd' }],
    [false, true, true],
  ],
  [
    ['c', 'app.$cmd', { drop: 'system.buckets.x' }],
    [false, false, false],
  ],
  [
    ['c', 'other.$cmd', { drop: 'c' }],
    [false, false, true],
  ],
  [
    ['c', 'app.$cmd', { createIndexes: 'c' }],
    [true, true, true],
  ],
  [
    ['c', 'app.$cmd', { commitIndexBuild: 'c' }],
    [true, true, true],
  ],
  [
    ['c', 'app.$cmd', { startIndexBuild: 'c' }],
    [false, false, false],
  ],
  [
    ['c', 'app.$cmd', { abortIndexBuild: 'c' }],
    [false, false, false],
  ],
  [
    ['c', 'app.$cmd', { dropIndexes: 'c' }],
    [true, true, true],
  ],
  [
    ['c', 'app.$cmd', { collMod: 'c' }],
    [true, true, true],
  ],
  [
    ['c', 'app.$cmd', { renameCollection: 'app.c', to: 'app.d' }],
    [true, true, true],
  ],
  [
    ['c', 'app.$cmd', { renameCollection: 'app.d', to: 'app.c' }],
    [true, true, true],
  ],
  [
    ['c', 'app.$cmd', { renameCollection: 'app.d', to: 'app.e' }],
    [false, true, true],
  ],
  [
    ['c', 'app.$cmd', { dropDatabase: 1 }],
    [false, true, true],
  ],
  [
    ['c', 'config.$cmd', { dropDatabase: 1 }],
    [false, false, false],
  ],
])('%o: collection, database and cluster %o', ([of, includes]) => {
  expect(shown(of)).toEqual(includes);
});

test('what belongs to the system is shown on demand, in part', () => {
  const options = { ...plain, showSystemEvents: true };
  const names = [
    'system.js',
    'system.views',
    'system.buckets.x',
    'system.resharding.1',
    'system.profile',
    'system.jsx',
    '$x',
  ];
  const seen = names.filter((name) => shown(['i', `app.${name}`, { _id: 1 }], options)[1]);
  expect(seen).toEqual(['system.js', 'system.views', 'system.buckets.x', 'system.resharding.1']);
});

test('views are events of databases, expanded', () => {
  expect(shown(['i', 'app.system.views', { _id: 'app.v' }], { ...plain, showExpandedEvents: true })).toEqual([
    false,
    true,
    true,
  ]);
});

test.for<[o: Record<string, unknown>, ends: [boolean, boolean, boolean]]>([
  [{ drop: 'c' }, [true, false, false]],
  [{ renameCollection: 'app.c', to: 'app.d' }, [true, false, false]],
  [{ dropDatabase: 1 }, [false, true, false]],
  [{ create: 'c' }, [false, false, false]],
])('%o ends the streams of collection, database and cluster: %o', ([o, ends]) => {
  const invalidated = [collection, database, cluster].map((target) =>
    new StreamScope(target, plain).isInvalidatedBy(entryOf(operation('c', 'app.$cmd', o)).operation),
  );
  expect(invalidated).toEqual(ends);
});

test.for(['startIndexBuild', 'abortIndexBuild'])('%s is for those who are shown index builds', (command) => {
  expect(shown(['c', 'app.$cmd', { [command]: 'c' }], { ...plain, showIndexBuilds: true })).toEqual([true, true, true]);
  expect(shown(['c', 'app.$cmd', { [command]: 'd' }], { ...plain, showIndexBuilds: true })).toEqual([
    false,
    true,
    true,
  ]);
});

test('the drop of another database ends no stream of this one', () => {
  const drop = (db: string) => operation('c', `${db}.$cmd`, { dropDatabase: 1 });
  const scope = new StreamScope(database, plain);
  expect([scope.isInvalidatedBy(drop('app')), scope.isInvalidatedBy(drop('other'))]).toEqual([true, false]);
});
