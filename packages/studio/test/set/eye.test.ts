import { expect, test } from 'vitest';
import { Eye } from '../../src/set/eye.ts';
import { tempoFrom } from '../../src/tempo/tempo.ts';

/** Ten seconds that nobody needs to see, an election in two hundredths of one, and ten seconds more. */
const TEMPO = tempoFrom({ micros: [0, 10e6, 10.02e6, 20e6], millis: [0, 1000, 7000, 8000] });
const at = (micros: number, isStill = false) => new Eye(TEMPO, micros, isStill);

test('what lasts for the eye lasts for so much film where that goes slowly', () => {
  expect(at(10.01e6).millisSince(10e6)).toBe(3000);
  expect(at(10.005e6).part(10e6, 2000)).toBe(0.75);
  expect(at(10.005e6).millisInto(10e6, 2000)).toBe(1500);
});

test('and is over a second later where there is hardly any film', () => {
  expect(at(3e6).millisSince(2e6)).toBe(100);
  expect(at(2.5e6).part(2e6, 2000)).toBeCloseTo(0.5);
  expect(at(3e6).part(2e6, 2000)).toBe(1);
  expect(at(3e6).millisInto(2e6, 2000)).toBe(2000);
});

test('and where the film has ended', () => {
  expect(at(21e6).part(20e6, 2000)).toBe(1);
  expect(at(30e6).millisInto(20e6, 2000)).toBeGreaterThan(2000);
});

test('it follows from the instant alone, and never goes back while time goes on', () => {
  const instants = Array.from({ length: 4001 }, (_, i) => i * 5000);
  for (const began of [0, 9.9e6, 10e6, 10.01e6, 19e6]) {
    const parts = instants.map((micros) => at(micros).part(began, 1900));
    expect(parts).toEqual([...parts].sort((a, b) => a - b));
    expect(instants.toReversed().map((micros) => at(micros).part(began, 1900))).toEqual(parts.toReversed());
  }
});

test('what is to come has not begun, and nothing moves for who wants that', () => {
  expect(at(1e6).millisInto(2e6, 2000)).toBeLessThan(0);
  expect(at(1e6).part(2e6, 2000)).toBe(0);
  expect(at(2e6, true).part(2e6, 2000)).toBe(1);
});
