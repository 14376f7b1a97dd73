import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Intake } from '../../src/page/intake.ts';

// A browser's frames, 16 ms apart, on a clock that stands still unless somebody moves it.

let nowMs = 0;
let frames = new Map<number, () => void>();
let asked = 0;

beforeEach(() => {
  nowMs = 0;
  frames = new Map();
  asked = 0;
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => {
    frames.set(++asked, run);
    return asked;
  });
  vi.stubGlobal('cancelAnimationFrame', (id: number) => frames.delete(id));
  vi.stubGlobal('setTimeout', () => 0);
  vi.stubGlobal('clearTimeout', () => {});
  vi.stubGlobal('performance', { now: () => nowMs });
});
afterEach(() => vi.unstubAllGlobals());

function nextFrame(): void {
  nowMs += 16;
  const due = [...frames.values()];
  frames.clear();
  for (const run of due) run();
}

const NOTHING = { events: [], lines: [] };

/** An intake, and how many slices were there each time that something was drawn. */
function watched() {
  const drawn: number[] = [];
  let taken = 0;
  const intake = new Intake(
    () => taken++,
    () => drawn.push(taken),
  );
  return { intake, drawn };
}

test('the first part is drawn at once, what follows some times a second, and the last in any case', () => {
  const { intake, drawn } = watched();
  for (let i = 0; i < 60; i++) {
    intake.add(NOTHING);
    nextFrame();
  }
  expect(drawn[0]).toBe(1);
  expect(drawn.length).toBeGreaterThan(4);
  expect(drawn.length).toBeLessThan(9);
  for (let i = 0; i < 12; i++) nextFrame();
  expect(drawn.at(-1)).toBe(60);
  const before = drawn.length;
  for (let i = 0; i < 30; i++) nextFrame();
  expect(drawn.length).toBe(before);
});

test('behind its end it draws nothing', async () => {
  const { intake, drawn } = watched();
  intake.add(NOTHING);
  nextFrame();
  intake.add(NOTHING);
  nextFrame();
  await intake.end();
  for (let i = 0; i < 30; i++) nextFrame();
  expect(drawn).toEqual([1]);
});

test('its end waits for what is not yet taken', async () => {
  const { intake, drawn } = watched();
  intake.add(NOTHING);
  let isOver = false;
  const end = intake.end().then(() => {
    isOver = true;
  });
  await Promise.resolve();
  expect(isOver).toBe(false);
  nextFrame();
  await end;
  for (let i = 0; i < 30; i++) nextFrame();
  expect(drawn).toEqual([]);
});
