import { expect, test } from 'vitest';
import { RecentBytes } from '../../src/fields/recentBytes.ts';

test('what was made of the same bytes lately is given again', () => {
  const recent = new RecentBytes<{ readonly of: string }>();
  const make = (bytes: Uint8Array) => ({ of: [...bytes].join() });
  const given = Buffer.of(1, 2);
  const made = recent.get(given, make);
  expect(made).toEqual({ of: '1,2' });
  // The bytes may be a part of a message that somebody writes over.
  given.fill(9);
  expect(recent.get(Uint8Array.of(1, 2), make)).toBe(made);
  expect(recent.find(Uint8Array.of(9, 9))).toBeUndefined();
  expect(recent.find(Uint8Array.of(1))).toBeUndefined();
  expect(recent.find(Uint8Array.of(1, 2, 3))).toBeUndefined();
});

test('of many the oldest is forgotten', () => {
  const recent = new RecentBytes<string>();
  for (let i = 0; i < 17; i++) recent.get(Uint8Array.of(i), (bytes) => `${bytes}`);
  expect(recent.find(Uint8Array.of(0))).toBeUndefined();
  expect(Array.from({ length: 16 }, (_, i) => recent.find(Uint8Array.of(i + 1)))).toEqual(
    Array.from({ length: 16 }, (_, i) => `${i + 1}`),
  );
});

test('what could not be made is not remembered', () => {
  const recent = new RecentBytes<string>();
  const fail = () => {
    throw new Error('not this time');
  };
  expect(() => recent.get(Uint8Array.of(1), fail)).toThrow('not this time');
  expect(recent.get(Uint8Array.of(1), () => 'now')).toBe('now');
});
