import { CommandError, encodeDocument, type MongodVersion, VERSIONS } from '@replsim/protocol';
import { Decimal128, Double, Int32, Long } from 'bson';
import { expect, test } from 'vitest';
import {
  checkTtlCollection,
  isInvalidExpireAfterSeconds,
  listedExpireAfterSeconds,
  storedExpireAfterSeconds,
  type TtlIndexSpec,
  ttlKindOf,
  validateTtlSpec,
} from '../src/index.ts';
import { bsonValue } from './drive.ts';

const NAN = new Double(Number.NaN);

function errorOf(attempt: () => void): CommandError | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(CommandError);
    return error as CommandError;
  }
}

const validate = (spec: object, version: MongodVersion = '8.0') =>
  errorOf(() => validateTtlSpec(encodeDocument(spec), VERSIONS[version]));

test.for<[key: object, value: unknown]>([
  [{ f: 1 }, 0],
  [{ f: 1 }, 3600],
  [{ f: -1 }, 2147483647],
  [{ f: 1 }, new Double(10000.7)],
  [{ f: 1 }, new Double(-0.5)],
  [{ f: 1 }, Long.fromNumber(60)],
  [{ f: 1 }, Decimal128.fromString('4.5')],
  [{ 'a.b': 1 }, 1],
  [{ f: 'hashed' }, 1],
  [{ f: 'text' }, 1],
  [{ f: '2dsphere' }, 1],
  [{ _id: 'hashed' }, 1],
])('createIndexes takes %o with %s', ([key, expireAfterSeconds]) => {
  expect(validate({ key, name: 'x', expireAfterSeconds })).toBeUndefined();
});

test.for<[key: object, value: unknown, code: number, gist: RegExp]>([
  [{ f: 1 }, null, 67, /numeric.*'null'/],
  [{ f: 1 }, true, 67, /numeric.*'bool'/],
  [{ f: 1 }, '60', 67, /numeric.*'string'/],
  [{ f: 1 }, new Date(0), 67, /numeric.*'date'/],
  [{ f: 1 }, NAN, 67, /NaN/],
  [{ f: 1 }, Decimal128.fromString('NaN'), 67, /NaN/],
  [{ f: 1 }, new Double(2147483648), 67, /32-bit/],
  [{ f: 1 }, Long.MIN_VALUE, 67, /32-bit/],
  [{ f: 1 }, new Double(Number.POSITIVE_INFINITY), 67, /32-bit/],
  [{ f: 1 }, Decimal128.fromString('Infinity'), 67, /32-bit/],
  [{ f: 1 }, -1, 67, /less than 0/],
  [{ f: 1 }, new Double(-1.5), 67, /less than 0/],
  [{ a: 1, b: 1 }, 60, 67, /single field/],
  [{ a: 1, b: 1 }, '60', 67, /numeric/], // the value comes before the fields
  [{ '$**': 1 }, 60, 67, /TTL index :: caused by :: .*wildcard/],
  [{ 'a.$**': 1 }, 60, 67, /wildcard/],
  [{ _id: 1 }, 60, 197, /_id/],
  [{ _id: -1 }, 60, 197, /_id/],
  [{ _id: 1 }, '60', 197, /_id/], // and the shape before both
])('createIndexes refuses %o with %s: %d', ([key, expireAfterSeconds, code, gist]) => {
  const error = validate({ key, name: 'x', expireAfterSeconds });
  expect(error?.code).toBe(code);
  expect(error?.message).toMatch(gist);
});

test('a refused value is shown with its spec', () => {
  const error = validate({ v: 2, key: { f: 1 }, name: 'f_1', expireAfterSeconds: NAN });
  const spec = '. Index spec: { v: 2, key: { f: 1 }, name: "f_1", expireAfterSeconds: nan } :: caused by :: ';
  expect(error?.message.startsWith(spec)).toBe(true);
});

test('without the option there is nothing to refuse', () => {
  expect(validate({ key: { a: 1, b: 1 }, name: 'x' })).toBeUndefined();
  expect(validate({ key: { expireAfterSeconds: 1, b: 1 }, name: 'x' })).toBeUndefined();
});

const NOW = Date.UTC(2025, 0, 1);
const SINCE_1970 = NOW / 1000;

test.for<[version: MongodVersion, seconds: unknown, code: number | undefined]>([
  ['3.2', '60', undefined],
  ['3.2', null, undefined],
  ['3.2', -1, undefined],
  ['3.2', new Double(1e12), undefined],
  ['4.4', '60', 67],
  ['4.4', null, 67],
  ['4.4', -1, 67],
  ['4.4', NAN, undefined],
  ['4.4', SINCE_1970, undefined],
  ['4.4', SINCE_1970 + 1, 67],
  ['4.4', new Double(Number.POSITIVE_INFINITY), 67],
  ['6.0', '60', 67],
  ['6.0', NAN, undefined],
  ['6.0', SINCE_1970 + 1, 67],
  ['7.0', NAN, 67],
  ['7.0', SINCE_1970 + 1, undefined],
])('createIndexes of %s with %s: %s', ([version, expireAfterSeconds, code]) => {
  const spec = encodeDocument({ key: { f: 1 }, name: 'x', expireAfterSeconds });
  expect(errorOf(() => validateTtlSpec(spec, VERSIONS[version], NOW))?.code).toBe(code);
});

test('before 6.2 a refused value stands before its spec', () => {
  const error = validate({ key: { f: 1 }, name: 'f_1', expireAfterSeconds: '60' }, '4.4');
  expect(error?.message).toMatch(/numeric.*'string'\. Index spec: \{ key: \{ f: 1 \}/);
});

test.for<[version: MongodVersion, stored: unknown]>([
  ['3.2', NAN],
  ['4.4', NAN],
  ['6.0', 2147483647],
])('%s stores NaN as %s', ([version, stored]) => {
  const value = bsonValue(NAN);
  expect(storedExpireAfterSeconds(value, VERSIONS[version])).toBe(stored === NAN ? value : stored);
});

test('3.2 creates a compound TTL index, 4.4 does not', () => {
  expect(validate({ key: { a: 1, b: 1 }, name: 'x', expireAfterSeconds: 60 }, '4.4')?.code).toBe(67);
  expect(validate({ key: { a: 1, b: 1 }, name: 'x', expireAfterSeconds: 60 }, '3.2')).toBeUndefined();
});

test.for([
  ['8.0', 'capped', undefined],
  ['7.0', 'capped', 67],
  ['6.0', 'capped', 67],
  ['4.4', 'capped', 67],
  ['3.2', 'capped', undefined],
  ['7.0', '', undefined],
  ['8.2', 'capped clustered', 6049202],
  ['8.2', 'clustered', undefined],
  ['8.2', 'encrypted', 6346501],
  ['7.0', 'encrypted', 6346501],
] as const)('%s, a collection that is %s: %s', ([version, is, code]) => {
  const kind = {
    capped: is.includes('capped'),
    clustered: is.includes('clustered'),
    encrypted: is.includes('encrypted'),
  };
  expect(errorOf(() => checkTtlCollection(kind, VERSIONS[version]))?.code).toBe(code);
});

const plain = (expireAfterSeconds: unknown, more: Partial<TtlIndexSpec> = {}): TtlIndexSpec => ({
  key: [['f', 1]],
  expireAfterSeconds: expireAfterSeconds === undefined ? undefined : bsonValue(expireAfterSeconds),
  special: false,
  ...more,
});
const compound = { key: [['a', 1], ['b', 1]] } as const; // biome-ignore format: one line
const hashed = { key: [['f', 'hashed']], special: true } as const;

test.for<[what: string, version: MongodVersion, spec: TtlIndexSpec, kind: object]>([
  ['plain', '8.0', plain(60), { type: 'works', expireAfterSeconds: 60, backward: false }],
  ['descending', '8.0', plain(60, { key: [['f', -1]] }), { type: 'works', expireAfterSeconds: 60, backward: true }],
  ['a fraction', '7.0', plain(10000.7), { type: 'works', expireAfterSeconds: 10000 }],
  ['no option', '8.0', plain(undefined), { type: 'notTtl' }],
  ['compound', '8.0', plain(60, compound), { type: 'skipped', logId: 22540 }],
  ['compound', '8.2', plain(60, compound), { type: 'skipped', logId: 6909100 }],
  ['compound', '6.0', plain(60, compound), { type: 'skipped', logId: 22540 }],
  ['compound', '3.2', plain(60, compound), { type: 'skipped', logId: 22540 }],
  ['hashed', '8.0', plain(60, hashed), { type: 'skipped', logId: 22541 }],
  ['hashed', '8.2', plain(60, hashed), { type: 'skipped', logId: 22541 }],
  ['hashed with NaN', '8.2', plain(NAN, hashed), { type: 'skipped', logId: 22541 }],
  ['NaN', '8.0', plain(NAN), { type: 'skipped', logId: 6909100 }],
  ['NaN', '8.2', plain(NAN), { type: 'skipped', logId: 6909100 }],
  ['NaN', '6.0', plain(NAN), { type: 'skipped', logId: 22542 }],
  ['NaN', '4.4', plain(NAN), { type: 'skipped', logId: 22542 }],
  ['NaN', '3.2', plain(NAN), { type: 'works', expireAfterSeconds: 0 }],
  ['too large', '7.0', plain(new Double(1e12)), { type: 'skipped', logId: 6909100 }],
  ['negative', '8.2', plain(-1), { type: 'skipped', logId: 6909100 }],
  ['negative', '3.2', plain(-1), { type: 'works', expireAfterSeconds: -1 }],
  ['a string', '8.0', plain('60'), { type: 'skipped', logId: 6909100 }],
  ['a string', '6.0', plain('60'), { type: 'skipped', logId: 22542 }],
  ['a string', '4.4', plain('60'), { type: 'skipped', logId: 22542 }],
  ['a string', '3.2', plain('60'), { type: 'skipped', logId: 22542 }],
  ['null', '3.2', plain(null), { type: 'skipped', logId: 22542 }],
  ['the largest', '8.0', plain(2147483647), { type: 'works', expireAfterSeconds: 2147483647 }],
  ['a JS number', '8.0', { ...plain(0), expireAfterSeconds: 5.9 }, { type: 'works', expireAfterSeconds: 5 }],
  ['a JS NaN', '8.0', { ...plain(0), expireAfterSeconds: Number.NaN }, { type: 'skipped', logId: 6909100 }],
])('%s on %s', ([, version, spec, kind]) => {
  expect(ttlKindOf(spec, VERSIONS[version])).toMatchObject(kind);
});

test.for<[raw: unknown, listed: number]>([
  [60, 60],
  [new Double(10000.7), 10000],
  [Long.fromNumber(60), 60],
  [Decimal128.fromString('4.5'), 4],
  [new Double(-0.5), 0],
  [NAN, 2147483647],
  [new Double(1e12), 2147483647],
  [-1, 2147483647],
  ['60', 2147483647],
])('%s is stored from 7.3 on, and listed always, as %d', ([raw, listed]) => {
  const value = bsonValue(raw);
  expect(listedExpireAfterSeconds(value)).toBe(listed);
  expect(storedExpireAfterSeconds(value, VERSIONS['8.0'])).toBe(listed);
  // Before 7.3 a valid number stays as it was sent; what got past validation is put right all the same.
  expect(storedExpireAfterSeconds(value, VERSIONS['7.0'])).toBe(isInvalidExpireAfterSeconds(value) ? listed : value);
});

test('0 is listed as 0', () => expect(Object.is(listedExpireAfterSeconds(bsonValue(new Int32(0))), 0)).toBe(true));
