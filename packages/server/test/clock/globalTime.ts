import { vi } from 'vitest';
import { REAL_TIME } from '../../src/clock/realTime.ts';

/** From now on, until all mocks are restored, the package goes by whatever timers are the global ones, so that a test can turn them. */
export function useGlobalTime(): void {
  vi.spyOn(REAL_TIME, 'setTimeout').mockImplementation((wake, ms) => setTimeout(wake, ms));
  vi.spyOn(REAL_TIME, 'clearTimeout').mockImplementation((timer) => clearTimeout(timer as NodeJS.Timeout));
  vi.spyOn(REAL_TIME, 'setImmediate').mockImplementation((wake) => setImmediate(wake));
  vi.spyOn(REAL_TIME, 'clearImmediate').mockImplementation((turn) => clearImmediate(turn as NodeJS.Immediate));
  vi.spyOn(REAL_TIME, 'monotonicMs').mockImplementation(() => performance.now());
}
