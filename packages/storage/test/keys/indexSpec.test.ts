import { CommandError, decodePromoted, encodeDocument } from '@replsim/protocol';
import { Decimal128, Double, Int32, Long } from 'bson';
import { expect, test } from 'vitest';
import { parseIndexSpec, sameIdentity, samePlainOptions, withOptions } from '../../src/keys/indexSpec.ts';
import { spec } from '../fixtures.ts';

test('a spec is parsed into what the engine needs', () => {
  const parsed = spec(
    { a: 1, 'b.c': new Double(-1) },
    { unique: true, sparse: 1, hidden: false, expireAfterSeconds: 5 },
  );
  expect(parsed).toMatchObject({ name: 'a_1_b.c_-1', kind: 'ordered', unique: true, sparse: true, hidden: false });
  expect(parsed.parts).toEqual([
    { path: 'a', descending: false },
    { path: 'b.c', descending: true },
  ]);
  expect(decodePromoted(parsed.keyPattern)).toEqual({ a: 1, 'b.c': -1 });
  expect(parsed.expireAfterSeconds).toBeDefined();
  expect(spec({ expireAfterSeconds: 1 }).expireAfterSeconds).toBeUndefined();
  expect(spec({ _id: 1 }).unique).toBe(true);
});

test.for([{ a: 'hashed' }, { '$**': 1 }, { 'a.$**': 1 }])('%o is special', (key) => {
  expect(spec(key).kind).toBe('special');
});

test.for([
  { a: spec({ t: 1 }), b: spec({ t: new Double(1) }, { name: 'other' }), same: true },
  { a: spec({ t: 1 }), b: spec({ t: 1 }, { expireAfterSeconds: 5 }), same: true },
  { a: spec({ t: 1 }), b: spec({ t: -1 }), same: false },
  { a: spec({ t: 1, u: 1 }), b: spec({ u: 1, t: 1 }), same: false },
  { a: spec({ t: 1 }), b: spec({ t: 1 }, { sparse: true }), same: false },
  { a: spec({ t: 1 }), b: spec({ t: 1 }, { sparse: false }), same: true },
  { a: spec({ t: 1 }), b: spec({ t: 1 }, { unique: true }), same: false },
  { a: spec({ t: 1 }), b: spec({ t: 1 }, { partialFilterExpression: { a: 1 } }), same: false },
  {
    a: spec({ t: 1 }, { partialFilterExpression: { a: 1 } }),
    b: spec({ t: 1 }, { partialFilterExpression: { a: 1n } }),
    same: true,
  },
  { a: spec({ t: 1 }), b: spec({ t: 1 }, { collation: { locale: 'de' } }), same: false },
])('identity $#', ({ a, b, same }) => {
  expect(sameIdentity(a, b)).toBe(same);
});

test.for([
  { a: 3600, b: new Double(3600), same: true },
  { a: new Int32(3600), b: Long.fromNumber(3600), same: true },
  { a: 3600, b: new Decimal128('3600'), same: true },
  { a: 3600, b: 3601, same: false },
  { a: 3600, b: undefined, same: false },
  { a: undefined, b: undefined, same: true },
])('plain options: $a and $b', ({ a, b, same }) => {
  expect(
    samePlainOptions(spec({ t: 1 }, { expireAfterSeconds: a }), spec({ t: 1 }, { v: 1, expireAfterSeconds: b })),
  ).toBe(same);
});

test('collMod changes options in place, or adds them', () => {
  const before = spec({ t: 1 }, { expireAfterSeconds: new Double(5), unique: true });
  const after = withOptions(before, { expireAfterSeconds: 60, hidden: true });
  const decoded = decodePromoted(after.bytes);
  expect(Object.keys(decoded)).toEqual(['v', 'key', 'name', 'expireAfterSeconds', 'unique', 'hidden']);
  expect(decoded).toMatchObject({ expireAfterSeconds: 60, hidden: true });
  expect(withOptions(after, { hidden: false }).hidden).toBe(false);
  expect(after.keySource).toBe(before.keySource);
});

test('a spec without key or name is refused', () => {
  expect(() => parseIndexSpec(encodeDocument({ name: 'x' }))).toThrow(CommandError);
  expect(() => parseIndexSpec(encodeDocument({ key: { a: 1 } }))).toThrow(CommandError);
});
