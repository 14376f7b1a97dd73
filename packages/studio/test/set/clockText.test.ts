import { expect, test } from 'vitest';
import { clockText } from '../../src/set/clockText.ts';

const step = (index: number, atMicros: number) => ({ index, atMicros, endedMicros: undefined });
const RUN = { steps: [step(0, 10e6), step(1, 12e6)], endMicros: 20e6 };

test('the clock says the instant, of how long a run, and the last step that has begun', () => {
  expect(clockText(RUN, 3e6)).toBe('3.000s of 20.000s');
  expect(clockText(RUN, 10e6)).toBe('10.000s of 20.000s · step 1 of 2');
  expect(clockText(RUN, 20e6)).toBe('20.000s of 20.000s · step 2 of 2');
});
