import type { Page } from 'playwright-core';
import type { Figure } from './measure.ts';

/** How long frames took. Unit: ms. */
export interface Frames {
  readonly count: number;
  readonly median: number;
  readonly p95: number;
  readonly worst: number;
  /** Of those that a screen of 60 frames a second shows in time, 0 to 1. */
  readonly inTime: number;
  /** What the page's own thread worked for one, which other programs do not lengthen; undefined where nobody asked. */
  readonly cpuMs?: number;
}

/** What a screen of 60 frames a second has for one. Unit: ms. */
const FRAME_MS = 1000 / 60;

/** Frames are not held back to what a screen shows: what is between two is what the page needs. */
export const UNTHROTTLED = ['--disable-frame-rate-limit', '--disable-gpu-vsync'];

/** Goes to as many instants all over the run, one a frame, as a hand on the timeline would. */
export function scrubbed(page: Page, count: number): Promise<Frames> {
  return watched(page, count, SCRUB);
}

/** Plays at automatic tempo from some instants of the run on, as many frames in all. */
export function playing(page: Page, count: number): Promise<Frames> {
  return watched(page, count, PLAY);
}

/** @param script a function of the page: as many frames, and how long each took */
async function watched(page: Page, count: number, script: string): Promise<Frames> {
  const door = await page.context().newCDPSession(page);
  await door.send('Performance.enable', { timeDomain: 'threadTicks' });
  const workedMs = async () => {
    const { metrics } = await door.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };
  const before = await workedMs();
  const frames = framesOf((await page.evaluate(`(${script})(${count})`)) as number[]);
  const cpuMs = ((await workedMs()) - before) / count;
  await door.detach();
  return { ...frames, cpuMs };
}

const SCRUB = `async (count) => {
  const timeline = document.querySelector('.timeline');
  const { left, top, width } = timeline.getBoundingClientRect();
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const took = [];
  await frame();
  for (let i = 0, share = 0; i < count; i++) {
    // Neither near the last instant nor in an order that a cache would like.
    share = (share + 0.618034) % 1;
    const begun = performance.now();
    const at = { clientX: left + 64 + share * (width - 74), clientY: top + 2, buttons: 1, bubbles: true };
    timeline.dispatchEvent(new PointerEvent('pointerdown', at));
    await frame();
    took.push(performance.now() - begun);
  }
  return took;
}`;

/** The space bar plays, and stops. */
const PLAY = `async (count) => {
  const timeline = document.querySelector('.timeline');
  const { left, top, width } = timeline.getBoundingClientRect();
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const turn = async (isOn) => {
    const isPlaying = document.querySelector('[aria-label="pause time"]') !== null;
    if (isPlaying !== isOn) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }));
    await frame();
  };
  const took = [];
  for (const share of [0.05, 0.25, 0.35, 0.6, 0.8]) {
    const at = { clientX: left + 64 + share * (width - 74), clientY: top + 2, bubbles: true };
    timeline.dispatchEvent(new PointerEvent('pointerdown', { ...at, buttons: 1 }));
    timeline.dispatchEvent(new PointerEvent('pointerup', at));
    await frame();
    await turn(true);
    let last = await frame();
    for (let i = 0; i < count / 5; i++) {
      const now = await frame();
      took.push(now - last);
      last = now;
    }
    await turn(false);
  }
  return took;
}`;

/** Notes from the beginning of a page how far its frames are apart; to be asked of `framesSinceStart`. */
export const WATCH_FRAMES = `{
  globalThis.framesApart = [];
  let last;
  requestAnimationFrame(function next(now) {
    if (last !== undefined) framesApart.push(now - last);
    last = now;
    requestAnimationFrame(next);
  });
}`;

/** What `WATCH_FRAMES` has noted. */
export async function framesSinceStart(page: Page): Promise<Frames> {
  return framesOf((await page.evaluate('framesApart')) as number[]);
}

function framesOf(took: readonly number[]): Frames {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
  const inTime = took.filter((each) => each <= FRAME_MS + CLOCK_MS).length / Math.max(took.length, 1);
  return { count: took.length, median: at(0.5), p95: at(0.95), worst: at(1), inTime };
}

/** A browser's clock says tenths of a millisecond. Unit: ms. */
const CLOCK_MS = 0.1;

export function framesFigure(name: string, { count, median, p95, worst, inTime, cpuMs }: Frames): Figure {
  const also = [
    `median ${median.toFixed(1)}`,
    `worst ${worst.toFixed(1)}`,
    `${Math.round(100 * inTime)} % in 16.7 ms`,
    `${count} frames`,
  ];
  if (cpuMs !== undefined) also.push(`${cpuMs.toFixed(1)} ms of CPU`);
  return { name, value: p95, unit: 'ms a frame at p95', better: 'less', also };
}
