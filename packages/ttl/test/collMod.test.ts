import { CommandError, type MongodVersion, VERSIONS } from '@replsim/protocol';
import { Decimal128, Double, Long } from 'bson';
import { expect, test } from 'vitest';
import {
  checkCollModCollection,
  checkCollModIndex,
  checkCollModSeconds,
  collectionExpireAfterSeconds,
  collModReply,
  collModSeconds,
  type TtlIndexSpec,
} from '../src/index.ts';
import { bsonValue, EPOCH_MS } from './drive.ts';

function codeOf(attempt: () => void): number | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(CommandError);
    return (error as CommandError).code;
  }
}

test.for<[value: unknown, seconds: number]>([
  [60, 60],
  [new Double(4.9), 4],
  [Long.fromNumber(60), 60],
  [Decimal128.fromString('7.5'), 7],
  [new Double(1e12), 2147483647],
  [new Double(-1e12), -2147483648],
  [new Double(Number.POSITIVE_INFINITY), 2147483647],
  [new Double(Number.NaN), 0],
  [new Double(-0.5), 0],
])('collMod reads %s as %d', ([value, seconds]) => {
  expect(collModSeconds(bsonValue(value), VERSIONS['8.0'])).toBe(seconds);
});

test.for(['60', null, true, new Date(0), {}])('collMod refuses %o with 14, before 5.1 with 72', (value) => {
  for (const version of ['8.2', '8.0', '7.0', '6.0'] as const)
    expect(codeOf(() => collModSeconds(bsonValue(value), VERSIONS[version]))).toBe(14);
  for (const version of ['4.4', '3.2'] as const)
    expect(codeOf(() => collModSeconds(bsonValue(value), VERSIONS[version]))).toBe(72);
});

test.for([
  [-1, 72],
  [-2147483648, 72],
  [0, undefined],
] as const)('%d seconds: %s', ([seconds, code]) => {
  expect(codeOf(() => checkCollModSeconds(seconds))).toBe(code);
});

test.for([
  ['8.0', '', undefined],
  ['8.0', 'capped', undefined],
  ['3.2', 'capped', undefined],
  ['7.0', 'capped', 72],
  ['6.0', 'capped', 72],
  ['4.4', 'capped', 72],
  ['8.0', 'timeseries', 72],
] as const)('%s, a collection that is %s: %s', ([version, is, code]) => {
  const kind = { capped: is === 'capped', timeseries: is === 'timeseries' };
  expect(codeOf(() => checkCollModCollection(kind, VERSIONS[version]))).toBe(code);
});

const of = (key: TtlIndexSpec['key'], old?: unknown) => ({
  key,
  expireAfterSeconds: old === undefined ? undefined : bsonValue(old),
  special: false,
});

test.for<[what: string, version: MongodVersion, index: ReturnType<typeof of>, code: number | undefined]>([
  ['TTL already', '8.0', of([['f', 1]], 60), undefined],
  ['not TTL yet', '8.0', of([['f', 1]]), undefined],
  ['not TTL yet', '6.0', of([['f', 1]]), undefined],
  ['not TTL yet', '4.4', of([['f', 1]]), 72],
  ['not TTL yet', '3.2', of([['f', 1]]), 72],
  ['a string before', '3.2', of([['f', 1]], '60'), 72],
  ['a string before', '4.4', of([['f', 1]], '60'), 72],
  ['hashed', '8.0', of([['f', 'hashed']]), undefined],
  ['_id', '8.0', of([['_id', 1]]), 72],
  ['compound', '8.0', of([['a', 1], ['b', 1]]), 72], // biome-ignore format: a row
  ['compound, TTL from long ago', '8.0', of([['a', 1], ['b', 1]], 60), undefined], // biome-ignore format: a row
  ['NaN before', '8.0', of([['f', 1]], Number.NaN), undefined],
  ['a string before', '8.0', of([['f', 1]], '60'), 72],
])('%s on %s', ([, version, index, code]) => {
  expect(codeOf(() => checkCollModIndex(index, VERSIONS[version]))).toBe(code);
});

test.for<[old: unknown, reply: object]>([
  [undefined, { expireAfterSeconds_new: 30n }],
  [60, { expireAfterSeconds_old: 60n, expireAfterSeconds_new: 30n }],
  [30, { expireAfterSeconds_old: 30n, expireAfterSeconds_new: 30n }],
  [10000.7, { expireAfterSeconds_old: 10000n, expireAfterSeconds_new: 30n }],
  [Number.NaN, { expireAfterSeconds_old: 0n, expireAfterSeconds_new: 30n }],
  [new Double(1e12), { expireAfterSeconds_old: 0n, expireAfterSeconds_new: 30n }],
])('from %s to 30', ([old, reply]) => {
  expect(collModReply(old === undefined ? undefined : bsonValue(old), 30)).toEqual(reply);
});

test('the reply names the old value first', () => {
  expect(Object.keys(collModReply(bsonValue(60), 30))).toEqual(['expireAfterSeconds_old', 'expireAfterSeconds_new']);
});

test.for<[value: unknown, expected: number | 'off' | undefined]>([
  [3600, 3600],
  [new Double(1.5), 1],
  [new Double(Number.NaN), 0],
  ['off', 'off'],
  [EPOCH_MS / 1000, EPOCH_MS / 1000],
  [EPOCH_MS / 1000 + 1, undefined],
  [new Double(1e300), undefined],
  [-1, undefined],
  ['on', undefined],
  [true, undefined],
])('a collection that expires after %s', ([value, expected]) => {
  const read = () => collectionExpireAfterSeconds(bsonValue(value), EPOCH_MS);
  if (expected === undefined) expect(codeOf(read)).toBe(72);
  else expect(read()).toBe(expected);
});
