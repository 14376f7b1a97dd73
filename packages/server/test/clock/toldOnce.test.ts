import { afterEach, expect, test, vi } from 'vitest';
import { REAL_TIME } from '../../src/clock/realTime.ts';
import { Standstill } from '../../src/clock/standstill.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('time that goes on meanwhile is no standstill, and one is told once', () => {
  const patience: (() => void)[] = [];
  vi.spyOn(REAL_TIME, 'setTimeout').mockImplementation((wake) => patience.push(wake));
  const passPatience = () => {
    for (const wake of patience.splice(0)) wake();
  };
  let nowMicros = 0;
  const told: string[] = [];
  const standstill = new Standstill({ nowMicros: () => nowMicros, inVain: () => 'somebody waits' });
  standstill.onInVain((text) => told.push(text));
  standstill.look();
  nowMicros = 5;
  passPatience();
  expect(told).toEqual([]);
  passPatience();
  expect(told).toEqual(['somebody waits']);
  standstill.look();
  passPatience();
  expect(told).toHaveLength(1);
});
