import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatUuid, IdSource, toHex } from '../src/index.ts';

const uuids = (seed: readonly [number, number], count: number) => {
  const ids = new IdSource(seed);
  return Array.from({ length: count }, () => formatUuid(ids.uuid()));
};

test('golden values: a change here changes every transcript', () => {
  const ids = new IdSource([1, 2]);
  expect({
    uuid: formatUuid(ids.uuid()),
    objectId: toHex(ids.objectId(0x67748580)),
    cursorId: ids.cursorId(),
    below: ids.below(1000),
    uuidAfter: formatUuid(ids.uuid()),
  }).toMatchInlineSnapshot(`
    {
      "below": 59,
      "cursorId": 2881404448672954757n,
      "objectId": "67748580d2f527148ee15c72",
      "uuid": "b7284e51-3ba5-4854-bcea-9fb1b11ea9be",
      "uuidAfter": "c696486d-eb1a-4391-8aed-5aefc0f02b05",
    }
  `);
});

test('the same seed gives the same ids, another seed others', () => {
  const seed = fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff));
  fc.assert(
    fc.property(seed, seed, (a, b) => {
      expect(uuids(a, 3)).toEqual(uuids(a, 3));
      if (a[0] !== b[0] || a[1] !== b[1]) expect(uuids(a, 3)).not.toEqual(uuids(b, 3));
    }),
    { seed: 1 },
  );
});

test('no id comes twice', () => {
  const ids = new IdSource([0, 0]);
  const seen = new Set<string | bigint>();
  for (let n = 0; n < 10_000; n++) {
    seen.add(formatUuid(ids.uuid()));
    seen.add(toHex(ids.objectId(1)));
    seen.add(ids.cursorId());
  }
  expect(seen.size).toBe(30_000);
});

test('a UUID says version 4 and variant 1', () => {
  for (const uuid of uuids([7, 7], 200)) {
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

test('an ObjectId begins with its second, unsigned', () => {
  const ids = new IdSource([1, 2]);
  for (const secs of [0, 1, 0x7fffffff, 0x80000000, 0xfffffffe]) {
    const id = ids.objectId(secs);
    expect(id).toHaveLength(12);
    expect(toHex(id).slice(0, 8)).toBe(secs.toString(16).padStart(8, '0'));
  }
});

test('a cursor id is positive and below 2^62', () => {
  const ids = new IdSource([3, 4]);
  let largest = 0n;
  for (let n = 0; n < 1000; n++) {
    const id = ids.cursorId();
    expect(id > 0n && id < 1n << 62n).toBe(true);
    if (id > largest) largest = id;
  }
  expect(largest > 1n << 61n).toBe(true);
});

test('numbers below a bound reach all of it', () => {
  const ids = new IdSource([5, 6]);
  const seen = new Set(Array.from({ length: 1000 }, () => ids.below(10)));
  expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('bytes as hex', () => {
  expect(toHex(Uint8Array.of(0, 15, 16, 255))).toBe('000f10ff');
  expect(formatUuid(Uint8Array.from({ length: 16 }, (_, i) => i))).toBe('00010203-0405-0607-0809-0a0b0c0d0e0f');
});
