import { expect, test } from 'vitest';
import { barredOf, barredText } from '../src/barred.ts';

const untilMicros: Readonly<Record<string, number>> = { n1: 70_000_000, n2: 5_000_000, n3: 0 };
const set = {
  memberNames: Object.keys(untilMicros),
  nowMicros: 10_000_000,
  standing: (name: string) => ({ electable: false, barredUntilMicros: untilMicros[name]! }),
};

test('only who is kept from standing, until when, and for how long', () => {
  expect(barredText(set)).toBe('n1 may not stand before 70.000s, in 1m: it stepped down or was frozen');
  expect(barredOf(set, 'n2')).toBeUndefined();
  expect(barredText({ ...set, nowMicros: 70_000_000 })).toBeUndefined();
});
