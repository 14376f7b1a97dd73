import { describe, expect, test } from 'vitest';
import { allows, allowsAnythingIn } from '../../src/privileges/privilege.ts';
import {
  ANY_NORMAL,
  CLUSTER,
  database,
  matches,
  namespace,
  type ResourcePattern,
  type Target,
} from '../../src/privileges/resourcePattern.ts';

const patterns = {
  anyResource: { kind: 'anyResource' },
  cluster: { kind: 'cluster' },
  anyNormal: { kind: 'anyNormal' },
  d: { kind: 'database', db: 'd' },
  local: { kind: 'database', db: 'local' },
  config: { kind: 'database', db: 'config' },
  '*.c': { kind: 'collection', collection: 'c' },
  '*.system.x': { kind: 'collection', collection: 'system.x' },
  'd.c': { kind: 'exact', db: 'd', collection: 'c' },
  'd.system.x': { kind: 'exact', db: 'd', collection: 'system.x' },
  'local.c': { kind: 'exact', db: 'local', collection: 'c' },
  'local.replset.e': { kind: 'exact', db: 'local', collection: 'replset.e' },
  '*.replset.e': { kind: 'collection', collection: 'replset.e' },
  anyBuckets: { kind: 'anyBuckets' },
  'buckets of d': { kind: 'bucketsOfDatabase', db: 'd' },
  'buckets c': { kind: 'bucketsNamed', collection: 'c' },
  'buckets d.c': { kind: 'exactBuckets', db: 'd', collection: 'c' },
  'd.system.buckets.c': { kind: 'exact', db: 'd', collection: 'system.buckets.c' },
} as const satisfies Record<string, ResourcePattern>;
type Name = keyof typeof patterns;

/** Every target with just the patterns that fit it. Source: resource_pattern_search_list.h. */
const fits: readonly (readonly [name: string, target: Target, fit: readonly Name[]])[] = [
  ['the cluster', CLUSTER, ['anyResource', 'cluster']],
  ['d', database('d'), ['anyResource', 'anyNormal', 'd']],
  ['local', database('local'), ['anyResource', 'local']],
  ['config', database('config'), ['anyResource', 'config']],
  ['d.c', namespace('d.c'), ['anyResource', 'anyNormal', 'd', '*.c', 'd.c']],
  ['local.c', namespace('local.c'), ['anyResource', 'local', '*.c', 'local.c']],
  ['config.c', namespace('config.c'), ['anyResource', 'config', '*.c']],
  ['d.system.x', namespace('d.system.x'), ['anyResource', '*.system.x', 'd.system.x']],
  ['local.system.x', namespace('local.system.x'), ['anyResource', '*.system.x']],
  ['local.replset.e', namespace('local.replset.e'), ['anyResource', '*.replset.e', 'local.replset.e']],
  ['d.replset.e', namespace('d.replset.e'), ['anyResource', 'anyNormal', 'd', '*.replset.e']],
  [
    'd.system.buckets.c',
    namespace('d.system.buckets.c'),
    ['anyResource', 'anyBuckets', 'buckets of d', 'buckets c', 'buckets d.c', 'd.system.buckets.c'],
  ],
  ['all normal ones', ANY_NORMAL, ['anyResource', 'anyNormal']],
];

describe.for(fits)('%s', ([, target, fit]) => {
  test.for(Object.keys(patterns) as Name[])('%s', (name) => {
    expect(matches(patterns[name], target)).toBe(fit.includes(name));
    const privileges = [{ resource: patterns[name], actions: new Set(['find'] as const) }];
    expect(allows(privileges, 'find', target)).toBe(fit.includes(name));
    expect(allows(privileges, 'insert', target)).toBe(false);
  });
});

test.for([
  ['d', ['anyResource', 'anyNormal', 'd', '*.c', 'd.c', 'anyBuckets', 'buckets of d', 'buckets c', 'buckets d.c']],
  ['local', ['anyResource', 'local', '*.c', 'local.c', 'anyBuckets', 'buckets c']],
] as const)('who has any right in %s', ([db, fit]) => {
  const tried = ['cluster', 'anyResource', 'anyNormal', 'd', 'local', '*.c', 'd.c', 'local.c'] as const;
  const buckets = ['anyBuckets', 'buckets of d', 'buckets c', 'buckets d.c'] as const;
  const having = [...tried, ...buckets].filter((name) =>
    allowsAnythingIn([{ resource: patterns[name], actions: new Set(['find']) }], db),
  );
  expect(having).toEqual(fit);
});
