import { afterAll, beforeAll, expect, test } from 'vitest';
import { framesFigure, playing, scrubbed, UNTHROTTLED } from '../../../../bench/frames.ts';
import { LONG_RUN } from '../../../../bench/longRun.ts';
import { line } from '../../../../bench/measure.ts';
import { type Opener, openerOf } from './openPage.ts';

// What a frame takes on a run of more than 200,000 trace events; printed, as machines differ. `npm run bench -- studio` says more.

let opener: Opener;

beforeAll(async () => {
  opener = await openerOf(UNTHROTTLED);
});

afterAll(() => opener?.close());

test('frames while scrubbing, and while playing', async () => {
  const page = await opener.open({ text: LONG_RUN, atMicros: 0 });
  for (const [what, watch] of Object.entries({ scrubbing: scrubbed, playing })) {
    const frames = await watch(page, 100);
    console.log(line(framesFigure(`frames while ${what}`, frames)));
    expect(frames.count).toBe(100);
  }
  // However long the run is, the page has only what is seen.
  expect((await page.evaluate('document.querySelectorAll("*").length')) as number).toBeLessThan(3000);
});

/** Goes to one instant, and to another. @returns how many messages there are at each, and how many elements they have in common */
const MESSAGES_OF_TWO = `async () => {
  const timeline = document.querySelector('.timeline');
  const { left, top, width } = timeline.getBoundingClientRect();
  const messagesAt = async (share) => {
    const at = { clientX: left + 64 + share * (width - 74), clientY: top + 2, buttons: 1, bubbles: true };
    timeline.dispatchEvent(new PointerEvent('pointerdown', at));
    await new Promise((resolve) => requestAnimationFrame(resolve));
    return [...document.querySelectorAll('.setpic .message')];
  };
  const one = await messagesAt(0.4);
  const other = await messagesAt(0.7);
  return { one: one.length, other: other.length, both: other.filter((each) => one.includes(each)).length };
}`;

test('the messages of another instant are drawn with the elements of those before', async () => {
  const page = await opener.open({ text: LONG_RUN, atMicros: 0 });
  const { one, other, both } = (await page.evaluate(`(${MESSAGES_OF_TWO})()`)) as Record<
    'one' | 'other' | 'both',
    number
  >;
  expect(Math.min(one, other)).toBeGreaterThan(50);
  expect(both).toBe(Math.min(one, other));
});

/** What story and oplogs say of the instant. */
const PANELS_TEXT = `[
  document.querySelector('.story [aria-current]').textContent,
  [...document.querySelectorAll('.oplogs [data-entry]')].at(-1).dataset.entry,
].join()`;

/** Goes to instants all over the run, one a frame, and at last to one. @returns what the panels beside the set say at once */
const SCRUB_TO = `async (count) => {
  const timeline = document.querySelector('.timeline');
  const { left, top, width } = timeline.getBoundingClientRect();
  for (let i = 1; i <= count; i++) {
    const share = i === count ? 0.4 : (i * 0.618034) % 1;
    const at = { clientX: left + 64 + share * (width - 74), clientY: top + 2, buttons: 1, bubbles: true };
    timeline.dispatchEvent(new PointerEvent('pointerdown', at));
    if (i < count) await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  // React draws in the next microtask.
  await undefined;
  return PANELS;
}`.replace('PANELS', PANELS_TEXT);

test('panels that draw in turns are right at the first instant and when time rests, and lose nothing that is typed', async () => {
  const page = await opener.open({ text: LONG_RUN, atMicros: 0 });
  const first = await page.evaluate(`(${SCRUB_TO})(1)`);
  expect(first).toMatch(/^6\d\./);
  for (const count of [8, 9, 10]) {
    await page.evaluate(`(${SCRUB_TO})(${count})`);
    await expect.poll(() => page.evaluate(PANELS_TEXT)).toBe(first);
  }
  await page.getByRole('button', { name: 'play' }).click();
  const operation = page.getByLabel('operation', { exact: true });
  await operation.pressSequentially('loose/123');
  expect(await operation.inputValue()).toBe('loose/123');
  await page.getByRole('button', { name: 'pause time' }).click();
  expect(await operation.inputValue()).toBe('loose/123');
});
